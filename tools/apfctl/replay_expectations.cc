#include "replay_expectations.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include <apf/error.h>
#include <apf/report.h>

#include "command_line.h"
#include "exit_code.h"
#include "output.h"
#include "suggest.h"
#include "words.h"

namespace apfctl {

std::optional<double> parse_share(const char* flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string_view rest(end);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const bool percent = rest == "%";
  const double share = percent ? number / 100 : number;
  if (end == text.c_str() || !(percent || rest.empty()) || !(share >= 0 && share <= 1))
    throw UsageError(fmt::format("{}: '{}' is not a share such as 99%", flag, apf::printable(text)));
  return share;
}

namespace {

apf::ExpectationResult agreement_of(const apf::ReplayReport& report, double wanted) {
  const apf::RecordedReport& recorded = report.recorded;
  if (recorded.compared == 0) return {false, "--expect-agreement: the log records nothing to compare the replay with"};
  std::uint64_t least = recorded.agreed;
  for (const apf::ReplayReport& other : report.others) least = std::min(least, other.recorded.agreed);
  const double share = static_cast<double>(least) / static_cast<double>(recorded.compared);
  return {share >= wanted, fmt::format("agreement of {:.4g} %: {}{} of {} requests agree with the log ({:.4g} %)",
                                       wanted * 100, report.others.empty() ? "" : "at least ", grouped(least),
                                       grouped(recorded.compared), share * 100)};
}

}  // namespace

Expectations::Expectations(const std::vector<std::string>& texts, const std::string& agreement,
                           const std::vector<std::string>& servers)
    : agreement_(parse_share("--expect-agreement", agreement)) {
  for (const std::string& text : texts) {
    Entry& entry = entries_.emplace_back();
    std::string_view rest = text;
    const std::size_t colon = text.find(':');
    if (!servers.empty() && colon < text.find_first_of("<>=!")) {
      entry.server = text.substr(text.find_first_not_of(' '), colon - text.find_first_not_of(' '));
      if (std::find(servers.begin(), servers.end(), entry.server) == servers.end())
        throw UsageError("--expect '" + apf::printable(text) + "': unknown server '" + apf::printable(entry.server) +
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
  if (agreement_) add_agreement(outcome, out);
  return out;
}

void Expectations::refuse_nothing(const ReplayOutcome& outcome) const {
  if (entries_.empty() && !agreement_) return;
  const bool any = std::any_of(outcome.reports.begin(), outcome.reports.end(),
                               [](const apf::ReplayReport& report) { return report.total.requests > 0; });
  if (!any)
    throw apf::Error(
        "--expect: no request is in the report (see --from, --to and the log); use --allow-empty to accept that");
}

void Expectations::refuse_undecided(const LogGate& gate, const ReplayOutcome& outcome) const {
  const char* flag = !entries_.empty() ? "--expect" : agreement_ ? "--expect-agreement" : "";
  for (const apf::ReplayReport& report : outcome.reports) gate.refuse_undecided(flag, report);
}

void Expectations::add_agreement(const ReplayOutcome& outcome, std::vector<apf::ExpectationResult>& out) const {
  for (const apf::ReplayReport& report : outcome.reports) {
    if (!report.server.empty() && report.requests == 0) continue;  // an idle server has nothing to compare
    out.push_back(agreement_of(report, *agreement_));
    if (!report.server.empty()) out.back().message = report.server + ": " + out.back().message;
  }
  if (!outcome.total) return;
  out.push_back(agreement_of(*outcome.total, *agreement_));
  out.back().message = "all servers: " + out.back().message;
}

int print_unmet(const char* command, const std::vector<apf::ExpectationResult>& results, const Console& console) {
  int code = 0;
  for (const apf::ExpectationResult& result : results) {
    if (!result.met) {
      code = kNotOk;
      write_stderr(fmt::format("apfctl {}: expectation not met: {}\n", command, apf::printable(result.message)));
    } else if (console.verbose) {
      console.note("expectation met: " + apf::printable(result.message));
    }
  }
  return code;
}

}  // namespace apfctl
