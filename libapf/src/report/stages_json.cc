// The stages of a replay as JSON.
#include <cmath>

#include "report/stages.h"

namespace apf {

namespace {

std::int64_t nanos(double value) { return value < 9e18 ? static_cast<std::int64_t>(std::llround(value)) : INT64_MAX; }

void write_requesters(JsonWriter& json, const char* name, const std::vector<RequesterReport>& requesters) {
  json.key(name).begin_array();
  for (const RequesterReport& r : requesters) {
    json.begin_object().field("user", r.user);
    if (!r.user_agent.empty()) json.field("userAgent", r.user_agent);
    json.field("requests", r.requests).field("delayed", r.delayed);
    json.field("delaySumNs", nanos(r.delay_sum)).field("delayMaxNs", r.delay_max);
    json.field("refused", r.refused).end_object();
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
  const EventRateLimitReport& events = *report.event_rate_limit;
  json.key("eventRateLimit").begin_object().key("limits").begin_array();
  for (const EventLimitReport& limit : events.limits) {
    json.begin_object().field("type", limit.type).field("qps", limit.qps).field("burst", limit.burst);
    json.field("cacheSize", limit.cache_size).field("asked", limit.asked).field("refused", limit.refused);
    json.field("undecidable", limit.undecidable);
    if (report.summed == 0) json.field("buckets", limit.buckets);
    json.field("evicted", limit.evicted).end_object();
  }
  json.end_array().field("turnedAway", events.turned_away).field("refusedInBoth", events.refused_in_both);
  json.field("refusedOnlyInLog", events.refused_only_in_log)
      .field("refusedOnlyInReplay", events.refused_only_in_replay);
  json.end_object();
}

void write_quotas(JsonWriter& json, const ResourceQuotaReport& report) {
  json.key("resourceQuota").begin_object().key("quotas").begin_array();
  for (const QuotaStageReport& quota : report.quotas) {
    json.begin_object().field("name", quota.name).field("namespace", quota.ns);
    json.field("start", quota.from_status ? "status" : "zero").field("refused", quota.refused);
    json.key("resources").begin_array();
    for (const QuotaStageReport::Resource& r : quota.resources) {
      json.begin_object().field("resource", r.name).field("start", r.start).field("used", r.used);
      json.field("peak", r.peak).field("hard", r.hard).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().field("asked", report.asked).field("refused", report.refused);
  json.field("undecidable", report.undecidable).field("unknownChanges", report.unknown_changes);
  json.field("turnedAway", report.turned_away).field("refusedInBoth", report.refused_in_both);
  json.field("refusedOnlyInLog", report.refused_only_in_log);
  json.field("refusedOnlyInReplay", report.refused_only_in_replay).end_object();
}

}  // namespace

void write_stage(JsonWriter& json, const StageReport& stage, bool requesters) {
  json.field("seen", stage.seen());
  json.field("bypassed", stage.bypassed).field("passed", stage.passed).field("delayed", stage.delayed);
  json.key("delay").begin_object().field("meanNs", nanos(stage.delay.mean()));
  json.field("p50Ns", stage.delay.quantile(0.5)).field("p90Ns", stage.delay.quantile(0.9));
  json.field("p99Ns", stage.delay.quantile(0.99)).field("maxNs", stage.delay.max()).end_object();
  json.field("refused", stage.refused).key("reasons").begin_object();
  for (const auto& [reason, count] : stage.reasons) json.field(reason, count);
  json.end_object();
  if (!requesters) return;
  json.field("requesters", stage.requesters);
  write_requesters(json, "delayedMost", stage.delayed_most);
  write_requesters(json, "refusedMost", stage.refused_most);
}

void write_stages(JsonWriter& json, const ReplayReport& report) {
  json.key("stages").begin_array();
  for (const StageReport& stage : report.stages) {
    json.begin_object().field("name", to_string(stage.stage));
    write_stage(json, stage, report.summed == 0);
    json.end_object();
  }
  json.end_array();
  if (report.event_rate_limit) write_event_limits(json, report);
  if (report.resource_quota) write_quotas(json, *report.resource_quota);
  if (!report.in_flight) return;
  json.key("maxInFlight").begin_object();
  write_kind(json, "readOnly", report.in_flight->read_only, report.summed == 0);
  write_kind(json, "mutating", report.in_flight->mutating, report.summed == 0);
  json.end_object();
}

}  // namespace apf
