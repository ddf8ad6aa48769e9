// The stages of a replay as JSON.
#include <algorithm>
#include <climits>
#include <utility>

#include "report/core/units.h"
#include "report/replay/stages.h"

namespace apf {

namespace {

void write_requesters(JsonWriter& json, const char* name, const Versions<StageReport>& stage,
                      std::vector<RequesterReport> StageReport::*list, int top) {
  using Requester = const RequesterReport&;
  json.key(name).begin_array();
  const std::vector<RequesterReport>& all = stage.value().*list;
  for (std::size_t i = 0; i < std::min(all.size(), static_cast<std::size_t>(std::max(top, 0))); ++i) {
    const Versions<RequesterReport> r = versions_of(all[i], stage, list);
    json.begin_object().field("user", all[i].user);
    if (!all[i].user_agent.empty()) json.field("userAgent", all[i].user_agent);
    json.field("requests", all[i].requests);
    write_figure(json, "delayed", r.range([](Requester v) { return v.delayed; }));
    write_figure(json, "delaySumNs", r.range([](Requester v) { return whole_nanos(v.delay_sum); }));
    write_figure(json, "delayMaxNs", r.range([](Requester v) { return v.delay_max; }));
    write_figure(json, "refused", r.range([](Requester v) { return v.refused; }));
    json.end_object();
  }
  json.end_array();
}

// Limits, and what was in flight at once, are of one server.
void write_kind(JsonWriter& json, const char* name, const InFlightReport::Kind& kind, bool limits) {
  json.key(name).begin_object();
  if (limits) json.field("limit", kind.limit);
  json.field("requests", kind.requests).field("refused", kind.refused).field("uncounted", kind.uncounted);
  if (!limits) {
    json.end_object();
    return;
  }
  json.field("peak", kind.peak)
      .field("avg", kind.average)
      .field("lastSecondPeak", kind.series.last_second)
      .end_object();
}

void write_event_limits(JsonWriter& json, const ReplayReport& report) {
  using Events = const EventRateLimitReport&;
  const Versions<EventRateLimitReport> events = versions_of_events(report);
  const EventRateLimitReport& own = events.value();
  json.key("eventRateLimit").begin_object().key("limits").begin_array();
  for (std::size_t i = 0; i < own.limits.size(); ++i) {
    const EventLimitReport& limit = own.limits[i];
    const auto figure = [&](std::uint64_t EventLimitReport::*member) {
      return events.range([&](Events e) { return e.limits[i].*member; });
    };
    json.begin_object().field("type", limit.type).field("qps", limit.qps).field("burst", limit.burst);
    json.field("cacheSize", limit.cache_size);
    write_figure(json, "asked", figure(&EventLimitReport::asked));
    write_figure(json, "refused", figure(&EventLimitReport::refused));
    write_figure(json, "undecidable", figure(&EventLimitReport::undecidable));
    if (report.summed == 0) write_figure(json, "buckets", figure(&EventLimitReport::buckets));
    write_figure(json, "evicted", figure(&EventLimitReport::evicted));
    json.end_object();
  }
  json.end_array();
  for (const auto& [name, member] : {std::pair{"turnedAway", &EventRateLimitReport::turned_away},
                                     {"refusedInBoth", &EventRateLimitReport::refused_in_both},
                                     {"refusedOnlyInLog", &EventRateLimitReport::refused_only_in_log},
                                     {"refusedOnlyInReplay", &EventRateLimitReport::refused_only_in_replay}})
    write_figure(json, name, events.range([m = member](Events e) { return e.*m; }));
  if (own.sending.sender != EventSender::server) {
    json.key("eventSender").begin_object();
    json.field("sender", own.sending.sender == EventSender::retry ? "retry" : "abandon");
    json.field("pauseNs", own.sending.pause);
    for (const auto& [name, member] : {std::pair{"abandoned", &EventRateLimitReport::abandoned},
                                       {"resent", &EventRateLimitReport::resent},
                                       {"givenUp", &EventRateLimitReport::given_up}})
      write_figure(json, name, events.range([m = member](Events e) { return e.*m; }));
    json.end_object();
  }
  json.end_object();
}

void write_quotas(JsonWriter& json, const ReplayReport& report) {
  using Quotas = const ResourceQuotaReport&;
  const Versions<ResourceQuotaReport> versions = versions_of_quotas(report);
  const ResourceQuotaReport& own = versions.value();
  json.key("resourceQuota").begin_object().key("quotas").begin_array();
  for (std::size_t i = 0; i < own.quotas.size(); ++i) {
    const QuotaStageReport& quota = own.quotas[i];
    json.begin_object().field("name", quota.name).field("namespace", quota.ns);
    json.field("start", quota.from_status ? "status" : "zero");
    write_figure(json, "refused", versions.range([&](Quotas q) { return q.quotas[i].refused; }));
    json.key("resources").begin_array();
    for (const QuotaStageReport::Resource& r : quota.resources) {
      json.begin_object().field("resource", r.name).field("start", r.start).field("used", r.used);
      json.field("peak", r.peak).field("hard", r.hard).end_object();
    }
    json.end_array();
    if (own.conflicts) write_figure(json, "conflicts", versions.range([&](Quotas q) { return q.quotas[i].conflicts; }));
    json.end_object();
  }
  json.end_array();
  for (const auto& [name, member] : {std::pair{"asked", &ResourceQuotaReport::asked},
                                     {"refused", &ResourceQuotaReport::refused},
                                     {"undecidable", &ResourceQuotaReport::undecidable},
                                     {"unknownChanges", &ResourceQuotaReport::unknown_changes},
                                     {"turnedAway", &ResourceQuotaReport::turned_away},
                                     {"conflictsInLog", &ResourceQuotaReport::conflicts_in_log},
                                     {"timedOutInLog", &ResourceQuotaReport::timed_out_in_log},
                                     {"refusedInBoth", &ResourceQuotaReport::refused_in_both},
                                     {"refusedOnlyInLog", &ResourceQuotaReport::refused_only_in_log},
                                     {"refusedOnlyInReplay", &ResourceQuotaReport::refused_only_in_replay}})
    write_figure(json, name, versions.range([m = member](Quotas q) { return q.*m; }));
  if (versions.value().resync > 0) {
    json.field("resyncNs", versions.value().resync);
    write_figure(json, "refusedBeforeRecount", versions.range([](Quotas q) { return q.before_recount; }));
  }
  if (own.shared) json.field("shared", true);
  if (own.unsettled > 0) json.field("unsettled", own.unsettled);
  if (own.conflicts) {
    json.key("conflicts")
        .begin_object()
        .field("lagNs", own.conflicts->of.lag)
        .field("writeNs", own.conflicts->of.write);
    for (const auto& [name, member] : {std::pair{"requests", &QuotaConflictReport::requests},
                                       {"updates", &QuotaConflictReport::updates},
                                       {"conflicts", &QuotaConflictReport::conflicts},
                                       {"retried", &QuotaConflictReport::retried},
                                       {"refused", &QuotaConflictReport::refused},
                                       {"timedOut", &QuotaConflictReport::timed_out}})
      write_figure(json, name, versions.range([m = member](Quotas q) { return (*q.conflicts).*m; }));
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_stage(JsonWriter& json, const Versions<StageReport>& stage, int top) {
  using Of = const StageReport&;
  write_figure(json, "seen", stage.range([](Of s) { return s.seen(); }));
  write_figure(json, "bypassed", stage.range([](Of s) { return s.bypassed; }));
  write_figure(json, "passed", stage.range([](Of s) { return s.passed; }));
  write_figure(json, "delayed", stage.range([](Of s) { return s.delayed; }));
  json.key("delay").begin_object();
  write_figure(json, "meanNs", stage.range([](Of s) { return whole_nanos(s.delay.mean()); }));
  for (const auto& [name, quantile] : {std::pair{"p50Ns", 0.5}, {"p90Ns", 0.9}, {"p99Ns", 0.99}})
    write_figure(json, name, stage.range([q = quantile](Of s) { return s.delay.quantile(q); }));
  write_figure(json, "maxNs", stage.range([](Of s) { return s.delay.max(); }));
  json.end_object();
  write_figure(json, "refused", stage.range([](Of s) { return s.refused; }));
  json.key("reasons").begin_object();
  for (const auto& [reason, count] : stage.value().reasons) {
    write_figure(json, reason.c_str(), stage.range([&name = reason](Of s) {
      const auto at = s.reasons.find(name);
      return at == s.reasons.end() ? std::uint64_t{0} : at->second;
    }));
  }
  json.end_object();
  if (top < 0) return;
  json.field("requesters", stage.value().requesters);
  write_requesters(json, "delayedMost", stage, &StageReport::delayed_most, top);
  write_requesters(json, "refusedMost", stage, &StageReport::refused_most, top);
}

void write_stages(JsonWriter& json, const ReplayReport& report) {
  json.key("stages").begin_array();
  for (const StageReport& stage : report.stages) {
    json.begin_object().field("name", to_string(stage.stage));
    write_stage(json, versions_of(stage, report), report.summed == 0 ? INT_MAX : -1);
    json.end_object();
  }
  json.end_array();
  if (report.event_rate_limit) write_event_limits(json, report);
  if (report.resource_quota) write_quotas(json, report);
  if (!report.in_flight) return;
  json.key("maxInFlight").begin_object();
  write_kind(json, "readOnly", report.in_flight->read_only, report.summed == 0);
  write_kind(json, "mutating", report.in_flight->mutating, report.summed == 0);
  json.end_object();
}

}  // namespace apf
