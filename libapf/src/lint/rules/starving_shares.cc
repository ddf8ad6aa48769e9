// APF302: shares so large that every built-in level loses half of its seats or more.
#include <fmt/core.h>

#include "base/releases.h"
#include "base/sort_stably.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

struct Taker {
  const PriorityLevel* level;
  const LevelLimits* limits;
  std::int64_t more;  // shares beyond those of the built-in level of its name
};

// Given levels with more shares than the server's own of that name, the largest first.
std::vector<Taker> find_takers(const LintContext& context, const LimitsTable& before) {
  std::vector<Taker> takers;
  for (const PriorityLevel& level : context.stored.priority_levels) {
    const LevelLimits* const limits = limits_of(context.limits, level.meta.name);
    if (!limits) continue;
    const LevelLimits* const own = limits_of(before, level.meta.name);
    const std::int64_t more = limits->nominal_concurrency_shares - (own ? own->nominal_concurrency_shares : 0);
    if (more > 0) takers.push_back({&level, limits, more});
  }
  sort_stably(takers, [](const Taker& a, const Taker& b) { return a.more > b.more; });
  return takers;
}

// Built-in levels whose shares are as they were: what was, and what is left.
std::vector<std::pair<const LevelLimits*, const LevelLimits*>> find_losers(const LintContext& context,
                                                                           const LimitsTable& before) {
  std::vector<std::pair<const LevelLimits*, const LevelLimits*>> losers;
  for (const LevelLimits& own : before.levels) {
    const LevelLimits* const now = limits_of(context.limits, own.name);
    if (own.exempt || own.name == "catch-all" || !now || now->nominal_cl >= own.nominal_cl) continue;
    if (now->nominal_concurrency_shares == own.nominal_concurrency_shares) losers.emplace_back(&own, now);
  }
  return losers;
}

void check_starving_shares(const LintContext& context, Findings& findings) {
  const LimitsTable before =
      compute_limits(context.builtins, context.limits.server_concurrency_limit, context.options.version);
  if (context.limits.share_sum < 2 * before.share_sum) return;
  const std::vector<Taker> takers = find_takers(context, before);
  const auto losers = find_losers(context, before);
  if (takers.empty() || losers.empty()) return;

  const Taker& largest = takers.front();
  const LevelLimits& limits = *largest.limits;
  const std::string others =
      takers.size() == 1
          ? ""
          : fmt::format(" and those of {}", count_of(std::int64_t(takers.size()) - 1, "more given level"));
  Diagnostic& d = findings.add(
      *largest.level, limits.exempt ? "spec.exempt.nominalConcurrencyShares" : shares_field(*largest.level),
      fmt::format(
          "this level's {} shares{} leave the server's own levels {} / {} = {}% of their seats; this level gets {}",
          limits.nominal_concurrency_shares, others, before.share_sum, context.limits.share_sum,
          before.share_sum * 100 / context.limits.share_sum, nominal_arithmetic(context, limits)));
  for (const auto& [own, now] : losers) {
    d.notes.push_back({fmt::format("{}: {} seats become {}", own->name, own->nominal_cl, now->nominal_cl), {}});
  }
  if (limits.lendable_cl > 0) {
    d.notes.push_back(
        {fmt::format("while this level is idle, others can borrow {} of its seats", limits.lendable_cl), {}});
  } else if (has(context.options.version, Feature::borrowing)) {
    d.notes.push_back({"this level lends none of its seats, even while it is idle", {}});
  }
}

}  // namespace

extern const Rule rule_starving_shares = {
    .code = "APF302",
    .name = "starving-shares",
    .severity = Severity::warning,
    .group = RuleGroup::concurrency,
    .summary = "shares take half or more of the seats of the server's own levels",
    .what = R"(With the given levels, the sum of all shares is at least twice that of the release's own levels. So
system, node-high, leader-election and the others, if their shares are unchanged, keep half of their seats or less.
The finding is reported for the level that adds the most shares; its notes say what each built-in level loses.)",
    .why = R"(The server's seats are fixed, and shares divide them. If a level gets many shares just to be safe, its
seats come from nodes, leader election and controllers. They are missing there even while the level is idle, except
for those that it lends.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: shop
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 400
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .instead = R"(Use fewer shares, and raise the server's limits (--max-requests-inflight,
--max-mutating-requests-inflight) if there isn't enough for all. Or let the level lend most of its seats
(lendablePercent).)",
    .check = check_starving_shares,
};

}  // namespace apf
