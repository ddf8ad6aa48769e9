// What the server's counters and its audit policy say of a log, as remarks; and what would make a log better.
#include <apf/server.h>

#include <algorithm>

namespace apf {

namespace {

using Recorded = PolicySchema::Recorded;
constexpr double kAllPercent = 99;  // percent

template <class Wanted>
std::string listed(const PolicyCoverage& policy, Wanted wanted) {
  std::string out;
  for (const PolicySchema& schema : policy.schemas)
    if (wanted(schema)) out += (out.empty() ? "" : ", ") + schema.name;
  return out;
}

std::string listed(const PolicyCoverage& policy, Recorded recorded) {
  return listed(policy, [&](const PolicySchema& schema) { return schema.recorded == recorded; });
}

bool lacks_ends(const PolicySchema& schema) { return !schema.without_end.empty(); }

// Seats that the missing requests took, on average over the log.
double missing_seats(const CoverageReport& coverage, const LoggedLoad& logged) {
  const double span = logged.begin ? static_cast<double>(*logged.end - *logged.begin) / 1e9 : 0;
  double out = 0;
  for (const CoverageReport::Schema& schema : coverage.schemas)
    if (schema.dispatched > schema.in_log)
      out += static_cast<double>(schema.dispatched - schema.in_log) * schema.execution.value_or(0);
  return span > 0 ? out / span : 0;
}

bool is_classified(const LogStat& stat) { return stat.with_user > 0 || stat.with_flow_schema > 0 || stat.traces > 0; }

bool has_sign(const std::vector<Remark>& signs, RemarkKind kind) {
  return std::any_of(signs.begin(), signs.end(), [&](const Remark& remark) { return remark.kind == kind; });
}

}  // namespace

std::vector<Remark> signs_of(const CoverageReport& coverage, const LoggedLoad& logged) {
  if (coverage.percent() >= kAllPercent) return {};
  Remark out{.kind = RemarkKind::load_missing,
             .count = coverage.missing(),
             .total = coverage.dispatched(),
             .name = coverage.scrapes};
  const double seats = missing_seats(coverage, logged);
  if (seats > 0) out.other = static_cast<std::uint64_t>(seats * 1000 + 0.5);
  return {out};
}

std::vector<Remark> signs_of(const PolicyCoverage& policy) {
  const std::string nothing = listed(policy, Recorded::nothing), part = listed(policy, Recorded::part);
  std::vector<Remark> out;
  if (!nothing.empty() || !part.empty())
    out.push_back({.kind = RemarkKind::policy_omits, .name = nothing, .detail = part});
  const auto endless = std::count_if(policy.schemas.begin(), policy.schemas.end(), lacks_ends);
  if (endless > 0)
    out.push_back({.kind = RemarkKind::policy_omits,
                   .count = static_cast<std::uint64_t>(endless),
                   .name = listed(policy, lacks_ends)});
  return out;
}

LevelCoverage levels_of(const LogStat& stat, const LogCoverage& known) {
  LevelCoverage out;
  std::map<std::string, bool> whole;  // by level
  if (known.metrics) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> counts;
    for (const CoverageReport::Schema& schema : known.metrics->schemas) {
      counts[schema.priority_level].first += schema.dispatched;
      counts[schema.priority_level].second += std::min(schema.in_log, schema.dispatched);
    }
    for (const auto& [level, count] : counts)
      whole[level] = static_cast<double>(count.second) * 100 >= kAllPercent * static_cast<double>(count.first);
  } else if (known.policy) {
    for (const PolicySchema& schema : known.policy->schemas)
      whole.try_emplace(schema.priority_level, true).first->second &=
          schema.recorded == Recorded::all && !lacks_ends(schema);
  } else {
    if (has_sign(stat.incomplete, RemarkKind::nodes_missing)) whole["node-high"] = whole["system"] = false;
    if (has_sign(stat.incomplete, RemarkKind::lease_updates_missing)) whole["leader-election"] = false;
  }
  for (const auto& [level, is_whole] : whole) (is_whole ? out.whole : out.incomplete).push_back(level);
  const bool selected =
      has_sign(stat.incomplete, RemarkKind::no_request_ends) || has_sign(stat.incomplete, RemarkKind::only_refusals);
  if (stat.requests == 0 || !is_classified(stat) || selected) out.replayable = LevelCoverage::Replayable::no;
  else if (!out.incomplete.empty() || !stat.incomplete.empty()) out.replayable = LevelCoverage::Replayable::partly;
  return out;
}

// Most effective first.
std::vector<Remark> better_log(const LogStat& stat, const LogCoverage& known) {
  std::vector<Remark> out;
  if (has_sign(stat.incomplete, RemarkKind::no_request_ends))
    return {{.kind = RemarkKind::better_policy, .detail = "ResponseComplete"}};
  const bool gaps = known.policy && known.policy->has_gaps();
  const bool lacks = (known.metrics && known.metrics->percent() < kAllPercent) ||
                     has_sign(stat.incomplete, RemarkKind::nodes_missing) ||
                     has_sign(stat.incomplete, RemarkKind::lease_updates_missing) ||
                     has_sign(stat.incomplete, RemarkKind::watches_missing) ||
                     has_sign(stat.incomplete, RemarkKind::reads_missing) ||
                     has_sign(stat.incomplete, RemarkKind::only_writes);
  if (stat.requests > 0 && !is_classified(stat)) {
    out.push_back({.kind = RemarkKind::better_policy, .detail = "user"});
  } else if (gaps || lacks) {
    std::string names, stage;
    if (known.policy) {
      const std::vector<PolicySchema>& schemas = known.policy->schemas;
      const std::string nothing = listed(*known.policy, Recorded::nothing),
                        part = listed(*known.policy, Recorded::part);
      names = nothing + (nothing.empty() || part.empty() ? "" : ", ") + part;
      if (std::any_of(schemas.begin(), schemas.end(), lacks_ends)) stage = "ResponseComplete";
      else if (names.empty() && gaps) stage = "ResponseStarted";
    }
    out.push_back({.kind = RemarkKind::better_policy, .name = names, .detail = stage});
  }
  const std::uint64_t complete = stat.requests - stat.unfinished;
  if (complete == 0 || stat.traces == complete) return out;
  if (stat.http == 0) out.push_back({.kind = RemarkKind::better_server_log});
  if (stat.http == 0 && stat.lists > 0) out.push_back({.kind = RemarkKind::better_object_counts, .count = stat.lists});
  if (stat.rebalancings == 0 && stat.limit_changes == 0 && stat.starts == 0)
    out.push_back({.kind = RemarkKind::better_start});
  if (!known.metrics) out.push_back({.kind = RemarkKind::better_scrapes});
  return out;
}

}  // namespace apf
