// The files below a folder that somebody names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace apf {

// Whether to take a file, or to enter a folder.
using IsWanted = std::function<bool(const std::filesystem::directory_entry&)>;

// In order of their paths; what is mounted below, such as /proc, is left out, and so are folders that may not be read
// and links that lead nowhere, which go to `closed`. Throws Error for a folder that cannot be read, or holds more than
// `most` files: "give the folder of " `whose`.
std::vector<std::string> files_below(const std::string& folder, std::size_t most, const char* whose,
                                     const IsWanted& is_wanted, std::vector<std::string>* closed = nullptr);

}  // namespace apf
