// APF826: a pattern that looks as if it should match the beginning of a value, but must match all of it.
#include <fmt/core.h>

#include "config/kep/decode.h"
#include "config/kep/pattern.h"
#include "config/tree.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_partial_pattern(const LintContext& context, Findings& findings) {
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
                     fmt::format("this pattern matches only \"{}\", not what starts with it: add .* to also "
                                 "match that",
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
    .summary = "a pattern seems to be meant for the start of a value",
    .what = R"(The pattern matches a single text that ends in a separator (: / - .), or starts with ^ and has nothing
that matches the rest.)",
    .why = "A pattern must match the whole value. This one matches no value that is longer, which all real values are.",
    .example = R"(- patternMatch:
  field: user
  pattern: "system:serviceaccount:"
)",
    .instead = R"(- patternMatch:
  field: user
  pattern: system:serviceaccount:.*
)",
    .check = check_kep_partial_pattern,
};

}  // namespace apf
