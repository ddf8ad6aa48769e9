// APF115: a rule of a named account or of a tenant for all verbs, some of which go to a FlowSchema for everybody.
#include <fmt/core.h>

#include <algorithm>

#include "lint/given_schemas.h"
#include "lint/reach/text.h"

namespace apf {

namespace {

// Names one account or user, or the accounts of one namespace.
bool is_named(const Subject& subject) {
  return (subject.kind == "User" && subject.user && *subject.user != "*") ||
         (subject.kind == "ServiceAccount" && subject.service_account);
}

bool is_for_all_accounts(const Subject& subject) { return is_everybody(subject) || is_all_service_accounts(subject); }

bool all_are_groups(const std::vector<Subject>& subjects) {
  return std::none_of(subjects.begin(), subjects.end(), is_named);
}

bool holds_all(const IdSet& wide, const IdSet& narrow) {
  return wide.any ||
         (!narrow.any && std::includes(wide.ids.begin(), wide.ids.end(), narrow.ids.begin(), narrow.ids.end()));
}

// Does `by` take some verbs of what `part` names, because it means to take them of far more? That is: `part` says all
// verbs, `by` some; `by` holds the part's groups, resources and namespaces, and more resources than these. Where `by`
// is the narrower one on any side it may well be an exception that is meant.
bool looks_unintended(const ReachPart& part, const ReachPart& by) {
  if (part.is_url || by.is_url || !part.sides[kVerbSide].any || by.sides[kVerbSide].any) return false;
  for (const std::size_t side : {kGroupSide, kResourceSide, kNamespaceSide}) {
    if (!holds_all(by.sides[side], part.sides[side])) return false;
  }
  return !holds_all(part.sides[kResourceSide], by.sides[kResourceSide]);
}

// Does `by` take the reads of a tenant whose writes it leaves to him, and lead elsewhere? Who wrote it for everybody
// may not have thought of him. Of equal precedence, APF120 says it.
bool takes_reads(const ReachPart& part, const ReachPart& by, const FlowSchema& object, const FlowSchema& taker) {
  if (by.is_url) return false;
  const PolicyRule& rule = taker.rules[by.rule];
  const std::vector<std::string>& verbs = rule.resource_rules[by.index].verbs;
  return taker.priority_level != object.priority_level && taker.matching_precedence < object.matching_precedence &&
         std::all_of(rule.subjects.begin(), rule.subjects.end(), is_for_all_accounts) &&
         std::all_of(verbs.begin(), verbs.end(),
                     [](std::string_view verb) { return verb == "get" || verb == "list" || verb == "watch"; }) &&
         holds_all(by.sides[kGroupSide], part.sides[kGroupSide]) &&
         holds_all(by.sides[kResourceSide], part.sides[kResourceSide]) &&
         holds_all(by.sides[kNamespaceSide], part.sides[kNamespaceSide]);
}

struct Place {
  std::uint32_t schema, rule, subject, part;
};

// At most one finding for a part: for the first FlowSchema that gets some of its requests.
bool check_part(const Reach& reach, const Place& at, Findings& findings) {
  const ReachIndex& index = reach.index();
  const FlowSchema& object = *reach.consulted()[at.schema];
  const std::uint32_t number = index.parts_of(at.schema, at.rule).first + at.part;
  const ReachPart& part = index.parts()[number];
  if (part.is_url || !part.sides[kVerbSide].any) return false;
  const bool by_name = is_named(object.rules[at.rule].subjects[at.subject]) && !part.sides[kResourceSide].any;
  const auto check_taker = [&](std::uint32_t by_number) {
    const ReachPart& by = index.parts()[by_number];
    const FlowSchema& taker = *reach.consulted()[by.schema];
    if (is_stock(taker)) return false;
    const bool unintended = by_name && all_are_groups(taker.rules[by.rule].subjects) && looks_unintended(part, by);
    if (!unintended && !takes_reads(part, by, object, taker)) return false;
    const std::optional<Witness> witness = reach.taken_from(at.schema, at.rule, at.subject, at.part, by_number);
    if (!witness) return false;
    Diagnostic& d = findings.add(
        object, fmt::format("spec.rules[{}].resourceRules[{}].verbs", at.rule, part.index),
        unintended
            ? fmt::format(
                  "\"{}\" (matchingPrecedence {}), which is for whole groups, gets some verbs of this rule first",
                  taker.meta.name, taker.matching_precedence)
            : fmt::format(
                  "\"{}\" (matchingPrecedence {}), which is for everybody, gets the reads of this rule first and "
                  "sends them to \"{}\"; its writes stay on \"{}\"",
                  taker.meta.name, taker.matching_precedence, taker.priority_level, object.priority_level));
    if (!unintended) d.severity = Severity::info;
    d.notes.push_back(note_at(taker.meta, fmt::format("spec.rules[{}].resourceRules[{}].verbs", by.rule, by.index),
                              "it takes these"));
    d.witness = witness->command;
    return true;
  };
  for (const ReachUser& user : index.least_users(object.rules[at.rule].subjects[at.subject])) {
    ReachIndex::Meeting meeting(index, user, part, 0, at.schema);
    for (auto found = meeting.next(); !found.empty(); found = meeting.next())
      if (std::any_of(found.begin(), found.end(), check_taker)) return true;
  }
  return false;
}

void check_partly_shadowed(const LintContext& context, Findings& findings) {
  const Reach& reach = context.reach();
  for_given_schemas(context, [&](std::uint32_t schema, const FlowSchema& object) {
    const SchemaReach& of = reach.of(schema);
    for (std::uint32_t r = 0; r < of.rules.size(); ++r) {
      for (std::uint32_t p = 0; p < of.rules[r].parts.size(); ++p) {
        if (!of.rules[r].parts[p].reached) continue;
        for (std::uint32_t s = 0; s < object.rules[r].subjects.size(); ++s) {
          if (!is_for_all_accounts(object.rules[r].subjects[s]) && check_part(reach, {schema, r, s, p}, findings))
            break;
        }
      }
    }
  });
}

}  // namespace

extern const Rule rule_partly_shadowed = {
    .code = "APF115",
    .name = "partly-shadowed",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "a FlowSchema for whole groups gets some verbs of one for a named account or a tenant",
    .what = R"(A rule names a user or service account and certain resources, and has all verbs ("*"). An earlier
FlowSchema, which is for groups only and for more resources, gets some of these verbs. Or an earlier FlowSchema for all
users or all service accounts gets the reads (get, list, watch) of a tenant whose rule has all verbs, and sends them to
another level; then the severity is info. Only these cases are reported. Other exceptions are assumed to be
intended.)",
    .why = R"(The account's requests are split between two priority levels, so its limits and its protection apply to
only part of them.)",
    .example = R"(metadata: {name: heavy-reads}
spec:
  matchingPrecedence: 500
  rules:
  - subjects: [{kind: Group, group: {name: system:serviceaccounts}}]
    resourceRules:
    - {verbs: [list, watch], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
---
metadata: {name: builder}
spec:
  matchingPrecedence: 1000
  rules:
  - subjects: [{kind: ServiceAccount, serviceAccount: {namespace: ci, name: builder}}]
    resourceRules:
    - {verbs: ["*"], apiGroups: [""], resources: [pods], namespaces: ["*"]}
)",
    .instead = R"(Give the FlowSchema for the named account the lower matchingPrecedence, or list only the verbs that
are left to it.)",
    .check = check_partly_shadowed,
};

}  // namespace apf
