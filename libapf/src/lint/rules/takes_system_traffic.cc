// APF202: heartbeats, leader election and health checks that go to a FlowSchema for workloads.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "lint/reach/reach.h"
#include "lint/reach/witness.h"
#include "lint/system_traffic.h"

namespace apf {

namespace {

bool comes_before(const std::vector<const FlowSchema*>& schemas, std::int32_t precedence) {
  return std::any_of(schemas.begin(), schemas.end(),
                     [&](const FlowSchema* s) { return s->matching_precedence <= precedence; });
}

void check_takes_system_traffic(const LintContext& context, Findings& findings) {
  const FlowSchema* last = find_schema(context.effective, "system-node-high");
  if (!last || !comes_before(own_schemas(context), last->matching_precedence)) return;
  const EffectiveLevels& levels = context.levels();
  const Reach& reach = context.reach();
  std::vector<std::pair<std::uint32_t, const char*>> reported;
  for (const VitalRequest& vital : vital_requests()) {
    const FlowSchema* built_in = find_schema(context.effective, vital.built_in);
    const RequestInfo request = request_of(vital);
    const User user = system_user(vital.user, vital.group);
    const std::optional<std::uint32_t> taker = reach.first_match(user, request);
    if (!taker || !built_in) continue;
    const FlowSchema& schema = *reach.consulted()[*taker];
    if (!is_worse_place(context, levels, schema, *built_in)) continue;
    if (std::find(reported.begin(), reported.end(), std::pair(*taker, vital.what)) != reported.end()) continue;
    reported.emplace_back(*taker, vital.what);
    Diagnostic& d = findings.add(
        schema, "spec.matchingPrecedence",
        fmt::format("gets {} instead of the built-in FlowSchema \"{}\", which comes later at precedence {}", vital.what,
                    vital.built_in, built_in->matching_precedence));
    d.witness = explain_command(user, request, context.reach().command_flags());
  }
}

}  // namespace

extern const Rule rule_takes_system_traffic = {
    .code = "APF202",
    .name = "takes-system-traffic",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "heartbeats, leader election or health checks go to a FlowSchema for workloads",
    .what = R"(A FlowSchema comes before system-node-high, system-leader-election or probes, and matches requests that
these are for. Its level is neither exempt nor theirs.)",
    .why = R"(These requests are few, and must be answered in time. If they wait behind other requests, nodes are
considered dead and their pods evicted, controllers lose their leases and restart, and the server is restarted by its
own probe, all while the load is highest.)",
    .example = R"(spec:
  matchingPrecedence: 50
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:authenticated"}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
)",
    .instead = R"(Use a precedence of 1000 or above, or restrict subjects and resources so that they exclude these
requests.)",
    .check = check_takes_system_traffic,
};

}  // namespace apf
