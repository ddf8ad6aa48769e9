// Which .apfctl.yaml is that of a folder, and paths as seen from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace apf {

inline constexpr const char* kSettingsFileName = ".apfctl.yaml";

// The users, by number, who own a file and, where it is a link, the link; none: there is no such file.
using FileOwners = std::function<std::vector<std::uint32_t>(const std::filesystem::path&)>;
std::vector<std::uint32_t> owners_of_file(const std::filesystem::path& path);

// The nearest one from the folder `start` upward to the root of the git work tree; outside of one only `start` is
// looked at. Empty: there is none. Anybody can put files above a folder that others share, so above `start` both it and
// the repository must belong to `user` or to root: otherwise throws Error.
std::filesystem::path find_settings(const std::filesystem::path& start, std::uint32_t user, const FileOwners& owners);
// Of the current folder, for the user of this process, as seen from that folder; empty: there is none.
std::string nearest_settings();

// "." for a file of the current folder.
std::string folder_of(const std::string& path);
// `path` as seen from `folder`, with '/'; both relative to the current folder or absolute.
std::string relative_to(const std::string& path, const std::string& folder);

}  // namespace apf
