// APF824: a pattern that can match one value only.
#include <fmt/core.h>

#include "config/kep/decode.h"
#include "config/kep/pattern.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

// Looks as if more were to follow: see APF826.
bool is_beginning(const std::string& text) {
  return !text.empty() && std::string_view(":/-.").find(text.back()) != std::string_view::npos;
}

void check_kep_literal_pattern(const LintContext& context, Findings& findings) {
  for_kep_tests(context, [&](const FlowSchema& schema, std::size_t list, std::size_t i, const KepTest& test) {
    if (!test.pattern) return;
    const auto literal = test.pattern->literal();
    if (!literal || is_beginning(*literal)) return;
    const char* const name = test.inverse ? "notEquals" : "equals";
    Diagnostic& d = findings.add(
        schema, kep_test_path(test, list, i) + ".pattern",
        fmt::format("this pattern matches only \"{}\", because a pattern must match the whole value: use {}", *literal,
                    name));
    if (*literal != test.value) return;  // escapes would have to go
    if (std::vector<Edit> edits = rename_test(schema, test, list, i, name, "value"); edits.size() == 2)
      d.fix = Fix{fmt::format("use {}", name), false, std::move(edits)};
  });
}

}  // namespace

extern const Rule rule_kep_literal_pattern = {
    .code = "APF824",
    .name = "kep-literal-pattern",
    .severity = Severity::info,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "a pattern matches only one value",
    .what = "The pattern of patternMatch or notPatternMatch contains nothing that matches several texts.",
    .why = R"(A pattern must match the whole value. If it was meant to be found anywhere in the value, the test
doesn't do what it should. If not, equals says the same more clearly, and can be converted to v1.)",
    .example = R"(- patternMatch:
  field: user
  pattern: system:kube-scheduler
)",
    .instead = R"(- equals:
  field: user
  value: system:kube-scheduler
)",
    .check = check_kep_literal_pattern,
};

}  // namespace apf
