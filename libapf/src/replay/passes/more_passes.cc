// Further second passes over what the first one kept. A single one shows what may happen; several show what is usual,
// and how far it may be otherwise.
#include <algorithm>
#include <utility>

#include "replay/books/worst_case.h"
#include "replay/engine/central_run.h"
#include "replay/passes/second_passes.h"
#include "replay/passes/spread.h"

namespace apf {

// The pass that is in the middle of those that differ in ends by a millisecond, and in executions that the log does not
// show. Requests come when the log says: decisions have its times. `reports`: gets those of all but the first.
SecondPasses::Pass SecondPasses::median_pass(const Side& side, const Pass& pass, std::vector<ReplayReport>* reports) {
  ReplayOptions options = side.options;
  options.dump_at.clear();
  options.top = kMostListed;
  const int short_log = first_pass_.log().size() <= kShortLog ? options.candidates : 0;
  const int more = std::max(short_log, options.spread);
  if (more == 0) return pass;
  std::vector<Pass> passes(static_cast<std::size_t>(more) + 1, {.by_log = pass.by_log});
  CentralRun runs;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (i > 0) {
      passes[i].execution_jitter = kUsualJitter;
      passes[i].seed = options.jitter_seed + i;
    }
    ReplayReport report;
    schedule(report, {options, side.configuration}, passes[i]);
    if (is_interrupted() || (i == 0 && !reports && nothing_waits(report))) return pass;
    runs.add(report);
    if (reports && i > 0) reports->push_back(with_flows(std::move(report)));
  }
  Pass out = pass;
  out.execution_jitter = passes[runs.number()].execution_jitter;
  out.seed = passes[runs.number()].seed;
  out.replays = more + 1;
  return out;
}

// A further report, with what the lists of the first one may ask it for.
ReplayReport SecondPasses::with_flows(ReplayReport report) const {
  report.all_flows = flows_of_pass();
  keep_listed_flows(report);
  return report;
}

void SecondPasses::schedule_median(ReplayReport& report, const Side& side, const Pass& pass,
                                   std::vector<ReplayReport>& others) {
  schedule(report, side, median_pass(side, pass, side.options.spread > 0 ? &others : nullptr));
}

// `others`: the passes that differ by chance alone. Those with the clock in other phases come here.
void SecondPasses::add_ranges(ReplayReport& report, const Side& side, std::vector<ReplayReport>&& others) {
  std::vector<bool> models = {side.options.client_models_by_log};
  if (clients_may_wait()) models = {false, true};
  for (int number = 1; number <= side.options.spread && !is_interrupted(); ++number) {
    ReplayOptions options = side.options;
    options.dump_at.clear();
    options.top = kMostListed;
    vary(options, number, side.options.spread, true);
    for (const bool by_log : models) {
      ReplayReport other;
      schedule(other, {options, side.configuration},
               {.by_log = by_log,
                .arrival_jitter = options.jitter,
                .execution_jitter = options.jitter,
                .seed = options.jitter_seed});
      others.push_back(with_flows(std::move(other)));
    }
  }
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
