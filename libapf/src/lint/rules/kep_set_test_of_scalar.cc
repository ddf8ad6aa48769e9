// APF827: a set test of a field that is one value.
#include <fmt/core.h>

#include "config/kep/decode.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_set_test_of_scalar(const LintContext& context, Findings& findings) {
  for_kep_tests(context, [&](const FlowSchema& schema, std::size_t list, std::size_t i, const KepTest& test) {
    if (test.op != KepOperator::super_set || test.field == KepField::groups || test.set.size() != 1) return;
    const char* const name = test.inverse ? "notInSet" : "inSet";
    Diagnostic& d = findings.add(schema, kep_test_path(test, list, i) + ".field",
                                 fmt::format("{} is a single value: {} treats it as a set of one; {} says the same",
                                             kep_field_name(test.field), kep_test_name(test), name));
    if (std::vector<Edit> edits = rename_test(schema, test, list, i, name, ""); edits.size() == 1)
      d.fix = Fix{fmt::format("use {}", name), false, std::move(edits)};
  });
}

}  // namespace

extern const Rule rule_kep_set_test_of_scalar = {
    .code = "APF827",
    .name = "kep-set-test-of-scalar",
    .severity = Severity::info,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "superSet on a field with a single value",
    .what = "superSet or notSuperSet is used on another field than groups.",
    .why = R"(The value is treated as a set of one. With one value in `set`, inSet says the same. With a second value
in `set` no request passes the test, while inSet would accept both.)",
    .example = R"(- superSet:
  field: user
  set: [alice]
)",
    .instead = R"(- inSet:
  field: user
  set: [alice]
)",
    .check = check_kep_set_test_of_scalar,
};

}  // namespace apf
