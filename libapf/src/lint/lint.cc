// Runs the rules over a configuration and applies what silences them.
#include <apf/bootstrap.h>
#include <apf/limits.h>
#include <apf/lint.h>
#include <apf/validate.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>

#include "lint/decoding_rules.h"
#include "lint/rule.h"
#include "lint/select.h"
#include "lint/suppression.h"

namespace apf {

namespace {

// Findings of one code that are told: see Findings.
constexpr std::size_t kMostOfRule = 10'000;

// The given objects, then those of the release that they do not replace. As one list, because it may be large.
template <class Object>
void put_before(const std::vector<Object>& builtins, const std::vector<Object>& given, std::vector<Object>& out) {
  std::unordered_set<std::string_view> names;
  for (const Object& object : given) names.insert(object.meta.name);
  out.reserve(given.size() + builtins.size());
  out.insert(out.end(), given.begin(), given.end());
  for (const Object& object : builtins) {
    if (!names.contains(object.meta.name)) out.push_back(object);
  }
}

// What the server holds.
Config put_before(const Config& builtins, const Config& given) {
  Config out;
  put_before(builtins.flow_schemas, given.flow_schemas, out.flow_schemas);
  put_before(builtins.priority_levels, given.priority_levels, out.priority_levels);
  apply_defaults(out);
  return out;
}

std::vector<RuleInfo> gather_rules() {
  std::vector<RuleInfo> all(decoding_rules().begin(), decoding_rules().end());
  all.insert(all.end(), validation_rules().begin(), validation_rules().end());
  for (const Rule* rule : all_rules()) all.push_back(rule->info);
  std::sort(all.begin(), all.end(),
            [](const RuleInfo& a, const RuleInfo& b) { return std::string_view(a.code) < b.code; });
  return all;
}

}  // namespace

std::span<const RuleInfo> lint_rules() {
  static const std::vector<RuleInfo> all = gather_rules();
  return all;
}

const RuleInfo* find_rule(std::string_view code_or_name) {
  for (const RuleInfo& rule : lint_rules()) {
    if (code_or_name == rule.code || code_or_name == rule.name) return &rule;
  }
  return nullptr;
}

LintResult lint(const LoadedConfig& loaded, std::span<const ConfigText> texts, const LintOptions& options) {
  check_rule_words(options.select, "select");
  check_rule_words(options.ignore, "ignore");
  LintResult result;
  const auto is_wanted = [&](const Diagnostic& d) { return is_selected(options, d.code, d.name); };
  std::copy_if(loaded.diagnostics.begin(), loaded.diagnostics.end(), std::back_inserter(result.findings), is_wanted);
  std::vector<Diagnostic> rejected = validate(loaded, options.version);
  std::map<std::string, std::size_t, std::less<>> told;
  std::erase_if(rejected, [&](Diagnostic& d) {
    if (!is_wanted(d)) return true;
    const std::size_t count = ++told[d.code];
    if (count == kMostOfRule) d.notes.push_back({"there are more like this: only the first 10,000 are told", {}});
    return count > kMostOfRule;
  });
  result.findings.insert(result.findings.end(), std::make_move_iterator(rejected.begin()),
                         std::make_move_iterator(rejected.end()));
  rejected = {};

  const Config builtins = bootstrap_config(options.version);
  const Config effective = put_before(builtins, loaded.config);
  const LimitsTable limits = compute_limits(
      effective, options.max_requests_inflight + options.max_mutating_requests_inflight, options.version);
  const LintContext context(loaded, effective, builtins, limits, options);
  Findings findings(result.findings);
  for (const Rule* rule : all_rules()) {
    if (!rule->check || !is_selected(options, rule->info.code, rule->info.name)) continue;
    findings.set_rule(*rule);
    rule->check(context, findings);
  }
  apply_suppressions(loaded, texts, options, result);
  sort_diagnostics(result.findings);
  sort_diagnostics(result.suppressed);
  return result;
}

}  // namespace apf
