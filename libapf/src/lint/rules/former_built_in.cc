// APF506: FlowSchemas, and rules of them, that are no longer built in.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/releases.h"
#include "lint/autoupdate.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// The rule for the locks that system-leader-election had in early releases; nothing if it has none.
std::optional<std::string> rule_of_old_locks(const FlowSchema& schema) {
  std::optional<std::string> found;
  for_each_resource_rule(schema, [&](const ResourceRuleEntry& of) {
    const auto is_old_lock = [](const std::string& r) { return r == "endpoints" || r == "configmaps"; };
    if (!found && holds(of.part.api_groups, "") && !of.part.resources.empty() &&
        std::all_of(of.part.resources.begin(), of.part.resources.end(), is_old_lock)) {
      found = of.field;
    }
  });
  return found;
}

constexpr const char* kLocksNote =
    "system components elect their leaders by leases, which the built-in system-leader-election matches";

// workload-leader-election took the writes of endpoints by whoever elects a leader in kube-system.
constexpr const char* kEndpointsNote =
    "it kept the endpoints of controllers out of workload-leader-election; without that, the built-in "
    "kube-controller-manager and kube-system-service-accounts take them to the same level, workload-high";

void check_former_built_in(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (schema.meta.name == "system-leader-election") {
      const std::optional<std::string> field = rule_of_old_locks(schema);
      const FlowSchema* own = find_schema(context.builtins, schema.meta.name);
      if (!field || (own && rule_of_old_locks(*own))) continue;
      Diagnostic& d = findings.add(
          schema, *field,
          "the built-in system-leader-election no longer has this rule: this is a copy from an early release");
      d.notes.push_back({kLocksNote, {}});
      d.severity = Severity::info;
      continue;
    }
    const bool gone = !has(context.options.version, Feature::workload_leader_election_schema);
    if (!gone || !is_former_built_in(schema.meta.name)) continue;
    const bool deleted = autoupdate(schema.meta) == true;
    Diagnostic& d = findings.add(
        schema, "metadata.name",
        fmt::format("the FlowSchema \"{}\" is no longer built in since Kubernetes 1.34: {}", schema.meta.name,
                    deleted ? "because of its annotation the server deletes it" : "the server no longer maintains it"));
    d.notes.push_back({schema.meta.name == "endpoint-controller" ? kEndpointsNote : kLocksNote, {}});
    if (!deleted) d.severity = Severity::info;
  }
}

}  // namespace

extern const Rule rule_former_built_in = {
    .code = "APF506",
    .name = "former-built-in",
    .severity = Severity::warning,
    .group = RuleGroup::versions,
    .summary = "a FlowSchema, or one of its rules, is no longer built into the release",
    .what = R"(A FlowSchema is named workload-leader-election or endpoint-controller, and the release is 1.34 or
later. Or a FlowSchema named system-leader-election has a rule for endpoints or configmaps, as in early releases. If
the FlowSchema has the annotation apf.kubernetes.io/autoupdate-spec with a true value, the server deletes it;
otherwise the severity is info.)",
    .why = R"(These rules were for leader election by endpoints and configmaps, which system components no longer use,
and endpoint-controller kept the endpoints of Services apart from it.
A copy in a repository suggests that the server maintains the object, which it doesn't.)",
    .example = R"(metadata:
  name: endpoint-controller
  annotations:
    apf.kubernetes.io/autoupdate-spec: "true"
)",
    .instead = "Delete it, or keep it under your own name and without the annotation.",
    .check = check_former_built_in,
};

}  // namespace apf
