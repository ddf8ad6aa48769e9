// Any bytes as a log, replayed: absurd times and durations included. The replay ends, and what it counts adds up.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include <apf/error.h>
#include <apf/replay.h>
#include <apf/report.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

// A file that is in memory alone.
struct MemoryFile {
  explicit MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor(::memfd_create("fuzz", 0)) {
    require(descriptor >= 0 && ::write(descriptor, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { ::close(descriptor); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }
  int descriptor;
};

}  // namespace

APF_FUZZER(replay_fuzz) {
  if (size > 16384) return;
  static const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
  const MemoryFile log(data, size);
  apf::ReplayOptions options;
  options.logs = {log.path()};
  options.threads = 1;
  options.config = config;
  // The first byte picks what is left to its default otherwise.
  const int choice = size > 0 ? data[0] : 0;
  options.server_concurrency_limit = 1 + choice % 7;
  options.retries = choice % 3 == 0;
  options.metrics = options.series = choice % 2 == 0;
  if (choice % 5 == 0) options.in_flight = apf::InFlightLimits{3, 2};
  try {
    const apf::ReplayReport report = apf::replay(options);
    std::uint64_t requests = 0;
    for (const apf::LevelReport& level : report.levels) requests += level.tally.requests;
    require(options.in_flight || requests == report.total.requests);
  } catch (const apf::Error& error) {
    require(*error.what() != 0);
  }
}
