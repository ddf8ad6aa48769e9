// APF113: a verb, API group, resource, namespace, clusterScope or URL of a rule that never counts.
#include <fmt/core.h>

#include "lint/reach/text.h"

namespace apf {

namespace {

class Entries {
 public:
  Entries(const Reach& reach, std::uint32_t schema, Findings& findings)
      : reach_(reach), schema_(schema), findings_(findings) {}

  void check(std::uint32_t r, std::uint32_t p, const PolicyRule& rule, const PartReach& part) {
    selection_ = {};
    selection_.rule = r;
    selection_.part = p;
    field_ = part_field(r, part);
    if (part.is_url) {
      const NonResourceRule& written = rule.non_resource_rules[part.index];
      check_list("verbs", "verb", kVerbSide, written.verbs, part.verbs);
      check_list("nonResourceURLs", "path", kPathSide, written.urls, part.urls);
      return;
    }
    const ResourceRule& written = rule.resource_rules[part.index];
    check_list("verbs", "verb", kVerbSide, written.verbs, part.verbs);
    check_list("apiGroups", "API group", kGroupSide, written.api_groups, part.api_groups);
    check_list("resources", "resource", kResourceSide, written.resources, part.resources);
    check_list("namespaces", "namespace", kNamespaceSide, written.namespaces, part.namespaces);
    if (part.cluster_scope) return;
    selection_.side = kNamespaceSide;
    selection_.value.clear();
    add_shadowed(reach_, schema_, selection_, field_ + ".clusterScope", "this rule without a namespace", findings_);
  }

 private:
  void check_list(const char* name, const char* what, std::size_t side, const std::vector<std::string>& list,
                  const std::vector<bool>& reached) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      // An empty namespace matches nothing anyway.
      if (reached[i] || (side == kNamespaceSide && list[i].empty())) continue;
      selection_.side = side;
      selection_.value = list[i];
      add_shadowed(reach_, schema_, selection_, fmt::format("{}.{}[{}]", field_, name, i),
                   fmt::format("this rule with {} \"{}\"", what, list[i]), findings_);
    }
  }

  const Reach& reach_;
  std::uint32_t schema_;
  Findings& findings_;
  ReachSelection selection_;
  std::string field_;
};

void check_dead_entry(const LintContext& context, Findings& findings) {
  const Reach& reach = context.reach();
  for_given_schemas(context, [&](std::uint32_t schema, const FlowSchema& object) {
    const SchemaReach& of = reach.of(schema);
    Entries entries(reach, schema, findings);
    for (std::uint32_t r = 0; r < of.rules.size(); ++r) {
      for (std::uint32_t p = 0; p < of.rules[r].parts.size(); ++p) {
        if (of.rules[r].parts[p].reached) entries.check(r, p, object.rules[r], of.rules[r].parts[p]);
      }
    }
  });
}

}  // namespace

extern const Rule rule_dead_entry = {
    .code = "APF113",
    .name = "dead-entry",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "earlier FlowSchemas match all requests of one entry in a list",
    .what = R"(One verb, API group, resource, namespace, clusterScope or path of a rule has no effect: for this value,
an earlier FlowSchema matches every request that the rule's other lists and its subjects allow.)",
    .why = R"(These requests go to another priority level than the rule says. The rest of the rule works, so this is
hard to notice.)",
    .example = R"(spec:
  matchingPrecedence: 1000
  rules:
  - subjects:
    - {kind: Group, group: {name: system:authenticated}}
    nonResourceRules:
    - verbs: [get]
      nonResourceURLs: [/metrics, /healthz]   # probes (2) takes /healthz
)",
    .instead = R"(Delete the entry, or give this FlowSchema a lower matchingPrecedence than those that the finding
names.)",
    .check = check_dead_entry,
};

}  // namespace apf
