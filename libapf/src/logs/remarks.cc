#include "logs/remarks.h"

#include <cstdlib>

#include <fmt/format.h>

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

// In the order of what was measured to matter most.
std::vector<std::string> missing_of(const LogStat& s, Nanos reorder_window) {
  std::vector<std::string> out;
  const auto say = [&](bool it_is_so, std::string sentence) {
    if (it_is_so) out.push_back(std::move(sentence));
  };
  const std::uint64_t told = s.requests - s.unfinished, with_audit = told - s.http - s.traces;
  if (told == 0) return out;
  const auto of = [](std::uint64_t requests) {
    return fmt::format("{} {}", requests, requests == 1 ? "request" : "requests");
  };
  say(s.with_seats < told && s.http == 0,
      fmt::format(
          "Seats are told for {} of {} requests; the others are estimated (kube-apiserver's own log tells them at "
          "-v=3; --objects helps).",
          s.with_seats, told));
  say(s.with_execution == 0, s.http > 0
                                 ? "The HTTP log tells no execution times: it is older than v1.23, or API Priority and "
                                   "Fairness was off."
                                 : "How long requests executed is not told, only when they ended: ends are anchored.");
  say(s.http > 0 && s.with_user == 0,
      "Users are not told by the HTTP log: requests go where it says they went, and flows are told apart by address "
      "and "
      "user agent (give the audit log, too).");
  say(s.http > 0 && s.with_flow_schema == 0, "Neither users nor FlowSchemas are told: no request can be classified.");
  say(s.with_implied_groups > 0,
      fmt::format("Groups are not told ({}): those are taken that follow from the user's name.",
                  of(s.with_implied_groups)));
  say(with_audit > 0 && s.with_queue_wait == 0,
      "No waits are annotated, so that there is nothing to compare a replay with (the server does so above 500 ms).");
  say(s.finish_without_start > 0,
      fmt::format(
          "{} of {} watches are complete without ResponseStarted: a policy leaves the stage out, or the log begins "
          "later than they.",
          s.finish_without_start, s.watches));
  say(s.watches > s.watches_with_init,
      fmt::format("How long {} of {} watches took to initialize is not told (--watch-init).",
                  s.watches - s.watches_with_init, s.watches));
  say(s.unfinished > 0, fmt::format("The log does not tell the end: {}.", of(s.unfinished)));
  say(s.with_end < told, fmt::format("It is not told when they ended: {}.", of(told - s.with_end)));
  say(s.traces < told && s.rebalancings == 0 && s.limit_changes == 0,
      "Nothing tells when the server came up and when it moves seats (kube-apiserver's own log does; --start).");
  say(s.events > 10 && s.whole_seconds == s.events, "Times have no fractions of a second.");
  say(s.duplicates > 0,
      fmt::format("Told more than once, with the same audit ID and arrival: {}; the first one counts.",
                  of(s.duplicates)));
  say(s.out_of_order > 0,
      fmt::format(
          "Written more than {} before what stands ahead of them: {} in {} {}. The clock was set back, or the log "
          "is not in order of time.",
          format_go_duration(reorder_window), of(s.out_of_order), s.steps_back,
          s.steps_back == 1 ? "place" : "places"));
  say(s.negative_latencies > 0, fmt::format("Ended before they were received: {}.", of(s.negative_latencies)));
  say(s.starts > 1, fmt::format("The server was started {} times: a replay takes it for one run.", s.starts));
  return out;
}

}  // namespace apf
