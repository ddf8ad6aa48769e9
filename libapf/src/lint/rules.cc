// All rules as tables: those that check something, and with them the pages of what reading and validating find.
#include "lint/rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lint/pages.h"

namespace apf {

namespace {

constexpr const Rule* kRules[] = {
#define RULE(name) &rule_##name,
#include "lint/rules.inc"
#undef RULE
};

// A text that ends with a line break is an example, shown as it is. Prose is broken where its source line ends.
std::string unfolded(std::string_view text) {
  std::string out(text);
  if (!out.ends_with('\n')) std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

RuleInfo page_of(const Rule& rule) {
  return {rule.code,
          rule.name,
          rule.severity,
          rule.group,
          rule.dialect,
          rule.summary,
          unfolded(rule.what),
          unfolded(rule.why),
          unfolded(rule.example),
          unfolded(rule.instead)};
}

std::vector<RuleInfo> gather_pages() {
  std::vector<RuleInfo> all;
  for (const std::span<const Rule> pages : {decoding_pages(), validation_pages(), plugin_pages(), kep_pages()}) {
    for (const Rule& rule : pages) all.push_back(page_of(rule));
  }
  for (const Rule* rule : kRules) all.push_back(page_of(*rule));
  std::sort(all.begin(), all.end(),
            [](const RuleInfo& a, const RuleInfo& b) { return std::string_view(a.code) < b.code; });
  return all;
}

}  // namespace

std::span<const Rule* const> all_rules() { return kRules; }

bool is_checked(std::string_view code) {
  return std::any_of(std::begin(kRules), std::end(kRules),
                     [&](const Rule* rule) { return rule->check && code == rule->code; });
}

std::string_view rule_group_title(RuleGroup group) {
  switch (group) {
    case RuleGroup::rejected:
      return "The API server rejects it";
    case RuleGroup::dangling:
      return "Never matches, or dangles";
    case RuleGroup::precedence:
      return "Surprising precedence, overlap or matching";
    case RuleGroup::concurrency:
      return "Concurrency and lending";
    case RuleGroup::queues:
      return "Queues and hands";
    case RuleGroup::versions:
      return "Versions and defaulting";
    case RuleGroup::event_rate_limit:
      return "EventRateLimit";
    case RuleGroup::resource_quota:
      return "ResourceQuota";
    case RuleGroup::kep:
      return "The KEP's own dialect";
    case RuleGroup::audit_policies:
      return "Audit policies";
    case RuleGroup::suppressions:
      return "Suppressions";
  }
  return {};
}

std::span<const RuleInfo> lint_rules() {
  static const std::vector<RuleInfo> all = gather_pages();
  return all;
}

const RuleInfo* find_rule(std::string_view code_or_name) {
  const std::span<const RuleInfo> all = lint_rules();
  const auto by_code =
      std::lower_bound(all.begin(), all.end(), code_or_name,
                       [](const RuleInfo& rule, std::string_view code) { return std::string_view(rule.code) < code; });
  if (by_code != all.end() && code_or_name == by_code->code) return &*by_code;
  const auto by_name = std::find_if(all.begin(), all.end(), [&](const RuleInfo& r) { return code_or_name == r.name; });
  return by_name == all.end() ? nullptr : &*by_name;
}

}  // namespace apf
