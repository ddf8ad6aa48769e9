#include "logs/remarks.h"

namespace apf {

void remark(const ReadingFacts& facts, LogReport& report) {
  if (facts.implied_groups > 0)
    report.assumptions.push_back({.kind = RemarkKind::groups_implied, .count = facts.implied_groups});
  if (facts.clock_steps > 0)
    report.warnings.push_back(
        {.kind = RemarkKind::clock_set_back, .count = facts.clock_steps, .duration = facts.largest_clock_step});
  if (facts.mixed) report.warnings.push_back({.kind = RemarkKind::servers_mixed});
}

void remark(const JoinSums& sums, LogReport& report) {
  report.requests = sums.requests;
  report.out_of_window = sums.out_of_window;
  const auto warn = [&](RemarkKind kind, std::uint64_t count) {
    if (count > 0) report.warnings.push_back({.kind = kind, .count = count});
  };
  warn(RemarkKind::ends_before_arrival, sums.negative_latencies);
  warn(RemarkKind::duplicate_events, sums.duplicates);
  warn(RemarkKind::unfinished_requests, sums.unfinished);
  // What might have been two logs may have turned out to be one.
  const JoinReport& logs = sums.logs;
  if (logs.requests + logs.http_only == 0 || logs.requests + logs.audit_only == 0) return;
  report.join = logs;
  report.join.joined = true;
  if (logs.requests == 0 && logs.audit_only > 0 && logs.http_only > 0)
    report.warnings.push_back({.kind = RemarkKind::logs_unrelated});
}

void remark_zone(Nanos zone, LogReport& report) {
  if (zone != 0) report.assumptions.push_back({.kind = RemarkKind::time_zone_shifted, .duration = zone});
}

}  // namespace apf
