#include "shared/require_objects.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include <apf/error.h>
#include <apf/report.h>

#include "shared/git_objects.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

bool is_one_file(const std::string& path) {
  std::error_code error;
  return path == "-" ||
         (!is_in_git(path) && std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error));
}

bool is_of(const std::string& path, const std::string& name) {
  if (name.starts_with(path)) return true;
  std::error_code error;
  return !std::filesystem::exists(path, error) &&
         ::fnmatch(path.c_str(), name.c_str(), FNM_PATHNAME | FNM_LEADING_DIR) == 0;
}

}  // namespace

void RequireObjects::declare(CommandLine& line) {
  line.flag("--require-objects", required, "Exit 2 if a folder or glob holds no object that apfctl reads.");
}

void RequireObjects::check(const std::vector<std::string>& paths, const std::vector<apf::ConfigText>& texts,
                           const Console& console) const {
  for (const std::string& path : paths) {
    if (is_one_file(path)) continue;
    std::vector<apf::ConfigText> own;
    std::copy_if(texts.begin(), texts.end(), std::back_inserter(own),
                 [&](const apf::ConfigText& text) { return is_of(path, text.name); });
    apf::FolderContents contents;  // what is empty here may have been read under another name
    if (own.empty()) own = read_sources({path}, contents);
    const std::string what = apf::printable(path) + " holds no object that apfctl reads";
    if (required && apf::load_config(own).object_count() == 0) throw apf::Error(what + "; correct the path");
    if (own.empty() && paths.size() > 1) console.note(what);
  }
}

}  // namespace apfctl
