// How long the part of a replay takes that only one thread can do, since each request depends on those before it:
// putting requests in order, scheduling them, counting. A whole replay in one thread, without what any thread can do:
// reading the log and preparing its events.
//
//   sequential_part LOG CONFIG [ROUNDS]     prints the microseconds of each request, the best of ROUNDS of both
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/replay.h>

#include "logs/event_reader.h"
#include "replay/prepare/prepare.h"
#include "replay/run_options.h"

namespace {

// The thread's own time: other work on the machine counts as little as can be.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

std::uint64_t prepare(const apf::ReplayOptions& options) {
  const apf::PrepareContext context = apf::context_of(options);
  apf::EventReader<apf::Preparer> reader(apf::sort_into_tracks(options), options,
                                         [&] { return std::make_unique<apf::Preparer>(context, 0); });
  std::uint64_t events = 0;
  for (apf::EventReader<apf::Preparer>::Run run; reader.next(run);) events += run.to - run.from;
  return events;
}

int measure(const char* log, const char* config, int rounds) {
  apf::ReplayOptions options;
  const std::vector<std::string> paths{config};
  options.config = apf::load_config(apf::read_config_files(paths)).config;
  apf::apply_defaults(options.config);
  options.config = apf::with_builtins(std::move(options.config), options.version, apf::Builtins::all);
  options.logs = {log};
  options.threads = 1;
  double whole = 1e300, prepared = 1e300;
  std::uint64_t requests = 0;
  for (int i = 0; i < rounds; ++i) {
    double begin = now();
    requests = apf::replay(options).requests;
    whole = std::min(whole, now() - begin);
    begin = now();
    prepare(options);
    prepared = std::min(prepared, now() - begin);
  }
  if (requests == 0) return std::fprintf(stderr, "sequential_part: %s holds no requests\n", log), 2;
  std::printf("%.3f\n", (whole - prepared) * 1e6 / static_cast<double>(requests));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: sequential_part LOG CONFIG [ROUNDS]\n"), 2;
  try {
    return measure(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 5);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sequential_part: %s\n", error.what());
    return 2;
  }
}
