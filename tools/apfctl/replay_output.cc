#include "replay_output.h"

#include <algorithm>

#include "command_line.h"
#include "output.h"
#include "suggest.h"

namespace apfctl {

namespace {

bool asked_for(const OutputFlags& output, std::string_view format) {
  return std::any_of(output.targets.begin(), output.targets.end(),
                     [&](const OutputFlags::Target& t) { return t.format == format; });
}

std::string render(const std::string& format, const apf::TextStyle& style, const ReplayOutcome& outcome,
                   const apf::ReportFrame& frame) {
  const apf::ReplayReport* total = outcome.total ? &*outcome.total : nullptr;
  if (format == "csv") return apf::render_csv(outcome.reports, apf::CsvRows::levels);
  if (format == "csv-flowschemas") return apf::render_csv(outcome.reports, apf::CsvRows::flow_schemas);
  if (format == "csv-flows") return apf::render_csv(outcome.reports, apf::CsvRows::flows);
  if (format == "markdown") return apf::render_markdown(outcome.reports, total, frame);
  if (format == "html") return apf::render_html(outcome.reports, total, frame);
  const bool json = format == "json";
  const std::string configuration = json ? "" : "Configuration: " + frame.configuration + "\n\n";
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
}

void write_replay(const OutputFlags& output, const Console& console, const ReplayOutcome& outcome,
                  const apf::ReportFrame& frame) {
  output.write(console, [&](const std::string& format, const apf::TextStyle& style) {
    return render(format, style, outcome, frame);
  });
}

void write_metrics(const std::string& path, bool aliases, const ReplayOutcome& outcome) {
  if (path.empty()) return;
  Output out(path);
  out.write(apf::render_metrics(outcome.reports, aliases));
  out.close();
}

Expectations::Expectations(const std::vector<std::string>& texts, const std::vector<std::string>& servers) {
  for (const std::string& text : texts) {
    Entry& entry = entries_.emplace_back();
    std::string_view rest = text;
    const std::size_t colon = text.find(':');
    if (!servers.empty() && colon < text.find_first_of("<>=!")) {
      entry.server = text.substr(text.find_first_not_of(' '), colon - text.find_first_not_of(' '));
      if (std::find(servers.begin(), servers.end(), entry.server) == servers.end())
        throw UsageError("--expect '" + apf::printable(text) + "': there is no server '" + apf::printable(entry.server) +
                         "'" + did_you_mean(entry.server, servers));
      rest.remove_prefix(colon + 1);
    }
    entry.expectation = apf::parse_expectation(rest);
  }
}

void Expectations::check_subjects(const apf::ReplayOptions& options) const {
  apf::ReplayReport names;
  const auto add = [&](const apf::Config& config) {
    for (const apf::PriorityLevel& level : config.priority_levels) names.levels.emplace_back().name = level.meta.name;
    for (const apf::FlowSchema& schema : config.flow_schemas) names.schemas.emplace_back().name = schema.meta.name;
  };
  add(options.config);
  for (const auto& [time, config] : options.config_changes) add(config);
  for (const char* imagined : {"exempt", "catch-all"}) {
    names.levels.emplace_back().name = imagined;
    names.schemas.emplace_back().name = imagined;
  }
  for (const Entry& entry : entries_) apf::check_expectation(entry.expectation, names);
}

std::vector<apf::ExpectationResult> Expectations::results(const ReplayOutcome& outcome) const {
  std::vector<apf::ExpectationResult> out;
  for (const Entry& entry : entries_) {
    for (const apf::ReplayReport& report : outcome.reports) {
      if (!entry.server.empty() && entry.server != report.server) continue;
      out.push_back(apf::check_expectation(entry.expectation, report));
      if (!report.server.empty()) out.back().message = report.server + ": " + out.back().message;
    }
  }
  return out;
}

}  // namespace apfctl
