#include "logs/remarks.h"

#include "base/releases.h"
#include "logs/answer_cause.h"

namespace apf {

namespace {

// A server's 429s are often taken for those of API Priority and Fairness.
void remark(const RefusalCounts& refusals, LogReport& report) {
  std::uint64_t all = 0, others = 0;
  std::vector<CountedCause> counts;
  for (std::size_t i = 0; i < refusals.by_cause.size(); ++i) {
    counts.emplace_back(static_cast<AnswerCause>(i), refusals.by_cause[i]);
    all += refusals.by_cause[i];
    if (!may_be_apf(counts.back().first)) others += refusals.by_cause[i];
  }
  if (others > 0)
    report.warnings.push_back(
        {.kind = RemarkKind::refusals_of_others, .count = others, .total = all, .detail = other_refusals(counts)});
}

}  // namespace

void remark(const ReadingFacts& facts, LogReport& report) {
  remark(facts.refusals, report);
  for (const TroubleCounts::Row& row : facts.troubles.rows)
    report.warnings.push_back(
        {.kind = RemarkKind::server_trouble, .count = row.count, .time = row.first, .detail = row.words});
  if (facts.implied_groups > 0)
    report.assumptions.push_back({.kind = RemarkKind::groups_implied, .count = facts.implied_groups});
  report.out_of_order = facts.falls.lines;
  if (facts.falls.lines > 0)
    report.warnings.push_back(
        {.kind = RemarkKind::out_of_order, .count = facts.falls.lines, .duration = facts.falls.deepest});
  if (facts.threads < facts.threads_wanted)
    report.warnings.push_back(
        {.kind = RemarkKind::threads_missing, .count = facts.threads, .total = facts.threads_wanted});
  for (Remark& remark : servers_in_files(facts.spans)) report.warnings.push_back(std::move(remark));
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
  // A copy of a log is no other server's.
  if (sums.duplicates * 2 >= sums.requests)
    std::erase_if(report.warnings, [](const Remark& remark) { return remark.kind == RemarkKind::servers_in_files; });
  warn(RemarkKind::aggregated_repeats, sums.aggregated);
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

// In the order of what was measured to matter most.
std::vector<Remark> missing_of(const LogStat& s, std::optional<KubeVersion> release) {
  std::vector<Remark> out;
  using Kind = RemarkKind;
  // The release, if that is why it is missing.
  const auto because = [&](Feature feature) {
    return release && !has(*release, feature) ? release->str() : std::string();
  };
  const auto add = [&](bool applies, Remark what) {
    if (applies) out.push_back(std::move(what));
  };
  const std::uint64_t complete = s.requests - s.unfinished, with_audit = complete - s.http - s.traces;
  if (complete == 0) return out;
  add(s.with_seats < complete && s.http == 0, {.kind = Kind::seats_missing,
                                               .count = s.with_seats,
                                               .total = complete,
                                               .name = s.http > 0 ? because(Feature::http_log_seats) : std::string()});
  add(s.with_execution == 0, {.kind = s.http > 0 ? Kind::http_execution_missing : Kind::execution_missing,
                              .name = s.http > 0 ? because(Feature::http_log_execution) : std::string()});
  add(s.http > 0 && s.with_user == 0, {.kind = Kind::users_missing});
  add(s.http > 0 && s.with_flow_schema == 0,
      {.kind = Kind::classification_missing, .name = because(Feature::http_log_classification)});
  add(s.with_implied_groups > 0, {.kind = Kind::groups_implied, .count = s.with_implied_groups});
  add(with_audit > 0 && s.with_queue_wait == 0,
      {.kind = Kind::waits_missing, .name = because(Feature::audited_queue_wait)});
  add(s.finish_without_start > 0,
      {.kind = Kind::watch_starts_missing, .count = s.finish_without_start, .total = s.watches});
  add(s.watches > s.watches_with_init,
      {.kind = Kind::watch_init_missing, .count = s.watches - s.watches_with_init, .total = s.watches});
  add(s.unfinished > 0, {.kind = Kind::unfinished_requests, .count = s.unfinished});
  add(s.with_end < complete, {.kind = Kind::ends_missing, .count = complete - s.with_end});
  add(s.traces < complete && s.rebalancings == 0 && s.limit_changes == 0, {.kind = Kind::clock_missing});
  add(s.events > 10 && s.whole_seconds == s.events, {.kind = Kind::whole_seconds});
  add(s.duplicates > 0, {.kind = Kind::duplicate_events, .count = s.duplicates});
  add(s.negative_latencies > 0, {.kind = Kind::ends_before_arrival, .count = s.negative_latencies});
  add(s.starts > 1, {.kind = Kind::server_restarted, .count = s.starts - 1});
  return out;
}

}  // namespace apf
