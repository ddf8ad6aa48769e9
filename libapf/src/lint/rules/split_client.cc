// APF205: some requests of a client's work get another level than the rest.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/api_groups.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/reach.h"
#include "lint/reach/text.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

constexpr std::string_view kLeases = "leases", kCoordination = "coordination.k8s.io";

struct Lost {
  const FlowSchema* taker = nullptr;
  std::string witness;
};

// What a later FlowSchema of another level gets of a request by one of the rule's subjects; nothing if none does.
std::optional<Lost> lost_request(const LintContext& context, std::uint32_t index, const ResourceRuleEntry& of,
                                 const RequestInfo& request, bool accounts_only) {
  const Reach& reach = context.reach();
  for (const Subject& subject : of.schema.rules[of.rule].subjects) {
    if (accounts_only && (subject.kind != "ServiceAccount" || is_crowd(subject))) continue;
    for (const ReachUser& user : reach.index().least_users(subject)) {
      const std::optional<std::uint32_t> taker = reach.first_match(user.user, request);
      const FlowSchema* schema = taker ? reach.consulted()[*taker] : find_schema(context.effective, "catch-all");
      if (!schema || (taker && *taker <= index) || schema->priority_level == of.schema.priority_level) continue;
      std::string command = explain_command(user.user, request, reach.command_flags());
      if (!command.empty()) return Lost{schema, std::move(command)};
    }
  }
  return std::nullopt;
}

// Updates of leases, as client-go's leader election makes them.
void check_leases(const LintContext& context, std::uint32_t index, const ResourceRuleEntry& of, Findings& findings) {
  const ResourceRule& rule = of.part;
  if (is_any(rule.verbs) || !holds(rule.resources, kLeases)) return;
  if (!is_any(rule.api_groups) && !holds(rule.api_groups, kCoordination)) return;
  const bool named =
      of.schema.priority_level == "leader-election" || of.schema.meta.name.find("election") != std::string::npos;
  const bool elects = named || (holds(rule.verbs, "create") && holds(rule.verbs, "get"));
  if (!elects) return;
  for (const char* verb : {"update", "get"}) {
    if (holds(rule.verbs, verb) || (verb == std::string_view("update") && holds(rule.verbs, "patch"))) continue;
    RequestInfo request = request_of(rule, kCoordination, kLeases);
    request.verb = verb;
    request.name = "any";
    if (request.ns.empty()) request.ns = "default";
    const std::optional<Lost> lost = lost_request(context, index, of, request, false);
    if (!lost) continue;
    Diagnostic& d = findings.add(
        of.schema, of.field + ".verbs",
        fmt::format("leader election needs get, create and update of leases: without \"{}\" here, {} go to FlowSchema "
                    "\"{}\" and level \"{}\"",
                    verb, verb == std::string_view("update") ? "renewals" : "looks at who leads",
                    lost->taker->meta.name, lost->taker->priority_level));
    d.witness = lost->witness;
    add_schema_notes({lost->taker}, d);
    offer_fix(d, fmt::format("add \"{}\"", verb), false,
              append_item(*of.schema.meta.source.tree, of.field + ".verbs", verb));
  }
}

bool is_custom_group(const std::string& group) {
  return group.find('.') != std::string::npos && group.find('*') == std::string::npos && !is_own_group(group) &&
         !group.ends_with("metrics.k8s.io");
}

// Does its author know which of the custom resources have a status?
bool lists_custom_status(const FlowSchema& schema) {
  bool found = false;
  for_each_resource_rule(schema, [&](const ResourceRuleEntry& of) {
    const bool custom = std::any_of(of.part.api_groups.begin(), of.part.api_groups.end(), is_custom_group);
    for (const std::string& entry : of.part.resources) found = found || (custom && subresource_of(entry) == "status");
  });
  return found;
}

// A controller that writes its objects reports their state, too.
void check_status(const LintContext& context, std::uint32_t index, const ResourceRuleEntry& of, Findings& findings) {
  const ResourceRule& rule = of.part;
  const bool writes = is_any(rule.verbs) || holds(rule.verbs, "update") || holds(rule.verbs, "patch");
  if (!writes || rule.api_groups.empty() || rule.resources.empty() || is_any(rule.resources)) return;
  if (!std::all_of(rule.api_groups.begin(), rule.api_groups.end(), is_custom_group)) return;
  const std::string& resource = rule.resources[0];
  if (resource.find_first_of("/*") != std::string::npos || lists_custom_status(of.schema)) return;
  const std::string status = resource + "/status";
  RequestInfo request = request_of(rule, rule.api_groups[0], status);
  request.verb = is_any(rule.verbs) || holds(rule.verbs, "update") ? "update" : "patch";
  request.name = "any";
  const std::optional<Lost> lost = lost_request(context, index, of, request, true);
  if (!lost) return;
  const std::string at = item_field(of.field + ".resources", 0);
  Diagnostic& d = findings.add(
      of.schema, at,
      fmt::format("\"{}\" doesn't include \"{}\": if it has a status, the controller's updates of it go to FlowSchema "
                  "\"{}\" and level \"{}\"",
                  resource, status, lost->taker->meta.name, lost->taker->priority_level));
  d.severity = Severity::info;
  d.witness = lost->witness;
  add_schema_notes({lost->taker}, d);
  offer_fix(d, fmt::format("add \"{}\"", status), false,
            append_item(*of.schema.meta.source.tree, of.field + ".resources", status));
}

void check_split_client(const LintContext& context, Findings& findings) {
  for (const FlowSchema* schema : own_schemas(context)) {
    if (is_stock(*schema)) continue;
    std::optional<std::uint32_t> index;
    for_each_resource_rule(*schema, [&](const ResourceRuleEntry& of) {
      if (!index) index = context.reach().index_of(schema->meta.name);
      if (!index) return;
      check_leases(context, *index, of, findings);
      check_status(context, *index, of, findings);
    });
  }
}

}  // namespace

extern const Rule rule_split_client = {
    .code = "APF205",
    .name = "split-client",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "some requests of a client's work get another level than the rest",
    .what = R"(A rule lists leases for leader election (its FlowSchema uses the level leader-election, or is named after
the election, or the verbs are get and create) but not update, or not get, and such requests go to another level. Or, as
an info, a rule lets a service account write a custom resource, no rule of the FlowSchema lists the status of one, and
updates of its status go to another level.)",
    .why = R"(A client is as slow as its slowest request. A leader that can't renew its lease in time restarts, though
its other requests are served at once. A subresource matches only its own entry.)",
    .example = R"(resourceRules:
- verbs: [get, create]
  apiGroups: [coordination.k8s.io]
  resources: [leases]
  namespaces: [operators]
)",
    .instead = R"(resourceRules:
- verbs: [get, create, update]
  apiGroups: [coordination.k8s.io]
  resources: [leases]
  namespaces: [operators]
)",
    .check = check_split_client,
};

}  // namespace apf
