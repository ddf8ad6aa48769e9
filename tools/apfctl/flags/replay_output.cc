#include "flags/replay_output.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <apf/output.h>

#include "flags/next_command.h"
#include "flags/report_output.h"
#include "flags/systems.h"
#include "shared/command_line.h"
#include "shared/interrupts.h"
#include "shared/output.h"

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

// Text has the configuration above the report, below its verdict.
apf::Document headed(apf::Document out, const apf::ReportFrame& frame, const apf::View& view) {
  if (view.notation != apf::Notation::text) return out;
  const auto report = std::find_if(out.sections.begin(), out.sections.end(),
                                   [](const apf::Passage& passage) { return passage.is_report(); });
  apf::Passage configuration;
  configuration.fact("Configuration: ", frame.configuration);
  out.sections.insert(report, std::move(configuration));
  return out;
}

bool contradicts_log(const apf::ReplayReport& report) {
  return std::any_of(report.warnings.begin(), report.warnings.end(), apf::is_contradiction);
}

// The replay without the first culprit, which was tried; empty: there is none that can be named.
std::string tried_without(const CommandLine& line, const ReplayOutcome& outcome) {
  const apf::ReplayReport& report = outcome.reports.front();
  const std::string replay = filled_in(line, "replay");
  if (outcome.reports.size() != 1 || !report.why || !report.scales.empty() || report.why->culprits.empty()) return {};
  const apf::WhyCulprit& culprit = report.why->culprits.front();
  const bool is_client = culprit.by == apf::WhyBy::user || culprit.by == apf::WhyBy::fleet;
  if (replay.empty() || !is_client || apf::printable(culprit.name) != culprit.name) return {};
  constexpr std::string_view kAccount = "system:serviceaccount:";
  std::string name = "user:" + culprit.name;
  // A fleet may be accounts of several namespaces, as "system:serviceaccount:team*".
  if (const auto colon = culprit.name.find(':', kAccount.size());
      culprit.name.starts_with(kAccount) && colon != name.npos)
    name = "sa:" + culprit.name.substr(kAccount.size(), colon - kAccount.size()) + "/" + culprit.name.substr(colon + 1);
  return replay + " --scale " + apf::shell_word(name + "=0");
}

// What refuses wants a change, what refuses nothing the load that it bears; a replay that its log contradicts wants to
// know the server, and one without levels says neither.
apf::Passage next_of(const CommandLine& line, const ReplayOutcome& outcome) {
  if (std::any_of(outcome.reports.begin(), outcome.reports.end(),
                  [](const apf::ReplayReport& report) { return report.in_flight; }))
    return next_passage({filled_in(line, "log")});
  if (std::any_of(outcome.reports.begin(), outcome.reports.end(), contradicts_log))
    return next_passage(with_evidence(line));
  if (std::string tried = tried_without(line, outcome); !tried.empty()) return next_passage({tried});
  const apf::LevelReport* worst = nullptr;
  std::uint64_t requests = 0;
  for (const apf::ReplayReport& report : outcome.reports) {
    requests += report.total.requests;
    for (const apf::LevelReport& level : report.levels)
      if (level.tally.rejected() > (worst ? worst->tally.rejected() : 0)) worst = &level;
  }
  if (requests == 0) return next_passage({});
  if (!worst) return next_passage({filled_in(line, "headroom")});
  // A FlowSchema that leads to the wrong level is no field that suggest changes: the patch is on this screen.
  const auto is_of_schema = [](const apf::ReplayReport& report) {
    return report.why && report.why->verdict == apf::WhyVerdict::configuration && !report.why->cures.empty() &&
           report.why->cures.front().field == "spec.priorityLevelConfiguration.name";
  };
  if (std::any_of(outcome.reports.begin(), outcome.reports.end(), is_of_schema)) return next_passage({});
  const std::string suggest = filled_in(line, "suggest");
  return next_passage(
      {suggest.empty() ? suggest : suggest + " --goal " + apf::shell_word(worst->name + ".rejected == 0")});
}

}  // namespace

void want_for_formats(const OutputFlags& output, apf::ReplayOptions& options) {
  options.series = asked_for(output, "html") || asked_for(output, "svg");
  options.all_flows = asked_for(output, "csv-flows");
  if (asked_for(output, "csv-spread") && options.spread == 0) throw UsageError("-o csv-spread needs --spread N");
}

void write_replay(const OutputFlags& output, const CommandLine& line, const Console& console,
                  const ReplayOutcome& outcome, const apf::ReportFrame& frame, const std::string& files) {
  const apf::ReplayReport* total = outcome.total ? &*outcome.total : nullptr;
  std::map<std::string, TextOf> tables;
  for (const auto& row : kCsvRows)
    tables[std::string(row.first)] = [&] { return apf::render_csv(outcome.reports, row.second); };
  write_report(
      output, console,
      [&](const apf::View& view) {
        apf::Document out = headed(apf::document_of(outcome.reports, total, frame, view), frame, view);
        if (view.notation == apf::Notation::text) out.add(next_of(line, outcome));
        if (view.notation == apf::Notation::html && !files.empty()) out.title += ": " + files;
        return out;
      },
      [&] {
        return total ? apf::render_json(apf::ServersReport{outcome.reports, *total})
                     : apf::render_json(outcome.reports.front());
      },
      tables);
}

void write_systems(const OutputFlags& output, const Console& console, const ReplayOutcome& outcome,
                   const std::vector<std::string>& systems, int top, const apf::ReportFrame& frame) {
  apf::SystemsTable table{outcome.reports, {}, top};
  for (const std::string& name : systems) table.stages.push_back(stage_of_system(name));
  write_report(
      output, console, [&](const apf::View& view) { return headed(apf::document_of(table, frame, view), frame, view); },
      [&] { return apf::render_json(table); });
}

void write_metrics(const std::string& path, const ReplayOutcome& outcome) {
  if (path.empty() || skip_interrupted(path)) return;
  Output out(path);
  out.write(apf::render_metrics(outcome.reports));
  out.close();
}

}  // namespace apfctl
