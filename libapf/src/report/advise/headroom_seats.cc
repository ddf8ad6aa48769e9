// How headroom says how many seats are enough.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/advise/headroom_words.h"
#include "report/core/units.h"
#include "report/lint/preset_seats.h"
#include "report/replay/doubts.h"

namespace apf {

namespace {

// More than any number that was tried.
constexpr double kNotEnough = std::numeric_limits<double>::infinity();

double needed_by(const HeadroomFigure& figure) { return figure.high.value_or(kNotEnough); }

// The level that needs most, and how many; null: no level is there.
const HeadroomLevel* neediest(const HeadroomReport& report, HeadroomFigure HeadroomLevel::*figure) {
  const auto least = [&](const HeadroomLevel& a, const HeadroomLevel& b) {
    return needed_by(a.*figure) < needed_by(b.*figure);
  };
  const auto most = std::max_element(report.levels.begin(), report.levels.end(), least);
  return most == report.levels.end() ? nullptr : &*most;
}

std::string seats_text(const HeadroomFigure& figure, const HeadroomReport& report) {
  if (report.points.empty()) return "-";
  const auto text = [&](const std::optional<double>& seats) {
    return !seats                         ? fmt::format("> {}", grouped(report.most_seats))
           : *seats <= report.least_seats ? fmt::format("<= {}", grouped(report.least_seats))
                                          : grouped(static_cast<int>(*seats));
  };
  const std::string low = text(figure.low), high = text(figure.high);
  if (low == high) return low;
  return figure.high ? low + "-" + high : low + " to " + high;
}

// Where smaller numbers were not tried, it may be fewer.
std::string without_refusals(double seats, const HeadroomReport& report) {
  const std::string number = seats_in_words(static_cast<int>(seats));
  return report.interrupted || seats <= report.least_seats
             ? fmt::format("With {} or fewer no level refuses requests", number)
             : fmt::format("{} are the least with which no level refuses requests", number);
}

}  // namespace

Verdict seats_verdict_of(const HeadroomReport& report) {
  const HeadroomLevel* const waiting = neediest(report, &HeadroomLevel::seats_for_waits);
  const HeadroomLevel* const refusing = neediest(report, &HeadroomLevel::seats_for_refusals);
  if (report.interrupted && report.points.empty())
    return {Tone::caution, "No number of seats was replayed to its end."};
  if (!waiting) return {Tone::caution, "No request of this log goes to a limited priority level."};
  if (!doubts_of(report.log).empty())
    return {Tone::caution, "How many seats are enough for this load is not decided by this log."};
  const double refuses = needed_by(refusing->seats_for_refusals), waits = needed_by(waiting->seats_for_waits);
  const std::string bound = fmt::format("(p99 above {})", human_duration(report.wait_bound));
  if (refuses == kNotEnough)
    return {Tone::bad, fmt::format("With {} {} still refuses requests, at least in some replays.",
                                   seats_in_words(report.most_seats), refusing->name)};
  const std::string what = without_refusals(refuses, report);
  if (waits == kNotEnough)
    return {Tone::caution, fmt::format("{}; with {} {} still waits {}.", what, seats_in_words(report.most_seats),
                                       waiting->name, bound)};
  if (waits <= refuses) return {Tone::good, fmt::format("{} or waits {}.", what, bound)};
  return {Tone::good, fmt::format("{}; with {} none waits {} either.", what, grouped(static_cast<int>(waits)), bound)};
}

Table seats_table_of(const HeadroomReport& report) {
  Table table;
  table.left("LEVEL", 12).right("SEATS WITHOUT WAITS").right("SEATS WITHOUT REFUSALS");
  for (const HeadroomLevel& level : report.levels)
    table.row({name_cell(level.name, Tone::strong),
               {seats_text(level.seats_for_waits, report), Tone::plain},
               {seats_text(level.seats_for_refusals, report), Tone::plain}});
  return table;
}

std::string presets_sentence(const HeadroomReport& report) {
  double needed = 0;
  for (const HeadroomLevel& level : report.levels)
    needed = std::max({needed, needed_by(level.seats_for_waits), needed_by(level.seats_for_refusals)});
  if (needed == kNotEnough || report.levels.empty() || !doubts_of(report.log).empty()) return {};
  return presets_with(needed);
}

std::string seats_explanation(const HeadroomReport& report) {
  return fmt::format(
      "A level waits where the 99th percentile of its waits is above {}, and refuses where it refuses a request. {} of "
      "the log as it is, with {} to {} seats, tried to within 2 %, ranges to within 9 %. The verdict holds for all {} "
      "of "
      "a number.",
      human_duration(report.wait_bound), counted(report.replays, "replay", "replays"), grouped(report.least_seats),
      grouped(report.most_seats), counted(static_cast<std::uint64_t>(report.variants), "replay", "replays"));
}

}  // namespace apf
