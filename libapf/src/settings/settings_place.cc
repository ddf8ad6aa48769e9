#include "settings/settings_place.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <apf/error.h>

namespace apf {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kRoot = 0;

void check_owners(const fs::path& path, const fs::path& settings, std::uint32_t user, const FileOwners& owners) {
  const std::vector<std::uint32_t> found = owners(path);
  const auto foreign =
      std::find_if(found.begin(), found.end(), [&](std::uint32_t owner) { return owner != user && owner != kRoot; });
  if (foreign == found.end()) return;
  throw Error(
      fmt::format("{} belongs to user {}: settings above the current folder count only if they and the "
                  "repository belong to you or to root; give --config {} to use them, or --no-config",
                  path.string(), *foreign, settings.string()));
}

}  // namespace

std::vector<std::uint32_t> owners_of_file(const fs::path& path) {
  struct stat link {};
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || ::lstat(path.c_str(), &link) != 0) return {};
  return {file.st_uid, link.st_uid};
}

fs::path find_settings(const fs::path& start, std::uint32_t user, const FileOwners& owners) {
  const auto is_there = [&](const fs::path& path) { return !owners(path).empty(); };
  if (is_there(start / kSettingsFileName)) return start / kSettingsFileName;
  fs::path found;
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (found.empty() && is_there(folder / kSettingsFileName)) found = folder / kSettingsFileName;
    if (is_there(folder / ".git")) {
      if (found.empty()) return found;
      check_owners(found, found, user, owners);
      check_owners(folder / ".git", found, user, owners);
      return found;
    }
    if (folder == folder.root_path()) return {};
  }
}

std::string nearest_settings() {
  std::error_code error;
  const fs::path start = fs::current_path(error);
  if (error) return {};
  const fs::path found = find_settings(start, ::geteuid(), owners_of_file);
  return found.empty() ? std::string() : relative_to(found.string(), ".");
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string relative_to(const std::string& path, const std::string& folder) {
  std::error_code error;
  const fs::path from = fs::absolute(folder, error).lexically_normal();
  const fs::path file = fs::absolute(path, error).lexically_normal();
  const std::string relative =
      file.lexically_relative(from.has_filename() ? from : from.parent_path()).generic_string();
  return relative.empty() ? path : relative;
}

}  // namespace apf
