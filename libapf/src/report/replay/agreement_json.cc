// The agreement of a replay with its log as JSON: members of the report.
#include "report/core/units.h"
#include "report/replay/agreement.h"
#include "report/replay/clients.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

using Waits = const DurationDistribution&;

void write_waits(JsonWriter& json, const char* name, const Versions<DurationDistribution>& waits) {
  json.key(name).begin_object();
  write_figure(json, "meanNs", waits.range([](Waits w) { return whole_nanos(w.mean()); }));
  write_figure(json, "p50Ns", waits.range([](Waits w) { return w.quantile(0.5); }));
  write_figure(json, "p90Ns", waits.range([](Waits w) { return w.quantile(0.9); }));
  write_figure(json, "p99Ns", waits.range([](Waits w) { return w.quantile(0.99); }));
  write_figure(json, "maxNs", waits.range([](Waits w) { return w.max(); }));
  json.end_object();
}

void write_outcomes(JsonWriter& json, const RecordedVersions& versions) {
  const char* const names[] = {"served", "refusedAtOnce", "refusedAfterWait"};
  json.key("outcomes").begin_object();
  for (int log = 0; log < 3; ++log) {
    json.key(names[log]).begin_object();
    for (int here = 0; here < 3; ++here)
      write_figure(json, names[here], versions.range([&](Recorded r) { return r.outcomes[log][here]; }));
    json.end_object();
  }
  json.end_object();
}

void write_classification(JsonWriter& json, const RecordedReport& r) {
  json.key("classification").begin_object().field("compared", r.classified).field("alike", r.classified_alike);
  json.key("disagreements").begin_array();
  for (const auto& d : r.disagreements) {
    json.begin_object().field("requests", d.requests).field("loggedFlowSchema", d.logged_schema);
    json.field("loggedPriorityLevel", d.logged_level).field("flowSchema", d.schema).field("priorityLevel", d.level);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_level(JsonWriter& json, const RecordedReport::Level& level, const ReplayReport& report) {
  using Level = const RecordedReport::Level&;
  const Versions<RecordedReport::Level> versions = versions_of(level, report);
  json.begin_object().field("name", level.name);
  write_figure(json, "waits", versions.range([](Level l) { return l.wait_log.count(); }));
  write_waits(json, "waitInLog", versions.part(&RecordedReport::Level::wait_log));
  write_waits(json, "waitInReplay", versions.part(&RecordedReport::Level::wait_replay));
  json.field("refusedInLog", level.refused_log);
  write_figure(json, "refusedInReplay", versions.range([](Level l) { return l.refused_replay; }));
  json.end_object();
}

void write_recorded(JsonWriter& json, const ReplayReport& report) {
  const RecordedVersions versions = versions_of(report).part(&ReplayReport::recorded);
  const RecordedReport& r = report.recorded;
  json.key("recorded").begin_object().field("refusedInLog", r.refused_in_log);
  write_figure(json, "refusedInBoth", versions.range([](Recorded v) { return v.refused_in_both; }));
  write_figure(json, "refusedOnlyInLog", versions.range([](Recorded v) { return v.refused_only_in_log; }));
  write_figure(json, "refusedOnlyInReplay", versions.range([](Recorded v) { return v.refused_only_in_replay; }));
  json.field("hungUp", r.hung_up);
  write_outcomes(json, versions);
  write_figure(json, "waitsCompared", versions.range([](Recorded v) { return v.waits_compared; }));
  write_figure(json, "meanWaitInLogNs", versions.range([](Recorded v) { return whole_nanos(v.mean_wait_log * 1e9); }));
  write_figure(json, "meanWaitInReplayNs",
               versions.range([](Recorded v) { return whole_nanos(v.mean_wait_replay * 1e9); }));
  write_waits(json, "waitError", versions.part(&RecordedReport::wait_error));
  json.key("levels").begin_array();
  for (const auto& level : r.levels) write_level(json, level, report);
  json.end_array();
  write_classification(json, r);
  json.key("limits").begin_object().field("compared", r.limits_compared);
  write_figure(json, "alike", versions.range([](Recorded v) { return v.limits_alike; }));
  json.end_object().key("agreement").begin_object().field("compared", r.compared);
  write_figure(json, "agreed", versions.range([](Recorded v) { return v.agreed; }));
  json.end_object().end_object();
}

void write_spread(JsonWriter& json, const Spread& spread) {
  const auto range = [&json](const char* name, std::int64_t least, std::int64_t most) {
    json.key(name).begin_object().field("least", least).field("most", most).end_object();
  };
  json.key("spread")
      .begin_object()
      .field("runs", spread.runs)
      .field("clockSwept", spread.clock_swept)
      .key("levels")
      .begin_array();
  for (const Spread::Level& level : spread.levels) {
    json.begin_object().key("name");
    if (level.name.empty()) json.null();
    else json.value(level.name);
    range("rejected", static_cast<std::int64_t>(level.rejected_least), static_cast<std::int64_t>(level.rejected_most));
    range("meanNs", whole_nanos(level.mean_wait_least), whole_nanos(level.mean_wait_most));
    range("p50Ns", level.p50_least, level.p50_most);
    range("p90Ns", level.p90_least, level.p90_most);
    range("p99Ns", level.p99_least, level.p99_most);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_what_if(JsonWriter& json, const ReplayReport& report) {
  const WhatIfReport& w = *report.what_if;
  const Versions<WhatIfReport> versions = versions_of_what_if(report);
  json.key("whatIf").begin_object().key("recorded").begin_object();
  json.field("kubernetesVersion", w.recorded_version.str()).field("serverConcurrencyLimit", w.recorded_seats);
  json.field("seatsByLog", w.seats_by_log).end_object();
  write_figure(json, "compared", versions.range([](const WhatIfReport& v) { return v.compared; }));
  write_figure(json, "changed", versions.range([](const WhatIfReport& v) { return v.compared - v.unchanged; }));
  json.field("executionsFoundByReplay", w.found_by_replay).field("executionsOfSimilar", w.given_similar);
  json.field("listsAtRecordedCap", w.at_recorded_cap).field("listsOfUnknownWidth", w.width_unknown);
  json.field("widerThanLevel", w.wider_than_level).field("replays", w.replays).end_object();
}

}  // namespace

void write_agreement(JsonWriter& json, const ReplayReport& report) {
  if (report.what_if) write_what_if(json, report);
  if (report.undecided)
    json.key("undecided")
        .begin_object()
        .field("waitedInLog", report.undecided->waited)
        .field("refusedInLog", report.undecided->refused)
        .field("waitsUnknown", report.undecided->unknown)
        .end_object();
  write_recorded(json, report);
  if (report.join.joined) {
    const JoinReport& join = report.join;
    json.key("join").begin_object().field("requests", join.requests).field("auditOnly", join.audit_only);
    json.field("httpOnly", join.http_only).field("usersFound", join.users_found).end_object();
  }
  write_clients(json, report);
  if (report.spread.runs > 0) write_spread(json, report.spread);
}

}  // namespace apf
