#include "replay_output.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "command_line.h"
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

void write_replay(const OutputFlags& output, const Console& console, const ReplayOutcome& outcome,
                  const apf::ReportFrame& frame) {
  output.write(console, [&](const std::string& format, const apf::TextStyle& style) {
    return render(format, style, outcome, frame);
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
  if (path.empty()) return;
  Output out(path);
  out.write(apf::render_metrics(outcome.reports, aliases));
  out.close();
}

}  // namespace apfctl
