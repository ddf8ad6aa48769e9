#include "report/verdict.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/sort_stably.h"
#include "report/ranges.h"
#include "report/units.h"

namespace apf {

namespace {

constexpr std::size_t kNamed = 3;     // names in a sentence
constexpr double kMost = 0.3;         // a holder of that part of the seats is named alone
constexpr std::size_t kShownTop = 5;  // rows of a table of culprits

double total_wait(const LevelReport& level) {
  return level.tally.wait.mean() * static_cast<double>(level.tally.wait.count());
}

std::string name_of(const std::string& distinguisher, const std::string& schema) {
  return distinguisher.empty() ? "all of FlowSchema " + schema : distinguisher;
}

std::string percent(double part, double whole) {
  if (whole <= 0) return "0 %";
  return human_percent(static_cast<std::uint64_t>(part * 1000 + 0.5), static_cast<std::uint64_t>(whole * 1000 + 0.5));
}

double blamed(const CulpritReport& c) { return c.refusals_others + c.refusals_own; }

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
  if (!out.empty() || levels.empty() || !burns(*levels.front(), report)) return out.empty() ? out : out + ".";
  const TallyVersions t = versions_of(*levels.front(), report).part(&LevelReport::tally);
  return fmt::format("To whom: {} of {} had to wait at {}, 99 % of its requests at most {}.",
                     count_text(t.range([](const RequestTally& v) { return v.queued; })), requests_text(t),
                     levels.front()->name, wait_text(t, 0.99));
}

std::string because(const ReplayReport& report, const LevelReport& level) {
  const bool refused = level.tally.rejected() > 0;
  const auto weight = [&](const CulpritReport& c) { return refused ? blamed(c) : c.seat_seconds; };
  const auto whole = [&](const CulpritReport& c) {
    return refused ? static_cast<double>(c.level_refused) : c.level_seat_seconds;
  };
  const std::string when = refused ? fmt::format(" of the seats of {} while it refused requests", level.name)
                                   : fmt::format(" of the seat-seconds of {}", level.name);
  double sum = 0;
  std::size_t flows = 0;
  const CulpritReport* first = nullptr;
  for (const CulpritReport& c : report.culprit_flows) {
    if (c.priority_level != level.name || weight(c) <= 0) continue;
    if (!first) first = &c;
    if (flows < kShownTop) sum += weight(c), ++flows;
  }
  if (!first) return {};
  std::string out;
  if (weight(*first) >= kMost * whole(*first)) {
    out = fmt::format("Because of whom: {} held {}{}", name_of(first->distinguisher, first->flow_schema),
                      percent(weight(*first), whole(*first)), when);
    if (refused && first->refusals_others >= 0.5)
      out += fmt::format(": that accounts for {} of other flows",
                         counted(static_cast<std::uint64_t>(first->refusals_others + 0.5), "refusal", "refusals"));
  } else {
    out = fmt::format("Because of whom: no flow alone; the {} that held most had {}{}", counted(flows, "flow", "flows"),
                      percent(sum, whole(*first)), when);
  }
  for (const CulpritReport& c : report.culprit_agents) {
    if (c.priority_level != level.name || c.user_agent.empty() || weight(c) < kMost * whole(c)) continue;
    out += fmt::format(". User agent: {} ({})", c.user_agent, percent(weight(c), whole(c)));
    break;
  }
  return out + ".";
}

// As KEP-1040 says how to detect them: a flow whose requests time out while they run, about as many a minute as it has
// queues, while those of others time out while they wait. A request that nobody reads holds its seats for the whole
// request timeout.
std::string slow_readers(const ReplayReport& report, const LevelReport& level) {
  constexpr double kAbout = 0.8;
  for (const CulpritReport& c : report.culprit_flows) {
    if (c.priority_level != level.name || c.others_timed_out_waiting == 0 || level.hand_size == 0) continue;
    const double hand = level.hand_size;
    if (static_cast<double>(c.timed_out_running) < hand || c.timed_out_running_per_minute < kAbout * hand) continue;
    return fmt::format(
        "Slow readers: {} of {} timed out while they ran, {} a minute with a hand of {}; {} of other flows timed out "
        "while they waited.",
        counted(c.timed_out_running, "request", "requests"), name_of(c.distinguisher, c.flow_schema),
        one_decimal(c.timed_out_running_per_minute), counted(level.hand_size, "queue", "queues"),
        counted(c.others_timed_out_waiting, "request", "requests"));
  }
  return {};
}

Table culprit_table(const std::vector<CulpritReport>& culprits, const LevelReport& level, bool flows) {
  Table table;
  table.left(flows ? "FLOW" : "USER AGENT", 16);
  if (flows) table.left("FLOWSCHEMA", 12).drop(3);
  table.right("SEAT-SECONDS").drop(1).right("SHARE");
  const bool refused = level.tally.rejected() > 0;
  if (refused) table.right("OTHERS").right("ITSELF").right("REFUSED");
  std::size_t shown = 0;
  for (const CulpritReport& c : culprits) {
    if (c.priority_level != level.name || shown++ >= kShownTop) continue;
    const std::string who = flows ? (c.distinguisher.empty() ? "(all of the FlowSchema)" : printable(c.distinguisher))
                                  : (c.user_agent.empty() ? "(no user agent)" : printable(c.user_agent));
    std::vector<Table::Cell> row = {{who, Tone::strong, {}, flows ? !c.distinguisher.empty() : !c.user_agent.empty()}};
    if (flows) row.push_back({printable(c.flow_schema), Tone::plain, {}, true});
    row.push_back({one_decimal(c.seat_seconds), Tone::plain, {}});
    row.push_back({percent(c.seat_seconds, c.level_seat_seconds), Tone::plain, {}});
    if (refused) {
      const auto count = [](double n) {
        const auto whole = static_cast<std::uint64_t>(n + 0.5);
        return Table::Cell{grouped(whole), whole == 0 ? Tone::faint : Tone::bad, {}};
      };
      row.push_back(count(c.refusals_others));
      row.push_back(count(c.refusals_own));
      row.push_back({grouped(c.refused), c.refused == 0 ? Tone::faint : Tone::plain, {}});
    }
    table.row(std::move(row));
  }
  return table;
}

Passage culprits_of(const ReplayReport& report, const LevelReport& level) {
  // Flows that held few seats in another replay are not in its report: their ranges are not known.
  Passage passage(fmt::format("Who held the seats of {}{}", printable(level.name),
                              report.others.empty() ? "" : " (in one of the replays)"));
  passage.show(culprit_table(report.culprit_flows, level, true));
  if (passage.empty()) return passage;
  Table agents = culprit_table(report.culprit_agents, level, false);
  if (agents.rows().size() > 1 || (agents.rows().size() == 1 && agents.rows()[0][0].name))
    passage.show(std::move(agents));
  if (level.tally.rejected() > 0)
    passage.explain(
        "OTHERS, ITSELF: refusals of other requests and of its own; each is divided among those who hold seats then.");
  return passage;
}

void write_culprit(JsonWriter& json, const CulpritReport& c) {
  json.begin_object().field("priorityLevel", c.priority_level);
  if (c.is_flow) json.field("flowSchema", c.flow_schema).field("flowDistinguisher", c.distinguisher);
  else json.field("userAgent", c.user_agent);
  json.field("seatSeconds", c.seat_seconds);
  json.field("share", c.level_seat_seconds > 0 ? c.seat_seconds / c.level_seat_seconds : 0.0);
  json.key("refusals").begin_object().field("others", c.refusals_others).field("own", c.refusals_own);
  json.field("share", c.level_refused > 0 ? blamed(c) / static_cast<double>(c.level_refused) : 0.0).end_object();
  json.field("refused", c.refused);
  json.key("timedOutRunning").begin_object().field("requests", c.timed_out_running);
  json.field("perMinute", c.timed_out_running_per_minute);
  json.field("othersTimedOutWaiting", c.others_timed_out_waiting).end_object().end_object();
}

}  // namespace

bool burns(const RequestTally& tally) { return tally.rejected() > 0 || tally.wait.max() > 0; }

bool burns(const LevelReport& level, const ReplayReport& report) {
  return versions_of(level, report).any([](const LevelReport& l) { return burns(l.tally); });
}

std::vector<const LevelReport*> by_harm(const ReplayReport& report) {
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
  const std::vector<const LevelReport*> levels = by_harm(report);
  for (const std::string& sentence :
       {to_whom(report, levels), levels.empty() ? std::string() : because(report, *levels.front()),
        levels.empty() ? std::string() : slow_readers(report, *levels.front())})
    if (!sentence.empty()) verdict.sentences.push_back(sentence);
  return verdict;
}

std::vector<Passage> culprit_passages(const ReplayReport& report) {
  std::vector<Passage> out;
  for (const LevelReport* level : by_harm(report)) {
    const bool first = out.empty();
    const std::uint64_t refused = most_refused(*level, report);
    if (refused == 0 && !(first && burns(*level, report))) break;
    Passage passage = culprits_of(report, *level);
    if (!passage.empty()) out.push_back(std::move(passage));
    if (refused == 0) break;
  }
  return out;
}

void write_culprits(JsonWriter& json, const ReplayReport& report) {
  json.key("culprits").begin_object().key("flows").begin_array();
  for (const CulpritReport& c : report.culprit_flows) write_culprit(json, c);
  json.end_array().key("userAgents").begin_array();
  for (const CulpritReport& c : report.culprit_agents) write_culprit(json, c);
  json.end_array().end_object();
}

}  // namespace apf
