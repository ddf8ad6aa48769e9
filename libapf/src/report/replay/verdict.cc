#include "report/replay/verdict.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/sort_stably.h"
#include "report/core/units.h"
#include "report/core/why_words.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

constexpr std::size_t kNamed = 3;  // names in a sentence

double total_wait(const LevelReport& level) { return level.tally.wait.sum(); }

std::string name_of(const std::string& distinguisher, const std::string& schema) {
  return distinguisher.empty() ? "all of FlowSchema " + schema : distinguisher;
}

std::uint64_t waited_of(const RequestTally& t) {
  const std::uint64_t late = t.outcomes.refused_after_wait();
  return std::min(t.executed(), t.queued > late ? t.queued - late : 0);
}

// In any of the replays.
std::uint64_t most_refused(const LevelReport& level, const ReplayReport& report) {
  return versions_of(level, report).part(&LevelReport::tally).range(refused_of).high;
}

std::string what_of(const ReplayReport& report) {
  const TallyVersions all = versions_of(report).part(&ReplayReport::total);
  const auto refused = all.range(refused_of), waited = all.range(waited_of);
  if (refused.high == 0 && waited.high == 0) return fmt::format("Served all {} at once.", requests_text(all));
  if (refused.high == 0)
    return fmt::format("Refused nothing; {} of {} waited ({}), 99 % of all at most {}, the longest {}.",
                       count_text(waited), requests_text(all), share_text(share_of(all, waited_of)),
                       wait_text(all, 0.99), wait_text(all, 1));
  std::string out = fmt::format("Refused {} of {} ({})", count_text(refused), requests_text(all), refused_share(all));
  if (waited.high > 0) out += fmt::format("; {} of the others waited", count_text(waited));
  return out + ".";
}

// "workload-low refused 29,398 of 65,864 requests (45 %), most of alice (12,000) and bob (9,000)"
std::string refused_at(const ReplayReport& report, const LevelReport& level) {
  const TallyVersions tally = versions_of(level, report).part(&LevelReport::tally);
  std::string out = fmt::format("{} refused {} of {} ({})", level.name, count_text(tally.range(refused_of)),
                                requests_text(tally), refused_share(tally));
  std::vector<std::string> names;
  for (const FlowReport& flow : report.refused_most) {
    if (flow.priority_level != level.name || names.size() == kNamed) continue;
    names.push_back(fmt::format("{} ({})", name_of(flow.distinguisher, flow.flow_schema),
                                count_text(versions_of(flow, report).part(&FlowReport::tally).range(refused_of))));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? ", most of " : i + 1 < names.size() ? ", " : " and ") + names[i];
  return out;
}

std::string to_whom(const ReplayReport& report, const std::vector<const LevelReport*>& levels) {
  std::string out;
  std::size_t shown = 0, more = 0;
  for (const LevelReport* level : levels) {
    if (most_refused(*level, report) == 0) continue;
    if (shown < kNamed) out += (shown++ ? "; " : "To whom: ") + refused_at(report, *level);
    else ++more;
  }
  if (!out.empty() && more > 0) out += fmt::format("; {} more", counted(more, "level", "levels"));
  if (!out.empty() || levels.empty() || !refuses_or_waits(*levels.front(), report))
    return out.empty() ? out : out + ".";
  const TallyVersions t = versions_of(*levels.front(), report).part(&LevelReport::tally);
  return fmt::format("To whom: {} of {} had to wait at {}, 99 % of its requests at most {}.",
                     count_text(t.range([](const RequestTally& v) { return v.queued; })), requests_text(t),
                     levels.front()->name, wait_text(t, 0.99));
}

}  // namespace

bool refuses_or_waits(const RequestTally& tally) { return tally.rejected() > 0 || tally.wait.max() > 0; }

bool refuses_or_waits(const LevelReport& level, const ReplayReport& report) {
  return versions_of(level, report).any([](const LevelReport& l) { return refuses_or_waits(l.tally); });
}

std::vector<const LevelReport*> worst_first(const ReplayReport& report) {
  struct Harm {
    std::uint64_t refused = 0;
    double waited = 0, seat_seconds = 0;
  };
  std::vector<std::pair<Harm, const LevelReport*>> found;
  for (const LevelReport& level : report.levels) {
    const Versions<LevelReport> versions = versions_of(level, report);
    found.push_back({{most_refused(level, report), versions.range(total_wait).high, level.tally.seat_seconds}, &level});
  }
  sort_stably(found, [](const auto& a, const auto& b) {
    if (a.first.refused != b.first.refused) return a.first.refused > b.first.refused;
    if (a.first.waited != b.first.waited) return a.first.waited > b.first.waited;
    return a.first.seat_seconds > b.first.seat_seconds;
  });
  std::vector<const LevelReport*> out;
  for (const auto& [harm, level] : found) out.push_back(level);
  return out;
}

Verdict verdict_of(const ReplayReport& report) {
  Verdict verdict;
  verdict.what = what_of(report);
  const TallyVersions all = versions_of(report).part(&ReplayReport::total);
  verdict.tone = all.range(refused_of).high > 0                                    ? Tone::bad
                 : all.any([](const RequestTally& t) { return t.wait.max() > 0; }) ? Tone::caution
                                                                                   : Tone::good;
  if (report.in_flight || verdict.tone == Tone::good) return verdict;
  const std::vector<const LevelReport*> levels = worst_first(report);
  if (report.why) {
    const auto shown = all.range(refused_of);
    verdict.sentences = why_sentences(*report.why, std::clamp(report.why->refused, shown.low, shown.high));
  }
  if (!report.why || report.why->victims.empty())
    if (std::string sentence = to_whom(report, levels); !sentence.empty())
      verdict.sentences.insert(verdict.sentences.begin(), std::move(sentence));
  return verdict;
}

}  // namespace apf
