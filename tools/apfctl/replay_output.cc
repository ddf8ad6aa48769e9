#include "replay_output.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "command_line.h"
#include "interrupts.h"
#include "next_command.h"
#include "output.h"
#include "systems.h"

namespace apfctl {

namespace {

constexpr std::pair<std::string_view, apf::CsvRows> kCsvRows[] = {
    {"csv", apf::CsvRows::levels},
    {"csv-flowschemas", apf::CsvRows::flow_schemas},
    {"csv-flows", apf::CsvRows::flows},
    {"csv-stages", apf::CsvRows::stages},
    {"csv-agreement", apf::CsvRows::agreement},
    {"csv-spread", apf::CsvRows::spread},
};

bool asked_for(const OutputFlags& output, std::string_view format) {
  return std::any_of(output.targets.begin(), output.targets.end(),
                     [&](const OutputFlags::Target& t) { return t.format == format; });
}

std::string configuration_line(const apf::ReportFrame& frame, const apf::TextStyle& style) {
  return "Configuration: " + wrap(frame.configuration, text_width_of(style) - 15, 15) + "\n\n";
}

bool contradicts_log(const apf::ReplayReport& report) {
  return std::any_of(report.warnings.begin(), report.warnings.end(), apf::is_contradiction);
}

// What refuses wants a change, what refuses nothing the load that it bears; a replay that its log contradicts says
// neither.
std::string next_of(const CommandLine& line, const ReplayOutcome& outcome) {
  if (std::any_of(outcome.reports.begin(), outcome.reports.end(), contradicts_log))
    return next_lines({filled_in(line, "log")});
  const bool refuses = std::any_of(outcome.reports.begin(), outcome.reports.end(),
                                   [](const apf::ReplayReport& report) { return report.total.rejected() > 0; });
  return next_lines({filled_in(line, refuses ? "suggest" : "headroom")});
}

std::string render(const std::string& format, const apf::TextStyle& style, const ReplayOutcome& outcome,
                   const apf::ReportFrame& frame) {
  const apf::ReplayReport* total = outcome.total ? &*outcome.total : nullptr;
  for (const auto& [name, rows] : kCsvRows)
    if (format == name) return apf::render_csv(outcome.reports, rows);
  if (format == "markdown") return apf::render_markdown(outcome.reports, total, frame);
  if (format == "html") return apf::render_html(outcome.reports, total, frame);
  const bool json = format == "json";
  const std::string configuration = json ? "" : configuration_line(frame, style);
  if (total) {
    const apf::ServersReport all{outcome.reports, *total};
    return json ? apf::render_json(all) + "\n" : configuration + apf::render_text(all, style);
  }
  const apf::ReplayReport& report = outcome.reports.front();
  return json ? apf::render_json(report) + "\n" : configuration + apf::render_text(report, style);
}

}  // namespace

void want_for_formats(const OutputFlags& output, apf::ReplayOptions& options) {
  options.series = asked_for(output, "html");
  options.all_flows = asked_for(output, "csv-flows");
  if (asked_for(output, "csv-spread") && options.spread == 0) throw UsageError("-o csv-spread needs --spread N");
}

void write_replay(const OutputFlags& output, const CommandLine& line, const Console& console,
                  const ReplayOutcome& outcome, const apf::ReportFrame& frame) {
  output.write(console, [&](const std::string& format, const apf::TextStyle& style) {
    const std::string text = render(format, style, outcome, frame);
    return format == "text" || format == "wide" ? text + next_of(line, outcome) : text;
  });
}

void write_systems(const OutputFlags& output, const Console& console, const ReplayOutcome& outcome,
                   const std::vector<std::string>& systems, int top, const apf::ReportFrame& frame) {
  apf::SystemsTable table{outcome.reports, {}, top};
  for (const std::string& name : systems) table.stages.push_back(stage_of_system(name));
  output.write(console, [&](const std::string& format, const apf::TextStyle& style) {
    if (format == "markdown") return apf::render_markdown(table, frame);
    if (format == "json") return apf::render_json(table) + "\n";
    return configuration_line(frame, style) + apf::render_text(table, style);
  });
}

void write_metrics(const std::string& path, bool aliases, const ReplayOutcome& outcome) {
  if (path.empty() || skip_interrupted(path)) return;
  Output out(path);
  out.write(apf::render_metrics(outcome.reports, aliases));
  out.close();
}

}  // namespace apfctl
