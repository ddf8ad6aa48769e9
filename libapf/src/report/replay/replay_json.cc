// The report of a replay as one JSON object.

#include <apf/output.h>
#include <apf/replays_report.h>

#include <cmath>
#include <utility>

#include "report/core/why_words.h"
#include "report/logs/coverage.h"
#include "report/logs/left_out.h"
#include "report/replay/agreement.h"
#include "report/replay/figures_json.h"
#include "report/replay/ranges.h"
#include "report/replay/stages.h"

namespace apf {

namespace {

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
  write_bad_lines(json, report.bad_lines);
  write_counts(json, "leftOut", report.left_out);
  json.field("outOfWindow", report.out_of_window);
  json.key("firstArrivalNs");
  report.first_arrival ? json.value(*report.first_arrival) : json.null();
  json.key("lastArrivalNs");
  report.last_arrival ? json.value(*report.last_arrival) : json.null();
  json.field("interrupted", report.interrupted).end_object();
}

void write_level(JsonWriter& json, const Versions<LevelReport>& level, const ReplayReport& report) {
  const LevelReport& own = level.value();
  json.begin_object().field("name", own.name).field("exempt", own.exempt).field("reject", own.reject);
  write_tally(json, level.part(&LevelReport::tally));
  if (report.summed == 0) write_level_figures(json, level, report.list_widths && report.list_widths->asked.bytes > 0);
  json.end_object();
}

void write_schema(JsonWriter& json, const Versions<SchemaReport>& schema) {
  const SchemaReport& own = schema.value();
  json.begin_object().field("name", own.name).field("priorityLevel", own.priority_level);
  json.field("matchingPrecedence", own.matching_precedence);
  write_tally(json, schema.part(&SchemaReport::tally));
  json.end_object();
}

void write_flows(JsonWriter& json, const char* name, const std::vector<FlowReport>& flows, const ReplayReport& report) {
  json.key(name).begin_array();
  for (const FlowReport& flow : flows) {
    json.begin_object().field("flowSchema", flow.flow_schema).field("priorityLevel", flow.priority_level);
    json.field("flowDistinguisher", flow.distinguisher).key("hash").decimal_string(flow.hash);
    write_tally(json, versions_of(flow, report).part(&FlowReport::tally));
    json.end_object();
  }
  json.end_array();
}

void write_scales(JsonWriter& json, const ReplayReport& report) {
  json.key("scale").begin_object().key("factors").begin_array();
  for (const LoadScale& scale : report.scales) {
    json.begin_object().key("user");
    scale.user.empty() ? json.null() : json.value(scale.user);
    json.field("factor", scale.factor).field("moreClients", scale.clients).end_object();
  }
  json.end_array().field("copied", report.copied).field("thinned", report.thinned).end_object();
}

void write_widths(JsonWriter& json, const ListWidthReport& widths) {
  json.key("listWidths").begin_object();
  if (widths.asked.most > 0) json.field("cap", widths.asked.most).field("cut", widths.cut);
  if (widths.asked.bytes > 0)
    json.field("bytesOfASeat", widths.asked.bytes)
        .field("byBytes", widths.by_bytes)
        .field("bytesUnknown", widths.lists - widths.by_bytes);
  json.field("lists", widths.lists).end_object();
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
  if (!report.scales.empty()) write_scales(json, report);
  if (!report.execution_scales.empty()) {
    json.key("executionScale").begin_array();
    for (const ExecutionScale& scale : report.execution_scales) {
      json.begin_object().key("what");
      scale.what.empty() ? json.null() : json.value(scale.what);
      json.field("factor", scale.factor).end_object();
    }
    json.end_array();
  }
  if (report.list_widths) write_widths(json, *report.list_widths);
  json.key("total").begin_object();
  write_tally(json, versions_of(report).part(&ReplayReport::total));
  json.end_object();
  write_stages(json, report);
  json.key("levels").begin_array();
  for (const LevelReport& level : report.levels) write_level(json, versions_of(level, report), report);
  json.end_array().key("flowSchemas").begin_array();
  for (const SchemaReport& schema : report.schemas) write_schema(json, versions_of(schema, report));
  json.end_array().key("flows").begin_object().field("count", report.flows);
  write_flows(json, "waitedMost", report.waited_most, report);
  write_flows(json, "refusedMost", report.refused_most, report);
  if (!report.widest.empty()) write_flows(json, "widest", report.widest, report);
  if (!report.all_flows.empty()) write_flows(json, "all", report.all_flows, report);
  json.end_object();
  if (report.why) write_why(json, *report.why);
  if (limits) json.field("watchesPeak", report.watches_peak);
  write_agreement(json, report);
  write_coverage(json, report.coverage);
  if (!report.incomplete.empty()) write_remarks(json, "incomplete", report.incomplete);
  if (report.without_fill) {
    json.key("fill").begin_object().field("requests", report.filled);
    if (!report.coverage.executions_unknown.empty())
      write_strings(json, "executionUnknown", report.coverage.executions_unknown);
    json.key("without");
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
