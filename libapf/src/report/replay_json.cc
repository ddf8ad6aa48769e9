// The report of a replay as one JSON object.

#include <apf/json.h>
#include <apf/report.h>

#include <cmath>
#include <map>

#include "report/agreement.h"
#include "report/coverage.h"
#include "report/stages.h"
#include "report/verdict.h"

namespace apf {

namespace {

void write_tally(JsonWriter& json, const RequestTally& tally) {
  json.field("requests", tally.requests).field("executed", tally.executed()).field("queued", tally.queued);
  json.key("rejected").begin_object().field("total", tally.rejected());
  for (const OutcomeRow& row : refusals()) {
    const std::uint64_t count = tally.outcomes[row.outcome];
    if (row.always || count > 0) json.field(row.json, count);
  }
  json.end_object();
  json.field("seatSeconds", tally.seat_seconds);
  json.key("wait").begin_object().field("count", tally.wait.count());
  json.field("meanNs", static_cast<std::int64_t>(std::llround(tally.wait.mean())));
  json.field("p50Ns", tally.wait.quantile(0.5))
      .field("p90Ns", tally.wait.quantile(0.9))
      .field("p99Ns", tally.wait.quantile(0.99));
  json.field("maxNs", tally.wait.max()).end_object();
}

void write_counts(JsonWriter& json, const char* name, const std::map<std::string, std::uint64_t>& counts) {
  json.key(name).begin_object();
  for (const auto& [reason, count] : counts) json.field(reason, count);
  json.end_object();
}

void write_strings(JsonWriter& json, const char* name, const std::vector<std::string>& strings) {
  json.key(name).begin_array();
  for (const std::string& s : strings) json.value(s);
  json.end_array();
}

void write_input(JsonWriter& json, const ReplayReport& report) {
  json.key("input").begin_object();
  write_strings(json, "logs", report.logs);
  json.field("bytes", report.bytes)
      .field("lines", report.lines)
      .field("events", report.events)
      .field("requests", report.requests);
  if (report.other_lines > 0) json.field("otherLines", report.other_lines);
  write_counts(json, "unusable", report.unusable);
  write_counts(json, "leftOut", report.left_out);
  json.field("outOfWindow", report.out_of_window);
  json.key("firstArrivalNs");
  report.first_arrival ? json.value(*report.first_arrival) : json.null();
  json.key("lastArrivalNs");
  report.last_arrival ? json.value(*report.last_arrival) : json.null();
  json.field("interrupted", report.interrupted).end_object();
}

void write_level(JsonWriter& json, const LevelReport& level, bool limits) {
  json.begin_object().field("name", level.name).field("exempt", level.exempt).field("reject", level.reject);
  write_tally(json, level.tally);
  if (!limits) {
    json.end_object();
    return;
  }
  json.field("nominalCL", level.nominal_cl).field("minCL", level.min_cl).field("maxCL", level.max_cl);
  json.key("currentCL").begin_object().field("min", level.current_cl_min).field("max", level.current_cl_max);
  json.field("avg", level.current_cl_avg).end_object();
  json.key("seats").begin_object().field("avg", level.seats_avg).field("peak", level.seats_peak).end_object();
  json.field("borrowedAvg", level.borrowed_avg).field("lentAvg", level.lent_avg);
  json.field("queues", level.queues)
      .field("handSize", level.hand_size)
      .field("queueLengthLimit", level.queue_length_limit);
  json.end_object();
}

void write_schema(JsonWriter& json, const SchemaReport& schema) {
  json.begin_object().field("name", schema.name).field("priorityLevel", schema.priority_level);
  json.field("matchingPrecedence", schema.matching_precedence);
  write_tally(json, schema.tally);
  json.end_object();
}

void write_flows(JsonWriter& json, const char* name, const std::vector<FlowReport>& flows) {
  json.key(name).begin_array();
  for (const FlowReport& flow : flows) {
    json.begin_object().field("flowSchema", flow.flow_schema).field("priorityLevel", flow.priority_level);
    json.field("flowDistinguisher", flow.distinguisher).key("hash").decimal_string(flow.hash);
    write_tally(json, flow.tally);
    json.end_object();
  }
  json.end_array();
}

// Limits are of one server: a sum of several has none.
void write_report(JsonWriter& json, const ReplayReport& report) {
  const bool limits = report.summed == 0;
  json.begin_object();
  if (!report.server.empty()) json.field("name", report.server);
  write_input(json, report);
  if (limits) {
    json.key("server").begin_object().field("kubernetesVersion", report.version.str());
    json.field("serverConcurrencyLimit", report.server_concurrency_limit).end_object();
  }
  json.key("total").begin_object();
  write_tally(json, report.total);
  json.end_object();
  write_stages(json, report);
  json.key("levels").begin_array();
  for (const LevelReport& level : report.levels) write_level(json, level, limits);
  json.end_array().key("flowSchemas").begin_array();
  for (const SchemaReport& schema : report.schemas) write_schema(json, schema);
  json.end_array().key("flows").begin_object().field("count", report.flows);
  write_flows(json, "waitedMost", report.waited_most);
  write_flows(json, "refusedMost", report.refused_most);
  if (!report.all_flows.empty()) write_flows(json, "all", report.all_flows);
  json.end_object();
  write_culprits(json, report);
  if (limits) json.field("watchesPeak", report.watches_peak);
  write_agreement(json, report);
  write_coverage(json, report.coverage);
  if (!report.incomplete.empty()) write_remarks(json, "incomplete", report.incomplete);
  if (report.without_fill) {
    json.key("fill").begin_object().field("requests", report.filled).key("without");
    write_report(json, *report.without_fill);
    json.end_object();
  }
  if (limits) {
    write_remarks(json, "assumptions", report.assumptions);
    write_remarks(json, "warnings", report.warnings);
  }
  json.end_object();
}

}  // namespace

std::string render_json(const ReplayReport& report) {
  JsonWriter json;
  write_report(json, report);
  return json.take();
}

std::string render_json(const ServersReport& report) {
  JsonWriter json;
  json.begin_object().key("servers").begin_array();
  for (const ReplayReport& server : report.servers) write_report(json, server);
  json.end_array().key("total");
  write_report(json, report.total);
  json.end_object();
  return json.take();
}

}  // namespace apf
