// APF951: an audit policy that never records the requests of whole FlowSchemas, or not when they end.
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/joined.h"
#include "config/field_errors.h"
#include "lint/given_schemas.h"
#include "lint/rule.h"

namespace apf {

namespace {

// FlowSchemas by the rule of the policy that keeps their requests out; the number of rules: none matches them.
using ByRule = std::map<std::size_t, std::vector<std::string>>;

void add(ByRule& by_rule, const std::vector<RequestSet>& sets, std::size_t rules, const PolicySchema& schema) {
  std::set<std::size_t> of;
  for (const RequestSet& set : sets) of.insert(set.rule.value_or(rules));
  for (const std::size_t rule : of)
    by_rule[rule].push_back(fmt::format("{} (level {})", schema.name, schema.priority_level));
}

bool is_limited(const LintContext& context, const std::string& level) {
  for (const LevelLimits& limits : context.limits.levels)
    if (limits.name == level) return !limits.exempt;
  return false;
}

std::string field_of(std::size_t rule, std::size_t rules, const char* member) {
  return rule < rules ? fmt::format("rules[{}].{}", rule, member) : "rules";
}

// What the set is of all requests of a FlowSchema: "watches", "leases"; empty if it is a smaller part of them.
std::string part_of_requests(const RequestSet& set) {
  if (set.is_path || set.some || !set.users.all() || !set.namespaces.all()) return {};
  if (!set.resources.all()) {
    const bool has_group = set.groups.others != holds(set.groups.names, "coordination.k8s.io");
    const bool leases = has_group && !set.resources.others &&
                        std::all_of(set.resources.names.begin(), set.resources.names.end(),
                                    [](const std::string& name) { return name == "leases"; });
    return leases && set.verbs.all() ? "requests for leases" : "";
  }
  if (!set.groups.all()) return {};
  const auto has = [&](const char* verb) { return set.verbs.others != holds(set.verbs.names, verb); };
  std::vector<std::string> parts;
  for (const auto& [verb, plural] : {std::pair{"get", "gets"}, {"list", "lists"}, {"watch", "watches"}})
    if (has(verb)) parts.emplace_back(plural);
  constexpr const char* kWrites[] = {"create", "update", "patch", "delete"};
  if (std::all_of(std::begin(kWrites), std::end(kWrites), has)) parts.emplace_back("writes");
  return joined(parts, ", ");
}

// Of FlowSchemas of which other requests are recorded: what a rule keeps out of the log, and of which.
using PartsByRule = std::map<std::pair<std::size_t, std::string>, std::vector<std::string>>;

void report_parts(const PartsByRule& parts, std::size_t limited, const AuditPolicy& policy, Findings& findings) {
  for (const auto& [part, schemas] : parts) {
    const std::string of =
        schemas.size() == limited ? "all FlowSchemas with a limited level" : joined_first(schemas, 4);
    Diagnostic& d =
        findings.add(policy.meta, "Policy", field_of(part.first, policy.rules.size(), "level"),
                     fmt::format("this rule keeps out of the log all {} of {}: a replay of the log lacks their load",
                                 part.second, of));
    d.notes.push_back(
        {"write Metadata for None here, with omitStages: [RequestReceived]: one event of about 1 kB a request", {}});
  }
}

void check_policy(const LintContext& context, const AuditPolicy& policy, Findings& findings) {
  ByRule unrecorded, without_end;
  PartsByRule parts;
  std::size_t limited = 0;
  for (const PolicySchema& schema : policy_coverage(context.effective, policy).schemas) {
    // Nothing else reaches catch-all, and what is exempt is let through anyway.
    if (schema.name == "catch-all" || !is_limited(context, schema.priority_level)) continue;
    ++limited;
    std::set<std::pair<std::size_t, std::string>> left_out;
    for (const RequestSet& set : schema.never)
      if (set.rule && schema.recorded == PolicySchema::Recorded::part)
        left_out.emplace(*set.rule, part_of_requests(set));
    for (const auto& part : left_out)
      if (!part.second.empty()) parts[part].push_back(fmt::format("{} (level {})", schema.name, schema.priority_level));
    if (schema.recorded == PolicySchema::Recorded::nothing) add(unrecorded, schema.never, policy.rules.size(), schema);
    add(without_end, schema.without_end, policy.rules.size(), schema);
  }
  const std::size_t rules = policy.rules.size();
  Diagnostic* first = nullptr;
  for (const auto& [rule, schemas] : unrecorded) {
    if (first && rule < rules) {
      first->notes.push_back(note_at(policy.meta, field_of(rule, rules, "level"),
                                     fmt::format("this rule keeps out those of {}", joined(schemas, ", "))));
      continue;
    }
    Diagnostic& d = findings.add(
        policy.meta, "Policy", field_of(rule, rules, "level"),
        fmt::format("{} of {}: a replay of the log lacks their load",
                    rule < rules ? "this rule keeps out of the log all requests" : "no rule records requests",
                    joined(schemas, ", ")));
    d.notes.push_back({rule < rules
                           ? "write Metadata for None here, with omitStages: [RequestReceived]: one event of "
                             "about 1 kB a request"
                           : "end the rules with {level: Metadata, omitStages: [RequestReceived]}: one event of "
                             "about 1 kB a request",
                       {}});
    if (rule < rules) first = &d;
  }
  report_parts(parts, limited, policy, findings);
  for (const auto& [rule, schemas] : without_end) {
    Diagnostic& d =
        findings.add(policy.meta, "Policy", field_of(rule, rules, "level"),
                     fmt::format("requests of {} are recorded without ResponseComplete: a replay cannot know "
                                 "how long they ran",
                                 joined(schemas, ", ")));
    d.notes.push_back(
        {"take ResponseComplete out of omitStages; without RequestReceived the log has one event a request", {}});
  }
}

void check_unrecorded_requests(const LintContext& context, Findings& findings) {
  for (const AuditPolicy& policy : context.loaded.audit_policies) check_policy(context, policy, findings);
}

}  // namespace

extern const Rule rule_unrecorded_requests = {
    .code = "APF951",
    .name = "unrecorded-requests",
    .severity = Severity::info,
    .group = RuleGroup::audit_policies,
    .summary = "an audit policy keeps all requests of a FlowSchema, or all of one sort, out of the log",
    .what = R"(By this audit policy, no request of a FlowSchema with a limited level is recorded, or none is recorded
when it ends; or one of its rules keeps out all its gets, lists, watches, writes or requests for leases. With --log, the finding shows how many requests of that log the rule decides about: so many events more
the log would have.)",
    .why = R"(A replay of the server's log then has too few requests: levels seem idle that are busy, lend seats that
they need, and waits and refusals come out too low. Nothing in the log shows it.)",
    .example = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  userGroups: ["system:nodes"]
- level: Metadata
)",
    .instead = R"(apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
)",
    .check = check_unrecorded_requests,
};

}  // namespace apf
