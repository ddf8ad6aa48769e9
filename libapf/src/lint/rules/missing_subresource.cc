// APF211: the schema's name speaks of a subresource, its rules list only the resource.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

// A word of a FlowSchema's name that leaves little doubt, and what it speaks of.
struct Intent {
  std::string_view word, resource, subresource, verb;
};
constexpr Intent kIntents[] = {
    {"eviction", "pods", "eviction", "create"},      {"evictions", "pods", "eviction", "create"},
    {"evict", "pods", "eviction", "create"},         {"heartbeat", "nodes", "status", "patch"},
    {"heartbeats", "nodes", "status", "patch"},      {"status", "pods", "status", "patch"},
    {"status", "nodes", "status", "patch"},          {"scale", "deployments", "scale", "update"},
    {"scale", "statefulsets", "scale", "update"},    {"scale", "replicasets", "scale", "update"},
    {"token", "serviceaccounts", "token", "create"}, {"tokens", "serviceaccounts", "token", "create"},
    {"binding", "pods", "binding", "create"},        {"resize", "pods", "resize", "patch"},
};

bool name_contains_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const bool begins = at == 0 || name[at - 1] == '-' || name[at - 1] == '.';
    const std::size_t end = at + word.size();
    if (begins && (end == name.size() || name[end] == '-' || name[end] == '.')) return true;
  }
  return false;
}

// Covered when some rule lists a subresource of that name, or all resources.
bool lists_subresource(const FlowSchema& schema, std::string_view subresource) {
  bool found = false;
  for_each_resource_rule(schema, [&](const ResourceRuleEntry& of) {
    for (const std::string& entry : of.part.resources)
      found = found || entry == "*" || subresource_of(entry) == subresource;
  });
  return found;
}

void check_schema(const LintContext& context, const FlowSchema& schema, const Intent& intent, Findings& findings) {
  bool found = false;  // one finding for each FlowSchema is enough
  for_each_resource_rule(schema, [&](const ResourceRuleEntry& of) {
    if (found || (!is_any(of.part.verbs) && !holds(of.part.verbs, intent.verb))) return;
    const auto entry = std::find(of.part.resources.begin(), of.part.resources.end(), intent.resource);
    if (entry == of.part.resources.end()) return;
    const std::vector<const ApiResource*> known = built_in_resources(of.part, intent.resource);
    if (known.empty()) return;
    found = true;
    const std::string wanted = fmt::format("{}/{}", intent.resource, intent.subresource),
                      list = of.field + ".resources";
    const auto index = static_cast<std::size_t>(entry - of.part.resources.begin());
    Diagnostic& d = findings.add(
        schema, item_field(list, index),
        fmt::format("\"{}\" doesn't include \"{}\", which this FlowSchema is named after", intent.resource, wanted));
    RequestInfo request = request_of(of.part, known[0]->group, wanted);
    request.verb = intent.verb;
    d.witness = missed_by(context, schema, of.rule, request);
    offer_fix(d, fmt::format("add \"{}\"", wanted), false, append_item(*schema.meta.source.tree, list, wanted));
  });
}

void check_missing_subresource(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (const Intent& intent : kIntents) {
      if (name_contains_word(schema.meta.name, intent.word) && !lists_subresource(schema, intent.subresource)) {
        check_schema(context, schema, intent, findings);
      }
    }
  }
}

}  // namespace

extern const Rule rule_missing_subresource = {
    .code = "APF211",
    .name = "missing-subresource",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a resource is listed without its subresource",
    .what = R"(The FlowSchema is named after a subresource (eviction, status, heartbeat, scale, token, binding,
resize) and its rules list the resource, but no rule lists the subresource.)",
    .why = R"("pods" doesn't include "pods/status": a subresource matches only its own entry, or a list that is one
"*". The requests that the FlowSchema was written for go to another one.)",
    .example = R"(metadata:
  name: pod-evictions
spec:
  rules:
  - resourceRules:
    - verbs: [create]
      apiGroups: [""]
      resources: [pods]
      namespaces: ["*"]
)",
    .instead = R"(resources: [pods/eviction]
)",
    .check = check_missing_subresource,
};

}  // namespace apf
