#include "logs/remarks.h"

#include <cstdlib>

namespace apf {

const char* const kMixedServers =
    "The lines of several servers (or processes of one) stand mixed in the log. They are taken for those of one "
    "server, whose limits they would have to share: give each server's log alone.";

namespace {

std::string describe_clock_steps(std::uint64_t steps, Nanos largest) {
  const std::string by = format_go_duration(largest);
  return (steps == 1 ? "The clock of the log was set back once, by " + by
                     : "The clock of the log was set back " + std::to_string(steps) + " times, by up to " + by) +
         ": what follows is taken to go on from there, so that its times are later here than in the log.";
}

}  // namespace

void remark(const ReadingFacts& facts, LogReport& report) {
  if (facts.implied_groups > 0)
    report.assumptions.push_back(std::to_string(facts.implied_groups) +
                                 " events of Google Cloud do not tell the groups of their user: those are taken that "
                                 "follow from the name (system:serviceaccounts, system:nodes, system:authenticated).");
  if (facts.clock_steps > 0)
    report.warnings.push_back(describe_clock_steps(facts.clock_steps, facts.largest_clock_step));
  if (facts.mixed) report.warnings.emplace_back(kMixedServers);
}

void remark(const JoinSums& sums, LogReport& report) {
  report.requests = sums.requests;
  report.out_of_window = sums.out_of_window;
  const auto warn = [&](std::uint64_t count, const char* one, const char* more) {
    if (count > 0) report.warnings.push_back(std::to_string(count) + (count == 1 ? one : more));
  };
  warn(sums.negative_latencies, " event ends before it was received; it is taken to arrive when it ends.",
       " events end before they were received; they are taken to arrive when they end.");
  warn(sums.duplicates, " event is in the log a second time, with the same audit ID and arrival: it counts once.",
       " events are in the log a second time, with the same audit ID and arrival: they count once.");
  warn(sums.unfinished, " request has no end in the log.", " requests have no end in the log.");
  // What might have been two logs may have turned out to be one.
  const JoinReport& logs = sums.logs;
  if (logs.requests + logs.http_only == 0 || logs.requests + logs.audit_only == 0) return;
  report.join = logs;
  report.join.joined = true;
  if (logs.requests == 0 && logs.audit_only > 0 && logs.http_only > 0)
    report.warnings.push_back(
        "No request stands in both logs: are they of one server and of one time? klog text tells neither year "
        "nor zone (--log-year), and logs that are no files cannot be looked into beforehand.");
}

void remark_zone(Nanos zone, LogReport& report) {
  if (zone == 0) return;
  report.assumptions.push_back("The server's own log is taken to be " + format_go_duration(std::abs(zone)) +
                               (zone > 0 ? " behind" : " ahead of") +
                               " UTC, by requests that the audit log tells of, too.");
}

}  // namespace apf
