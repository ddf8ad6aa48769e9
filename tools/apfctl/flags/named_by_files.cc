#include "flags/named_by_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include <apf/error.h>
#include <apf/input.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "shared/git_objects.h"
#include "shared/words.h"

namespace apfctl {

namespace {

namespace fs = std::filesystem;

struct HiddenFile {
  fs::path path;  // a file or a folder
  std::string by;
};
std::vector<HiddenFile> g_hidden;

const HiddenFile* find_hidden(const std::string& path) {
  if (g_hidden.empty()) return nullptr;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  const auto holds = [&](const HiddenFile& hidden) {
    return std::mismatch(hidden.path.begin(), hidden.path.end(), real.begin(), real.end()).first == hidden.path.end();
  };
  const auto at = std::find_if(g_hidden.begin(), g_hidden.end(), holds);
  return at == g_hidden.end() ? nullptr : &*at;
}

}  // namespace

void claim_named(const std::string& path, const std::string& by) {
  if (path.empty() || path == "-" || is_in_git(path)) return;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error) && !fs::is_directory(path, error))
    throw apf::Error(fmt::format("{}: {} is neither a regular file nor a folder", by, path));
  if (!apf::lies_below_folder_of(path, by)) g_hidden.push_back({fs::weakly_canonical(path, error), by});
}

bool is_hidden(const std::string& path) { return find_hidden(path) != nullptr; }

std::vector<std::string> hide_findings(std::vector<apf::Diagnostic>& found) {
  std::map<std::string, std::size_t> hidden;
  for (apf::Diagnostic& d : found) {
    if (is_hidden(d.span.file)) ++hidden[d.span.file];
    std::erase_if(d.notes, [](const apf::Note& note) { return is_hidden(note.span.file); });
  }
  std::erase_if(found, [&](const apf::Diagnostic& d) { return hidden.contains(d.span.file); });
  std::vector<std::string> out;
  for (const auto& [file, findings] : hidden)
    out.push_back(fmt::format("{}: {} not shown, because only {} names this file; run: apfctl validate {}", file,
                              plural(findings, "finding", "findings"), find_hidden(file)->by, apf::shell_word(file)));
  return out;
}

}  // namespace apfctl
