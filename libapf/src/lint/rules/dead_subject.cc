// APF112: a subject of a rule whose requests all go elsewhere.
#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/reach/text.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

// kube-apiserver's own client is in group system:masters, whose requests FlowSchema "exempt" gets before all others.
constexpr const char *kServer = "system:apiserver", *kMasters = "system:masters";

// A request of the rule that exempt takes when the server makes it; empty if it takes none first.
std::string command_of_server(const Reach& reach, std::uint32_t schema, std::uint32_t rule) {
  User server{kServer, {kMasters}};
  add_implied_groups(server);
  const auto [begin, end] = reach.index().parts_of(schema, rule);
  for (std::uint32_t part = begin; part < end; ++part) {
    std::size_t tries = kTriesPerPart;
    for (const RequestInfo& request : LikelyRequests(reach.index(), part)) {
      if (tries-- == 0) break;
      const std::optional<std::uint32_t> taker = reach.first_match(server, request);
      if (!taker || *taker >= schema || reach.consulted()[*taker]->meta.name != "exempt") return {};
      std::string command = explain_command(server, request, reach.command_flags());
      if (!command.empty()) return command;
    }
  }
  return {};
}

void add_server(const LintContext& context, std::uint32_t schema, std::uint32_t r, std::uint32_t s,
                Findings& findings) {
  const Reach& reach = context.reach();
  const FlowSchema& of = *reach.consulted()[schema];
  if (only_user(of.rules[r].subjects[s]) != kServer) return;
  const std::string witness = command_of_server(reach, schema, r);
  if (witness.empty()) return;
  Diagnostic& d = findings.add(of, subject_field(r, s),
                               fmt::format("no request of the API server itself reaches this rule: its user {} is in "
                                           "group {}, and FlowSchema \"exempt\" gets all its requests first",
                                           kServer, kMasters));
  d.witness = witness;
}

void check_dead_subject(const LintContext& context, Findings& findings) {
  const Reach& reach = context.reach();
  for_given_schemas(context, [&](std::uint32_t schema, const FlowSchema&) {
    const SchemaReach& of = reach.of(schema);
    for (std::uint32_t r = 0; r < of.rules.size(); ++r) {
      const RuleReach& rule = of.rules[r];
      if (!rule.reached) continue;
      for (std::uint32_t s = 0; s < rule.subjects.size(); ++s) {
        if (rule.subjects[s]) add_server(context, schema, r, s, findings);
        if (rule.subjects[s] || !rule.known_subjects[s]) continue;
        ReachSelection selection;
        selection.rule = r;
        selection.subject = s;
        add_shadowed(reach, schema, selection, fmt::format("{}.subjects[{}]", rule_field(r), s),
                     "this rule for this subject", findings);
      }
    }
  });
}

}  // namespace

extern const Rule rule_dead_subject = {
    .code = "APF112",
    .name = "dead-subject",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "earlier FlowSchemas match all requests of a subject",
    .what = R"(The rule gets requests of its other subjects, but earlier FlowSchemas match all requests that this
subject could send within the rule. User system:apiserver is kube-apiserver itself: it is in group system:masters, so
that FlowSchema exempt gets its requests.)",
    .why = "The subject's requests go to the priority levels of the earlier FlowSchemas, not to this one's.",
    .example = R"(spec:
  matchingPrecedence: 1000
  rules:
  - subjects:
    - {kind: Group, group: {name: system:masters}}   # taken by exempt (1)
    - {kind: Group, group: {name: ci-admins}}
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
)",
    .instead = R"(Delete the subject, or give this FlowSchema a lower matchingPrecedence than those that the finding
names.)",
    .check = check_dead_subject,
};

}  // namespace apf
