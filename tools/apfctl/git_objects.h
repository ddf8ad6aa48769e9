// git:REV[:PATH]: configurations as git has them in a revision, read without a checkout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>

namespace apfctl {

bool is_in_git(std::string_view path);

// The file, or the files of the folder that read_related_files() would read of it on disk. `unrelated`: is increased by
// those that hold no object that limits requests. Throws apf::Error where git cannot give an object. git reads its own
// objects alone: it fetches nothing, and runs no program of the repository (no hook, no filter, no ssh command).
std::vector<apf::ConfigText> read_from_git(const std::string& source, std::size_t& unrelated);

}  // namespace apfctl
