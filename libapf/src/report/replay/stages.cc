// The stages of a replay for people: one table for all, who was delayed and refused, requests in flight.
#include <fmt/core.h>

#include <apf/document.h>

#include "report/core/units.h"
#include "report/replay/stages.h"

namespace apf {

namespace {

Table::Cell share_cell(const Range<Share>& of) {
  return {share_text(of), of.high.part == 0 ? Tone::faint : Tone::bad, {}};
}

Table::Cell share_cell(std::uint64_t part, std::uint64_t whole) {
  return {human_percent(part, whole), part == 0 ? Tone::faint : Tone::bad, {}};
}

void say_turned_away(Passage& out, std::uint64_t count, const char* one, const char* many) {
  if (count == 0) return;
  out.say(fmt::format("{} of the log {} refused before reaching this plugin, and not checked.",
                      counted(count, one, many), count == 1 ? "was" : "were"));
}

// Clients where the limiter distinguishes them by user agent, else users.
Passage requesters_of(const Versions<StageReport>& versions, bool refused) {
  using Requester = const RequesterReport&;
  const StageReport& stage = versions.value();
  const auto list = refused ? &StageReport::refused_most : &StageReport::delayed_most;
  const std::vector<RequesterReport>& requesters = stage.*list;
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
    row.push_back(count_cell(r.requests, Tone::plain));
    const Versions<RequesterReport> all = versions_of(r, versions, list);
    if (refused) {
      const auto count = all.range([](Requester v) { return v.refused; });
      row.push_back(count_cell(count, Tone::bad));
      row.push_back(share_cell(all.range([](Requester v) { return Share{v.refused, v.requests}; })));
    } else {
      const auto mean = [](Requester v) { return v.delayed > 0 ? v.delay_sum / static_cast<double>(v.delayed) : 0; };
      row.push_back(count_cell(all.range([](Requester v) { return v.delayed; }), Tone::caution));
      row.push_back({range_text(all.range([](Requester v) { return v.delay_sum; }), delay_text), Tone::caution, {}});
      row.push_back({range_text(all.range(mean), delay_text), Tone::plain, {}});
      row.push_back({range_text(all.range([](Requester v) { return static_cast<double>(v.delay_max); }), delay_text),
                     Tone::plain,
                     {}});
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
    row.push_back(count_cell(kind.requests, Tone::plain));
    row.push_back(count_cell(kind.refused, Tone::bad));
    row.push_back(share_cell(kind.refused, kind.requests));
    row.push_back(count_cell(kind.uncounted, Tone::plain));
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
  const Versions<EventRateLimitReport> versions = versions_of_events(report);
  for (std::size_t i = 0; i < events.limits.size(); ++i) {
    const EventLimitReport& limit = events.limits[i];
    const auto figure = [&](std::uint64_t EventLimitReport::*member) {
      return versions.range([&](const EventRateLimitReport& e) { return e.limits[i].*member; });
    };
    std::vector<Table::Cell> row = {{limit.type, Tone::strong, {}},
                                    {grouped(static_cast<std::uint64_t>(limit.qps)), Tone::plain, {}},
                                    {grouped(static_cast<std::uint64_t>(limit.burst)), Tone::plain, {}},
                                    count_cell(figure(&EventLimitReport::asked), Tone::plain),
                                    count_cell(figure(&EventLimitReport::refused), Tone::bad),
                                    share_cell(versions.range([&](const EventRateLimitReport& e) {
                                      return Share{e.limits[i].refused, e.limits[i].asked};
                                    })),
                                    count_cell(figure(&EventLimitReport::undecidable), Tone::caution)};
    if (one_server) {
      row.push_back(count_cell(figure(&EventLimitReport::buckets), Tone::plain));
      row.push_back(
          {grouped(static_cast<std::uint64_t>(limit.cache_size == 0 ? 1 : limit.cache_size)), Tone::plain, {}});
    }
    row.push_back(count_cell(figure(&EventLimitReport::evicted), Tone::caution));
    table.row(std::move(row));
  }
  Passage out("EventRateLimit, limit by limit");
  out.show(std::move(table));
  out.explain(
      "Each limit checks every event, also those that other limits refuse. Evicted: buckets dropped from the cache; "
      "they "
      "are full when they come back.");
  using Events = const EventRateLimitReport&;
  if (events.sending.sender == EventSender::abandon)
    out.say(fmt::format("Senders that were refused sent no events for {}: {} were not sent.",
                        human_duration(events.sending.pause),
                        count_text(versions.range([](Events e) { return e.abandoned; }))));
  if (events.sending.sender == EventSender::retry)
    out.say(fmt::format("Refused events were sent again every {}: {} times; {} were refused {} times and given up.",
                        human_duration(events.sending.pause),
                        count_text(versions.range([](Events e) { return e.resent; })),
                        count_text(versions.range([](Events e) { return e.given_up; })), events.sending.tries));
  say_turned_away(out, events.turned_away, "event", "events");
  if (const std::uint64_t log = events.refused_in_both + events.refused_only_in_log; log > 0)
    out.say(fmt::format(
        "EventRateLimit refused {} in the log; the replay refuses {} of them, and {}.", counted(log, "event", "events"),
        count_text(versions.range([](const EventRateLimitReport& e) { return e.refused_in_both; })),
        count_text(versions.range([](const EventRateLimitReport& e) { return e.refused_only_in_replay; })) +
            (events.refused_only_in_replay == 1 ? " other" : " others")));
  return out;
}

// Who updates a quota's status at the same time as another.
void say_conflicts(Passage& out, const Versions<ResourceQuotaReport>& versions) {
  using Quotas = const ResourceQuotaReport&;
  const auto figure = [&](std::uint64_t QuotaConflictReport::*member) {
    return count_text(versions.range([member](Quotas v) { return (*v.conflicts).*member; }));
  };
  const QuotaConflicts& of = versions.value().conflicts->of;
  out.say(fmt::format(
      "Updates of quotas' statuses: {}, of which {} failed because another server or the quota controller came first. "
      "Of the {} requests {} passed at a retry, {} got a 409 (conflict), and {} a 500 (more than 10 s).",
      figure(&QuotaConflictReport::updates), figure(&QuotaConflictReport::conflicts),
      figure(&QuotaConflictReport::requests), figure(&QuotaConflictReport::retried),
      figure(&QuotaConflictReport::refused), figure(&QuotaConflictReport::timed_out)));
  out.explain(fmt::format(
      "Assumed: caches are {} behind, an update takes {}. What an update takes when nobody comes between is "
      "part of the execution in the log.",
      human_duration(of.lag), human_duration(of.write)));
}

// What each quota held, and how the log's own refusals compare.
Passage quotas_of(const ReplayReport& all) {
  using Quotas = const ResourceQuotaReport&;
  const Versions<ResourceQuotaReport> versions = versions_of_quotas(all);
  const ResourceQuotaReport& report = versions.value();
  Passage out("ResourceQuota, quota by quota");
  Table table;
  table.left("NAMESPACE", 12).left("QUOTA", 12).right("REFUSED");
  table.left("RESOURCE").right("START").right("PEAK").right("USED").right("HARD");
  for (std::size_t q = 0; q < report.quotas.size(); ++q) {
    const QuotaStageReport& quota = report.quotas[q];
    const auto refused = versions.range([&](Quotas v) { return v.quotas[q].refused; });
    for (std::size_t i = 0; i < quota.resources.size(); ++i) {
      const QuotaStageReport::Resource& r = quota.resources[i];
      const bool first = i == 0;
      table.row({first ? name_cell(quota.ns) : Table::Cell{"", Tone::plain, {}},
                 first ? name_cell(quota.name, Tone::strong) : Table::Cell{"", Tone::plain, {}},
                 first ? count_cell(refused, Tone::bad) : Table::Cell{"", Tone::plain, {}},
                 name_cell(r.name),
                 {r.start, Tone::plain, {}},
                 {r.peak, Tone::plain, {}},
                 {r.used, Tone::plain, {}},
                 {r.hard, Tone::plain, {}}});
    }
  }
  if (!table.empty()) out.show(std::move(table));
  out.say(fmt::format("{} checked, {} of them refused.", counted(report.asked, "request", "requests"),
                      count_text(versions.range([](Quotas v) { return v.refused; }))));
  if (report.resync > 0)
    out.say(fmt::format(
        "Freed usage stops counting at the quota controller's recount, every {}: {} refused while usage "
        "of their namespace was freed but still counted.",
        human_duration(report.resync), count_text(versions.range([](Quotas v) { return v.before_recount; }))));
  if (report.shared) out.explain("All servers share these quotas: amounts are of all of them together.");
  if (report.conflicts) say_conflicts(out, versions);
  if (report.unsettled > 0)
    out.say(fmt::format(
        "Not certain: {}, or when they come. Requests wait for each other on several servers, and each answer changes "
        "when others come.",
        counted(report.unsettled, "answer of a quota", "answers of quotas")));
  if (report.conflicts_in_log + report.timed_out_in_log > 0)
    out.say(
        fmt::format("In the log {} a quota's status had changed meanwhile (409), {} too long (500).",
                    counted(report.conflicts_in_log, "request was refused because", "requests were refused because"),
                    counted(report.timed_out_in_log, "request waited", "requests waited")));
  if (report.undecidable > 0)
    out.say(fmt::format("Only object counts checked: {}, whose objects the log doesn't contain.",
                        counted(report.undecidable, "request", "requests")));
  if (report.unknown_changes > 0)
    out.say(fmt::format("Not checked: {} of objects that the log doesn't describe.",
                        counted(report.unknown_changes, "change", "changes")));
  say_turned_away(out, report.turned_away, "request", "requests");
  if (const std::uint64_t log = report.refused_in_both + report.refused_only_in_log; log > 0)
    out.say(fmt::format("Quotas refused {} in the log; the replay refuses {} of them, and {}.",
                        counted(log, "request", "requests"),
                        count_text(versions.range([](Quotas v) { return v.refused_in_both; })),
                        count_text(versions.range([](Quotas v) { return v.refused_only_in_replay; })) +
                            (report.refused_only_in_replay == 1 ? " other" : " others")));
  return out;
}

}  // namespace

Table::Cell count_cell(const Range<std::uint64_t>& n, Tone tone) {
  return {count_text(n), n.high == 0 ? Tone::faint : tone, {}};
}

std::string delay_text(double nanos) { return human_duration(nanos < 9e18 ? static_cast<Nanos>(nanos) : INT64_MAX); }

Table::Cell delay_cell(const Versions<StageReport>& stage, double quantile) {
  if (!stage.any([](const StageReport& s) { return s.delayed > 0; })) return {"-", Tone::faint, {}};
  const auto delay =
      stage.range([&](const StageReport& s) { return quantile < 1 ? s.delay.quantile(quantile) : s.delay.max(); });
  return {range_text(delay, [](Nanos wait) { return human_duration(wait); }), Tone::plain, {}};
}

std::string reasons_text(const Versions<StageReport>& stage) {
  std::string out;
  for (const auto& [reason, count] : stage.value().reasons) {
    const auto range = stage.range([&name = reason](const StageReport& s) {
      const auto at = s.reasons.find(name);
      return at == s.reasons.end() ? std::uint64_t{0} : at->second;
    });
    out += (out.empty() ? "" : ", ") + reason + " " + count_text(range);
  }
  return out;
}

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
  using Of = const StageReport&;
  for (const StageReport& stage : report.stages) {
    const Versions<StageReport> versions = versions_of(stage, report);
    std::vector<Table::Cell> row = {{to_string(stage.stage), Tone::strong, {}},
                                    count_cell(versions.range([](Of s) { return s.seen(); }), Tone::plain),
                                    count_cell(versions.range([](Of s) { return s.bypassed; }), Tone::plain),
                                    count_cell(versions.range([](Of s) { return s.delayed; }), Tone::caution)};
    for (const double q : {0.5, 0.9, 0.99, 1.0}) row.push_back(delay_cell(versions, q));
    const auto refused = versions.range([](Of s) { return s.refused; });
    row.push_back(count_cell(refused, Tone::bad));
    row.push_back(share_cell(versions.range([](Of s) { return Share{s.refused, s.seen()}; })));
    const std::string why = reasons_text(versions);
    row.push_back({why, Tone::plain, {}});
    table.row(std::move(row));
  }
  out.emplace_back("Admission stages, in order").show(std::move(table));
  if (report.event_rate_limit) out.push_back(event_limits_of(report));
  if (report.resource_quota) out.push_back(quotas_of(report));
  for (const StageReport& stage : report.stages) {
    const Versions<StageReport> versions = versions_of(stage, report);
    if (!stage.delayed_most.empty()) out.push_back(requesters_of(versions, false));
    if (!stage.refused_most.empty()) out.push_back(requesters_of(versions, true));
  }
  return out;
}

std::vector<Passage> in_flight_passages(const ReplayReport& report) {
  if (!report.in_flight) return {};
  std::vector<Passage> out = {kinds_of(report)};
  Table schemas;
  schemas.left("FLOWSCHEMA", 14).left("LEVEL", 12).right("REQUESTS");
  for (const SchemaReport& schema : report.schemas) {
    if (schema.tally.requests == 0) continue;
    schemas.row({name_cell(schema.name, Tone::strong), name_cell(schema.priority_level),
                 count_cell(schema.tally.requests, Tone::plain)});
  }
  out.emplace_back("Where requests would go with API Priority and Fairness on").show(std::move(schemas));
  return out;
}

}  // namespace apf
