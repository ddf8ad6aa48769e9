// APF229: a resource that none of the rule's API groups has.
#include <algorithm>

#include <fmt/core.h>

#include "base/api_groups.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/resource_entries.h"

namespace apf {

namespace {

void offer_group(Diagnostic& d, const ResourceRuleEntry& of, std::string_view group, KubeVersion version) {
  const ConfigNode& root = *of.schema.meta.source.tree;
  const std::string list = of.field + ".apiGroups", quoted = fmt::format("\"{}\"", group);
  const bool all_there = std::all_of(of.part.resources.begin(), of.part.resources.end(), [&](const std::string& other) {
    const GroupResources* row = find_group_resource(group, resource_of(other));
    return row && has(*row, version);
  });
  if (all_there && of.part.api_groups.size() == 1)
    offer_fix(d, fmt::format("make the group {}", quoted), false, replace_scalar(root, item_field(list, 0), group));
  else offer_fix(d, fmt::format("add the group {}", quoted), false, append_item(root, list, group));
}

void check_resource_not_in_group(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) {
    for (std::size_t i = 0; i < of.part.resources.size(); ++i) {
      const std::string &entry = of.part.resources[i], at = item_field(of.field + ".resources", i);
      const std::optional<EntryMistake> mistake = mistake_in_entry(entry, of.part.api_groups, context.options.version);
      if (!mistake) continue;
      Diagnostic& d = findings.add(of.schema, at, mistake->message);
      d.severity = mistake->severity;
      if (!mistake->note.empty()) d.notes.push_back({mistake->note, {}});
      if (mistake->whole.empty()) continue;
      d.witness = missed_by(context, of.schema, of.rule, request_of(of.part, mistake->group, mistake->whole));
      if (!mistake->elsewhere) offer_correction(d, of.schema, at, of.part.resources, mistake->whole);
      else if (mistake->whole == entry) offer_group(d, of, mistake->group, context.options.version);
    }
  });
}

}  // namespace

extern const Rule rule_resource_not_in_group = {
    .code = "APF229",
    .name = "resource-not-in-group",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "none of the API groups has the resource",
    .what = R"(All API groups of a resourceRule are Kubernetes' own, and none of them has the resource (pods in apps,
secrets in batch), or the resource has no such subresource (pods/logs), or a subresource is listed without its resource
(exec). Groups of custom resources aren't looked at. With apiGroups: ["*"] only short names and subresources are
reported, as info. A resource that another release has in the group is an info, too.)",
    .why = R"(A request has the group and the resource of its URL, /apis/apps/v1/… or /api/v1/…. There is none for such
a pair, so the entry matches nothing, and the requests that it is meant for go to another FlowSchema.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [apps]
  resources: [deployments, pods]
  namespaces: ["*"]
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [apps, ""]
  resources: [deployments, pods]
  namespaces: ["*"]
)",
    .check = check_resource_not_in_group,
};

}  // namespace apf
