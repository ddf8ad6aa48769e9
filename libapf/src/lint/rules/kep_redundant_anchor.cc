// APF825: an anchor where the whole value must match anyway.
#include "config/kep/decode.h"
#include "config/kep/pattern.h"
#include "config/tree.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

// The end of the text, not an escaped dollar.
bool ends_with_anchor(const std::string& text) {
  if (!text.ends_with('$')) return false;
  std::size_t escapes = 0;
  while (escapes + 1 < text.size() && text[text.size() - 2 - escapes] == '\\') ++escapes;
  return escapes % 2 == 0;
}

// With alternatives an anchor belongs to one of them.
bool has_alternatives(const std::string& text) { return text.find('|') != std::string::npos; }

void check_pattern(const FlowSchema& schema, const KepPattern& pattern, const std::string& field, Findings& findings) {
  const std::string& text = pattern.text();
  const bool begin = text.starts_with('^'), end = ends_with_anchor(text);
  if ((!begin && !end) || has_alternatives(text)) return;
  Diagnostic& d = findings.add(schema, field, "a pattern must match the whole value: the anchor has no effect");
  const FieldPosition at = find_field(*schema.meta.source.tree, field);
  const std::size_t from = at.value->begin() + (at.value->style() == NodeStyle::plain ? 0 : 1);
  if (at.value->tree().text().substr(from, text.size()) != text) return;
  std::vector<Edit> edits;
  const std::string& file = at.value->tree().name();
  if (begin) edits.push_back({file, from, from + 1, ""});
  if (end) edits.push_back({file, from + text.size() - 1, from + text.size(), ""});
  d.fix = Fix{"remove the anchor", false, std::move(edits)};
}

void check_kep_redundant_anchor(const LintContext& context, Findings& findings) {
  for_kep_tests(context, [&](const FlowSchema& schema, std::size_t list, std::size_t i, const KepTest& test) {
    if (test.pattern) check_pattern(schema, *test.pattern, kep_test_path(test, list, i) + ".pattern", findings);
  });
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (schema.kep->transformation)
      check_pattern(schema, *schema.kep->transformation, "spec.flowDistinguisher.pattern", findings);
  }
}

}  // namespace

extern const Rule rule_kep_redundant_anchor = {
    .code = "APF825",
    .name = "kep-redundant-anchor",
    .severity = Severity::info,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "a pattern has an anchor without effect",
    .what = "The pattern starts with ^ or ends with $.",
    .why = R"(Patterns of the dialect always match the whole value. With the anchor, readers may think that patterns
without one don't.)",
    .example = R"(- patternMatch:
  field: user
  pattern: ^system:node:.*$
)",
    .instead = R"(- patternMatch:
  field: user
  pattern: system:node:.*
)",
    .check = check_kep_redundant_anchor,
};

}  // namespace apf
