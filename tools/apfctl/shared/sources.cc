#include "shared/sources.h"

#include <algorithm>
#include <string_view>

#include <apf/report.h>

#include "shared/git_objects.h"
#include "shared/input.h"
#include "shared/usage_error.h"

namespace apfctl {

namespace {

constexpr std::string_view kBuiltinsPrefix = "builtins@";

}  // namespace

std::vector<apf::ConfigText> read_sources(const std::vector<std::string>& paths, apf::FolderContents& contents) {
  std::vector<apf::ConfigText> out;
  std::vector<std::string> files;
  const auto read_files = [&] {
    if (files.empty()) return;
    for (apf::ConfigText& text : read_related(files, contents)) out.push_back(std::move(text));
    files.clear();
  };
  for (const std::string& path : paths) {
    if (!is_in_git(path)) {
      files.push_back(path);
      continue;
    }
    read_files();
    for (apf::ConfigText& text : read_from_git(path, contents)) out.push_back(std::move(text));
  }
  read_files();
  return out;
}

std::optional<apf::KubeVersion> builtins_release(const std::string& path) {
  if (!path.starts_with(kBuiltinsPrefix)) return std::nullopt;
  const std::string text = path.substr(kBuiltinsPrefix.size());
  const std::optional<apf::KubeVersion> version = apf::KubeVersion::parse(text);
  if (!version)
    throw UsageError("builtins@" + apf::printable(text) + ": " + apf::unsupported_release(apf::printable(text)));
  return version;
}

}  // namespace apfctl
