// apfctl headroom: how many times the load of a log a configuration bears.

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include <apf/advise.h>
#include <apf/error.h>
#include <apf/flag_values.h>
#include <apf/output.h>
#include <apf/report.h>

#include "flags/damaged_logs.h"
#include "flags/expectations.h"
#include "flags/log_paths.h"
#include "flags/next_command.h"
#include "flags/replay_flags.h"
#include "flags/report_output.h"
#include "flags/stages.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/flag_value.h"
#include "shared/input.h"
#include "shared/output.h"

namespace apfctl {

namespace {

const Choices<apf::HeadroomOf> kHeadroomOf = {{"load", apf::HeadroomOf::load}, {"slowness", apf::HeadroomOf::slowness}};

struct HeadroomFlags {
  ReplayFlags replay;
  std::vector<std::string> clients, expect;
  std::string wait_bound = "100ms", of = "load", seats_from;
};

void declare(CommandLine& line, HeadroomFlags& flags) {
  line.synopsis("headroom LOG... [-f PATH]... [FLAG]...");
  line.about(
      "How many times the load of a log does a configuration bear?",
      "Says how many times the load of a log a configuration bears: from which multiple on each priority level keeps "
      "requests waiting and refuses them, which flow suffers first, and which limit gives way. The log is read once "
      "and replayed often, with copies of each client's requests.");
  line.example("how much more of this traffic does my configuration bear?",
               "apfctl headroom examples/amok-controller/short.jsonl.gz -f examples/fleet/wanted.yaml");
  line.example("if one client alone grows",
               "apfctl headroom examples/amok-controller/short.jsonl.gz --client 'sa:ci/*'");
  line.example("fail a pipeline unless twice the load goes through",
               "apfctl headroom examples/amok-controller/short.jsonl.gz --expect 'total.refusesAt > 2'");
  ReplayFlags& replay = flags.replay;
  replay.spread = "3";
  replay.config.declare(line);
  replay.declare_reading(line);
  line.heading("Load");
  line.list(
      "--client", flags.clients, "CLIENT",
      "Multiply the load of these clients alone: sa:NS/NAME, sa:NS/*, node:NAME, node:*, user:NAME, or how a name "
      "begins, followed by *. Repeatable.");
  line.option("--of", flags.of, "load|slowness[=A..B]",
              "What is multiplied: how many requests there are (default), or how long they run; and the multiples to "
              "try (default 0.1..10; A or B may be left out): load=0.5..4. With slowness the report also says from "
              "where on a level stays full, and names cliffs.");
  line.choices("--of", kHeadroomOf.words());
  line.option("--seats-from", flags.seats_from, "A..B",
              "Say instead how many seats of the server are enough for the load as it is, from A to B: 200..2000.");
  line.option("--wait-bound", flags.wait_bound, "DURATION",
              "A level waits if the 99th percentile of its waits is above this (default 100ms).");
  replay.table.declare(line);
  replay.release.declare(line, apf::kOldestReplayed);
  replay.inflight.declare(line);
  replay.settings.knows_apf_off = true;  // it refuses to answer
  replay.settings.declare(line);
  replay.declare_changes(line);
  replay.recorded.declare(line);
  replay.output.declare(line, {"text", "json", "markdown", "html", "svg"});
  line.list("--expect", flags.expect, "'LEVEL.refusesAt > X'",
            "Exit 1 unless this holds: LEVEL.waitsAt or LEVEL.refusesAt, such as 'total.refusesAt > 2'. LEVEL may be "
            "total: every level. Repeatable.");
  line.choices("--expect", expected_figures({""}, {"waitsAt", "refusesAt"}));
  line.flag(
      "--allow-empty", replay.allow_empty,
      "Accept an incomplete log. Without it, --expect exits 2 if more than 10 % of the lines are unusable, the "
      "compressed data is damaged, or the log is a selection: without ends, only refusals, only one user, only one "
      "verb, only slow requests, or without reads.");
  declare_allow_disagreement(line, replay.allow_disagreement);
  line.option(
      "--spread", replay.spread, "N",
      "For the ranges, replay each multiple N more times, with arrivals and ends shifted by up to 1 ms and other "
      "copies (default 3).");
  replay.memory.declare(line);
  line.option("--threads", replay.threads, "N",
              "Number of threads (default: one per processor). The result is the same.");
  replay.console.declare(line);
}

double parse_multiple(const std::string& text) {
  return parse_number("--of", !text.empty() && text.back() == 'x' ? text.substr(0, text.size() - 1) : text);
}

// "0.5..4", of which one end may be missing.
void set_multiples(const std::string& range, apf::HeadroomOptions& out) {
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos) throw UsageError("--of: '" + apf::printable(range) + "' is not A..B, such as 0.5..4");
  const std::string least = range.substr(0, dots), most = range.substr(dots + 2);
  if (!least.empty()) out.least = parse_multiple(least);
  if (!most.empty()) out.most = parse_multiple(most);
  if (!(out.least >= 0.001 && out.least <= 1 && out.most >= 1 && out.most <= 1000))
    throw UsageError("--of: '" + apf::printable(range) + "' is not A..B with 0.001 <= A <= 1 <= B <= 1000");
}

void set_seats(const HeadroomFlags& flags, apf::HeadroomOptions& out) {
  if (out.of == apf::HeadroomOf::slowness) throw UsageError("--seats-from and --of slowness cannot be combined");
  if (!flags.clients.empty()) throw UsageError("--seats-from and --client cannot be combined");
  if (!flags.expect.empty()) throw UsageError("--seats-from and --expect cannot be combined");
  if (flags.of.find('=') != std::string::npos)
    throw UsageError("--seats-from tries the load as it is: leave out --of load=A..B");
  out.of = apf::HeadroomOf::seats;
  std::tie(out.least_seats, out.most_seats) =
      value_of("--seats-from", [&] { return apf::parse_seats_range(flags.seats_from); });
}

apf::HeadroomOptions options_of(const HeadroomFlags& flags) {
  apf::HeadroomOptions out;
  const std::size_t equals = flags.of.find('=');
  out.of = kHeadroomOf.parse("--of", flags.of.substr(0, equals));
  if (equals != std::string::npos) set_multiples(flags.of.substr(equals + 1), out);
  if (!flags.seats_from.empty()) set_seats(flags, out);
  for (const std::string& client : flags.clients) {
    std::string user = value_of("--client", [&] { return apf::parse_client(client); });
    if (std::find(out.clients.begin(), out.clients.end(), user) == out.clients.end())
      out.clients.push_back(std::move(user));
  }
  out.wait_bound = parse_duration("--wait-bound", flags.wait_bound);
  out.replay = flags.replay.options();
  out.replay.series = false;  // of replays' own pages
  return out;
}

// What suffers at the load as it is wants a change; else it may do with fewer seats.
apf::Passage next_of(const CommandLine& line, const HeadroomFlags& flags, const apf::HeadroomReport& report) {
  if (std::any_of(report.log.warnings.begin(), report.log.warnings.end(), apf::is_contradiction))
    return next_passage(with_evidence(line));
  if (report.of == apf::HeadroomOf::seats || report.levels.empty() || report.interrupted) return next_passage({});
  const auto is_now = [](const apf::HeadroomFigure& figure) { return figure.value && *figure.value <= 1; };
  for (const bool refuses : {true, false})
    for (const apf::HeadroomLevel& level : report.levels)
      if (is_now(refuses ? level.refuses_at : level.waits_at)) {
        const std::string goal =
            refuses ? level.name + ".rejected == 0" : level.name + ".p99wait <= " + flags.wait_bound;
        const std::string suggest = filled_in(line, "suggest");
        return next_passage({suggest.empty() ? suggest : suggest + " --goal " + apf::shell_word(goal)});
      }
  const std::string same = filled_in(line, "headroom");
  if (same.empty() || !flags.clients.empty() || flags.of != "load") return next_passage({});
  return next_passage({fmt::format("{} --seats-from 1..{}", same, report.log.server_concurrency_limit)});
}

}  // namespace

int cmd_headroom(CommandLine& line) {
  HeadroomFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  apf::LogOptions log;
  std::vector<std::string>& logs = log.logs = line.arguments(1, CommandLine::kAnyNumber, "LOG");
  const Console& console = flags.replay.console;
  if (!flags.replay.check()) return kUsageOrInput;
  find_logs_in(logs, log.texts, console);
  for (const std::string& path : logs) claim_input(path);
  log.log_format = flags.replay.log.format;
  take_server_flags(flags.replay, flags.replay.settings.known_server(), log);
  const Expectations expectations(flags.expect, *apf::facts_of(apf::HeadroomReport()));
  apf::HeadroomOptions options = options_of(flags);
  options.replay.logs = logs;
  options.replay.texts = log.texts;
  watch_interrupts();
  options.replay.interrupted = &g_interrupted;
  if (!flags.replay.load_configs(options.replay)) return kUsageOrInput;

  apf::LogQuestion question = flags.replay.question();
  question.take_widths(flags.replay.settings.known_server(), options.replay);
  ProgressLine progress(!console.quiet);
  options.replay.progress = [&](const apf::LogProgress& p) { progress.show(p); };
  options.progress = [&](const apf::HeadroomProgress& p) {
    if (options.of == apf::HeadroomOf::seats) return progress.show_replays(p.replays, p.about_all, {}, true);
    const char* what = options.of == apf::HeadroomOf::load ? "load" : "execution times";
    const std::string best = p.borne > 0 ? fmt::format("best so far {:g} times the {}", p.borne, what) : std::string();
    progress.show_replays(p.replays, p.about_all, {best, fmt::format("now {:g} times the {}", p.multiple, what)}, true);
  };
  apf::HeadroomReport report = apf::find_headroom(options);
  end_watch();
  progress.clear();
  question.complete(report.log);
  if (report.log.requests == 0 && !report.interrupted) throw apf::Error(apf::no_requests(report.log.warnings));
  apf::ReportFrame frame;
  frame.configuration = flags.replay.config.origin(options.replay.config, flags.replay.release) + "; " +
                        stages_origin(flags.replay.table, flags.replay.inflight, report.log.seats_by_log);
  frame.expectations = expectations.results(*apf::facts_of(report), flags.replay.allow_empty);
  question.mark_undecided(report.log, frame.expectations);
  write_report(
      flags.replay.output, console,
      [&](const apf::View& view) {
        return told(apf::document_of(report, frame, view), view, apf::assumed_seats(report.log),
                    next_of(line, flags, report));
      },
      [&] { return apf::render_json(report); });
  refuse_open("--expect", frame.expectations);
  const int code = print_unmet("headroom", frame.expectations, console);
  refuse_undecided(expectations.gate_flag(), question, report.log);
  return code;
}

}  // namespace apfctl
