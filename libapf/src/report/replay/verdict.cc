#include "report/replay/verdict.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/sort_stably.h"
#include "report/core/units.h"
#include "report/replay/ranges.h"

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
  if (!out.empty() || levels.empty() || !refuses_or_waits(*levels.front(), report))
    return out.empty() ? out : out + ".";
  const TallyVersions t = versions_of(*levels.front(), report).part(&LevelReport::tally);
  return fmt::format("To whom: {} of {} had to wait at {}, 99 % of its requests at most {}.",
                     count_text(t.range([](const RequestTally& v) { return v.queued; })), requests_text(t),
                     levels.front()->name, wait_text(t, 0.99));
}

using CulpritVersions = Versions<CulpritReport>;
using Part = double (*)(const CulpritReport&);

double seat_seconds_of(const CulpritReport& c) { return c.seat_seconds; }
double level_seat_seconds_of(const CulpritReport& c) { return c.level_seat_seconds; }
double level_refused_of(const CulpritReport& c) { return static_cast<double>(c.level_refused); }

// "12 requests", "10-12 requests"
std::string counted_range(const Range<std::uint64_t>& range, const char* one, const char* many) {
  return count_text(range) + " " + (range.high == 1 ? one : many);
}

// A holder's part of its level, over the replays in which there is a whole of it.
class PartOfLevel {
 public:
  PartOfLevel(Part part, Part whole) : part_(part), whole_(whole) {}

  static PartOfLevel of_seats() { return {seat_seconds_of, level_seat_seconds_of}; }
  static PartOfLevel of_refusals() { return {blamed, level_refused_of}; }

  // Of several holders together.
  Range<Share> range(const std::vector<CulpritVersions>& holders) const {
    Range<Share> out;
    bool any = false;
    for (std::size_t replay = 0; replay <= holders.front().others().size(); ++replay) {
      const double whole = whole_(in_replay(holders.front(), replay));
      if (whole <= 0) continue;
      double part = 0;
      for (const CulpritVersions& holder : holders) part += part_(in_replay(holder, replay));
      const Share share{rounded_count(part * 1000), rounded_count(whole * 1000)};
      if (!any) out = {share, share, share};
      if (share < out.low) out.low = share;
      if (out.high < share) out.high = share;
      any = true;
    }
    return out;
  }
  Range<double> fraction(const CulpritVersions& holder) const {
    Range<double> out;
    bool any = false;
    for (std::size_t replay = 0; replay <= holder.others().size(); ++replay) {
      const CulpritReport& c = in_replay(holder, replay);
      if (whole_(c) <= 0) continue;
      const double value = part_(c) / whole_(c);
      if (!any) out = {value, value, value};
      out.low = std::min(out.low, value);
      out.high = std::max(out.high, value);
      any = true;
    }
    return out;
  }
  // Whether it has the largest part in every replay.
  bool leads(const CulpritVersions& holder, const std::vector<CulpritVersions>& all) const {
    for (std::size_t replay = 0; replay <= holder.others().size(); ++replay)
      for (const CulpritVersions& other : all)
        if (part_(in_replay(other, replay)) > part_(in_replay(holder, replay))) return false;
    return true;
  }

 private:
  static const CulpritReport& in_replay(const CulpritVersions& of, std::size_t replay) {
    return replay == 0 ? of.value() : *of.others()[replay - 1];
  }

  Part part_, whole_;
};

std::vector<CulpritVersions> holders_of(const std::vector<CulpritReport>& list, const LevelReport& level,
                                        const ReplayReport& report) {
  std::vector<CulpritVersions> out;
  for (const CulpritReport& c : list)
    if (c.priority_level == level.name) out.push_back(versions_of(c, report));
  return out;
}

std::string name_of(const CulpritVersions& c) { return name_of(c.value().distinguisher, c.value().flow_schema); }

// Those of a large part, where they are not the same in every replay; nothing where nobody has one.
std::string in_turns(const std::vector<CulpritVersions>& flows, const PartOfLevel& part) {
  std::string out;
  std::size_t named = 0;
  for (const CulpritVersions& flow : flows) {
    const Range<Share> share = part.range({flow});
    if (share.high.fraction() < kMost || named == kNamed) continue;
    out += fmt::format("{}{} held {}", named++ == 0 ? "" : ", ", name_of(flow), share_in_words(share));
  }
  return out.empty() ? out : "not the same flow in every replay; " + out;
}

std::string because(const ReplayReport& report, const LevelReport& level) {
  const bool refused = most_refused(level, report) > 0;
  const PartOfLevel part = refused ? PartOfLevel::of_refusals() : PartOfLevel::of_seats();
  const std::string when = refused ? fmt::format(" of the seats of {} while it refused requests", level.name)
                                   : fmt::format(" of the seat-seconds of {}", level.name);
  std::vector<CulpritVersions> flows = holders_of(report.culprit_flows, level, report);
  std::erase_if(flows, [&](const CulpritVersions& c) { return part.range({c}).high.part == 0; });
  if (flows.empty()) return {};
  const CulpritVersions& first = flows.front();
  const bool large = part.range({first}).high.fraction() >= kMost;
  std::string out = "Because of whom: ";
  if (large && part.leads(first, flows)) {
    out += fmt::format("{} held {}{}", name_of(first), share_in_words(part.range({first})), when);
    const auto others = first.range([](const CulpritReport& c) { return rounded_count(c.refusals_others); });
    if (refused && others.high > 0)
      out += fmt::format(": that accounts for {} of other flows", counted_range(others, "refusal", "refusals"));
  } else if (large) {
    out += in_turns(flows, part) + when;
  } else {
    flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(std::min(flows.size(), kShownTop)), flows.end());
    out += fmt::format("no flow alone; the {} that held most had {}{}", counted(flows.size(), "flow", "flows"),
                       share_in_words(part.range(flows)), when);
  }
  for (const CulpritVersions& agent : holders_of(report.culprit_agents, level, report)) {
    const Range<Share> share = part.range({agent});
    if (agent.value().user_agent.empty() || share.low.fraction() < kMost) continue;
    out += fmt::format(". User agent: {} ({})", agent.value().user_agent, share_in_words(share));
    break;
  }
  return out + ".";
}

// As KEP-1040 says how to detect them: a flow whose requests time out while they run, about as many a minute as it has
// queues, while those of others time out while they wait. A request that nobody reads holds its seats for the whole
// request timeout.
std::string slow_readers(const ReplayReport& report, const LevelReport& level) {
  constexpr double kAbout = 0.8;
  if (level.hand_size == 0) return {};
  const double hand = level.hand_size;
  for (const CulpritVersions& c : holders_of(report.culprit_flows, level, report)) {
    const bool is_one = c.any([&](const CulpritReport& v) {
      return v.others_timed_out_waiting > 0 && static_cast<double>(v.timed_out_running) >= hand &&
             v.timed_out_running_per_minute >= kAbout * hand;
    });
    if (!is_one) continue;
    return fmt::format(
        "Slow readers: {} of {} timed out while they ran, {} a minute with a hand of {}; {} of other flows timed out "
        "while they waited.",
        counted_range(c.range([](const CulpritReport& v) { return v.timed_out_running; }), "request", "requests"),
        name_of(c),
        range_text(c.range([](const CulpritReport& v) { return v.timed_out_running_per_minute; }), one_decimal),
        counted(level.hand_size, "queue", "queues"),
        counted_range(c.range([](const CulpritReport& v) { return v.others_timed_out_waiting; }), "request",
                      "requests"));
  }
  return {};
}

// Whose seats these are, and whether that is a name.
std::pair<std::string, bool> holder_of(const CulpritReport& c) {
  using By = CulpritReport::By;
  const auto name_or = [](const std::string& name, const char* none) {
    return name.empty() ? std::pair(std::string(none), false) : std::pair(printable(name), true);
  };
  if (c.by == By::flow) return name_or(c.distinguisher, "(all of the FlowSchema)");
  if (c.by == By::user_agent) return name_or(c.user_agent, "(no user agent)");
  const bool path = c.resource.empty() && !c.verb.empty();
  return name_or(path ? c.verb + " (non-resource)" : c.verb + (c.resource.empty() ? "" : " ") + c.resource,
                 "(unknown)");
}

Table culprit_table(const std::vector<CulpritReport>& culprits, const LevelReport& level, const ReplayReport& report,
                    const char* title) {
  Table table;
  const bool flows = !culprits.empty() && culprits.front().by == CulpritReport::By::flow;
  table.left(title, 16);
  if (flows) table.left("FLOWSCHEMA", 12).drop(3);
  table.right("SEAT-SECONDS").drop(1).right("SHARE");
  const bool refused = most_refused(level, report) > 0;
  if (refused) table.right("REFUSED OTHERS").right("REFUSED ITSELF").right("REFUSED");
  if (refused && !report.others.empty()) table.drop(2);  // ranges are wide
  std::size_t shown = 0;
  for (const CulpritVersions& versions : holders_of(culprits, level, report)) {
    if (shown++ >= kShownTop) break;
    const CulpritReport& c = versions.value();
    const std::pair<std::string, bool> who = holder_of(c);
    std::vector<Table::Cell> row = {{who.first, Tone::strong, {}, who.second}};
    if (flows) row.push_back({printable(c.flow_schema), Tone::plain, {}, true});
    row.push_back({range_text(versions.range(seat_seconds_of), one_decimal), Tone::plain, {}});
    row.push_back({share_text(PartOfLevel::of_seats().range({versions})), Tone::plain, {}});
    if (refused) {
      const auto count = [&](double CulpritReport::*refusals) {
        const auto range = versions.range([&](const CulpritReport& v) { return rounded_count(v.*refusals); });
        return Table::Cell{count_text(range), range.high == 0 ? Tone::faint : Tone::bad, {}};
      };
      row.push_back(count(&CulpritReport::refusals_others));
      row.push_back(count(&CulpritReport::refusals_own));
      const auto own = versions.range([](const CulpritReport& v) { return v.refused; });
      row.push_back({count_text(own), own.high == 0 ? Tone::faint : Tone::plain, {}});
    }
    table.row(std::move(row));
  }
  return table;
}

Passage culprits_of(const ReplayReport& report, const LevelReport& level) {
  Passage passage(fmt::format("Who held the seats of {}", printable(level.name)));
  passage.show(culprit_table(report.culprit_flows, level, report, "FLOW"));
  if (passage.empty()) return passage;
  passage.show(culprit_table(report.culprit_requests, level, report, "REQUEST"));
  Table agents = culprit_table(report.culprit_agents, level, report, "USER AGENT");
  if (agents.rows().size() > 1 || (agents.rows().size() == 1 && agents.rows()[0][0].name))
    passage.show(std::move(agents));
  if (most_refused(level, report) > 0)
    passage.explain(
        "REFUSED OTHERS, REFUSED ITSELF: refusals of other requests and of its own; each is divided among the "
        "holders of seats at that time.");
  return passage;
}

void write_culprit(JsonWriter& json, const CulpritVersions& c) {
  const CulpritReport& value = c.value();
  json.begin_object().field("priorityLevel", value.priority_level);
  switch (value.by) {
    case CulpritReport::By::flow:
      json.field("flowSchema", value.flow_schema).field("flowDistinguisher", value.distinguisher);
      break;
    case CulpritReport::By::user_agent:
      json.field("userAgent", value.user_agent);
      break;
    case CulpritReport::By::request:
      json.field("verb", value.verb).field("resource", value.resource);
      break;
  }
  write_figure(json, "seatSeconds", c.range(seat_seconds_of));
  write_figure(json, "share", PartOfLevel::of_seats().fraction(c));
  json.key("refusals").begin_object();
  write_figure(json, "others", c.range([](const CulpritReport& v) { return v.refusals_others; }));
  write_figure(json, "own", c.range([](const CulpritReport& v) { return v.refusals_own; }));
  write_figure(json, "share", PartOfLevel::of_refusals().fraction(c));
  json.end_object();
  write_figure(json, "refused", c.range([](const CulpritReport& v) { return v.refused; }));
  json.key("timedOutRunning").begin_object();
  write_figure(json, "requests", c.range([](const CulpritReport& v) { return v.timed_out_running; }));
  write_figure(json, "perMinute", c.range([](const CulpritReport& v) { return v.timed_out_running_per_minute; }));
  write_figure(json, "othersTimedOutWaiting",
               c.range([](const CulpritReport& v) { return v.others_timed_out_waiting; }));
  json.end_object().end_object();
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
  for (const std::string& sentence :
       {to_whom(report, levels), report.causes.empty() ? std::string() : sentence_of(report.causes.front()),
        levels.empty() ? std::string() : because(report, *levels.front()),
        levels.empty() ? std::string() : slow_readers(report, *levels.front())})
    if (!sentence.empty()) verdict.sentences.push_back(sentence);
  return verdict;
}

std::vector<Passage> culprit_passages(const ReplayReport& report) {
  std::vector<Passage> out;
  for (const LevelReport* level : worst_first(report)) {
    const bool first = out.empty();
    const std::uint64_t refused = most_refused(*level, report);
    if (refused == 0 && !(first && refuses_or_waits(*level, report))) break;
    Passage passage = culprits_of(report, *level);
    if (!passage.empty()) out.push_back(std::move(passage));
    if (refused == 0) break;
  }
  return out;
}

void write_culprits(JsonWriter& json, const ReplayReport& report) {
  json.key("culprits").begin_object().key("flows").begin_array();
  for (const CulpritReport& c : report.culprit_flows) write_culprit(json, versions_of(c, report));
  json.end_array().key("userAgents").begin_array();
  for (const CulpritReport& c : report.culprit_agents) write_culprit(json, versions_of(c, report));
  json.end_array().key("requests").begin_array();
  for (const CulpritReport& c : report.culprit_requests) write_culprit(json, versions_of(c, report));
  json.end_array().end_object();
}

}  // namespace apf
