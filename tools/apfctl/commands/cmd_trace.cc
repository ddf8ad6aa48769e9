// apfctl trace: any log as trace lines.

#include <algorithm>
#include <functional>
#include <optional>

#include <apf/error.h>
#include <apf/logs.h>
#include <apf/report.h>

#include "flags/damaged_logs.h"
#include "flags/log_paths.h"
#include "flags/options.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/output.h"
#include "shared/words.h"

namespace apfctl {

namespace {

// The first lines of each log that cannot be used: where, and why.
std::string bad_lines(const apf::BadLines& log) {
  std::string out = "skipped " + plural(log.lines, "line", "lines") + " of " + log.log + ": ";
  for (std::size_t i = 0; i < log.first.size(); ++i)
    out += (i > 0 ? "; " : "") + std::to_string(log.first[i].number) + ": " + log.first[i].why;
  return apf::printable(out + (log.lines > log.first.size() ? "; …" : ""));
}

void warn_of(apf::LogReport report, const Console& console) {
  add_hints(report);
  for (const apf::Remark& warning : report.warnings)
    if (warning.kind != apf::RemarkKind::log_damaged) console.warn(apf::printable(apf::render_text(warning)));
  for (const apf::BadLines& log : report.bad_lines) console.warn(bad_lines(log));
  if (report.out_of_window > 0)
    console.warn(plural(report.out_of_window, "line is", "lines are") +
                 " not in order of arrival: the log is too far out of order");
}

struct TraceFlags {
  Console console;
  OutputFlags output;
  LogFlags log;
  std::optional<std::string> redact;  // the key of the hashes, which may be empty
};

void declare(CommandLine& line, TraceFlags& flags) {
  line.synopsis("trace LOG... [FLAG]...");
  line.about(
      "Which requests does a log hold, one to a line?",
      "Prints the requests in a log as trace lines: one JSON object for each request, in order of arrival, with the "
      "stages of an audit event joined. apfctl-trace(5) describes the lines. LOG: a log in any format of "
      "apfctl-logs(5).");
  line.example("as trace lines", "apfctl trace examples/incident/audit.log.gz");
  line.example("a log to share, without names", "apfctl trace --redact examples/incident/audit.log.gz");
  line.example("without names, and the same stand-ins in every log of this key",
               "apfctl trace --redact=0123456789abcdef examples/incident/audit.log.gz");
  flags.log.declare(line);
  line.heading("Result");
  line.flag("--redact", flags.redact, "[=KEY]",
            "Replace names of users, groups, namespaces and objects, addresses, user agents and IDs with hashes. Equal "
            "names get equal hashes. KEY: a secret text; without it, anyone who guesses a name can verify the guess.");
  flags.output.declare(line, {"json"});
  flags.console.declare(line);
}

void check(TraceFlags& flags) {
  flags.console.check();
  flags.output.check();
  flags.log.check();
  if (flags.output.targets.size() != 1) throw UsageError("trace supports only one output (-o)");
}

int write_lines(const TraceFlags& flags, const apf::LogOptions& options) {
  Output out(flags.output.targets[0].file);
  // Lines may turn out not to be in order of time. What comes through a pipe is written as it comes.
  const bool is_read_again = std::all_of(options.logs.begin(), options.logs.end(), [&](const std::string& log) {
    return apf::can_be_read_again(log, options.texts);
  });
  if (is_read_again && !out.can_begin_again()) out.hold_back();
  std::function<void()> begin_again;
  if (out.can_begin_again()) begin_again = [&] { out.begin_again(); };
  std::optional<apf::Redactor> redactor;
  if (flags.redact) redactor.emplace(*flags.redact);
  std::string line;
  const auto write = [&](const apf::TraceRequest& request) {
    if (redactor) {
      apf::TraceRequest redacted = request;
      redactor->apply(redacted);
      line = apf::render_trace_line(redacted);
    } else {
      line = apf::render_trace_line(request);
    }
    line += '\n';
    out.write(line);
    if (out.closed_pipe()) throw ClosedPipe();
  };
  const apf::LogReport report = apf::trace_logs(options, write, begin_again);
  end_watch();
  if (!skip_interrupted(flags.output.targets[0].file)) out.close();
  bool partial = report_damaged_logs(report.warnings);
  if (const std::string why = apf::why_unusable(report); !why.empty()) {
    partial = true;
    write_stderr("apfctl: " + why + "\n");
  }
  warn_of(report, flags.console);
  if (!report.interrupted && report.requests == 0 && !partial)
    throw apf::Error(join(options.logs) + ": no requests found");
  if (flags.redact && flags.redact->empty())
    flags.console.note(
        "names are hashed without a key: anyone who guesses a name can verify the guess (use --redact=KEY)");
  return partial ? kUsageOrInput : 0;
}

}  // namespace

int cmd_trace(CommandLine& line) {
  TraceFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  apf::LogOptions options;
  options.logs = line.arguments(1, CommandLine::kAnyNumber, "the log (LOG...)");
  check(flags);
  find_logs_in(options.logs, options.texts, flags.console);
  options.log_format = flags.log.format;
  options.log_year = flags.log.year;
  options.needs_events = true;
  for (const std::string& log : options.logs) claim_input(log);
  watch_interrupts(Watch::streams);
  options.interrupted = &g_interrupted;
  return write_lines(flags, options);
}

}  // namespace apfctl
