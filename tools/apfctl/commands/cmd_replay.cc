// apfctl replay: what API Priority and Fairness does to the requests of a log.

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include <apf/advise.h>
#include <apf/error.h>
#include <apf/replay.h>

#include "flags/damaged_logs.h"
#include "flags/expectations.h"
#include "flags/log_paths.h"
#include "flags/options.h"
#include "flags/replay_flags.h"
#include "flags/replay_output.h"
#include "flags/replay_servers.h"
#include "flags/stages.h"
#include "flags/systems.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/output.h"
#include "shared/terminal.h"

namespace apfctl {

namespace {

ReplayOutcome run(const ReplayFlags& flags, apf::ReplayOptions& options, const std::vector<ServerLogs>& servers,
                  const apf::LogQuestion& question) {
  ProgressLine progress(!flags.console.quiet);
  options.progress = [&](const apf::LogProgress& p) { progress.show(p); };
  ReplayOutcome outcome;
  if (flags.systems) {
    std::vector<apf::ReplayOptions> each;
    for (const std::string& name : parse_systems(*flags.systems, flags.table.given("quota")))
      each.push_back(options_of_system(name, options, flags.inflight));
    outcome.reports = apf::replay_systems(each, options.threads);
  } else if (servers.front().name.empty()) {
    outcome.reports.push_back(question.ask(options, !flags.no_experiments).report);
    return outcome;
  } else {
    std::vector<apf::ReplayOptions> each(servers.size(), options);
    for (std::size_t i = 0; i < servers.size(); ++i) {
      each[i].server = servers[i].name;
      each[i].logs = servers[i].logs;
    }
    apf::ServersReport report = apf::replay_servers(each, options.threads);
    outcome.reports = std::move(report.servers);
    outcome.total = std::move(report.total);
    for (std::size_t i = 0; i < each.size() && !flags.no_experiments; ++i)
      outcome.reports[i].why = apf::explain_by_replay({.replay = each[i]}, outcome.reports[i]);
  }
  for (apf::ReplayReport& report : outcome.reports) question.complete(report);
  if (outcome.total) question.complete(*outcome.total);
  return outcome;
}

// A log without requests is a mistake, but one of several servers may have been idle.
void check_requests(const ReplayOutcome& outcome, const Console& console) {
  std::uint64_t requests = 0;
  bool interrupted = false;
  std::vector<apf::Remark> warnings;
  for (const apf::ReplayReport& report : outcome.reports) {
    requests += report.requests;
    interrupted = interrupted || report.interrupted;
    for (const apf::Remark& warning : report.warnings)  // systems have the same log
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  }
  if (requests == 0 && !interrupted) throw apf::Error(apf::no_requests(warnings));
  for (const apf::ReplayReport& report : outcome.reports)
    if (report.requests == 0 && !report.interrupted && !report.server.empty())
      console.warn("server " + report.server + ": no requests found in its log");
}

// Before the log is replayed: names that are in no configuration of the run, and coverage that is not known.
void check_names(const Expectations& expectations, const apf::ReplayOptions& options, const ReplayFlags& flags,
                 std::vector<apf::ReplayReport>& known) {
  for (apf::ReplayReport& report : known) {
    std::string server = std::move(report.server);
    report = names_of(flags.systems ? options_of_system(server, options, flags.inflight) : options);
    report.server = std::move(server);
    if (!flags.coverage.metrics.empty()) report.coverage.metrics.emplace();
  }
  expectations.check_names(*apf::facts_of(known));
}

std::shared_ptr<const apf::Facts> facts_of(const ReplayOutcome& outcome) {
  return apf::facts_of(outcome.reports, outcome.total ? &*outcome.total : nullptr);
}

}  // namespace

int cmd_replay(CommandLine& line) {
  ReplayFlags flags;
  flags.declare(line);
  if (!line.parse()) return 0;
  std::vector<ServerLogs> servers = server_logs(line);
  if (!flags.check()) return kUsageOrInput;
  apf::LogOptions log;
  for (ServerLogs& server : servers) find_logs_in(server.logs, log.texts, flags.console);
  log.logs = servers.front().logs;
  log.log_format = flags.log.format;
  take_server_flags(flags, flags.settings.known_server(), log);
  for (const ServerLogs& server : servers)
    for (const std::string& path : server.logs) claim_input(path);
  std::vector<std::string> names;
  for (const ServerLogs& server : servers)
    if (!server.name.empty()) names.push_back(server.name);
  if (flags.systems) names = parse_systems(*flags.systems, flags.table.given("quota"));
  flags.coverage.check(servers.front().logs);
  if (!flags.coverage.metrics.empty() && !servers.front().name.empty())
    throw UsageError("--server-metrics is of one server: it cannot be combined with --server");
  std::vector<apf::ReplayReport> known(std::max<std::size_t>(names.size(), 1));
  for (std::size_t i = 0; i < names.size(); ++i) known[i].server = names[i];
  const Expectations expectations(flags.expect, *apf::facts_of(known));
  if (flags.systems && expectations.has("agreement"))
    throw UsageError("--systems cannot be combined with --expect 'agreement …'");
  apf::ReplayOptions options = flags.options();
  options.texts = log.texts;
  watch_interrupts();
  options.interrupted = &g_interrupted;
  if (!flags.load_configs(options)) return kUsageOrInput;
  check_names(expectations, options, flags, known);

  apf::LogQuestion question = flags.question();
  std::optional<CoverageFlags::Found> found;
  if (flags.coverage.any()) {
    found = flags.coverage.find(servers.front().logs, question, options, flags.console);
    if (!found) return kUsageOrInput;
  }
  options.logs = servers.front().logs;
  if (servers.size() == 1) question.take_widths(flags.settings.known_server(), options);
  ReplayOutcome outcome = run(flags, options, servers, question);
  end_watch();
  const bool seats_by_log = std::all_of(outcome.reports.begin(), outcome.reports.end(),
                                        [](const apf::ReplayReport& report) { return report.seats_by_log; });
  apf::ReportFrame frame{
      flags.config.origin(options.config, flags.release) + "; " +
          (found && found->seats && question.evidence.replayed_seats && !flags.inflight.given() && !seats_by_log
               ? found->seats_words()
               : stages_origin(flags.table, flags.inflight, seats_by_log)),
      expectations.results(*facts_of(outcome), flags.allow_empty)};
  for (const apf::ReplayReport& report : outcome.reports) question.mark_undecided(report, frame.expectations);
  write_metrics(flags.metrics, outcome);
  flags.dumps.write(outcome);
  if (flags.systems) write_systems(flags.output, flags.console, outcome, names, options.top, frame);
  else write_replay(flags.output, line, flags.console, outcome, frame, join(flags.config.filenames));
  check_requests(outcome, flags.console);
  refuse_open("--expect", frame.expectations);
  const int code = print_unmet("replay", frame.expectations, flags.console);
  expectations.refuse_undecided(question, outcome.reports);
  return code;
}

}  // namespace apfctl
