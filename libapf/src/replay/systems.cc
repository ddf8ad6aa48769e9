// Systems that limit requests, each alone before the same log: the log is read and prepared once for all of them, kept,
// and replayed for each.
#include <apf/error.h>
#include <apf/replay.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "base/parallel.h"
#include "replay/event_spool.h"
#include "replay/one_reading.h"
#include "replay/other_replays.h"
#include "replay/quota_rounds.h"
#include "replay/replay_into.h"
#include "replay/run.h"
#include "replay/worst_case.h"

namespace apf {

namespace {

// The requests of a log, once they are read: see EventSpool.
class KeptRequests final : private RequestReader::Sink {
 public:
  // `options`: of the reading, those of one of the systems.
  KeptRequests(const ReplayOptions& options, const OtherSides& sides, Nanos join_window)
      : reader_(options, sides, join_window, false), spool_(reader_.attributes()) {}

  void read() {
    reader_.survey();
    reader_.read(*this);
    by_name_ = reader_.numbers();
    by_name_.requesters = by_name_.names;
  }
  std::optional<Nanos> longer_window() const { return reader_.longer_window(); }
  // Several threads may call it at once.
  ReplayReport replay(const ReplayOptions& system);

 private:
  void add_standing_watch(WatchKey key, Nanos end) override { spool_.add_standing_watch(key, end); }
  void take_note(const KeptNote&) override {}  // the reader's clock has it
  void take(Nanos now, JoinedEvent& joined, std::string&& id_text) override {
    now_ = now;
    spool_.append(now, joined, id_text);
    reader_.attributes().drop(joined.event.attributes);
  }
  Nanos now() const override { return now_; }

  RequestReader reader_;
  std::mutex filling_;  // reports from `reader_`
  EventSpool spool_;
  NumberTables by_name_;  // with PrepareContext::keeps_names: requesters are users
  Nanos now_ = 0;
};

// The log was prepared for all systems together; here it is as this one alone would have it.
ReplayReport KeptRequests::replay(const ReplayOptions& system) {
  const PrepareContext& prepared = reader_.prepared_for();
  const bool by_name = prepared.keeps_names && !is_about_clients(system);
  const bool leaves_out = classifies(system) && !prepared.classifies;
  const bool asks_inside = system.event_rate_limit || system.limits_resources();
  Flows flows = reader_.flows().frozen();
  ServerClock clock = reader_.clock();
  Pool<AdmissionAttributes> attributes;
  const RunContext context{system,     prepared.classifiers, flows, clock, by_name ? by_name_ : reader_.numbers(),
                           &attributes};
  Engine engine(context);
  for (const auto& [key, end] : spool_.standing_watches()) engine.add_standing_watch(key, end);
  Prelude prelude(context, engine);
  EventSpool::Reader events(spool_, asks_inside ? &attributes : nullptr);
  SpooledEvent item;
  bool stopped = false;
  for (std::uint64_t taken = 1; !stopped && events.next(item); ++taken) {
    PreparedEvent& event = item.joined.event;
    if (by_name && event.requester < by_name_.name_of.size()) event.requester = by_name_.name_of[event.requester];
    if (leaves_out && event.unplaced && event.left_out == LeftOut::no) event.left_out = LeftOut::unclassified;
    prelude.take(item.now, item.joined, std::move(item.id_text));
    // A reading that was interrupted is replayed as far as it came.
    stopped = taken % 4096 == 0 && !reader_.is_interrupted() && is_interrupted(system);
  }
  prelude.finish();
  engine.finish();
  ReplayReport report;
  engine.fill(report);
  {
    const std::lock_guard lock(filling_);
    reader_.fill(report);
  }
  report.server = system.server;
  report.interrupted = report.interrupted || stopped;
  if (!system.scales.empty()) report.recorded = {};  // the log's load was another one
  if (system.all_flows) report.all_flows = std::move(flows.reports());
  return report;
}

using Replay = std::function<ReplayReport(const ReplayOptions&)>;

// Updates of quotas that conflict take several replays.
ReplayReport replay_rounds(const ReplayOptions& system, const Replay& replay) {
  QuotaRounds rounds({&system, 1}, true);
  ReplayOptions own = system;
  ReplayReport report;
  do {
    own.quota_round = rounds.of(0);
    report = replay(own);
  } while (rounds.again({&report, 1}));
  return report;
}

ReplayReport replay_kept(KeptRequests& requests, const ReplayOptions& system) {
  ReplayReport report = requests.replay(system);
  if (!report.undecided || report.interrupted) return report;
  ReplayReport other = requests.replay(with_recorded_ends(system));
  report.interrupted = other.interrupted;
  report.others.push_back(std::move(other));
  return report;
}

// The log was written under the configuration that is replayed. `reading`: the options of one of the systems.
std::vector<ReplayReport> replay_as_recorded(const std::vector<ReplayOptions>& systems, const ReplayOptions& reading) {
  const auto replay_each = [&](KeptRequests& requests) {
    std::vector<ReplayReport> out(systems.size());
    requests.read();
    if (requests.longer_window()) return out;
    run_tasks(systems.size(), reading.threads, [&](std::size_t i) {
      ReplayOptions whole = systems[i];
      whole.all_flows = true;
      out[i] = replay_rounds(whole, [&](const ReplayOptions& own) { return replay_kept(requests, own); });
      settle_lists(out[i], systems[i].top, systems[i].all_flows);
    });
    return out;
  };
  return run_with_window([&](Nanos window) { return KeptRequests(reading, {.systems = systems}, window); }, replay_each,
                         [] {});
}

// The log was written under another configuration, which is replayed once; what that finds out is kept for all.
std::vector<ReplayReport> replay_what_if(const std::vector<ReplayOptions>& systems, const ReplayOptions& reading) {
  OutputFile nowhere("");
  const auto replay_each = [&](Run& run) {
    std::vector<ReplayReport> out;
    if (!run.read()) return out;
    SecondPasses& passes = run.second_passes();
    passes.begin(run.context(), run.engine());
    for (const ReplayOptions& system : systems) {
      ReplayOptions whole = system;
      whole.all_flows = true;
      out.push_back(replay_rounds(whole, [&](const ReplayOptions& own) {
        ReplayReport report;
        passes.replay(report, {own});
        run.reader().fill(report);
        report.server = own.server;
        report.interrupted = report.interrupted || is_interrupted(own);
        return report;
      }));
      settle_lists(out.back(), system.top, system.all_flows);
    }
    return out;
  };
  return run_with_window(
      [&](Nanos window) { return Run(reading, nowhere, nowhere, window, nullptr, {.systems = systems}); }, replay_each,
      [] {});
}

}  // namespace

std::vector<ReplayReport> replay_systems(const std::vector<ReplayOptions>& options, int threads) {
  if (options.empty()) return {};
  threads = thread_count(threads);
  std::vector<ReplayOptions> systems = options;
  for (ReplayOptions& system : systems) {
    if (!is_for_report_alone(system) || system.fill || system.spread > 0)
      throw Error(
          "systems are replayed side by side for their reports alone: without decisions, timeline, dumps, metrics, "
          "series, a fill and a spread");
    check_options(system);
    system.threads = std::max(1, threads / static_cast<int>(systems.size()));
  }
  ReplayOptions reading = systems.front();
  reading.threads = threads;
  if (systems.size() == 1 && QuotaRounds(systems).single()) return {replay(reading)};
  return reading.recorded ? replay_what_if(systems, reading) : replay_as_recorded(systems, reading);
}

}  // namespace apf
