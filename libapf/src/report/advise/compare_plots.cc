// A comparison on the traffic of a log as a page: who gains and who loses, and the curves of both sides over each
// other.
#include <apf/advice_report.h>
#include <apf/advise.h>
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "base/sort_stably.h"
#include "report/advise/plots.h"
#include "report/core/html_markup.h"
#include "report/core/plot.h"
#include "report/core/units.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

constexpr Plot::Frame kSideFrame{640, 150, 44, 8, 10, 22};

// One side's curves of a level; it may not have that level.
struct SideCurves {
  const ReplaySeries* series = nullptr;
  const LevelSeries* level = nullptr;

  double begin(std::size_t i) const {
    return static_cast<double>(series->begin + static_cast<Nanos>(i) * series->width);
  }
  double seconds() const { return static_cast<double>(series->width) / 1e9; }
  template <class Value>
  Plot::Points steps(Value value) const {
    Plot::Points out;
    if (!level) return out;
    for (std::size_t i = 0; i < level->bins.size(); ++i) {
      out.emplace_back(begin(i), value(*this, level->bins[i]));
      out.emplace_back(begin(i + 1), value(*this, level->bins[i]));
    }
    return out;
  }
  template <class Value>
  double most(Value value) const {
    double out = 0;
    if (!level) return out;
    for (const SeriesBin& bin : level->bins) out = std::max(out, value(*this, bin));
    return out;
  }
};

struct BothSides {
  SideCurves before, after;

  Nanos from() const {
    if (!before.level) return after.series->begin;
    return after.level ? std::min(before.series->begin, after.series->begin) : before.series->begin;
  }
  double end() const {
    double out = 0;
    for (const SideCurves* side : {&before, &after})
      if (side->level) out = std::max(out, side->begin(side->level->bins.size()));
    return out;
  }

  // Nothing where both are nothing all the time.
  template <class Value>
  std::string figure(const std::string& id, const char* caption, const std::string& name, Value value) const {
    const double most = std::max(before.most(value), after.most(value));
    if (most <= 0) return {};
    const auto draw = [&](const Plot::Frame& frame) {
      Plot plot(fmt::format("{}: {}, OLD and NEW", name, caption),
                fmt::format("At most {} with OLD, {} with NEW.", one_decimal(before.most(value)),
                            one_decimal(after.most(value))),
                frame);
      const std::vector<Tick> ticks = count_ticks(most);
      plot.y_axis(ticks.back().value, ticks);
      plot.x_axis(static_cast<double>(from()), end(),
                  time_ticks(from(), static_cast<Nanos>(end()), frame.width > 400 ? 8 : 4));
      plot.area("use", after.steps(value));
      plot.line("nominal", before.steps(value));
      plot.line("use-line", after.steps(value));
      return plot;
    };
    return plot_figure(draw, kSideFrame, id, caption);
  }
};

// With `seats_only`: of a level where nobody waits or is refused on either side.
std::string level_card(const std::string& name, const BothSides& sides, const std::string& id, bool seats_only) {
  std::string plots =
      sides.figure(id + "-seats", "Seats in use", name, [](const SideCurves&, const SeriesBin& b) { return b.seats; });
  if (!seats_only)
    plots += sides.figure(id + "-limit", "Limit in force", name,
                          [](const SideCurves&, const SeriesBin& b) { return b.limit; }) +
             sides.figure(id + "-waiting", "Requests waiting in queues", name,
                          [](const SideCurves&, const SeriesBin& b) { return b.waiting; }) +
             sides.figure(id + "-refused", "Requests refused, per second", name,
                          [](const SideCurves& of, const SeriesBin& b) {
                            return static_cast<double>(b.refused.refused()) / of.seconds();
                          });
  if (plots.empty()) return {};
  return fmt::format("<section class=\"level\" aria-labelledby=\"{}\"><h3 id=\"{}\">{}</h3>\n{}</section>\n", id, id,
                     html_text(name), plots);
}

constexpr const char* kSidesKey =
    "<ul class=\"key\" aria-label=\"Key to the plots\">"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"nominal\" d=\"M0 5h22\"/></svg>OLD</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"use\" d=\"M0 2h22v8H0Z\"/><path class=\"use-line\" d=\"M0 "
    "2h22\"/></svg>NEW</li></ul>\n";

// A level, and what happens there on the two sides together.
struct ComparedLevel {
  std::string name;
  std::uint64_t refused = 0, queued = 0;
  bool refuses_or_waits() const { return refused + queued > 0; }
};

// Those that had anything to do: where most requests are refused first, then where most wait.
std::vector<ComparedLevel> levels_of(const ReplayReport& before, const ReplayReport& after) {
  std::vector<ComparedLevel> out;
  for (const ReplayReport* report : {&before, &after}) {
    for (const LevelReport& level : report->levels) {
      if (level.tally.requests == 0) continue;
      auto at = std::find_if(out.begin(), out.end(), [&](const ComparedLevel& l) { return l.name == level.name; });
      if (at == out.end()) at = out.insert(at, {level.name});
      at->refused += level.tally.rejected();
      at->queued += level.tally.queued;
    }
  }
  sort_stably(out, [](const ComparedLevel& a, const ComparedLevel& b) {
    return std::tuple(b.refused, b.queued, a.name) < std::tuple(a.refused, a.queued, b.name);
  });
  return out;
}

std::string timelines(const ReplayReport& before, const ReplayReport& after, const std::string& id) {
  std::string loud, quiet;
  std::size_t number = 0;
  for (const ComparedLevel& level : levels_of(before, after)) {
    const BothSides sides{{&before.series, find_curves(before.series, level.name)},
                          {&after.series, find_curves(after.series, level.name)}};
    if (!sides.before.level && !sides.after.level) continue;
    (level.refuses_or_waits() ? loud : quiet) +=
        level_card(level.name, sides, fmt::format("{}-l{}", id, number++), !level.refuses_or_waits());
  }
  if (quiet.empty()) return loud;
  return loud + "<h3>Nobody waits or is refused on either side</h3>\n<div class=\"quiet\">" + quiet + "</div>\n";
}

}  // namespace

// Of each server, where there are several.
Passage compare_plots(const CompareReport& comparison, std::size_t side) {
  Passage out("Over time");
  const std::string id = fmt::format("n{}", side);
  std::string plots;
  if (comparison.by_server.empty()) {
    plots = timelines(comparison.old_report, comparison.new_reports[side], id);
  } else {
    const std::vector<ReplayReport>&before = comparison.by_server[0], &after = comparison.by_server[side + 1];
    for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
      const std::string curves = timelines(before[i], after[i], fmt::format("{}-s{}", id, i));
      if (!curves.empty()) plots += "<h3>Server " + html_text(before[i].server) + "</h3>\n" + curves;
    }
  }
  if (plots.empty()) return out;
  out.explain("Times are UTC.");
  out.draw(kSidesKey + plots);
  return out;
}

}  // namespace apf
