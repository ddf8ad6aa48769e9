// APF823: tests that are never reached, as what is consulted before accepts all that they do.
#include <fmt/core.h>

#include "lint/kep/tests.h"

namespace apf {

namespace {

constexpr std::size_t kMostCompared = 500;  // a few tens of FlowSchemas are expected

struct Seen {
  const FlowSchema* schema;
  std::size_t list;
};

class Shadows {
 public:
  Shadows(const LintContext& context, Findings& findings) : context_(context), findings_(findings) {}

  void take(const FlowSchema& schema) {
    const auto& lists = schema.kep->any_of;
    std::vector<std::pair<std::size_t, Seen>> covered;
    std::size_t possible = 0, elsewhere = 0;
    for (std::size_t list = 0; list < lists.size(); ++list) {
      if (contradiction(lists[list])) continue;
      ++possible;
      const Seen* by = cover(lists[list]);
      if (by) {
        covered.emplace_back(list, *by);
        elsewhere += by->schema != &schema;
      } else if (seen_.size() < kMostCompared) {
        seen_.push_back({&schema, list});
      }
    }
    if (possible > 0 && elsewhere == possible) return tell_whole(schema, covered.front());
    for (const auto& [list, by] : covered) report(schema, list, by);
  }

 private:
  const Seen* cover(const std::vector<KepTest>& tests) const {
    for (const Seen& seen : seen_) {
      if (covers(seen.schema->kep->any_of[seen.list], tests)) return &seen;
    }
    return nullptr;
  }

  void tell_whole(const FlowSchema& schema, const std::pair<std::size_t, Seen>& first) {
    Diagnostic& d =
        findings_.add(schema, "meta.name",
                      fmt::format("no request reaches this FlowSchema (precedence {}): earlier ones match all "
                                  "that it matches",
                                  schema.matching_precedence));
    note(d, schema, first.first, first.second);
  }

  void report(const FlowSchema& schema, std::size_t list, const Seen& by) {
    const bool own = by.schema == &schema;
    Diagnostic& d = findings_.add(
        schema, kep_list_field(list),
        own ? fmt::format("match[{}] matches all that this list does", by.list)
            : fmt::format("no request reaches this list: FlowSchema \"{}\" (precedence {}) is evaluated earlier "
                          "and matches all that it does",
                          by.schema->meta.name, by.schema->matching_precedence));
    note(d, schema, list, by);
  }

  void note(Diagnostic& d, const FlowSchema& schema, std::size_t list, const Seen& by) {
    d.notes.push_back(note_at(by.schema->meta, kep_list_field(by.list), "this takes it"));
    if (by.schema != &schema) d.witness = kep_witness(context_, schema.kep->any_of[list]);
  }

  const LintContext& context_;
  Findings& findings_;
  std::vector<Seen> seen_;
};

void check_kep_shadowed(const LintContext& context, Findings& findings) {
  Shadows shadows(context, findings);
  for (const FlowSchema* schema : kep_schemas(context)) shadows.take(*schema);
}

}  // namespace

extern const Rule rule_kep_shadowed = {
    .code = "APF823",
    .name = "kep-shadowed",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "earlier tests match all requests of a FlowSchema or a list of tests",
    .what = R"(A FlowSchema with a lower precedence number (or with the same one and a name that sorts before), or an
earlier list of the same FlowSchema, matches every request that would match here. The tests are compared as written.
Two patterns are compared only by their text.)",
    .why = "The priority and the flows that are configured here are never used.",
    .example = R"(kind: FlowSchema
meta: {name: everything}
spec:
  matchingPrecedence: 500
  requestPriority: {name: workload-low}
  match:
  - and: []
---
kind: FlowSchema
meta: {name: nodes}
spec:
  matchingPrecedence: 900
  requestPriority: {name: system-top}
  match:
  - and:
    - superSet: {field: groups, set: [system:nodes]}
)",
    .instead = "Give the FlowSchema that matches more the higher matchingPrecedence, so that it is evaluated later.",
    .check = check_kep_shadowed,
};

}  // namespace apf
