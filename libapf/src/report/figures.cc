#include "report/figures.h"

#include "report/ranges.h"

namespace apf {

namespace {

using Unit = ExpectedUnit;

template <int kPercent>
std::uint64_t wait_at(Tally tally) {
  return static_cast<std::uint64_t>(wait_of(tally, kPercent / 100.0));
}

std::vector<TallyFigure> all_tally_figures() {
  std::vector<TallyFigure> out = {
      {"requests", Unit::requests, "requests", "requests", [](Tally t) { return t.requests; }},
      {"executed", Unit::requests, "executed", "executed", [](Tally t) { return t.executed(); }},
      {"queued", Unit::requests, "queued", "queued", [](Tally t) { return t.queued; }},
      {"rejected", Unit::requests, "rejected", "rejected.total", refused_of},
  };
  for (const OutcomeRow& row : refusals())
    out.push_back({.key = row.name,
                   .unit = Unit::requests,
                   .column = row.column,
                   .json = row.json,
                   .outcome = row.outcome,
                   .always = row.always});
  const TallyFigure others[] = {
      {"seat-seconds", Unit::seat_seconds, "seat_seconds", "seatSeconds", nullptr,
       [](Tally t) { return t.seat_seconds; }},
      {"", Unit::requests, "", "wait.count", [](Tally t) { return t.wait.count(); }},
      {"meanwait", Unit::duration, "wait_mean_seconds", "wait.meanNs", nullptr, [](Tally t) { return t.wait.mean(); }},
      {"p50wait", Unit::duration, "wait_p50_seconds", "wait.p50Ns", wait_at<50>},
      {"p90wait", Unit::duration, "wait_p90_seconds", "wait.p90Ns", wait_at<90>},
      {"p95wait", Unit::duration, "", "", wait_at<95>},
      {"p99wait", Unit::duration, "wait_p99_seconds", "wait.p99Ns", wait_at<99>},
      {"maxwait", Unit::duration, "wait_max_seconds", "wait.maxNs", wait_at<100>},
  };
  out.insert(out.end(), std::begin(others), std::end(others));
  return out;
}

}  // namespace

const std::vector<TallyFigure>& tally_figures() {
  static const std::vector<TallyFigure> figures = all_tally_figures();
  return figures;
}

}  // namespace apf
