// What a sweep came to, for programs: JSON, and a table for spreadsheets, one log after the other.
#include <algorithm>
#include <utility>
#include <vector>

#include <apf/advice_report.h>
#include <apf/output.h>

#include "report/advise/sweep_words.h"
#include "report/core/remarks.h"
#include "report/replay/figures_csv.h"
#include "report/replay/figures_json.h"
#include "report/replay/stages.h"

namespace apf {

namespace {

void write_stages(JsonWriter& json, const std::vector<SweepStages>& versions) {
  using Stages = const SweepStages&;
  const Versions<SweepStages> stages = versions_of(versions);
  if (const std::size_t count = stages.value().stages.size(); count > 0) {
    json.key("stages").begin_array();
    for (std::size_t i = 0; i < count; ++i) {
      const Versions<StageReport> stage = versions_of(versions, i);
      json.begin_object().field("name", to_string(stage.value().stage));
      write_stage(json, stage, -1);
      if (stage.value().stage == AdmissionStage::event_rate_limit)
        write_figure(json, "undecidable", stages.range([](Stages s) { return s.undecidable_events; }));
      if (stage.value().stage == AdmissionStage::resource_quota)
        write_figure(json, "undecidable", stages.range([](Stages s) { return s.undecidable_quotas; }));
      json.end_object();
    }
    json.end_array();
  }
  if (stages.any([](Stages s) { return s.lists > 0; })) {
    json.key("listBytes").begin_object();
    write_figure(json, "lists", stages.range([](Stages s) { return s.lists; }));
    write_figure(json, "bytesUnknown", stages.range([](Stages s) { return s.lists_of_unknown_bytes; }));
    json.end_object();
  }
  if (!stages.any([](Stages s) { return s.retries > 0 || s.retries_dropped > 0; })) return;
  json.key("retries").begin_object();
  write_figure(json, "attempts", stages.range([](Stages s) { return s.retries; }));
  write_figure(json, "gaveUp", stages.range([](Stages s) { return s.gave_up; }));
  write_figure(json, "beyondLog", stages.range([](Stages s) { return s.retries_beyond_log; }));
  write_figure(json, "dropped", stages.range([](Stages s) { return s.retries_dropped; }));
  json.end_object();
}

void write_results(JsonWriter& json, const std::vector<SweepResult>& results, const SweepReport& report) {
  json.key("results").begin_array();
  for (const SweepResult& result : results) {
    const SweepReport::Combination& of = report.combinations[result.combination];
    json.begin_object().field("configuration", of.configuration).field("flags", of.flags);
    if (of.seats > 0) json.field("sizesOf", of.sizes_of).field("seats", of.seats);
    write_tally(json, versions_of(result.totals));
    write_stages(json, result.stages);
    json.key("levels").begin_array();
    for (const SweepResult::Level& level : result.levels) {
      json.begin_object().field("name", level.name).field("exempt", level.exempt);
      write_tally(json, versions_of(level.tallies));
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

std::string log_json(const SweepLogReport& log, const SweepReport& report) {
  JsonWriter json;
  json.begin_object().field("name", log.name).field("complete", log.complete).field("bytes", log.bytes);
  json.field("requests", log.requests).field("unusableLines", log.unusable);
  json.field("undecided", log.undecided);
  if (log.clients_open) json.field("clientsOpen", true);
  if (!log.warnings.empty()) write_remarks(json, "warnings", log.warnings);
  write_results(json, log.results, report);
  json.end_object();
  return json.take();
}

void write_missing(JsonWriter& json, const SweepMissing& missing) {
  json.begin_object().key("task");
  missing.task.number > 0 ? json.value(missing.task.number) : json.null();
  json.field("of", missing.task.of).key("file");
  missing.file.empty() ? json.null() : json.value(missing.file);
  json.field("because", missing.because).field("firstReplay", missing.share.first);
  json.field("replays", missing.share.end - missing.share.first).end_object();
}

// Each with its log, or with its flags.
void write_warnings(JsonWriter& json, const SweepReport& report) {
  json.key("warnings").begin_array();
  const auto write = [&](const Remark& remark, const char* of, const std::string& name) {
    json.begin_object();
    write_remark_fields(json, remark);
    json.field(of, name).end_object();
  };
  for (const SweepReport::DoubtfulLog& log : report.doubtful)
    for (const Remark& remark : log.warnings) write(remark, "log", log.name);
  for (const SweepReport::UnusedEntry& entry : report.unused) write(entry.remark, "flags", entry.flags);
  json.end_array().key("logsWithoutRequests").begin_array();
  for (const SweepReport::DoubtfulLog& log : report.doubtful)
    if (log.requests == 0) json.value(log.name);
  json.end_array();
}

// The members behind the logs.
std::string rest_json(const SweepReport& report) {
  JsonWriter json;
  json.begin_object().key("seeds").begin_array();
  for (const std::uint64_t seed : report.seeds) json.value(seed);
  json.end_array().field("replays", report.replays).field("replayed", report.replayed);
  json.field("complete", report.replayed == report.replays && report.missing.empty());
  json.field("completeLogs", report.complete_logs).field("bytes", report.bytes).field("requests", report.requests);
  json.field("unusableLines", report.unusable).field("undecidedLogs", report.undecided);
  if (report.clients_open > 0) json.field("clientsOpenLogs", report.clients_open);
  write_results(json, report.results, report);
  json.key("missing").begin_array();
  for (const SweepMissing& missing : report.missing) write_missing(json, missing);
  json.end_array().field("interrupted", report.interrupted);
  write_warnings(json, report);
  json.end_object();
  return json.take().substr(1);
}

// As of replays, but the reasons of refusals are the last ones.
std::vector<const TallyFigure*> sweep_columns() {
  std::vector<const TallyFigure*> out = tally_figures().columns();
  std::erase(out, tally_figures().find("executed"));
  std::stable_partition(out.begin(), out.end(),
                        [](const TallyFigure* f) { return f->object() != "rejected" || f->key == "rejected"; });
  return out;
}

void write_heading(FiguresCsv& csv) {
  csv.with_ranges(true);
  for (const char* heading : {"log", "configuration", "flags", "level"}) csv.text(heading);
  for (const TallyFigure* figure : sweep_columns()) {
    std::string_view heading = figure->column;
    if (figure->unit == ExpectedUnit::duration) heading.remove_suffix(std::string_view("_seconds").size());
    csv.figure_heading(heading);
  }
  csv.end_row();
}

void write_figures(FiguresCsv& csv, const std::vector<RequestTally>& tallies) {
  const TallyVersions tally = versions_of(tallies);
  for (const TallyFigure* figure : sweep_columns()) csv.figure(*figure, tally);
  csv.end_row();
}

void write_rows(FiguresCsv& csv, const std::string& log, const std::vector<SweepResult>& results,
                const SweepReport& report) {
  for (const SweepResult& result : results) {
    const SweepReport::Combination& of = report.combinations[result.combination];
    const auto names = [&](const std::string& level) {
      for (const std::string& name : {log, of.configuration, of.flags, level}) csv.text(name);
    };
    names("(all)");
    write_figures(csv, result.totals);
    for (const SweepResult::Level& level : result.levels) {
      names(level.name);
      write_figures(csv, level.tallies);
    }
  }
}

}  // namespace

std::string SweepPieces::add(const SweepLogReport& log, const SweepReport& report) {
  const bool first = !std::exchange(begun_, true);
  if (format_ == SweepFormat::json) return (first ? "{\"logs\":[" : ",") + log_json(log, report);
  FiguresCsv csv;
  first ? write_heading(csv) : csv.with_ranges(true);
  write_rows(csv, log.name, log.results, report);
  return csv.take();
}

std::string SweepPieces::end(const SweepReport& report) {
  const bool first = !std::exchange(begun_, true);
  if (format_ == SweepFormat::json) return (first ? "{\"logs\":[" : "") + ("]," + rest_json(report)) + "\n";
  FiguresCsv csv;
  first ? write_heading(csv) : csv.with_ranges(true);
  write_rows(csv, "(all)", report.results, report);
  return csv.take();
}

}  // namespace apf
