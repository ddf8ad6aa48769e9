// A comparison on the traffic of a log as a page: who gains and who loses, and the curves of both sides over each
// other.
#include <apf/advice_report.h>
#include <apf/advise.h>
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "base/sort_stably.h"
#include "report/advise/plots.h"
#include "report/core/chart.h"
#include "report/core/units.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

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
  void add(Card& card, const char* caption, const std::string& name, Value value) const {
    constexpr double kHigh = 150;
    const double most = std::max(before.most(value), after.most(value));
    if (most <= 0) return;
    Plot plot(caption, fmt::format("{}: {}, OLD and NEW", name, caption),
              fmt::format("At most {} with OLD, {} with NEW.", one_decimal(before.most(value)),
                          one_decimal(after.most(value))),
              kHigh);
    plot.y_axis(count_ticks(most));
    plot.time_axis(from(), static_cast<Nanos>(end()));
    plot.area("use", after.steps(value));
    plot.line("nominal", before.steps(value), "OLD");
    plot.line("use-line", after.steps(value), "NEW");
    card.add(plot);
  }
};

// With `seats_only`: of a level where nobody waits or is refused on either side.
Card level_card(const std::string& title, const std::string& name, const BothSides& sides, const std::string& id,
                bool seats_only) {
  Card out(id, title);
  sides.add(out, "Seats in use", name, [](const SideCurves&, const SeriesBin& b) { return b.seats; });
  if (seats_only) return out;
  sides.add(out, "Limit in force", name, [](const SideCurves&, const SeriesBin& b) { return b.limit; });
  sides.add(out, "Requests waiting in queues", name, [](const SideCurves&, const SeriesBin& b) { return b.waiting; });
  sides.add(out, "Requests refused, per second", name, [](const SideCurves& of, const SeriesBin& b) {
    return static_cast<double>(b.refused.refused()) / of.seconds();
  });
  return out;
}

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

// `server`: its name, where there are several.
void add_cards(const ReplayReport& before, const ReplayReport& after, const std::string& prefix,
               const std::string& server, std::vector<Card>& loud, std::vector<Card>& quiet) {
  for (const ComparedLevel& level : levels_of(before, after)) {
    const BothSides sides{{&before.series, find_curves(before.series, level.name)},
                          {&after.series, find_curves(after.series, level.name)}};
    if (!sides.before.level && !sides.after.level) continue;
    (level.refuses_or_waits() ? loud : quiet)
        .push_back(level_card((server.empty() ? "" : "Server " + server + ": ") + level.name, level.name, sides,
                              prefix + place_of("level", level.name), !level.refuses_or_waits()));
  }
}

}  // namespace

// Of each server, where there are several.
Passage compare_plots(const CompareReport& comparison, std::size_t side) {
  Passage out("Over time");
  const std::string prefix = side_prefix(comparison, side);
  std::vector<Card> loud, quiet;
  if (comparison.by_server.empty())
    add_cards(comparison.old_report, comparison.new_reports[side], prefix, {}, loud, quiet);
  else {
    const std::vector<ReplayReport>&before = comparison.by_server[0], &after = comparison.by_server[side + 1];
    for (std::size_t i = 0; i < before.size() && i < after.size(); ++i)
      add_cards(before[i], after[i], fmt::format("{}s{}-", prefix, i), before[i].server, loud, quiet);
  }
  if (loud.empty() && quiet.empty()) return out;
  out.explain("Times are UTC.");
  show_cards(out, loud, "Nobody waits or is refused on either side", quiet);
  return out;
}

}  // namespace apf
