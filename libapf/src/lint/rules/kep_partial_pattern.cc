// APF826: a pattern that looks as if it should match the beginning of a value, but must match all of it.
#include <fmt/format.h>

#include "config/kep/kep_decode.h"
#include "config/kep/kep_pattern.h"
#include "config/tree.h"
#include "lint/kep_tests.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  for_kep_tests(context, [&](const FlowSchema& schema, std::size_t list, std::size_t i, const KepTest& test) {
    if (!test.pattern || test.value.empty()) return;
    std::string text = test.value;
    if (text.starts_with('^')) text.erase(0, 1);
    const auto literal = KepPattern(text).literal();
    const bool anchored = text != test.value;
    const bool separator =
        literal && !literal->empty() && std::string_view(":/-.").find(literal->back()) != std::string_view::npos;
    if (!literal || literal->empty() || (!anchored && !separator)) return;
    const std::string field = kep_test_path(test, list, i) + ".pattern";
    Diagnostic& d =
        findings.add(schema, field,
                     fmt::format("this pattern matches \"{}\" only, not what begins with it: add .* to match "
                                 "that, too",
                                 *literal));
    const FieldPosition at = find_field(*schema.meta.source.tree, field);
    const std::size_t from = at.value->begin() + (at.value->style() == NodeStyle::plain ? 0 : 1);
    if (at.value->tree().text().substr(from, test.value.size()) != test.value) return;
    const std::size_t end = from + test.value.size();
    d.fix = Fix{"add .*", false, {{at.value->tree().name(), end, end, ".*"}}};
  });
}

}  // namespace

extern const Rule rule_kep_partial_pattern = {
    .code = "APF826",
    .name = "kep-partial-pattern",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "a pattern seems to be meant for the beginning of a value",
    .what = R"(The pattern stands for one text that ends in a separator (: / - .), or begins with ^ and has nothing
that stands for the rest.)",
    .why = R"(A pattern must match the whole value: this one matches no value that goes on after it, which is all that
there are.)",
    .example = R"(- patternMatch:
  field: user
  pattern: "system:serviceaccount:"
)",
    .instead = R"(- patternMatch:
  field: user
  pattern: system:serviceaccount:.*
)",
    .check = check,
};

}  // namespace apf
