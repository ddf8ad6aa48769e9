// APF227: requests across all namespaces escape a rule for all namespaces.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "lint/given_levels.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/reach.h"
#include "lint/reach/text.h"
#include "lint/reach/witness.h"
#include "lint/system_traffic.h"

namespace apf {

namespace {

bool holds_spanning_verb(const ResourceRule& rule) {
  return is_any(rule.verbs) || std::any_of(rule.verbs.begin(), rule.verbs.end(), spans_namespaces) ||
         (holds(rule.verbs, "deletecollection") && is_any(rule.resources));
}

// Built-in resources without a namespace are rule scope-mismatch's concern.
bool lists_cluster_scoped(const ResourceRule& rule) {
  return std::any_of(rule.resources.begin(), rule.resources.end(), [&](const std::string& entry) {
    const std::vector<const ApiResource*> known = built_in_resources(rule, entry);
    return resource_of(entry) != "namespaces" && !known.empty() &&
           std::none_of(known.begin(), known.end(), [](const ApiResource* r) { return r->namespaced; });
  });
}

// The request of all namespaces that belongs to one of a namespace; nothing if the server has none.
std::optional<RequestInfo> across_namespaces(RequestInfo request) {
  if (!request.is_resource_request || request.ns.empty() || !request.subresource.empty()) return std::nullopt;
  const std::string_view group = request.api_group;
  const ApiResource* known = find_api_resource(request.resource, &group);
  const bool is_known = known && known->name == request.resource;
  request.ns.clear();
  request.name.clear();
  if (spans_namespaces(request.verb)) return is_known && !known->namespaced ? std::nullopt : std::optional(request);
  if (request.verb != "deletecollection" || !is_known || known->namespaced) return std::nullopt;
  return request;
}

struct Escape {
  const FlowSchema* taker = nullptr;
  std::string witness;
};

// A request that the part takes in a namespace, and across all of them another level gets.
std::optional<Escape> escape_of(const LintContext& context, std::uint32_t index, const ResourceRuleEntry& of,
                                const ReachPart& part, const ReachUser& user) {
  const Reach& reach = context.reach();
  std::size_t tries = kTriesPerPart;
  for (const RequestInfo& inside : LikelyRequests(reach.index(), reach.index().target_of(part))) {
    const std::optional<RequestInfo> outside = across_namespaces(inside);
    if (!outside) continue;
    if (tries-- == 0) break;
    RequestInfo within = inside;
    if (inside.verb == "deletecollection") within.resource = "pods";  // a cluster-scoped one is in no namespace
    if (reach.first_match(user.user, within) != index) continue;
    const std::optional<std::uint32_t> taker = reach.first_match(user.user, *outside);
    const FlowSchema* schema = taker ? reach.consulted()[*taker] : find_schema(context.effective, "catch-all");
    // What an earlier FlowSchema takes would not come here with clusterScope either.
    if (!schema || (taker && *taker < index) || schema->priority_level == of.schema.priority_level) continue;
    std::string command = explain_command(user.user, *outside, reach.command_flags());
    if (!command.empty()) return Escape{schema, std::move(command)};
  }
  return std::nullopt;
}

// Some namespaces named on purpose let the others go. Only what a much smaller level should hold is then worth a word.
constexpr int kMuchLarger = 4;  // times
bool is_much_larger(const LintContext& context, const std::string& level, const std::string& than) {
  const LevelLimits *a = limits_of(context.limits, level), *b = limits_of(context.limits, than);
  return a && b && !b->exempt && (a->exempt || a->nominal_cl >= kMuchLarger * b->nominal_cl);
}

void report(const LintContext& context, const ResourceRuleEntry& of, const Escape& escape, Findings& findings) {
  const bool any = is_any(of.part.namespaces);
  const std::string& level = escape.taker->priority_level;
  if (!any && !is_much_larger(context, level, of.schema.priority_level)) return;
  const std::string field = of.field + ".namespaces";
  Diagnostic& d = findings.add(
      of.schema, field,
      any ? fmt::format("requests across all namespaces have no namespace, and \"*\" doesn't match that: they go to "
                        "FlowSchema \"{}\" and level \"{}\"",
                        escape.taker->meta.name, level)
          : fmt::format("requests across all namespaces, these included, don't match: they go to FlowSchema \"{}\" and "
                        "level \"{}\", which has far more seats",
                        escape.taker->meta.name, level));
  d.witness = escape.witness;
  add_schema_notes({escape.taker}, d);
  if (is_any(of.part.resources)) d.notes.push_back({"requests for cluster-scoped resources don't match either", {}});
  const bool by_namespace = of.schema.distinguisher_method == "ByNamespace";
  if (any && by_namespace)
    d.notes.push_back({"flows by namespace leave little sense to requests without one: they would be one flow", {}});
  if (!any || by_namespace) d.severity = Severity::info;
  else if (!takes_system_traffic(context, of)) offer_fix(d, "set clusterScope: true", false, cluster_scope_edits(of));
}

void check_escapes(const LintContext& context, std::uint32_t index, const ResourceRuleEntry& of, const ReachPart& part,
                   Findings& findings) {
  const ResourceRule& rule = of.part;
  if (rule.cluster_scope || rule.namespaces.empty() || !holds_spanning_verb(rule) || lists_cluster_scoped(rule)) return;
  for (const Subject& subject : of.schema.rules[of.rule].subjects) {
    for (const ReachUser& user : context.reach().index().least_users(subject)) {
      if (const std::optional<Escape> escape = escape_of(context, index, of, part, user))
        return report(context, of, *escape, findings);
    }
  }
}

void check_missing_cluster_scope(const LintContext& context, Findings& findings) {
  for (const FlowSchema* schema : own_schemas(context)) {
    if (is_stock(*schema)) continue;
    const std::optional<std::uint32_t> index = context.reach().index_of(schema->meta.name);
    if (!index) continue;
    std::uint32_t number = 0, rule = UINT32_MAX;
    for_each_resource_rule(*schema, [&](const ResourceRuleEntry& of) {
      if (std::exchange(rule, static_cast<std::uint32_t>(of.rule)) != of.rule) number = 0;
      const auto [begin, end] = context.reach().index().parts_of(*index, rule);
      check_escapes(context, *index, of, context.reach().index().parts()[begin + number++], findings);
    });
  }
}

}  // namespace

extern const Rule rule_missing_cluster_scope = {
    .code = "APF227",
    .name = "missing-cluster-scope",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "requests across all namespaces escape a rule for all namespaces",
    .what = R"(A resourceRule has namespaces: ["*"] and no clusterScope: true, its verbs include list or watch, and
such requests across all namespaces go to another level. There is no finding if another rule or FlowSchema of the same
level gets them. With flows ByNamespace the severity is info, and so it is with namespaces by name, of which only
requests that go to a level of four times as many seats are reported.)",
    .why = R"(A request across all namespaces (kubectl get pods -A, the lists and watches of most controllers) has no
namespace. namespaces: ["*"] means any namespace, but not none. Such lists are the heaviest requests there are. What
should hold a client back lets them through, and what should protect them doesn't.)",
    .example = R"(spec:
  priorityLevelConfiguration: {name: jail}
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {namespace: monitoring, name: collector}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
)",
    .instead = R"(    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
      clusterScope: true
)",
    .check = check_missing_cluster_scope,
};

}  // namespace apf
