// APF234: events of one of their two API groups.
#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

constexpr const char *kEvents = "events", *kNewerGroup = "events.k8s.io";

bool is_for_events(const ResourceRule& rule, const std::string& group) {
  const bool groups = is_any(rule.api_groups) || holds(rule.api_groups, group);
  return groups && (is_any(rule.resources) || holds(rule.resources, kEvents));
}

// The group that no rule of the FlowSchema has events of.
bool lacks(const FlowSchema& schema, const std::string& group) {
  bool found = false;
  for_each_resource_rule(schema, [&](const ResourceRuleEntry& of) { found = found || is_for_events(of.part, group); });
  return !found;
}

void check_half_of_events(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) {
    const ResourceRule& rule = of.part;
    if (is_any(rule.api_groups) || !holds(rule.resources, kEvents)) return;
    const bool core = holds(rule.api_groups, ""), newer = holds(rule.api_groups, kNewerGroup);
    const std::string missing = core ? kNewerGroup : "";
    if (core == newer || !lacks(of.schema, missing)) return;
    const auto entry = std::find(rule.resources.begin(), rule.resources.end(), kEvents);
    const auto index = static_cast<std::size_t>(entry - rule.resources.begin());
    Diagnostic& d = findings.add(
        of.schema, item_field(of.field + ".resources", index),
        core ? fmt::format(
                   "events are written through two API groups, and those of {} don't match: kube-scheduler's, and "
                   "most of newer controllers",
                   kNewerGroup)
             : std::string("events are written through two API groups, and those of the core group don't match: "
                           "kubelets', and most of older controllers"));
    d.witness = missed_by(context, of.schema, of.rule, request_of(rule, missing, kEvents));
    offer_fix(d, fmt::format("add \"{}\"", missing), false,
              append_item(*of.schema.meta.source.tree, of.field + ".apiGroups", missing));
  });
}

}  // namespace

extern const Rule rule_half_of_events = {
    .code = "APF234",
    .name = "half-of-events",
    .severity = Severity::info,
    .group = RuleGroup::precedence,
    .summary = "a FlowSchema for events matches those of one of their two API groups",
    .what = R"(A resourceRule lists events with one of the groups "" (core) and events.k8s.io, and no rule of the
FlowSchema has events of the other.)",
    .why = R"(The same events can be written and read through both groups, and which one a client uses is its own
matter: kubelets use the core group, kube-scheduler events.k8s.io. A FlowSchema that is to hold events back, or to
protect them, gets half of them. The EventRateLimit plugin sees only those of the core group.)",
    .example = R"(resourceRules:
- verbs: [create, patch, update]
  apiGroups: [""]
  resources: [events]
  namespaces: ["*"]
)",
    .instead = R"(resourceRules:
- verbs: [create, patch, update]
  apiGroups: ["", events.k8s.io]
  resources: [events]
  namespaces: ["*"]
)",
    .check = check_half_of_events,
};

}  // namespace apf
