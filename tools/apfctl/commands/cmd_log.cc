// apfctl log: what happened, to whom, because of whom, by the log alone.

#include <algorithm>
#include <optional>

#include <apf/advise.h>
#include <apf/error.h>
#include <apf/flag_values.h>
#include <apf/log_summary.h>
#include <apf/output.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "commands/api_request_counts.h"
#include "flags/damaged_logs.h"
#include "flags/expectations.h"
#include "flags/log_paths.h"
#include "flags/next_command.h"
#include "flags/options.h"
#include "flags/replay_flags.h"
#include "flags/report_output.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/output.h"
#include "shared/program_name.h"
#include "shared/sources.h"
#include "shared/terminal.h"

namespace apfctl {

namespace {

// How the server ran is said as to replay.
struct LogCommandFlags : ReplayFlags {
  std::optional<std::string> from_text, to_text, by_text;
  std::vector<std::string> ignore;
};

void declare(CommandLine& line, LogCommandFlags& flags) {
  line.synopsis("log LOG... [FLAG]...");
  line.about(
      "What happened, to whom and because of whom?",
      "Shows what happened, to whom and because of whom: who was refused and when, what other errors there were, what "
      "rose, who loads the server, where the time of slow requests went, what clients do wrong, and whether the log "
      "can "
      "be replayed. It needs no seats and no configuration. Where they are known, it replays the log without each "
      "suspect and with each cure, and says why requests were refused or waited. LOG: a log in any format of "
      "apfctl-logs(5).");
  line.example("we get 429s: whose, why, and who is to blame?", "apfctl log examples/incident/audit.log.gz");
  line.example("who sends how much, minute by minute, for a spreadsheet",
               "apfctl log examples/incident/audit.log.gz --by user,minute -o csv");
  line.example("fail if clients do something wrong",
               "apfctl log examples/incident/audit.log.gz --expect 'clients == 0'");
  flags.declare_reading(line);
  line.heading("Requests");
  line.option("--from", flags.from_text, "TIME", "Only requests that arrived at this time or later (RFC 3339).");
  line.option("--to", flags.to_text, "TIME", "Only requests that arrived before this time (RFC 3339).");
  line.heading("Result");
  line.option(
      "--by", flags.by_text, "NAME[,NAME]...",
      "Also count requests by user, impersonator, agent, address, verb, resource, namespace, schema, level, code or "
      "minute, or by several of these together. -o csv has these counts.");
  line.option("--top", flags.top, "N", "Rows of each table with -o wide and in other formats (default 10).");
  line.list("--ignore", flags.ignore, "CODE",
            "Do not look for this misuse by clients, as CLIENT-LIST-LOOP. Repeatable.");
  line.flag("--no-experiments", flags.no_experiments,
            "Do not look for the cause of refusals and waits, which replays the log some dozens of times.");
  line.list("--expect", flags.expect, "METRIC OP VALUE",
            "Exit 1 unless this is so: refused, errors, clients, requests, or coverage with --server-metrics, as in "
            "'refused < 1%'. Repeatable.");
  line.choices("--expect", std::vector<std::string>{"refused", "errors", "clients", "requests", "coverage"});
  line.flag("--allow-empty", flags.allow_empty,
            "Accept an empty or incomplete log, or a selection. Without it, --expect exits 2 for those.");
  flags.output.declare(line, {"text", "json", "csv", "markdown", "html", "svg", "wide"});
  flags.coverage.declare(line, false);
  flags.config.declare(line);
  flags.release.declare(line);
  flags.inflight.declare(line);
  flags.settings.knows_apf_off = flags.leaves_out_wrong = true;
  flags.settings.declare(line);
  flags.console.declare(line);
}

std::optional<apf::Nanos> time_of(const char* flag, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const std::optional<apf::Nanos> time = apf::parse_rfc3339(*text);
  if (!time) throw UsageError(std::string(flag) + " '" + *text + "' is not a time such as 2026-09-08T14:15:00Z");
  return time;
}

std::vector<apf::LogDimension> dimensions_of(const std::optional<std::string>& text) {
  std::vector<apf::LogDimension> out;
  if (!text) return out;
  for (std::size_t at = 0; at <= text->size();) {
    const std::size_t end = std::min(text->find(',', at), text->size());
    const std::string name = text->substr(at, end - at);
    const std::optional<apf::LogDimension> found = apf::find_log_dimension(name);
    if (!found) {
      const std::vector<std::string> names = apf::log_dimension_names();
      const std::string near = apf::nearest_name(name, names);
      std::string all;
      for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
      throw UsageError("--by: '" + name + "' is none of " + all + (near.empty() ? "" : "; did you mean " + near + "?"));
    }
    if (std::find(out.begin(), out.end(), *found) == out.end()) out.push_back(*found);
    at = end + 1;
  }
  return out;
}

std::vector<apf::ClientFault> ignored_of(const std::vector<std::string>& codes) {
  std::vector<apf::ClientFault> out;
  for (const std::string& code : codes) {
    const std::optional<apf::ClientFault> fault = apf::find_client_fault(code);
    if (!fault) throw UsageError("--ignore: there is no '" + code + "'; apfctl log prints the codes of what it finds");
    out.push_back(*fault);
  }
  return out;
}

// Those that the settings switch off.
void add_ignored(const apf::Settings& settings, std::vector<apf::ClientFault>& out) {
  for (const apf::Settings::RuleSetting& setting : settings.rules)
    for (int i = 0; i < static_cast<int>(apf::ClientFault::kCount); ++i) {
      const auto fault = static_cast<apf::ClientFault>(i);
      const bool named = std::string_view(apf::row_of(fault).code).starts_with(setting.rule);
      if (named && !setting.severity) out.push_back(fault);
    }
}

// Why the log does not decide what was expected; empty: it does.
std::string undecided(const apf::LogSummary& s) {
  if (s.total.requests == 0) return "the log has no requests";
  if (s.total.answered == 0) return "the log does not say how requests were answered";
  for (const apf::Remark& remark : s.stat.incomplete)
    if (apf::is_of_selection(remark)) return apf::sentence_of(remark);
  std::uint64_t unusable = 0;
  for (const auto& [reason, lines] : s.stat.unusable) unusable += lines;
  if (apf::are_too_many(unusable, s.stat.lines))
    return plural(unusable, "line", "lines") + " of " + std::to_string(s.stat.lines) + " cannot be used";
  return {};
}

struct LogFound {
  apf::LogSummary summary;
  apf::LogSummaryFrame frame;
};

int check_expectations(const Expectations& expectations, const LogFound& found, const LogCommandFlags& flags) {
  const apf::LogSummary& s = found.summary;
  const std::vector<apf::ExpectationResult> results =
      expectations.results(*apf::facts_of(s, found.frame.known, flags.allow_empty), flags.allow_empty);
  const bool is_of_log = *expectations.gate_flag() != '\0' && !flags.allow_empty;
  if (const std::string why = is_of_log ? undecided(s) : std::string(); !why.empty()) {
    write_stderr("apfctl log: --expect is not decided: " + apf::printable(why) +
                 " (use --allow-empty to accept that)\n");
    return kUsageOrInput;
  }
  refuse_open("--expect", results);
  return print_unmet("log", results, flags.console);
}

// What leads on from all of it.
std::vector<std::string> further_commands(const apf::LogSummary& s, const CommandLine& line) {
  std::vector<std::string> out;
  if (!s.throttling.schemas.empty()) {
    const std::string given = filled_in(line, "explain", "--uid " + s.throttling.schemas.front().names.front());
    const bool has_objects = given.find(" -f ") != given.npos || given.find(" --from-cluster") != given.npos;
    out.push_back(given + (has_objects ? "" : " --from-cluster"));
  }
  const bool answers_nothing = s.total.answered == 0;  // a replay says what would have been refused
  if (s.total.requests == 0 || (s.total.refused == 0 && !answers_nothing)) return out;
  const std::string replay = filled_in(line, "replay");
  out.push_back(replay);
  if (answers_nothing) return out;
  if (!replay.empty() && !s.why.culprits.empty() && s.why.culprits.front().by == apf::WhyBy::user)
    out.push_back(replay + " --scale " + apf::shell_word("user:" + s.why.culprits.front().name + "=0"));
  // A request that was refused: all refusals are of one kind, or of one client, and no namespace is asked for.
  const bool resource = !s.resources.empty() && !s.users.empty() && !s.resources.front().names[1].starts_with('/') &&
                        (s.resources.front().names[0] == "list" || s.resources.front().names[0] == "watch") &&
                        std::max(s.resources.front().tally.refused, s.users.front().tally.refused) == s.total.refused;
  const auto user = std::find_if(s.users.begin(), s.users.end(),
                                 [](const apf::LogRow& row) { return !row.names.front().ends_with('*'); });
  if (user != s.users.end() && resource)
    out.push_back(filled_in(line, "explain",
                            s.resources.front().names[0] + " " + s.resources.front().names[1] + " --as " +
                                apf::shell_word(user->names.front())));
  return out;
}

bool can_have_level(const apf::WhyCulprit& culprit) {
  const bool is_component = culprit.name.starts_with("system:") && !culprit.name.starts_with("system:serviceaccount:");
  return culprit.by == apf::WhyBy::user && !is_component;
}

// And from the first screen: all of it; where the seats would decide why, what says them; and where clients are at
// fault, what to do about them.
std::vector<std::string> next_commands(const apf::LogSummary& s, const CommandLine& line, bool knows_seats) {
  const bool has_any = s.total.requests > 0 || s.slow_total.requests > 0;
  const std::string whole = has_any ? filled_in(line, "log") : std::string();
  if (whole.empty()) return further_commands(s, line);
  std::vector<std::string> out = {whole + " -o wide"};
  const apf::WhyVerdict why = s.why.verdict;
  if (why == apf::WhyVerdict::undecided && !knows_seats)
    for (std::string& command : with_evidence(line)) out.push_back(std::move(command));
  if (s.total.refused == 0) return out;
  // Of fleets not all can have a level, and components of the control plane get none.
  if (why == apf::WhyVerdict::client && !s.why.culprits.empty() && can_have_level(s.why.culprits.front()) &&
      undecided(s).empty())
    out.push_back(filled_in(line, "suggest"));
  return out;
}

// Why, by experiments: where the seats are known, and the log is of one server and as it was written.
void explain(const LogCommandFlags& flags, apf::ReplayOptions& replay, const apf::LogSummaryOptions& options,
             apf::LogSummary& summary) {
  if (summary.why.verdict != apf::WhyVerdict::undecided || flags.no_experiments || summary.stat.interrupted) return;
  if (!options.seats) {
    summary.why.open = "how many seats its server had is not known (--server FILE or --server-concurrency N says it)";
  } else if (options.from || options.to) {
    summary.why.open = "experiments take the whole log (without --from and --to)";
  } else {
    apf::LogQuestion().take_widths(flags.settings.known_server(), replay);
    std::optional<apf::WhyReport> found = apf::explain_by_replay({.replay = replay});
    if (!found) return;
    found->changes = std::move(summary.why.changes);
    summary.why = std::move(*found);
  }
}

// What is looked for, by the flags and by what is known of the server.
std::optional<apf::ReplayOptions> replay_options(LogCommandFlags& flags, apf::LogSummaryOptions& options) {
  const apf::KnownServer known = take_server_flags(flags, flags.settings.known_server(), options.log);
  if (const auto on = known.priority_and_fairness()) {
    options.apf_on = on->value == "true";
    options.apf_by = on->from;
  }
  flags.release.warn_if_newer(flags.console);
  apf::ReplayOptions out = flags.options();
  static_cast<apf::LogOptions&>(out) = options.log;
  if (!flags.load_configs(out)) return std::nullopt;
  const std::optional<int> logged =
      out.seats_by_log ? apf::read_server_flags(options.log).shared_seats() : std::nullopt;
  options.seats = out.seats_by_log ? logged : std::optional(out.server_concurrency_limit);
  options.version = flags.release.version;
  options.version_known = flags.release.version_given();
  return out;
}

std::optional<LogFound> find(LogCommandFlags& flags, apf::LogSummaryOptions& options) {
  std::optional<apf::ReplayOptions> replay = replay_options(flags, options);
  if (!replay) return std::nullopt;
  const apf::Config& config = replay->config;
  std::optional<CoverageFlags::Found> coverage;
  if (flags.coverage.any() && !(coverage = flags.coverage.find(options.log, config, flags.console)))
    return std::nullopt;
  if (coverage && coverage->seats && !options.seats) {
    options.seats = replay->server_concurrency_limit = coverage->seats->number;
    replay->seats_by_log = false;
  }
  options.config = &config;
  if (!replay->objects.empty()) options.objects = &replay->objects;
  LogFound out{apf::summarize_logs(options), {}};
  apf::LogStat& stat = out.summary.stat;
  if (coverage) {
    stat.incomplete.insert(stat.incomplete.begin(), coverage->signs.begin(), coverage->signs.end());
    out.frame.known = coverage->coverage;
  }
  explain(flags, *replay, options, out.summary);
  out.frame.configuration = flags.config.origin(config, flags.release);
  out.frame.better = apf::better_log(stat, out.frame.known);
  for (std::vector<apf::Remark>* remarks : {&stat.missing, &stat.warnings, &stat.incomplete, &out.frame.better})
    add_hints(*remarks);
  return out;
}

}  // namespace

namespace {

int show_counts(const apf::ApiRequestCounts& counts, const std::vector<std::string>& paths, std::size_t top,
                LogCommandFlags& flags) {
  if (!flags.expect.empty())
    throw UsageError("--expect asks for a log: " + paths.front() + " holds counts of requests (APIRequestCount)");
  const std::string name = paths.front() + (paths.size() > 1 ? fmt::format(" and {} more", paths.size() - 1) : "");
  write_report(
      flags.output, flags.console, [&](const apf::View& view) { return apf::document_of(counts, name, top, view); },
      [&] { return apf::render_json(counts); }, {{"csv", [&] { return apf::render_csv(counts); }}});
  return 0;
}

}  // namespace

int cmd_log(CommandLine& line) {
  LogCommandFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  apf::LogSummaryOptions options;
  std::vector<std::string> logs = line.arguments(1, CommandLine::kAnyNumber, "the log (LOG...)");
  if (!flags.check()) return kUsageOrInput;
  options.from = time_of("--from", flags.from_text);
  options.to = time_of("--to", flags.to_text);
  options.by = dimensions_of(flags.by_text);
  options.ignored = ignored_of(flags.ignore);
  options.top = static_cast<std::size_t>(parse_int("--top", flags.top, 1, 100'000));
  const Expectations expectations(flags.expect, *apf::facts_of(apf::LogSummary(), {}));
  const std::vector<std::string> given = logs;
  if (const auto counts = find_api_request_counts(logs)) return show_counts(*counts, given, options.top, flags);
  for (const OutputFlags::Target& target : flags.output.targets)
    if (target.format == "csv" && options.by.empty()) throw UsageError("-o csv needs --by: it has the counts of that");
  find_logs_in(logs, options.log.texts, flags.console);
  flags.coverage.check(logs);
  apf::LogCoverage known;
  if (!flags.coverage.metrics.empty()) known.metrics.emplace();
  expectations.check_names(*apf::facts_of(apf::LogSummary(), known));
  add_ignored(flags.settings.project().settings, options.ignored);
  for (const std::string& log : logs) claim_input(log);
  options.log.logs = logs;
  options.log.log_format = flags.log.format;
  options.log.log_year = flags.log.year;
  options.log.needs_events = !flags.allow_empty;
  watch_interrupts();
  options.log.interrupted = &g_interrupted;
  ProgressLine progress(!flags.console.quiet);
  options.log.progress = [&](const apf::LogProgress& p) { progress.show(p); };
  std::optional<LogFound> found = find(flags, options);
  end_watch();
  progress.clear();
  if (!found) return kUsageOrInput;
  found->frame.next = next_commands(found->summary, line, options.seats.has_value());
  found->frame.further = further_commands(found->summary, line);
  for (std::vector<std::string>* commands : {&found->frame.next, &found->frame.further})
    for (std::string& command : *commands) command = as_typed(command);
  write_report(
      flags.output, flags.console,
      [&](const apf::View& view) { return apf::document_of(found->summary, found->frame, view); },
      [&] {  // with what standard error has beside texts
        apf::LogSummary whole = found->summary;
        for (apf::Remark& remark : apf::release_remarks(flags.release.version))
          whole.stat.warnings.push_back(std::move(remark));
        return apf::render_json(whole, found->frame);
      },
      {{"csv", [&] { return apf::render_csv(found->summary); }}});
  const bool is_damaged = !flags.allow_empty && report_damaged_logs(found->summary.stat.warnings);
  const int code = is_damaged ? kUsageOrInput : 0;
  return std::max(code, check_expectations(expectations, *found, flags));
}

}  // namespace apfctl
