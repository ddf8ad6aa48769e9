// Further second passes over what the first one kept. A single one shows what may happen; several show what is usual,
// and how far it may be otherwise.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/parallel.h"
#include "replay/books/worst_case.h"
#include "replay/engine/central_run.h"
#include "replay/passes/ensemble.h"
#include "replay/passes/second_passes.h"

namespace apf {

// The pass that is in the middle of those that differ in ends by a millisecond, and in executions that the log does not
// show. Requests come when the log says: decisions have its times.
SecondPasses::Pass SecondPasses::median_pass(const Side& side, const Pass& pass,
                                             std::vector<ReplayReport>* reports) const {
  ReplayOptions options = side.options;
  options.dump_at.clear();
  options.top = kMostListed;
  const int short_log = first_pass_.log().size() <= kShortLog ? options.candidates : 0;
  const int more = std::max(short_log, options.spread);
  if (more == 0) return pass;
  std::vector<Pass> passes(static_cast<std::size_t>(more) + 1, {.by_log = pass.by_log});
  std::vector<ReplayReport> replayed(passes.size());
  const auto replay_one = [&](std::size_t i) {
    if (is_interrupted()) return;
    if (i > 0) {
      passes[i].execution_jitter = kUsualJitter;
      passes[i].seed = options.jitter_seed + i;
    }
    replayed[i] = schedule({options, side.configuration}, passes[i]).report;
    keep_listed_flows(replayed[i]);
  };
  replay_one(0);
  if (is_interrupted() || (!reports && nothing_waits(replayed.front()))) return pass;
  run_tasks(passes.size() - 1, side.threads > 0 ? side.threads : options.threads,
            [&](std::size_t i) { replay_one(i + 1); });
  if (is_interrupted()) return pass;
  CentralRun runs;
  for (const ReplayReport& report : replayed) runs.add(report);
  if (reports) std::move(replayed.begin() + 1, replayed.end(), std::back_inserter(*reports));
  Pass out = pass;
  out.execution_jitter = passes[runs.number()].execution_jitter;
  out.seed = passes[runs.number()].seed;
  out.replays = more + 1;
  return out;
}

ReplayReport SecondPasses::schedule_median(const Side& side, const Pass& pass,
                                           std::vector<ReplayReport>& others) const {
  return schedule(side, median_pass(side, pass, side.options.spread > 0 ? &others : nullptr)).report;
}

std::vector<SecondPasses::Result> SecondPasses::schedule_all(const std::vector<Further>& replays,
                                                             const OldConfigurations* compared_with) const {
  std::vector<Result> out(replays.size());
  run_tasks(replays.size(), options_.threads, [&](std::size_t i) {
    if (is_interrupted()) return;
    const Further& further = replays[i];
    ReplayOptions options = further.side->options;
    options.dump_at.clear();
    options.top = kMostListed;
    vary(options, further.number, further.of, further.sweeps);
    out[i] = schedule({options, further.side->configuration}, {.by_log = further.by_log,
                                                               .arrival_jitter = options.jitter,
                                                               .execution_jitter = options.jitter,
                                                               .seed = options.jitter_seed,
                                                               .compared_with = compared_with});
    keep_listed_flows(out[i].report);
  });
  if (is_interrupted()) out.clear();
  return out;
}

// `others`: the passes that differ by chance alone. Those with the clock in other phases come here.
void SecondPasses::add_ranges(ReplayReport& report, const Side& side, std::vector<ReplayReport>&& others) const {
  std::vector<Further> further;
  for (int number = 1; number <= side.options.spread; ++number) {
    if (clients_may_wait()) further.push_back({&side, number, side.options.spread, true, false});
    further.push_back({&side, number, side.options.spread, true, side.options.client_models_by_log});
  }
  for (Result& result : schedule_all(further, nullptr)) others.push_back(std::move(result.report));
  report.spread.clock_swept = true;
  widen(report.spread, report);
  for (const ReplayReport& other : report.others) widen(report.spread, other);
  for (ReplayReport& other : others) {
    widen(report.spread, other);
    fill(other, side.options);
    report.others.push_back(std::move(other));
  }
}

}  // namespace apf
