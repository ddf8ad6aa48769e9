// Configurations that are no files: what git keeps, and the built-in objects of a release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/related_files.h>
#include <apf/version.h>

namespace apfctl {

// Like read_related() of input.h, and git:REV[:PATH] besides: the file, or the .yaml, .yml and .json files of the
// folder, as they are in that revision. Runs git; nothing is checked out. PATH begins at the root of the repository.
// Throws apf::Error. `contents`: as in apf::read_related_files().
std::vector<apf::ConfigText> read_sources(const std::vector<std::string>& paths, apf::FolderContents& contents);

// The built-in objects of the release that is named otherwise; a file of this name goes before.
inline constexpr const char* kOwnBuiltins = "builtins";
// The release of "builtins@1.29"; nothing if the path is something else. Throws UsageError for an unknown release.
std::optional<apf::KubeVersion> builtins_release(const std::string& path);

}  // namespace apfctl
