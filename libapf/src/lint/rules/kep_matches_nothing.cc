// APF822: a FlowSchema of the KEP's dialect, or a list of its tests, that no request passes.
#include <fmt/core.h>

#include "config/kep/decode.h"
#include "lint/fix_edits.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_matches_nothing(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    const auto& lists = schema.kep->any_of;
    if (lists.empty()) {
      Diagnostic& d = findings.add(schema, "spec.match", "an empty match matches nothing");
      d.notes.push_back({"a list with an empty `and` matches everything", {}});
      continue;
    }
    for (std::size_t list = 0; list < lists.size(); ++list) {
      const auto found = contradiction(lists[list]);
      if (!found) continue;
      const KepTest& test = lists[list][found->test];
      Diagnostic& d = findings.add(schema, kep_test_path(test, list, found->test),
                                   fmt::format("no request passes this list: {}: {}", to_string(test), found->why));
      if (lists.size() < 2) continue;
      if (std::vector<Edit> edits = remove_field(*schema.meta.source.tree, kep_list_field(list)); !edits.empty())
        d.fix = Fix{"remove the list", false, std::move(edits)};
    }
  }
}

}  // namespace

extern const Rule rule_kep_matches_nothing = {
    .code = "APF822",
    .name = "kep-matches-nothing",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "no request passes a list of tests",
    .what = R"(spec.match is empty, or the tests of one `and` contradict each other: two values of one field, a test
and its inverse, an empty set, or several values that a single value should contain.)",
    .why = "All tests of an `and` must pass. Tests that were meant as alternatives match no requests.",
    .example = R"(match:
- and:
  - equals: {field: verb, value: list}
  - equals: {field: verb, value: watch}
)",
    .instead = R"(match:
- and:
  - inSet: {field: verb, set: [list, watch]}
)",
    .check = check_kep_matches_nothing,
};

}  // namespace apf
