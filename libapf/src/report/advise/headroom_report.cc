// How much more load a configuration bears, as text and as JSON.
#include <algorithm>

#include <apf/advice_report.h>
#include <fmt/core.h>

#include "report/advise/headroom_words.h"
#include "report/advise/plots.h"
#include "report/core/remarks.h"
#include "report/core/units.h"
#include "report/replay/agreement.h"
#include "report/replay/doubts.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

Tone tone_of(const HeadroomFigure& figure, Tone burning) {
  return !figure.low ? Tone::faint : *figure.low <= 1 ? burning : Tone::plain;
}

void write_multiple(JsonWriter& json, const char* key, const std::optional<double>& multiple) {
  json.key(key);
  multiple ? json.value(*multiple) : json.null();
}

// `least`: nothing below it was tried, so that what happens there may happen below.
void write_figure(JsonWriter& json, const char* key, const HeadroomFigure& figure, double least) {
  const bool at_most = figure.low && *figure.low <= least;
  if (figure.low == figure.high && !at_most) return write_multiple(json, key, figure.value);
  json.key(key).begin_object();
  write_multiple(json, "value", figure.value);
  write_multiple(json, "low", figure.low);
  write_multiple(json, "high", figure.high);
  if (at_most) json.field("atMost", true);
  json.end_object();
}

const char* key_of(HeadroomLimit limit) {
  switch (limit) {
    case HeadroomLimit::shares:
      return "nominalConcurrencyShares";
    case HeadroomLimit::seats:
      return "serverConcurrencyLimit";
    case HeadroomLimit::borrowing:
      return "borrowingLimitPercent";
    case HeadroomLimit::queue_length:
      return "queueLengthLimit";
    case HeadroomLimit::queues:
      return "queues";
  }
  return "";
}

void write_level(JsonWriter& json, const HeadroomLevel& level, const HeadroomReport& report) {
  json.begin_object().field("priorityLevel", level.name).field("requests", level.requests);
  if (report.of == HeadroomOf::seats) {
    write_figure(json, "seatsForNoWaits", level.seats_for_waits, report.least_seats);
    write_figure(json, "seatsForNoRefusals", level.seats_for_refusals, report.least_seats);
    json.end_object();
    return;
  }
  write_figure(json, "waitsAt", level.waits_at, report.least);
  write_figure(json, "refusesAt", level.refuses_at, report.least);
  if (report.of == HeadroomOf::slowness) {
    write_figure(json, "fullAt", level.full_at, report.least);
    json.key("cliff");
    if (level.cliff)
      json.begin_object()
          .field("from", level.cliff->from)
          .field("to", level.cliff->to)
          .field("rejected", level.cliff->refused)
          .field("rejectedThen", level.cliff->refused_then)
          .end_object();
    else json.null();
  }
  json.key("firstFlow");
  level.flow_schema.empty() ? json.null() : json.value(flow_text(level));
  json.field("nominalCL", level.nominal_seats).field("maxCL", level.most_seats);
  json.field("mostSeats", most_seats_of(level, report.log));
  json.key("bindingLimit");
  const auto binding =
      std::find_if(level.trials.begin(), level.trials.end(), [](const HeadroomTrial& t) { return t.helps; });
  binding == level.trials.end() ? json.null() : json.value(key_of(binding->limit));
  json.key("tried").begin_array();
  for (const HeadroomTrial& trial : level.trials) {
    json.begin_object().field("limit", key_of(trial.limit)).field("from", trial.from).key("to");
    trial.to < 0 ? json.null() : json.value(trial.to);
    json.field("helps", trial.helps).end_object();
  }
  json.end_array().end_object();
}

void write_point(JsonWriter& json, const HeadroomPoint& point, const HeadroomReport& report) {
  json.begin_object();
  if (report.of == HeadroomOf::seats) json.field("seats", point.seats);
  else json.field("multiple", point.multiple);
  json.key("levels").begin_array();
  for (std::size_t i = 0; i < point.levels.size(); ++i) {
    const HeadroomPoint::Level& level = point.levels[i];
    json.begin_object().field("priorityLevel", report.levels[i].name).field("requests", level.requests);
    write_figure(json, "rejected", Range<std::uint64_t>{level.rejected, level.rejected_low, level.rejected_high});
    write_figure(json, "p99WaitNs", Range<Nanos>{level.p99, level.p99_low, level.p99_high});
    json.end_object();
  }
  json.end_array().end_object();
}

Table table_of(const HeadroomReport& report) {
  const bool of_slowness = report.of == HeadroomOf::slowness;
  Table table;
  table.left("LEVEL", 12).right("WAITS AT").right("REFUSES AT");
  if (of_slowness) table.right("FULL AT");
  table.left("FIRST FLOW", 20);
  for (const HeadroomLevel& level : report.levels) {
    std::vector<Table::Cell> cells = {name_cell(level.name, Tone::strong),
                                      {figure_text(level.waits_at, report), tone_of(level.waits_at, Tone::caution)},
                                      {figure_text(level.refuses_at, report), tone_of(level.refuses_at, Tone::bad)}};
    if (of_slowness) cells.push_back({figure_text(level.full_at, report), tone_of(level.full_at, Tone::bad)});
    cells.push_back(name_cell(flow_text(level)));
    table.row(std::move(cells));
  }
  return table;
}

const char* name_of(HeadroomOf of) {
  return of == HeadroomOf::load ? "load" : of == HeadroomOf::slowness ? "slowness" : "seats";
}

}  // namespace

Document document_of(const HeadroomReport& report, const ReportFrame& frame, const View& view) {
  const bool is_text = view.notation == Notation::text;
  Document out("Headroom on " + log_names(report.log.logs));
  Passage& head = out.section();
  for (const std::string& doubt : doubts_of(report.log)) head.judge(doubt, Tone::caution);
  const bool of_seats = report.of == HeadroomOf::seats;
  const Verdict verdict = of_seats ? seats_verdict_of(report) : verdict_of(report);
  head.judge(verdict.what, verdict.tone == Tone::plain ? Tone::strong : verdict.tone);
  if (report.interrupted) head.say("Interrupted: the results until then.", Tone::bad);
  if (!is_text)
    head.say(fmt::format("{}; Kubernetes {}, {}", counted(report.log.total.requests, "request", "requests"),
                         report.log.version.str(), seats_in_words(report.log.server_concurrency_limit)));
  if (!is_text && !frame.configuration.empty()) head.say("Configuration: " + frame.configuration);
  for (const std::string& sentence : first_sentences(report.log)) head.say(sentence);
  out.add(expectations_passage(frame.expectations, view));
  if (report.levels.empty() && is_text) return out;
  Passage& figures = out.section();
  figures.show(of_seats ? seats_table_of(report) : table_of(report));
  if (const std::string presets = of_seats ? presets_sentence(report) : ""; !presets.empty()) figures.say(presets);
  if (!of_seats) {
    Passage& cliffs = out.section("Cliffs");
    for (const HeadroomLevel& level : report.levels)
      if (level.cliff) cliffs.item(level.name + ": " + cliff_text(*level.cliff) + ".", "", Tone::bad);
    Passage& limits = out.section("What gives way");
    for (const HeadroomLevel& level : report.levels)
      if (!level.trials.empty()) limits.item(limit_sentence(level, report));
    if (view.notation == Notation::html) out.add(load_plots(report));
  }
  Passage& explained = out.section(is_text ? "" : "What the numbers are").folded();
  if (of_seats) explained.item(seats_explanation(report), "", Tone::faint);
  else
    for (const std::string& sentence : explanations_of(report)) explained.item(sentence, "", Tone::faint);
  out.section("Assumptions").folded().list(texts_of(report.log.assumptions));
  out.section("Warnings").folded().list(log_warnings(report.log));
  return out;
}

std::string render_json(const HeadroomReport& report) {
  JsonWriter json;
  json.begin_object().key("levels").begin_array();
  for (const HeadroomLevel& level : report.levels) write_level(json, level, report);
  json.end_array().key("points").begin_array();
  for (const HeadroomPoint& point : report.points) write_point(json, point, report);
  json.end_array().key("clients").begin_array();
  for (const std::string& client : report.clients) json.value(client);
  json.end_array().field("of", name_of(report.of));
  if (report.of == HeadroomOf::seats) json.field("least", report.least_seats).field("most", report.most_seats);
  else json.field("least", report.least).field("most", report.most);
  json.field("waitBoundNs", report.wait_bound);
  json.field("serverConcurrencyLimit", report.log.server_concurrency_limit);
  json.field("kubernetesVersion", report.log.version.str()).field("requests", report.log.total.requests);
  json.field("replays", report.replays).field("interrupted", report.interrupted);
  write_remarks(json, "assumptions", report.log.assumptions);
  write_remarks(json, "warnings", report.log.warnings);
  json.end_object();
  return json.take();
}

}  // namespace apf
