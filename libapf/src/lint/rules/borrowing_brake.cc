// APF313: a level of few seats that is meant to slow its clients down, and borrows all that is idle.
#include <cstdint>

#include <fmt/core.h>

#include "base/releases.h"
#include "lint/fix_edits.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

constexpr int kMostShares = 5;       // the built-in levels have 5 (catch-all) to 100
constexpr int kLeastParts = 50;      // at most a fiftieth of the seats
constexpr int kMostPlacesASeat = 4;  // requests that may wait

bool is_brake(const LintContext& context, const GivenLevel& given) {
  const LevelLimits& limits = *given.limits;
  const bool few = limits.nominal_cl > 0 && limits.nominal_concurrency_shares <= kMostShares &&
                   limits.nominal_cl * kLeastParts <= context.limits.server_concurrency_limit;
  const std::int64_t places = std::int64_t{limits.queues} * limits.queue_length_limit;
  return few && (limits.reject || places <= std::int64_t{kMostPlacesASeat} * limits.nominal_cl);
}

void check_borrowing_brake(const LintContext& context, Findings& findings) {
  if (!has(context.options.version, Feature::borrowing)) return;
  for (const GivenLevel& given : given_limited_levels(context)) {
    if (given.built_in || given.level->limited->borrowing_limit_percent || !is_brake(context, given)) continue;
    const LevelLimits& limits = *given.limits;
    const std::string field = shares_field(*given.level);
    Diagnostic& d = findings.add(
        *given.level, field,
        fmt::format("this level has {} but may borrow up to {}: while other levels are idle it slows nobody down",
                    count_of(limits.nominal_cl, "seat"), limits.max_cl));
    d.notes.push_back(
        {fmt::format("borrowingLimitPercent: 0 holds its clients to {}", count_of(limits.nominal_cl, "seat")), {}});
    const ConfigNode& root = *given.level->meta.source.tree;
    d.fix = Fix{"add borrowingLimitPercent: 0", false, insert_after(root, field, "borrowingLimitPercent", 0)};
    if (d.fix->edits.empty()) d.fix.reset();
  }
}

}  // namespace

extern const Rule rule_borrowing_brake = {
    .code = "APF313",
    .name = "borrowing-brake",
    .severity = Severity::info,
    .group = RuleGroup::concurrency,
    .summary = "a level of very few seats may borrow all others",
    .what = R"(A level has 5 shares or fewer, at most a fiftieth of the seats and hardly a place to wait, and no
borrowingLimitPercent. A level of 0 shares is the concern of APF309.)",
    .why = R"(Such a level is most often a brake for somebody's requests. Without borrowingLimitPercent a level may
borrow all that others lend: while the server has idle seats the brake doesn't hold, and a test on a quiet cluster
shows no effect.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: slow-lane
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    limitResponse:
      type: Reject
)",
    .instead = R"(    nominalConcurrencyShares: 1
    borrowingLimitPercent: 0
)",
    .check = check_borrowing_brake,
};

}  // namespace apf
