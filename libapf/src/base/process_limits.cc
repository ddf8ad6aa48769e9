#include "base/process_limits.h"

#include <algorithm>
#include <climits>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

namespace apf {

namespace {

// Nothing where the file begins with no number, or a negative one: "max" and -1 are no limits.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream in(path);
  std::int64_t number = 0;
  return in >> number && number >= 0 ? std::optional(static_cast<std::uint64_t>(number)) : std::nullopt;
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

std::uint64_t free_in(const std::string& group, const char* limit_file, const char* usage_file,
                      const char* files_name) {
  const auto limit = number_in(group + limit_file), usage = number_in(group + usage_file);
  if (!limit || !usage) return UINT64_MAX;
  const std::uint64_t files = number_of(group + "/memory.stat", files_name).value_or(0);
  return *limit - std::min(*limit, *usage - std::min(*usage, files));
}

// Processors' time in that of a clock: `quota` of each `period`. Version 2 has both in one file.
int processors_of(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  if (!quota || !period || *period == 0) return INT_MAX;
  return static_cast<int>(std::clamp<std::uint64_t>((*quota + *period - 1) / *period, 1, INT_MAX));
}

int processors_in(const std::string& group) {
  std::ifstream in(group + "/cpu.max");
  std::uint64_t quota = 0, period = 0;
  return in >> quota >> period ? processors_of(quota, period) : INT_MAX;
}

// Calls see(group, of_second_version) for the groups that `controller` puts the process into, and all that they lie in.
// A container sees its own group at the top, whatever its path is.
template <class See>
void see_groups(const std::string& root, const std::string& controller, See see) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/a/b" or "4:cpu,memory:/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool second_version = controllers == ",,";
    if (!second_version && controllers.find("," + controller + ",") == std::string::npos) continue;
    const std::string mount = root + "/sys/fs/cgroup" + (second_version ? "" : "/" + controller);
    see(mount, second_version);
    for (std::string path = line.substr(second + 1); path.size() > 1 && path.front() == '/';
         path.resize(path.rfind('/')))
      see(mount + path, second_version);
  }
}

}  // namespace

std::uint64_t free_memory(const std::string& root) {
  const auto available = number_of(root + "/proc/meminfo", "MemAvailable:");  // in KiB
  std::uint64_t least = available ? *available * 1024 : UINT64_MAX;
  see_groups(root, "memory", [&](const std::string& group, bool second_version) {
    least = std::min(least, second_version ? free_in(group, "/memory.max", "/memory.current", "inactive_file")
                                           : free_in(group, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                                     "total_inactive_file"));
  });
  return least;
}

int processors(const std::string& root) {
  int least = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  see_groups(root, "cpu", [&](const std::string& group, bool second_version) {
    least = std::min(least, second_version ? processors_in(group)
                                           : processors_of(number_in(group + "/cpu.cfs_quota_us"),
                                                           number_in(group + "/cpu.cfs_period_us")));
  });
  return least;
}

}  // namespace apf
