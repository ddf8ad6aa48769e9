// The stages of a replay for people: one table for all, who was delayed and refused, requests in flight.
#include <fmt/format.h>

#include "report/stages.h"
#include "report/table.h"
#include "report/units.h"

namespace apf {

namespace {

Table::Cell number(std::uint64_t n, Tone tone) { return {grouped(n), n == 0 ? Tone::faint : tone, {}}; }

Table::Cell share(std::uint64_t part, std::uint64_t whole) {
  return {human_percent(part, whole), part == 0 ? Tone::faint : Tone::bad, {}};
}

std::string duration(double nanos) { return human_duration(nanos < 9e18 ? static_cast<Nanos>(nanos) : INT64_MAX); }

Table::Cell name_cell(const std::string& name, Tone tone = Tone::plain) { return {printable(name), tone, {}, true}; }

void say_turned_away(Passage& out, std::uint64_t count, const char* one, const char* many) {
  if (count == 0) return;
  out.say(fmt::format("{} of the log {} refused before reaching this plugin, and not checked.",
                      counted(count, one, many), count == 1 ? "was" : "were"));
}

// Clients where the limiter distinguishes them by user agent, else users.
Passage requesters_of(const StageReport& stage, const std::vector<RequesterReport>& requesters, bool refused) {
  bool agents = false;
  for (const RequesterReport& r : requesters) agents = agents || !r.user_agent.empty();
  Passage out(fmt::format("{} that {} {} most (of {})", agents ? "Clients" : "Users", to_string(stage.stage),
                          refused ? "refused" : "delayed", grouped(stage.requesters)));
  Table table;
  table.left("USER", 16);
  if (agents) table.left("USER AGENT", 16);
  table.right("REQUESTS");
  if (refused) table.right("REFUSED").right("");
  else table.right("DELAYED").right("TOTAL DELAY").right("MEAN").right("MAX");
  for (const RequesterReport& r : requesters) {
    std::vector<Table::Cell> row = {r.user.empty() ? Table::Cell{"(unknown)", Tone::strong, {}}
                                                   : name_cell(r.user, Tone::strong)};
    if (agents) row.push_back(name_cell(r.user_agent));
    row.push_back(number(r.requests, Tone::plain));
    if (refused) {
      row.push_back(number(r.refused, Tone::bad));
      row.push_back(share(r.refused, r.requests));
    } else {
      row.push_back(number(r.delayed, Tone::caution));
      row.push_back({duration(r.delay_sum), Tone::caution, {}});
      row.push_back({duration(r.delay_sum / static_cast<double>(r.delayed)), Tone::plain, {}});
      row.push_back({human_duration(r.delay_max), Tone::plain, {}});
    }
    table.row(std::move(row));
  }
  out.show(std::move(table));
  return out;
}

// Limits, and what was in flight at once, are of one server.
Passage kinds_of(const ReplayReport& report) {
  const bool limits = report.summed == 0;
  Table kinds;
  kinds.left("REQUESTS");
  if (limits) kinds.right("LIMIT").right("AVERAGE").right("PEAK");
  kinds.right("SEEN").right("REFUSED").right("").right("UNCOUNTED");
  const auto add = [&](const char* name, const InFlightReport::Kind& kind) {
    std::vector<Table::Cell> row = {{name, Tone::strong, {}}};
    const bool full = kind.limit > 0 && kind.peak >= kind.limit;
    if (limits) {
      row.push_back({kind.limit == 0 ? "none" : grouped(kind.limit), Tone::plain, {}});
      row.push_back({kind.limit == 0 ? "-" : one_decimal(kind.average), Tone::plain, {}});
      row.push_back({kind.limit == 0 ? "-" : grouped(kind.peak), full ? Tone::caution : Tone::plain, {}});
    }
    row.push_back(number(kind.requests, Tone::plain));
    row.push_back(number(kind.refused, Tone::bad));
    row.push_back(share(kind.refused, kind.requests));
    row.push_back(number(kind.uncounted, Tone::plain));
    kinds.row(std::move(row));
  };
  add("read-only", report.in_flight->read_only);
  add("mutating", report.in_flight->mutating);
  Passage out("In flight");
  out.show(std::move(kinds));
  out.explain("Uncounted: requests of system:masters, served beyond the limit.");
  return out;
}

// Each limit of EventRateLimit, and how the log's own refusals compare.
Passage event_limits_of(const ReplayReport& report) {
  const EventRateLimitReport& events = *report.event_rate_limit;
  const bool one_server = report.summed == 0;
  Table table;
  table.left("LIMIT").right("QPS").right("BURST").right("CHECKED").right("REFUSED").right("").right("UNDECIDED");
  if (one_server) table.right("BUCKETS").drop(1).right("CACHE SIZE").drop(2);
  table.right("EVICTED");
  for (const EventLimitReport& limit : events.limits) {
    std::vector<Table::Cell> row = {{limit.type, Tone::strong, {}},
                                    {grouped(static_cast<std::uint64_t>(limit.qps)), Tone::plain, {}},
                                    {grouped(static_cast<std::uint64_t>(limit.burst)), Tone::plain, {}},
                                    number(limit.asked, Tone::plain),
                                    number(limit.refused, Tone::bad),
                                    share(limit.refused, limit.asked),
                                    number(limit.undecidable, Tone::caution)};
    if (one_server) {
      row.push_back(number(limit.buckets, Tone::plain));
      row.push_back(
          {grouped(static_cast<std::uint64_t>(limit.cache_size == 0 ? 1 : limit.cache_size)), Tone::plain, {}});
    }
    row.push_back(number(limit.evicted, Tone::caution));
    table.row(std::move(row));
  }
  Passage out("EventRateLimit, limit by limit");
  out.show(std::move(table));
  out.explain(
      "Each limit checks every event, whatever the other limits decide. Evicted: buckets dropped from the cache; they "
      "are full when they come back.");
  say_turned_away(out, events.turned_away, "event", "events");
  if (const std::uint64_t log = events.refused_in_both + events.refused_only_in_log; log > 0)
    out.say(fmt::format("EventRateLimit refused {} in the log; the replay refuses {} of them, and {}.",
                        counted(log, "event", "events"), grouped(events.refused_in_both),
                        counted(events.refused_only_in_replay, "other", "others")));
  return out;
}

// What each quota held, and how the log's own refusals compare.
Passage quotas_of(const ResourceQuotaReport& report) {
  Passage out("ResourceQuota, quota by quota");
  Table table;
  table.left("NAMESPACE", 12).left("QUOTA", 12).right("REFUSED");
  table.left("RESOURCE").right("START").right("PEAK").right("USED").right("HARD");
  for (const QuotaStageReport& quota : report.quotas) {
    for (std::size_t i = 0; i < quota.resources.size(); ++i) {
      const QuotaStageReport::Resource& r = quota.resources[i];
      const bool first = i == 0;
      table.row({first ? name_cell(quota.ns) : Table::Cell{"", Tone::plain, {}},
                 first ? name_cell(quota.name, Tone::strong) : Table::Cell{"", Tone::plain, {}},
                 first ? number(quota.refused, Tone::bad) : Table::Cell{"", Tone::plain, {}},
                 name_cell(r.name),
                 {r.start, Tone::plain, {}},
                 {r.peak, Tone::plain, {}},
                 {r.used, Tone::plain, {}},
                 {r.hard, Tone::plain, {}}});
    }
  }
  if (!table.empty()) out.show(std::move(table));
  out.say(fmt::format("{} checked, {} of them refused.", counted(report.asked, "request", "requests"),
                      grouped(report.refused)));
  if (report.undecidable > 0)
    out.say(fmt::format("Only object counts checked: {}, whose objects the log doesn't contain.",
                        counted(report.undecidable, "request", "requests")));
  if (report.unknown_changes > 0)
    out.say(fmt::format("Not checked: {} of objects that the log doesn't describe.",
                        counted(report.unknown_changes, "change", "changes")));
  say_turned_away(out, report.turned_away, "request", "requests");
  if (const std::uint64_t log = report.refused_in_both + report.refused_only_in_log; log > 0)
    out.say(fmt::format("Quotas refused {} in the log; the replay refuses {} of them, and {}.",
                        counted(log, "request", "requests"), grouped(report.refused_in_both),
                        counted(report.refused_only_in_replay, "other", "others")));
  return out;
}

}  // namespace

bool has_other_stages(const ReplayReport& report) {
  return report.stages.size() > 1 || (!report.stages.empty() && report.stages.front().stage != AdmissionStage::apf);
}

std::vector<Passage> stage_passages(const ReplayReport& report) {
  if (!has_other_stages(report)) return {};
  std::vector<Passage> out;
  Table table;
  table.left("STAGE")
      .right("SEEN")
      .right("BYPASSED")
      .drop(2)
      .right("DELAYED")
      .right("P50")
      .drop(3)
      .right("P90")
      .drop(4)
      .right("P99")
      .right("MAX");
  table.right("REFUSED").right("").left("WHY").drop(1);
  for (const StageReport& stage : report.stages) {
    std::vector<Table::Cell> row = {{to_string(stage.stage), Tone::strong, {}},
                                    number(stage.seen(), Tone::plain),
                                    number(stage.bypassed, Tone::plain),
                                    number(stage.delayed, Tone::caution)};
    for (const double q : {0.5, 0.9, 0.99, 1.0}) {
      const Nanos value = q < 1 ? stage.delay.quantile(q) : stage.delay.max();
      row.push_back(
          {stage.delayed == 0 ? "-" : human_duration(value), stage.delayed == 0 ? Tone::faint : Tone::plain, {}});
    }
    row.push_back(number(stage.refused, Tone::bad));
    row.push_back(share(stage.refused, stage.seen()));
    std::string why;
    for (const auto& [reason, count] : stage.reasons) why += (why.empty() ? "" : ", ") + reason + " " + grouped(count);
    row.push_back({why, Tone::plain, {}});
    table.row(std::move(row));
  }
  out.emplace_back("Admission stages, in order").show(std::move(table));
  if (report.event_rate_limit) out.push_back(event_limits_of(report));
  if (report.resource_quota) out.push_back(quotas_of(*report.resource_quota));
  for (const StageReport& stage : report.stages) {
    if (!stage.delayed_most.empty()) out.push_back(requesters_of(stage, stage.delayed_most, false));
    if (!stage.refused_most.empty()) out.push_back(requesters_of(stage, stage.refused_most, true));
  }
  return out;
}

std::vector<Passage> in_flight_passages(const ReplayReport& report) {
  if (!report.in_flight) return {};
  std::vector<Passage> out = {kinds_of(report)};
  Table schemas;
  schemas.left("FLOWSCHEMA", 14).left("LEVEL", 12).right("REQUESTS").right("EXECUTED").right("REFUSED").right("");
  for (const SchemaReport& schema : report.schemas) {
    if (schema.tally.requests == 0) continue;
    schemas.row({name_cell(schema.name, Tone::strong), name_cell(schema.priority_level),
                 number(schema.tally.requests, Tone::plain), number(schema.tally.executed(), Tone::plain),
                 number(schema.tally.rejected(), Tone::bad), share(schema.tally.rejected(), schema.tally.requests)});
  }
  out.emplace_back("Where requests would go with API Priority and Fairness on").show(std::move(schemas));
  return out;
}

}  // namespace apf
