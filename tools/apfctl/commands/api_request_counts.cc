#include "commands/api_request_counts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "shared/input.h"

namespace apfctl {

namespace {

// By its beginning.
bool holds_counts(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(64 * 1024, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head.find("APIRequestCount") != std::string::npos && head.find("audit.k8s.io") == std::string::npos;
}

// Of a folder, what is YAML or JSON. False: there is something else.
bool add_files(const std::string& path, std::vector<std::string>& out) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    out.push_back(path);
    return std::filesystem::is_regular_file(path, error);
  }
  for (std::filesystem::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    const std::string name = at->path().string();
    if (!name.ends_with(".yaml") && !name.ends_with(".yml") && !name.ends_with(".json")) return false;
    out.push_back(name);
  }
  return !error;
}

}  // namespace

std::optional<apf::ApiRequestCounts> find_api_request_counts(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths)
    if (path == "-" || !add_files(path, files)) return std::nullopt;
  if (files.empty() || !std::all_of(files.begin(), files.end(), holds_counts)) return std::nullopt;
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string& file : files) {
    const std::string more = read_text(file);
    text += (text.empty() || more.starts_with('{') ? "\n" : "\n---\n") + more;
  }
  return apf::read_api_request_counts(text);
}

}  // namespace apfctl
