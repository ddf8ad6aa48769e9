// APF401: hands so alike that a light flow often has all its queues in common with heavy ones.
#include <apf/hand.h>

#include <fmt/core.h>

#include <algorithm>

#include "lint/given_levels.h"

namespace apf {

namespace {

// What the server's own levels have.
constexpr int kGoodQueues = 64, kGoodHand = 6;

std::string odds_text(double odds) {
  return odds < 0.0001 ? fmt::format("{:.1e}", odds) : fmt::format("{:.4g}%", odds * 100);
}

void check_likely_collision(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  const double threshold = context.options.collision_threshold;
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const auto of_level = flows.find(given.level->meta.name);
    // One queue is no hand, and one that holds all queues has a rule of its own.
    if (limits.queues <= 1 || limits.hand_size >= limits.queues || of_level == flows.end()) continue;
    if (given.queues_as_built_in()) continue;
    const int heavy = of_level->second.heavy(context.options.heavy_flows);
    if (heavy < 1) continue;
    const double odds = collision_probability(limits.queues, limits.hand_size, heavy);
    const double odds_of_one = collision_probability(limits.queues, limits.hand_size, 1);
    if (odds <= threshold || (limits.hand_size == 1 && odds_of_one > threshold)) continue;
    Diagnostic& d = findings.add(
        *given.level, "spec.limited.limitResponse.queuing.handSize",
        fmt::format("{} of {} queues for each flow: with {} the odds are {} that a light flow shares all its queues "
                    "with them, and waits behind them",
                    limits.hand_size, limits.queues, count_of(heavy, "heavy flow"), odds_text(odds)));
    // Where one heavy flow is enough, it is not a matter of how many are assumed.
    if (odds_of_one <= threshold) d.severity = Severity::info;
    d.notes.push_back(
        {fmt::format("each heavy flow can have {} * {} = {} waiting requests", limits.hand_size,
                     limits.queue_length_limit, std::int64_t{limits.hand_size} * limits.queue_length_limit),
         {}});
    if (!of_level->second.unbounded) {
      d.notes.push_back(
          {fmt::format("the FlowSchemas of this level make {}", count_of(of_level->second.known, "flow")), {}});
    }
    const int queues = std::max(kGoodQueues, limits.queues);
    if (!dealer_error(queues, kGoodHand).empty()) continue;
    const double better = collision_probability(queues, kGoodHand, heavy);
    if (better < odds / 2) {
      d.notes.push_back(
          {fmt::format("with queues {} and handSize {} the odds are {}", queues, kGoodHand, odds_text(better)), {}});
    }
  }
}

}  // namespace

extern const Rule rule_likely_collision = {
    .code = "APF401",
    .name = "likely-collision",
    .severity = Severity::warning,
    .group = RuleGroup::queues,
    .summary = "heavy flows are likely to fill all queues of a light flow",
    .what = R"(Each flow has handSize queues, its hand, and each request joins the shortest of them. The rule
computes, exactly from queues and handSize, the odds that every queue of a light flow is also in the hand of some
heavy flow. It reports odds above the threshold (1% by default) for the number of flows that are assumed to be heavy
at once (4 by default, or one less than the number of flows that the FlowSchemas can make). The severity is warning if
one heavy flow is enough for that, otherwise info.)",
    .why = R"(A light flow that has a queue to itself gets its turn however long the queues of the heavy flows are.
Without one, it waits behind their requests. A flow always has the same hand: the same client suffers every time the
same others are busy.)",
    .example = R"(# 4 of 8: 1.4% with one heavy flow, 76% with four
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    limitResponse:
      type: Queue
      queuing: {queues: 8, handSize: 4, queueLengthLimit: 50}
)",
    .instead =
        R"(      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}   # 0.07% with four; `apfctl hand --table` has more
)",
    .check = check_likely_collision,
};

}  // namespace apf
