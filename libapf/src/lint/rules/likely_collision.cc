// APF401: hands so alike that a light flow often has all its queues in common with heavy ones.
#include <apf/hand.h>

#include <fmt/core.h>

#include <algorithm>

#include <apf/output.h>

#include "lint/given_levels.h"
#include "lint/known_flows.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

// What the server's own levels have.
constexpr int kGoodQueues = 64, kGoodHand = 6;

constexpr const char* kHandField = "spec.limited.limitResponse.queuing.handSize";

std::string odds_text(double odds) {
  return odds < 0.0001 ? fmt::format("{:.1e}", odds) : fmt::format("{:.4g}%", odds * 100);
}

void add_places_note(const LevelLimits& limits, Diagnostic& d) {
  d.notes.push_back({fmt::format("each heavy flow can have {} * {} = {} waiting requests", limits.hand_size,
                                 limits.queue_length_limit, std::int64_t{limits.hand_size} * limits.queue_length_limit),
                     {}});
}

// Of flows that may be any: odds.
void report_odds(const LintContext& context, const GivenLevel& given, const FlowCount& flows, Findings& findings) {
  const LevelLimits& limits = *given.limits;
  const int heavy = flows.heavy(context.options.heavy_flows);
  if (heavy < 1) return;
  const double threshold = context.options.collision_threshold;
  const double odds = collision_probability(limits.queues, limits.hand_size, heavy);
  const double odds_of_one = collision_probability(limits.queues, limits.hand_size, 1);
  if (odds <= threshold || (limits.hand_size == 1 && odds_of_one > threshold)) return;
  Diagnostic& d = findings.add(
      *given.level, kHandField,
      fmt::format("{} of {} queues for each flow: with {} the odds are {} that a light flow shares all its queues "
                  "with them, and waits behind them",
                  limits.hand_size, limits.queues, count_of(heavy, "heavy flow"), odds_text(odds)));
  // Where one heavy flow is enough, it is not a matter of how many are assumed.
  if (odds_of_one <= threshold) d.severity = Severity::info;
  add_places_note(limits, d);
  const int queues = std::max(kGoodQueues, limits.queues);
  if (!dealer_error(queues, kGoodHand).empty()) return;
  const double better = collision_probability(queues, kGoodHand, heavy);
  if (better < odds / 2) {
    d.notes.push_back(
        {fmt::format("with queues {} and handSize {} the odds are {}", queues, kGoodHand, odds_text(better)), {}});
  }
}

std::string listed(const std::vector<KnownFlow>& flows, const Covering& covering) {
  std::string out;
  for (std::size_t i = 0; i < covering.by.size(); ++i) {
    if (i > 0) out += i + 1 == covering.by.size() ? " and " : ", ";
    out += fmt::format("\"{}\"", flows[covering.by[i]].words());
  }
  return out;
}

std::string hand_command(const LevelLimits& limits, const std::vector<KnownFlow>& flows, const Covering& covering) {
  std::string out = fmt::format("apfctl hand --queues {} --hand-size {} --flow {}", limits.queues, limits.hand_size,
                                shell_word(flows[covering.flow].words()));
  for (const std::size_t other : covering.by) out += " --flow " + shell_word(flows[other].words());
  return out;
}

// Of flows that are all named: the hands that the server deals them.
void report_coverings(const LintContext& context, const GivenLevel& given, Findings& findings) {
  constexpr std::size_t kShown = 3;
  const LevelLimits& limits = *given.limits;
  const int most = context.options.heavy_flows;
  const std::vector<KnownFlow> flows = known_flows(context, given.level->meta.name);
  const Coverings coverings = find_coverings(flows, limits.queues, limits.hand_size, most);
  if (coverings.found.empty() && !coverings.complete)
    findings
        .add(*given.level, kHandField,
             fmt::format("the hands of {} flows are too many to compare: whether some "
                         "are covered by others is not decided",
                         flows.size()))
        .severity = Severity::info;
  if (coverings.found.empty()) return;
  const Covering& first = coverings.found[0];
  const auto words = [&](const Covering& covering) {
    return fmt::format("all queues of flow \"{}\" are in the {} of {}", flows[covering.flow].words(),
                       covering.by.size() == 1 ? "hand" : "hands", listed(flows, covering));
  };
  Diagnostic& d =
      findings.add(*given.level, kHandField,
                   fmt::format("{} of {} queues for each flow: {}, and it waits behind {}", limits.hand_size,
                               limits.queues, words(first), first.by.size() == 1 ? "that one" : "those"));
  if (first.by.size() > 1) d.severity = Severity::info;
  d.witness = hand_command(limits, flows, first);
  add_places_note(limits, d);
  for (std::size_t i = 1; i < std::min(coverings.found.size(), kShown); ++i)
    d.notes.push_back({words(coverings.found[i]), {}});
  if (coverings.found.size() > kShown) {
    d.notes.push_back(
        {fmt::format("{} of the {} flows of this level are covered so", coverings.found.size(), flows.size()), {}});
  }
  const int queues = std::max(kGoodQueues, limits.queues);
  if (!dealer_error(queues, kGoodHand).empty()) return;
  const Coverings better = find_coverings(flows, queues, kGoodHand, most);
  if (better.complete && better.found.empty())
    d.notes.push_back({fmt::format("with queues {} and handSize {} none is covered", queues, kGoodHand), {}});
}

void check_likely_collision(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const auto of_level = flows.find(given.level->meta.name);
    // One queue is no hand, and one that holds all queues has a rule of its own.
    if (limits.queues <= 1 || limits.hand_size >= limits.queues || of_level == flows.end()) continue;
    if (given.queues_as_built_in()) continue;
    if (of_level->second.unbounded) report_odds(context, given, of_level->second, findings);
    else report_coverings(context, given, findings);
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
at once (4 by default). The severity is warning if one heavy flow is enough for that, otherwise info. Where the
FlowSchemas of a level name all users or namespaces that make flows, nothing is left to chance: the rule deals their
hands as the server does and reports flows whose queues are all in the hands of others, at most so many, by name.)",
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
        R"(# More queues with the same hand, or the built-in levels' 64 or 128 queues with hands of 6: 0.07% with four heavy
# flows. apfctl hand --table shows the odds of other pairs; queueLengthLimit doesn't change them.
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .check = check_likely_collision,
};

}  // namespace apf
