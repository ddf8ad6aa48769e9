// APF306: a level too small for the lists of many objects that its FlowSchemas bring.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "lint/given_levels.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// Seats of a list of 1 MB or more from the watch cache (1.34 and later), or of 1,000 objects (before).
constexpr int kWideList = 10;

// A list over all namespaces, or of a cluster-scoped resource.
bool takes_wide_lists(const FlowSchema& schema) {
  for (const PolicyRule& rule : schema.rules) {
    for (const ResourceRule& part : rule.resource_rules) {
      if (part.cluster_scope && (holds(part.verbs, "*") || holds(part.verbs, "list"))) return true;
    }
  }
  return false;
}

std::string width_arithmetic(const LevelLimits& limits) {
  return fmt::format("max(1, min(ceil(0.15 * {0}), {0} / {1})) = {2}", limits.nominal_cl, limits.hand_size,
                     limits.max_seats);
}

void check_no_room_for_wide_list(const LintContext& context, Findings& findings) {
  std::unordered_map<std::string_view, const FlowSchema*> listers;
  for (const FlowSchema& schema : context.effective.flow_schemas) {
    if (takes_wide_lists(schema)) listers.emplace(schema.priority_level, &schema);
  }
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const auto lister = listers.find(given.level->meta.name);
    if (lister == listers.end() || limits.nominal_cl <= 1) continue;
    std::string message;
    if (limits.queues > 0 && limits.max_seats == 1) {
      message = fmt::format(
          "no request of this level occupies more than {} seat: a list of a whole resource costs as much "
          "as a get, and {} such lists run at once",
          width_arithmetic(limits), limits.nominal_cl);
    } else if (limits.reject && limits.nominal_cl < kWideList) {
      message = fmt::format(
          "this level has {} seats and no queue: a list of {} seats runs only {}, otherwise it is rejected",
          nominal_arithmetic(context, limits), kWideList,
          limits.max_cl >= kWideList ? "on borrowed seats or while nothing else runs" : "while nothing else runs");
    } else {
      continue;
    }
    Diagnostic& d = findings.add(*given.level, shares_field(*given.level), std::move(message));
    d.notes.push_back(
        note_at(lister->second->meta, "spec.rules",
                fmt::format("FlowSchema \"{}\" sends lists of whole resources here", lister->second->meta.name)));
  }
}

}  // namespace

extern const Rule rule_no_room_for_wide_list = {
    .code = "APF306",
    .name = "no-room-for-wide-list",
    .severity = Severity::info,
    .group = RuleGroup::concurrency,
    .summary = "a level is too small for the large lists that it gets",
    .what = R"(A FlowSchema sends lists over all namespaces, or of cluster-scoped resources (verb list, clusterScope),
to the level. And either the level queues and the widest request that it allows, max(1, min(ceil(0.15 * nominal
limit), nominal limit / handSize)), is 1 seat, or the level rejects and has fewer than 10 seats.)",
    .why = R"(A list occupies more seats the more it reads: 10 for one of 1 MB from the watch cache, and up to 100. A
level that queues reduces this to its widest request. If that is 1, it runs as many large lists at once as it has
seats, and the server's memory isn't protected. A level that rejects doesn't reduce it: a list wider than the free
seats is rejected unless the level is idle.)",
    .example = R"(# 3 seats, without queues
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: reports
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    limitResponse:
      type: Reject
)",
    .instead = R"(Give the level more shares (`apfctl limits -f FILE` shows its seats and its widest request), a
smaller handSize, or queues. Or send lists to another level.)",
    .check = check_no_room_for_wide_list,
};

}  // namespace apf
