#include "lint/misspelt.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "config/codes.h"
#include "config/dialect.h"

namespace apf {

namespace {

// Rules whose findings say that something is written otherwise than meant.
constexpr std::string_view kSpellingRules[] = {
    "APF210" /* literal-wildcard */,     "APF212" /* kind-or-singular-resource */,
    "APF213" /* group-in-resource */,    "APF214" /* version-in-api-group */,
    "APF215" /* impossible-verb */,      "APF216" /* service-account-as-user */,
    "APF218" /* unmatched-url */,        "APF224" /* subject-of-wrong-kind */,
    "APF228" /* misspelt-system-name */, "APF229" /* resource-not-in-group */,
};

bool deletes(const Diagnostic& d) {
  return d.fix && !d.fix->edits.empty() && std::all_of(d.fix->edits.begin(), d.fix->edits.end(), [](const Edit& edit) {
           return edit.begin < edit.end && edit.text.find_first_not_of("[]{} \n") == std::string::npos;
         });
}

bool is_within(std::string_view field, std::string_view outer) {
  if (!field.starts_with(outer)) return false;
  return field.size() == outer.size() || field[outer.size()] == '.' || field[outer.size()] == '[';
}

std::vector<Diagnostic> misspelt(const LintContext& context) {
  std::vector<Diagnostic> out;
  std::copy_if(context.loaded.diagnostics.begin(), context.loaded.diagnostics.end(), std::back_inserter(out),
               [](const Diagnostic& d) { return d.code == kUnknownField.code; });
  Findings findings(out);
  for (const Rule* rule : all_rules()) {
    if (std::find(std::begin(kSpellingRules), std::end(kSpellingRules), rule->code) == std::end(kSpellingRules))
      continue;
    findings.set_rule(*rule);
    rule->check(context, findings);
  }
  return out;
}

using ObjectKey = std::tuple<std::string, int, std::string, std::string>;  // file, document, kind, name
ObjectKey object_of(const Diagnostic& d) { return {d.span.file, d.document, d.kind, d.object_name}; }

}  // namespace

void withhold_deletions(const LintContext& context, std::vector<Diagnostic>& findings) {
  if (!dialect_of(context.effective).is_served() || std::none_of(findings.begin(), findings.end(), deletes)) return;
  std::map<ObjectKey, std::vector<Diagnostic>> of_objects;
  for (Diagnostic& d : misspelt(context)) of_objects[object_of(d)].push_back(std::move(d));
  for (Diagnostic& d : findings) {
    if (!deletes(d)) continue;
    const auto found = of_objects.find(object_of(d));
    if (found == of_objects.end()) continue;
    const std::vector<Diagnostic>& there = found->second;
    if (std::any_of(there.begin(), there.end(),
                    [&](const Diagnostic& m) { return m.code != d.code && is_within(m.field, d.field); }))
      d.fix.reset();
  }
}

}  // namespace apf
