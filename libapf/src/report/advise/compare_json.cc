// A comparison on the traffic of a log, for programs: JSON, and a table for spreadsheets.
#include <apf/advice_report.h>
#include <apf/advise.h>

#include <cmath>

#include "report/replay/figures_csv.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

std::int64_t nearest_whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

Range<std::int64_t> range_of(const ComparedFigure& figure) {
  return {nearest_whole(figure.value), nearest_whole(figure.low), nearest_whole(figure.high)};
}

void write_place(JsonWriter& json, const char* key, const std::string& schema, const std::string& level) {
  json.key(key).begin_object().field("flowSchema", schema).field("priorityLevel", level).end_object();
}

void write_spread(JsonWriter& json, const char* key, const ComparedFigure& figure) {
  json.key(key)
      .begin_object()
      .field("least", nearest_whole(figure.least))
      .field("most", nearest_whole(figure.most))
      .end_object();
}

void write_move(JsonWriter& json, const ComparedMove& move) {
  json.begin_object().field("new", static_cast<std::uint64_t>(move.new_side));
  write_place(json, "from", move.from_schema, move.from_level);
  write_place(json, "to", move.to_schema, move.to_level);
  json.field("requests", move.requests).field("flows", move.flows);
  if (!move.flow.empty()) json.field("mostOf", move.flow);
  json.end_object();
}

void write_change(JsonWriter& json, const ComparedChange& change, int spread) {
  json.begin_object().field("side", static_cast<std::uint64_t>(change.new_side)).field("what", to_string(change.what));
  json.field("name", change.name).field("metric", to_string(change.metric));
  write_figure(json, "old", range_of(change.old_figure));
  write_figure(json, "new", range_of(change.new_figure));
  json.field("oldRequests", change.old_figure.requests).field("newRequests", change.new_figure.requests);
  if (spread > 0) {
    write_spread(json, "oldSpread", change.old_figure);
    write_spread(json, "newSpread", change.new_figure);
  }
  json.field("verdict", to_string(change.verdict)).field("beyondChance", change.beyond_chance);
  json.field("pairs", change.pairs).field("pairsAlike", change.pairs_alike);
  json.field("protected", change.is_protected).end_object();
}

}  // namespace

std::string render_json(const CompareReport& comparison, const CompareFrame& frame) {
  JsonWriter json;
  json.begin_object().key("old").raw(render_json(comparison.old_report)).key("new").begin_array();
  for (std::size_t i = 0; i < comparison.new_reports.size(); ++i) {
    std::string name;
    append_json_string(name, frame.new_names[i]);
    json.raw("{\"name\":" + name + "," + render_json(comparison.new_reports[i]).substr(1));
  }
  json.end_array();
  if (!comparison.servers.empty()) {
    json.key("servers").begin_array();
    for (const std::string& server : comparison.servers) json.value(server);
    json.end_array();
  }
  json.field("spread", comparison.spread).key("moved").begin_array();
  for (const ComparedMove& move : comparison.moved) write_move(json, move);
  json.end_array().key("changes").begin_array();
  for (const ComparedChange& change : comparison.changes) write_change(json, change, comparison.spread);
  json.end_array().end_object();
  return json.take();
}

std::string render_csv(const CompareReport& comparison, const CompareFrame& frame) {
  FiguresCsv csv;
  for (const char* heading : {"side", "what", "name", "metric", "unit", "old", "new", "old_least", "old_most",
                              "new_least", "new_most", "old_requests", "new_requests", "verdict", "beyond_chance"})
    csv.text(heading);
  csv.end_row();
  for (const ComparedChange& change : comparison.changes) {
    constexpr const char* kMetrics[] = {"rejected", "hung_up", "wait_mean", "wait_p99"};
    const bool requests = change.metric < ComparedChange::Metric::mean_wait;
    const double unit = requests ? 1 : 1e9;
    csv.text(frame.new_names[change.new_side]);
    csv.text(to_string(change.what));
    csv.text(change.name.empty() ? "(all)" : change.name);
    csv.text(kMetrics[static_cast<std::size_t>(change.metric)]);
    csv.text(requests ? "requests" : "seconds");
    const ComparedFigure &before = change.old_figure, &after = change.new_figure;
    for (const double value : {before.value, after.value, before.least, before.most, after.least, after.most})
      csv.number(value / unit);
    csv.number(before.requests);
    csv.number(after.requests);
    csv.text(to_string(change.verdict));
    csv.text(change.beyond_chance ? "true" : "false");
    csv.end_row();
  }
  return csv.take();
}

}  // namespace apf
