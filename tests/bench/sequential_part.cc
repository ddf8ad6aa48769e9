// How long the parts of a replay take that only one thread can do, since each request depends on those before it:
// putting requests in order, and scheduling and counting them. With three threads or more each of the two has a thread:
// the longer one says how many threads are of use. Each is measured alone, in one thread: ordering is a reading whose
// requests are put into blocks, as for another thread, and go nowhere, without what any thread can do (reading the log
// and preparing its events); scheduling is an engine that takes such blocks, whose requests it has to fetch from
// memory.
//
//   sequential_part LOG CONFIG [ROUNDS]     prints the microseconds of each request: the longer part, ordering,
//                                           scheduling, both in one thread; the best of ROUNDS of each measurement
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

#include "base/prefetch.h"
#include "logs/event_reader.h"
#include "logs/tracks.h"
#include "replay/engine/engine.h"
#include "replay/engine/engine_beside.h"
#include "replay/engine/prelude.h"
#include "replay/engine/request_reader.h"
#include "replay/engine/run_options.h"
#include "replay/prepare/prepare.h"

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

using Block = std::vector<apf::TakenEvents::Item>;

// Takes requests as they are handed over to an engine in another thread.
class NoEngine final : public apf::RequestSource::Sink {
 public:
  // `keeps`: all requests; else it is through with each block when that is full.
  explicit NoEngine(bool keeps) : keeps_(keeps) { add_block(); }
  void add_standing_watch(apf::WatchKey, apf::Nanos) override {}
  void take_note(const apf::KeptNote&) override {}
  void take(apf::Nanos now, apf::JoinedEvent& joined, std::string&&) override {
    if (blocks_.back().size() == apf::TakenEvents::kEvents) {
      if (!keeps_) done_ += blocks_.back().size(), blocks_.back().clear();
      else add_block();
    }
    blocks_.back().push_back({now, &joined});
  }
  std::uint64_t done() const override { return done_; }
  apf::Nanos now() const override { return 0; }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  void add_block() { blocks_.emplace_back().reserve(apf::TakenEvents::kEvents); }

  const bool keeps_;
  std::uint64_t done_ = 0;
  std::vector<Block> blocks_;
};

void order(const apf::ReplayOptions& options) {
  apf::RequestReader reader(options, {}, 0, false);
  NoEngine sink(false);
  reader.survey();
  reader.read(sink);
}

// Returns how many requests it has counted.
std::uint64_t schedule(const apf::ReplayOptions& options, apf::RequestSource& source,
                       const std::vector<Block>& blocks) {
  source.flows().clear_tallies();
  apf::ServerClock clock = source.clock();
  const apf::RunContext context = source.context(options, clock);
  apf::RunOutputs outputs;
  outputs.report = true;
  apf::Engine engine(context, outputs);
  apf::Prelude prelude(context, engine);
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (i + apf::TakenEvents::kAhead < block.size()) apf::prefetch(*block[i + apf::TakenEvents::kAhead].joined);
      prelude.take(block[i].now, *block[i].joined, {});
    }
  }
  prelude.finish();
  engine.finish();
  apf::ReplayReport report;
  engine.fill(report);
  return report.total.requests;
}

// Processor seconds of `work`, at least.
template <class Work>
void take_time(double& least, Work&& work) {
  const double begin = now();
  work();
  least = std::min(least, now() - begin);
}

int measure(const char* log, const char* config, int rounds) {
  apf::ReplayOptions options;
  const std::vector<std::string> paths{config};
  options.config = apf::load_config(apf::read_config_files(paths)).config;
  apf::apply_defaults(options.config);
  options.config = apf::with_builtins(std::move(options.config), options.version, apf::Builtins::all);
  options.logs = {log};
  options.threads = 1;
  apf::RequestReader reader(options, {}, 0, false);
  NoEngine sink(true);
  reader.survey();
  reader.read(sink);
  double whole = 1e300, ordered = 1e300, scheduled = 1e300, prepared = 1e300;
  std::uint64_t requests = 0, counted = 0;
  for (int i = 0; i < rounds; ++i) {
    take_time(whole, [&] { requests = apf::replay(options).requests; });
    take_time(ordered, [&] { order(options); });
    take_time(scheduled, [&] { counted = schedule(options, reader, sink.blocks()); });
    take_time(prepared, [&] { prepare(options); });
  }
  if (requests == 0) return std::fprintf(stderr, "sequential_part: %s holds no requests\n", log), 2;
  if (counted == 0) return std::fprintf(stderr, "sequential_part: nothing was scheduled\n"), 2;
  const auto each = [&](double seconds) { return seconds * 1e6 / static_cast<double>(requests); };
  const double ordering = each(ordered - prepared), scheduling = each(scheduled);
  std::printf("%.3f %.3f %.3f %.3f\n", std::max(ordering, scheduling), ordering, scheduling, each(whole - prepared));
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
