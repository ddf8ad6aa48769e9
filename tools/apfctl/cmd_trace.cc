// apfctl trace: any log as trace lines.

#include <fmt/format.h>

#include <apf/replay.h>
#include <apf/report.h>
#include <apf/trace.h>

#include "commands.h"
#include "options.h"
#include "output.h"

namespace apfctl {

namespace {


void warn_of(const apf::ReplayReport& report, const Console& console) {
  for (const std::string& warning : report.warnings) console.warn(apf::printable(warning));
  for (const auto& [reason, lines] : report.unusable) {
    console.warn(
        fmt::format("{} {} left out: {}", lines, lines == 1 ? "line is" : "lines are", apf::printable(reason)));
  }
  if (report.out_of_window > 0) {
    console.warn(fmt::format("{} {} not in order of arrival: the log is too much out of order", report.out_of_window,
                             report.out_of_window == 1 ? "line is" : "lines are"));
  }
}

}  // namespace

int cmd_trace(CommandLine& line) {
  Console console;
  OutputFlags output;
  LogFlags log;
  apf::TraceOptions options;
  line.synopsis("trace LOG... [FLAG]...");
  line.about(
      "Writes the requests of a log as trace lines, one JSON object for each request in order of arrival, the stages "
      "of an audit log "
      "joined. apfctl-trace(5) describes the lines. LOG: as for replay.");
  line.example("what a replay will read from this log", "apfctl trace audit.log | head -n 3 | jq .");
  line.example("a rotated log as one small file to keep", "apfctl trace audit-*.log.gz audit.log -o json=week.jsonl");
  log.declare(line);
  output.declare(line, {"json"});
  console.declare(line);
  if (!line.parse()) return 0;
  options.logs = line.arguments(1, 100'000, "the log (LOG...)");
  console.check();
  output.check();
  log.check();
  options.log_format = log.format;
  options.log_year = log.year;
  if (output.targets.size() != 1) throw UsageError("trace writes one output");
  watch_interrupts();
  options.interrupted = &g_interrupted;

  Output out(output.targets[0].file);
  const apf::ReplayReport report = apf::trace_logs(options, [&](const apf::TraceRequest& request) {
    out.write(apf::render_trace_line(request) + "\n");
    if (out.closed_pipe()) throw ClosedPipe();
  });
  out.close();
  warn_of(report, console);
  return 0;
}

}  // namespace apfctl
