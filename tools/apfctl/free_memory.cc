#include "free_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

namespace apfctl {

namespace {

// Nothing where the file begins with no number: "max" is no limit.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

// The number behind the name in a file of names and numbers.
std::optional<std::uint64_t> number_of(const std::string& path, std::string_view name) {
  std::ifstream in(path);
  std::string found;
  std::uint64_t number = 0;
  for (std::string rest; in >> found >> number; std::getline(in, rest))
    if (found == name) return number;
  return std::nullopt;
}

// Where a version of control groups has its files, and how it names them.
struct Groups {
  const char *mount, *limit, *usage, *inactive_files;
};
constexpr Groups kSecondVersion{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr Groups kFirstVersion{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};

std::uint64_t free_in(const std::string& group, const Groups& names) {
  const auto limit = number_in(group + "/" + names.limit), usage = number_in(group + "/" + names.usage);
  if (!limit || !usage) return UINT64_MAX;
  const std::uint64_t files = number_of(group + "/memory.stat", names.inactive_files).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, files);
  return *limit - std::min(*limit, used);
}

// Of a group and all that it lies in. A container sees its own group at the top, whatever its path is.
std::uint64_t free_up_from(const std::string& root, std::string path, const Groups& names) {
  std::uint64_t least = free_in(root + names.mount, names);
  for (; path.size() > 1; path.resize(path.rfind('/')))
    least = std::min(least, free_in(root + names.mount + path, names));
  return least;
}

}  // namespace

std::uint64_t free_memory(const std::string& root) {
  const auto available = number_of(root + "/proc/meminfo", "MemAvailable:");  // in KiB
  std::uint64_t least = available ? *available * 1024 : UINT64_MAX;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/a/b" or "4:cpu,memory:/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, free_up_from(root, path, kSecondVersion));
    else if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, free_up_from(root, path, kFirstVersion));
  }
  return least;
}

}  // namespace apfctl
