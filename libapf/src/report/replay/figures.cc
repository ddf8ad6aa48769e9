#include "report/replay/figures.h"

#include <iterator>
#include <utility>

#include "report/replay/ranges.h"

namespace apf {

namespace {

using Unit = ExpectedUnit;
using Level = LevelReport;

template <int kPercent>
Nanos wait_at(Tally tally) {
  return wait_of(tally, kPercent / 100.0);
}

double utilization_of(const Level& level) {
  return !level.exempt && level.current_cl_avg > 0 ? level.seats_avg / level.current_cl_avg : 0;
}

std::vector<TallyFigure> rows_of_tallies() {
  std::vector<TallyFigure> out = {
      {"requests", Unit::requests, "requests", "requests", &RequestTally::requests},
      {"executed", Unit::requests, "executed", "executed", &RequestTally::executed},
      {"queued", Unit::requests, "queued", "queued", &RequestTally::queued},
      {"rejected", Unit::requests, "rejected", "rejected.total", refused_of},
  };
  for (const OutcomeRow& row : refusals())
    out.push_back({.key = row.name,
                   .unit = Unit::requests,
                   .column = row.column,
                   .json = std::string("rejected.") + row.json,
                   .count = [&row](Tally t) { return t.outcomes[row.outcome]; },
                   .always = row.always});
  const TallyFigure others[] = {
      {"", Unit::requests, "", "tooWide.requests", &RequestTally::too_wide},
      {"", Unit::seats, "", "tooWide.seatsWanted", &RequestTally::seats_wanted},
      {"", Unit::seats, "", "tooWide.seatsAllowed", &RequestTally::seats_allowed},
      {"", Unit::seats, "", "tooWide.widest", &RequestTally::widest},
      {"seat-seconds", Unit::seat_seconds, "seat_seconds", "seatSeconds", nullptr,
       [](Tally t) -> double { return t.seat_seconds; }},
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

LevelFigure configured(LevelFigure figure) {
  figure.configured = true;
  return figure;
}

LevelFigure limiting(LevelFigure figure) {
  figure.limit = true;
  return figure;
}

LevelFigure last_in_json(LevelFigure figure) {
  figure.json_last = true;
  return figure;
}

std::vector<LevelFigure> rows_of_levels() {
  return {
      configured({"", Unit::seats, "nominal_seats", "nominalCL", &Level::nominal_cl}),
      configured({"", Unit::seats, "min_seats", "minCL", &Level::min_cl}),
      limiting(configured({"", Unit::seats, "max_seats", "maxCL", &Level::max_cl})),
      limiting({"limit-min", Unit::seats, "limit_min_seats", "currentCL.min", &Level::current_cl_min}),
      last_in_json(
          limiting({"limit-avg", Unit::seats, "limit_avg_seats", "currentCL.avg", nullptr, &Level::current_cl_avg})),
      limiting({"limit-max", Unit::seats, "limit_max_seats", "currentCL.max", &Level::current_cl_max}),
      {"seats-avg", Unit::seats, "in_use_avg_seats", "seats.avg", nullptr, &Level::seats_avg},
      {"seats", Unit::seats, "in_use_peak_seats", "seats.peak", &Level::seats_peak},
      {"utilization", Unit::share, "", "", nullptr, utilization_of},
      {"", Unit::number, "", "listBytes.avg", nullptr, &Level::list_bytes_avg},
      {"", Unit::number, "", "listBytes.peak", nullptr, &Level::list_bytes_most},
      {"borrowed-avg", Unit::seats, "borrowed_avg_seats", "borrowedAvg", nullptr, &Level::borrowed_avg},
      {"lent-avg", Unit::seats, "lent_avg_seats", "lentAvg", nullptr, &Level::lent_avg},
      configured({"", Unit::number, "queues", "queues", &Level::queues}),
      configured({"", Unit::number, "hand_size", "handSize", &Level::hand_size}),
      configured({"", Unit::number, "queue_length_limit", "queueLengthLimit", &Level::queue_length_limit}),
  };
}

}  // namespace

template <class Thing>
FigureTable<Thing>::FigureTable(std::vector<Figure<Thing>> rows) : rows_(std::move(rows)) {
  for (const Figure<Thing>& figure : rows_) {
    if (!figure.key.empty()) expected_.push_back(&figure);
    if (!figure.column.empty()) columns_.push_back(&figure);
    if (figure.json.empty()) continue;
    const auto before = std::find_if(members_.rbegin(), members_.rend(), [&](const auto* other) {
      return !figure.object().empty() && other->object() == figure.object();
    });
    if (before == members_.rend()) members_.push_back(&figure);
    else members_.insert(before.base() - ((*before)->json_last ? 1 : 0), &figure);
  }
}

const FigureTable<RequestTally>& tally_figures() {
  static const FigureTable<RequestTally> table(rows_of_tallies());
  return table;
}

const FigureTable<LevelReport>& level_figures() {
  static const FigureTable<LevelReport> table(rows_of_levels());
  return table;
}

}  // namespace apf
