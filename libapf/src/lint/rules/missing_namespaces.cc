// APF232: requests in namespaces escape a rule that has clusterScope: true and no namespaces.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/reach.h"
#include "lint/reach/text.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

constexpr const char* kDefaultNamespace = "default";

// A resource of the rule's groups whose requests carry a namespace; null if only custom resources could be meant.
const ApiResource* namespaced_resource(const ResourceRule& rule) {
  const ApiResource* pods = find_api_resource("pods", nullptr);
  if (is_any(rule.api_groups) || holds(rule.api_groups, "")) return pods;
  for (const ApiResource& resource : api_resources()) {
    if (resource.namespaced && holds(rule.api_groups, std::string(resource.group))) return &resource;
  }
  return nullptr;
}

// The verb that has no sense without a namespace, else list: that may be meant.
std::string verb_inside(const ResourceRule& rule, std::initializer_list<const char*> verbs) {
  for (const char* verb : verbs) {
    if (is_any(rule.verbs) || holds(rule.verbs, verb)) return verb;
  }
  return {};
}

// Requests that the author counts among those of the rule, and that carry a namespace.
struct Inside {
  RequestInfo request;
  std::string field;
  bool of_namespace = false;  // about a namespace itself
};

std::optional<Inside> everything_inside(const ResourceRuleEntry& of) {
  const ApiResource* resource = is_any(of.part.resources) ? namespaced_resource(of.part) : nullptr;
  const std::string verb = verb_inside(of.part, {"create", "update", "patch", "delete", "get", "list", "watch"});
  if (!resource || verb.empty()) return std::nullopt;
  RequestInfo request = request_of(of.part, resource->group, resource->name);
  request.verb = verb;
  request.ns = kDefaultNamespace;
  return Inside{std::move(request), of.field + ".clusterScope", false};
}

// The server takes /api/v1/namespaces/NAME for a request in that namespace.
std::optional<Inside> namespaces_themselves(const ResourceRuleEntry& of) {
  const auto entry = std::find(of.part.resources.begin(), of.part.resources.end(), "namespaces");
  const bool core = is_any(of.part.api_groups) || holds(of.part.api_groups, "");
  const std::string verb = verb_inside(of.part, {"get", "update", "patch", "delete"});
  if (entry == of.part.resources.end() || !core || verb.empty()) return std::nullopt;
  RequestInfo request = request_of(of.part, "", "namespaces");
  request.verb = verb;
  request.ns = request.name = kDefaultNamespace;
  const auto index = static_cast<std::size_t>(entry - of.part.resources.begin());
  return Inside{std::move(request), item_field(of.field + ".resources", index), true};
}

bool is_reached(const Reach& reach, std::uint32_t index, const ReachPart& part, const ReachUser& user) {
  std::size_t tries = kTriesPerPart;
  for (const RequestInfo& request : LikelyRequests(reach.index(), reach.index().target_of(part))) {
    if (reach.first_match(user.user, request) == index) return true;
    if (--tries == 0) break;
  }
  return false;
}

// Who takes the request, if that is a later FlowSchema of another level.
const FlowSchema* taker_of(const LintContext& context, std::uint32_t index, const ResourceRuleEntry& of,
                           const User& user, const RequestInfo& request) {
  const Reach& reach = context.reach();
  const std::optional<std::uint32_t> taker = reach.first_match(user, request);
  if (taker && *taker <= index) return nullptr;
  const FlowSchema* schema = taker ? reach.consulted()[*taker] : find_schema(context.effective, "catch-all");
  return schema && schema->priority_level != of.schema.priority_level ? schema : nullptr;
}

void report_inside(const ResourceRuleEntry& of, const Inside& inside, const FlowSchema& taker, std::string witness,
                   Findings& findings) {
  const std::string where = fmt::format("FlowSchema \"{}\" and level \"{}\"", taker.meta.name, taker.priority_level);
  Diagnostic& d = findings.add(
      of.schema, inside.field,
      inside.of_namespace
          ? fmt::format("requests for one namespace carry its name, and without namespaces they don't match: they go "
                        "to {}",
                        where)
          : fmt::format("without namespaces no request in a namespace matches: they go to {}", where));
  d.witness = std::move(witness);
  add_schema_notes({&taker}, d);
  if (!inside.of_namespace)
    d.notes.push_back({"clusterScope: true is for requests without a namespace, not for all of the cluster", {}});
  if (spans_namespaces(inside.request.verb)) d.severity = Severity::info;
  offer_fix(
      d, "add namespaces: [\"*\"]", false,
      insert_after(*of.schema.meta.source.tree, of.field + ".clusterScope", "namespaces", NewScalar::flow("[\"*\"]")));
}

void check_inside(const LintContext& context, std::uint32_t index, const ResourceRuleEntry& of, const ReachPart& part,
                  Findings& findings) {
  if (!of.part.cluster_scope || !of.part.namespaces.empty()) return;
  std::optional<Inside> inside = everything_inside(of);
  if (!inside) inside = namespaces_themselves(of);
  if (!inside) return;
  for (const Subject& subject : of.schema.rules[of.rule].subjects) {
    for (const ReachUser& user : context.reach().index().least_users(subject)) {
      const FlowSchema* taker = taker_of(context, index, of, user.user, inside->request);
      if (!taker || !is_reached(context.reach(), index, part, user)) continue;
      std::string witness = explain_command(user.user, inside->request, context.reach().command_flags());
      if (!witness.empty()) return report_inside(of, *inside, *taker, std::move(witness), findings);
    }
  }
}

void check_missing_namespaces(const LintContext& context, Findings& findings) {
  for (const FlowSchema* schema : own_schemas(context)) {
    const std::optional<std::uint32_t> index = context.reach().index_of(schema->meta.name);
    if (is_stock(*schema) || !index) continue;
    std::uint32_t number = 0, rule = UINT32_MAX;
    for_each_resource_rule(*schema, [&](const ResourceRuleEntry& of) {
      if (std::exchange(rule, static_cast<std::uint32_t>(of.rule)) != of.rule) number = 0;
      const auto [begin, end] = context.reach().index().parts_of(*index, rule);
      check_inside(context, *index, of, context.reach().index().parts()[begin + number++], findings);
    });
  }
}

}  // namespace

extern const Rule rule_missing_namespaces = {
    .code = "APF232",
    .name = "missing-namespaces",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "requests in namespaces escape a rule with clusterScope: true",
    .what = R"(A resourceRule has clusterScope: true, no namespaces, and resources: ["*"], and the requests in a
namespace that it seems to be for go to a later FlowSchema of another level. With no other verbs than list and watch
the severity is info: those across all namespaces may be meant. Or it has the resource namespaces and verbs of one
object. Other named resources are the concern of APF217.)",
    .why = R"(clusterScope: true is not "for the whole cluster". It matches requests without a namespace: those for
cluster-scoped resources, and lists and watches across all namespaces. kubectl get pods, and every create, update and
delete of a namespaced object, carry a namespace and don't match. A request for one namespace carries that namespace,
too: kubectl get namespace ci is a request in ci.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: ["*"]
  resources: ["*"]
  clusterScope: true
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: ["*"]
  resources: ["*"]
  clusterScope: true
  namespaces: ["*"]
)",
    .check = check_missing_namespaces,
};

}  // namespace apf
