#include "report/figures.h"

#include <algorithm>

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
  // An object of JSON is written once: its members follow each other, wherever their rows are.
  std::vector<TallyFigure> grouped;
  for (const TallyFigure& figure : out) {
    const auto is_alike = [&](const TallyFigure& f) {
      return !f.json_group().empty() && f.json_group() == figure.json_group();
    };
    const auto last = std::find_if(grouped.rbegin(), grouped.rend(), is_alike);
    const bool is_cut = std::any_of(grouped.rbegin(), last, [](const TallyFigure& f) { return !f.json.empty(); });
    grouped.insert(last == grouped.rend() || !is_cut ? grouped.end() : last.base(), figure);
  }
  return grouped;
}

}  // namespace

std::string_view TallyFigure::json_group() const {
  if (outcome != Outcome::executed) return "rejected";
  const std::size_t dot = json.find('.');
  return dot == std::string_view::npos ? std::string_view() : json.substr(0, dot);
}

const std::vector<TallyFigure>& tally_figures() {
  static const std::vector<TallyFigure> figures = all_tally_figures();
  return figures;
}

}  // namespace apf
