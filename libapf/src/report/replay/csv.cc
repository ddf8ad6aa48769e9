// Tables for spreadsheets: RFC 4180, and no cell that a spreadsheet would compute.

#include <apf/output.h>
#include <apf/replays_report.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/replay/figures.h"
#include "report/replay/figures_csv.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

constexpr const char* kStageColumns[] = {"seen",
                                         "bypassed",
                                         "passed",
                                         "delayed",
                                         "delay_mean_seconds",
                                         "delay_p50_seconds",
                                         "delay_p90_seconds",
                                         "delay_p99_seconds",
                                         "delay_max_seconds",
                                         "refused"};  // then "reasons" and "conflicts"
constexpr const char* kAgreementColumns[] = {
    "refused_in_log",          "refused_in_replay",        "waits",
    "log_wait_mean_seconds",   "log_wait_p50_seconds",     "log_wait_p90_seconds",
    "log_wait_p99_seconds",    "replay_wait_mean_seconds", "replay_wait_p50_seconds",
    "replay_wait_p90_seconds", "replay_wait_p99_seconds"};
constexpr const char* kSpreadColumns[] = {"priority_level",          "replays",
                                          "rejected_least",          "rejected_most",
                                          "wait_mean_least_seconds", "wait_mean_most_seconds",
                                          "wait_p50_least_seconds",  "wait_p50_most_seconds",
                                          "wait_p90_least_seconds",  "wait_p90_most_seconds",
                                          "wait_p99_least_seconds",  "wait_p99_most_seconds"};

void write_tally(FiguresCsv& csv, const TallyVersions& tally) {
  for (const TallyFigure* figure : tally_figures().columns()) csv.figure(*figure, tally);
}

void write_level_figures(FiguresCsv& csv, const Versions<LevelReport>& level, bool in_flight) {
  for (const LevelFigure* figure : level_figures().columns()) {
    const bool exists = !in_flight && !(figure->limit && level.value().exempt);
    if (exists) csv.figure(*figure, level);
    else figure->configured ? csv.empty() : csv.no_figure();
  }
}

void write_header(FiguresCsv& csv, CsvRows rows, bool several) {
  const auto columns = [&](auto&& names) {
    for (const char* name : names) csv.text(name);
  };
  using Names = std::initializer_list<const char*>;
  const auto figures = [&](auto&& names) {
    for (const char* name : names) csv.figure_heading(name);
  };
  if (several) csv.text("server");
  switch (rows) {
    case CsvRows::levels:
      columns(Names{"priority_level", "type"});
      break;
    case CsvRows::flow_schemas:
      columns(Names{"flow_schema", "priority_level", "matching_precedence"});
      break;
    case CsvRows::flows:
      columns(Names{"flow_schema", "priority_level", "flow_distinguisher"});
      break;
    case CsvRows::stages:
      csv.text("stage");
      figures(kStageColumns);
      csv.text("reasons");
      csv.text("conflicts");
      break;
    case CsvRows::agreement:
      csv.text("priority_level");
      figures(kAgreementColumns);
      break;
    case CsvRows::spread:
      columns(kSpreadColumns);
      break;
  }
  if (rows == CsvRows::levels || rows == CsvRows::flow_schemas || rows == CsvRows::flows)
    for (const TallyFigure* figure : tally_figures().columns()) csv.figure_heading(*figure);
  if (rows == CsvRows::levels)
    for (const LevelFigure* figure : level_figures().columns()) csv.figure_heading(*figure);
  csv.end_row();
}

// Rows of one server; `begin_row` writes the first cells of each.
template <class BeginRow>
void write_levels(FiguresCsv& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const LevelReport& level : report.levels) {
    begin_row();
    csv.text(level.name);
    if (report.in_flight) csv.empty();
    else csv.text(level.exempt ? "Exempt" : level.reject ? "Reject" : "Queue");
    const Versions<LevelReport> versions = versions_of(level, report);
    write_tally(csv, versions.part(&LevelReport::tally));
    write_level_figures(csv, versions, report.in_flight.has_value());
    csv.end_row();
  }
}

template <class BeginRow>
void write_schemas(FiguresCsv& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const SchemaReport& schema : report.schemas) {
    begin_row();
    csv.text(schema.name);
    csv.text(schema.priority_level);
    csv.number(schema.matching_precedence);
    write_tally(csv, versions_of(schema, report).part(&SchemaReport::tally));
    csv.end_row();
  }
}

template <class BeginRow>
void write_flows(FiguresCsv& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const FlowReport& flow : report.all_flows) {
    if (flow.tally.requests == 0) continue;
    begin_row();
    csv.text(flow.flow_schema);
    csv.text(flow.priority_level);
    csv.text(flow.distinguisher);
    write_tally(csv, versions_of(flow, report).part(&FlowReport::tally));
    csv.end_row();
  }
}

// As the reasons.
std::string conflicts_text(const QuotaConflictReport& of) {
  std::string out;
  for (const auto& [name, count] : {std::pair{"updates", of.updates},
                                    {"conflicts", of.conflicts},
                                    {"retried", of.retried},
                                    {"refused", of.refused},
                                    {"timed-out", of.timed_out}})
    out += (out.empty() ? "" : " ") + std::string(name) + ":" + std::to_string(count);
  return out;
}

template <class BeginRow>
void write_stages(FiguresCsv& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const StageReport& stage : report.stages) {
    begin_row();
    csv.text(to_string(stage.stage));
    using Of = const StageReport&;
    const Versions<StageReport> versions = versions_of(stage, report);
    csv.figure(versions.range([](Of s) { return s.seen(); }));
    for (const auto member : {&StageReport::bypassed, &StageReport::passed, &StageReport::delayed})
      csv.figure(versions.range([&](Of s) { return s.*member; }));
    csv.seconds(versions.range([](Of s) { return s.delay.mean(); }));
    for (const double q : {0.5, 0.9, 0.99})
      csv.seconds(versions.range([&](Of s) { return static_cast<double>(s.delay.quantile(q)); }));
    csv.seconds(versions.range([](Of s) { return static_cast<double>(s.delay.max()); }));
    csv.figure(versions.range([](Of s) { return s.refused; }));
    std::string reasons;
    for (const auto& [reason, count] : stage.reasons)
      reasons += (reasons.empty() ? "" : " ") + reason + ":" + std::to_string(count);
    csv.text(reasons);
    const bool quotas = stage.stage == AdmissionStage::resource_quota && report.resource_quota;
    csv.text(quotas && report.resource_quota->conflicts ? conflicts_text(*report.resource_quota->conflicts) : "");
    csv.end_row();
  }
}

template <class BeginRow>
void write_agreement(FiguresCsv& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const RecordedReport::Level& level : report.recorded.levels) {
    begin_row();
    csv.text(level.name);
    using Level = const RecordedReport::Level&;
    const Versions<RecordedReport::Level> versions = versions_of(level, report);
    csv.figure(versions.range([](Level l) { return l.refused_log; }));
    csv.figure(versions.range([](Level l) { return l.refused_replay; }));
    csv.figure(versions.range([](Level l) { return l.wait_log.count(); }));
    for (const auto member : {&RecordedReport::Level::wait_log, &RecordedReport::Level::wait_replay}) {
      csv.seconds(versions.range([&](Level l) { return (l.*member).mean(); }));
      for (const double q : {0.5, 0.9, 0.99})
        csv.seconds(versions.range([&](Level l) { return static_cast<double>((l.*member).quantile(q)); }));
    }
    csv.end_row();
  }
}

template <class BeginRow>
void write_spread(FiguresCsv& csv, const ReplayReport& report, const BeginRow& begin_row) {
  for (const Spread::Level& level : report.spread.levels) {
    begin_row();
    csv.text(level.name.empty() ? "total" : level.name);
    csv.number(report.spread.runs);
    csv.number(level.rejected_least);
    csv.number(level.rejected_most);
    csv.seconds(level.mean_wait_least);
    csv.seconds(level.mean_wait_most);
    for (const Nanos wait :
         {level.p50_least, level.p50_most, level.p90_least, level.p90_most, level.p99_least, level.p99_most})
      csv.seconds(static_cast<double>(wait));
    csv.end_row();
  }
}

}  // namespace

std::string render_csv(std::span<const ReplayReport> servers, CsvRows rows) {
  FiguresCsv csv;
  const bool several = !servers.empty() && !servers.front().server.empty();
  csv.with_ranges(std::any_of(servers.begin(), servers.end(), [](const ReplayReport& r) { return !r.others.empty(); }));
  write_header(csv, rows, several);
  for (const ReplayReport& report : servers) {
    const auto begin_row = [&] {
      if (several) csv.text(report.server);
    };
    switch (rows) {
      case CsvRows::levels:
        write_levels(csv, report, begin_row);
        break;
      case CsvRows::flow_schemas:
        write_schemas(csv, report, begin_row);
        break;
      case CsvRows::flows:
        write_flows(csv, report, begin_row);
        break;
      case CsvRows::stages:
        write_stages(csv, report, begin_row);
        break;
      case CsvRows::agreement:
        write_agreement(csv, report, begin_row);
        break;
      case CsvRows::spread:
        write_spread(csv, report, begin_row);
        break;
    }
  }
  return csv.take();
}

}  // namespace apf
