// git:REV[:PATH]: configurations as git has them in a revision, read without a checkout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/related_files.h>

namespace apfctl {

bool is_in_git(std::string_view path);

// The file, or the files of the folder that read_related_files() would read of it on disk. `contents`: as there.
// Throws apf::Error where git cannot give an object. git reads its own objects alone: it fetches nothing, and runs no
// program of the repository (no hook, no filter, no ssh command).
std::vector<apf::ConfigText> read_from_git(const std::string& source, apf::FolderContents& contents);

}  // namespace apfctl
