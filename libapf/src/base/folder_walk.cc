#include "base/folder_walk.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include <apf/error.h>
#include <fmt/core.h>

#include "base/thousands.h"

namespace apf {

namespace {

std::optional<dev_t> device_of(const std::string& path) {
  struct stat about = {};
  return ::stat(path.c_str(), &about) == 0 ? std::optional(about.st_dev) : std::nullopt;
}

}  // namespace

std::vector<std::string> files_below(const std::string& folder, std::size_t most, const char* whose,
                                     const IsWanted& is_wanted, std::vector<std::string>* closed) {
  std::vector<std::string> out;
  std::error_code error;
  const std::optional<dev_t> device = device_of(folder);
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator at(folder, options, error), end; at != end; at.increment(error)) {
    if (error) break;
    const std::string path = at->path().string();
    if (at->is_directory(error)) {
      if (device_of(path) != device || !is_wanted(*at)) at.disable_recursion_pending();
      else if (closed && !at->is_symlink(error) && ::access(path.c_str(), R_OK | X_OK) != 0) closed->push_back(path);
    } else if (closed && at->is_symlink(error) && !at->exists(error)) {
      closed->push_back(path);
    } else if (at->is_regular_file(error) && is_wanted(*at)) {
      if (out.size() == most)
        throw Error(
            fmt::format("{} holds more than {} files: give the folder of {}", folder, with_thousands(most), whose));
      out.push_back(path);
    }
  }
  if (error) throw Error("cannot read " + folder + ": " + error.message());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace apf
