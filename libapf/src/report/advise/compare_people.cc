#include "report/advise/compare_people.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/sort_stably.h"
#include "report/advise/plots.h"
#include "report/core/chart.h"
#include "report/core/units.h"
#include "report/replay/doubts.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

constexpr std::size_t kMostNamedWorse = 3;
constexpr double kFloods = 0.3;  // of the seat-seconds of a level

// Under OLD it holds more of a level's seats than any other flow while the level refuses requests of others. The lists
// have all that wait or are refused much.
bool floods(const std::string& name, const ReplayReport& before) {
  return std::any_of(before.levels.begin(), before.levels.end(), [&](const LevelReport& level) {
    const FlowReport* most = nullptr;
    for (const auto* list : {&before.refused_most, &before.waited_most})
      for (const FlowReport& flow : *list)
        if (flow.priority_level == level.name && (!most || flow.tally.seat_seconds > most->tally.seat_seconds))
          most = &flow;
    return most && most->distinguisher == name && level.tally.rejected() > most->tally.rejected() &&
           most->tally.seat_seconds >= kFloods * level.tally.seat_seconds;
  });
}

bool is_worse(const ComparedSubject& subject) { return subject.effect != ComparedSubject::Effect::better; }

bool is_flooding_flow(const ComparedSubject& subject, const CompareReport& comparison) {
  return subject.what == ComparedChange::What::flow && floods(subject.name, comparison.old_report);
}

double more_refused(const ComparedSubject& subject) {
  const ComparedChange* change = subject.of(ComparedChange::Metric::rejected);
  return change ? change->new_figure.value - change->old_figure.value : 0;
}

std::string with_figures(const ComparedSubject& subject, bool floods) {
  std::string out = short_name(subject.name);
  if (floods) out += ", which floods";
  return out + ": " + deciding_words(subject);
}

}  // namespace

bool counts_as_harm(const ComparedSubject& subject, const std::vector<ComparedSubject>& all,
                    const CompareReport& comparison) {
  if (!is_worse(subject) || is_flooding_flow(subject, comparison)) return false;
  if (subject.what == ComparedChange::What::flow) return true;
  double by_flood = 0;
  bool any = false;
  for (const ComparedSubject& flow : all) {
    if (!is_worse(flow) || !is_flooding_flow(flow, comparison)) continue;
    any = true;
    by_flood += std::max(0.0, more_refused(flow));
  }
  return !any || more_refused(subject) > by_flood;
}

namespace {

std::vector<ComparedSubject> changed_flows(const CompareReport& comparison, std::size_t side) {
  std::vector<ComparedSubject> out = compared_subjects(comparison, side);
  std::erase_if(out, [](const ComparedSubject& subject) { return subject.what != ComparedChange::What::flow; });
  return out;
}

}  // namespace

Passage people_bars(const CompareReport& comparison, std::size_t side) {
  std::size_t better = 0, worse = 0, flooding = 0;
  for (const ComparedSubject& flow : changed_flows(comparison, side))
    ++(!is_worse(flow) ? better : is_flooding_flow(flow, comparison) ? flooding : worse);
  const auto all = std::max<std::size_t>(comparison.flows[side], better + worse + flooding);
  Passage out;
  if (better + worse + flooding == 0) return out;
  const auto part = [](const char* style, std::size_t count, const char* words) {
    return Bars::Part{style, static_cast<double>(count), words};
  };
  Bars bars("Flows", "How many flows are better and worse off",
            fmt::format("{} better, {} worse.", better, worse + flooding));
  bars.add({"",
            counted(all, "flow", "flows"),
            "",
            static_cast<double>(all),
            {part("served", better, "better"), part("c5", all - better - worse - flooding, "same"),
             part("after", flooding, "worse, and they flood"), part("full", worse, "worse")}});
  Card card(side_prefix(comparison, side) + "flows-chart", "");
  card.add(bars);
  show_cards(out, {card});
  return out;
}

std::string people_words(const CompareReport& comparison, std::size_t side) {
  std::vector<ComparedSubject> flows = changed_flows(comparison, side);
  if (flows.empty()) return {};
  const auto worse = static_cast<std::size_t>(std::count_if(flows.begin(), flows.end(), is_worse));
  const std::size_t better = flows.size() - worse;
  std::string out = fmt::format("Better for {}, worse for {}", counted(better, "flow", "flows"), grouped(worse));
  sort_stably(flows, [](const ComparedSubject& a, const ComparedSubject& b) {
    return std::pair(!is_worse(a), -std::abs(a.harm)) < std::pair(!is_worse(b), -std::abs(b.harm));
  });
  for (std::size_t i = 0; i < worse && i < kMostNamedWorse; ++i)
    out += (i == 0 ? " (" : "; ") + with_figures(flows[i], is_flooding_flow(flows[i], comparison));
  if (worse > 0) out += worse > kMostNamedWorse ? fmt::format("; {} more)", grouped(worse - kMostNamedWorse)) : ")";
  const std::uint64_t all = comparison.flows[side];
  return out + fmt::format(", same for {}.", grouped(all - std::min<std::uint64_t>(all, flows.size())));
}

std::string compare_verdict(const CompareReport& comparison, std::size_t side) {
  const ReplayReport &before = comparison.old_report, &after = comparison.new_reports[side];
  const std::uint64_t levels = comparison.moved_between_levels(side), all = comparison.moved_requests(side);
  std::string out = fmt::format("{} of {} change level", levels == 0 ? "None" : grouped(levels),
                                counted(std::max(before.total.requests, after.total.requests), "request", "requests"));
  if (all > levels) out += fmt::format(", {} only their FlowSchema", grouped(all - levels));
  out += ". ";
  const auto total =
      std::find_if(comparison.changes.begin(), comparison.changes.end(), [&](const ComparedChange& change) {
        return change.new_side == side && change.what == ComparedChange::What::level && change.name.empty() &&
               change.metric == ComparedChange::Metric::rejected;
      });
  if (!comparison.differs(side))
    return out + (comparison.spread > 0 ? "No difference beyond chance." : "No difference.");
  if (const std::string people = people_words(comparison, side); !people.empty()) out += people + " ";
  const TallyVersions a = versions_of(before).part(&ReplayReport::total),
                      b = versions_of(after).part(&ReplayReport::total);
  const auto refused_before = a.range(refused_of), refused_after = b.range(refused_of);
  if (refused_before.high == 0 && refused_after.high == 0) return out + "Nothing is refused on either side.";
  const std::string counts = count_text(refused_before) + kArrow + count_text(refused_after);
  out += fmt::format("Refused {} ({}{}{})", counts, refused_share(a), kArrow, refused_share(b));
  if (total == comparison.changes.end() || total->beyond_chance) return out + ".";
  const auto all_replays = [](const ComparedFigure& figure) {
    return range_text(
        Range<std::uint64_t>{rounded_count(figure.value), rounded_count(figure.least), rounded_count(figure.most)},
        [](std::uint64_t n) { return grouped(n); });
  };
  return out + fmt::format("; the total may be chance: {} before, {} after, over all replays.",
                           all_replays(total->old_figure), all_replays(total->new_figure));
}

Tone compare_tone(const CompareReport& comparison, std::size_t side) {
  Tone out = doubts_of(comparison.old_report).empty() ? Tone::good : Tone::caution;
  const std::vector<ComparedSubject> subjects = compared_subjects(comparison, side);
  for (const ComparedSubject& subject : subjects) {
    if (!counts_as_harm(subject, subjects, comparison)) continue;
    if (tone_of(subject) == Tone::bad) return Tone::bad;
    if (tone_of(subject) == Tone::caution) out = Tone::caution;
  }
  return out;
}

}  // namespace apf
