// Runs the rules over a configuration and applies what silences them.
#include <apf/config.h>
#include <apf/limits.h>
#include <apf/lint.h>

#include <algorithm>

#include "base/background.h"
#include "config/codes.h"
#include "config/dialect.h"
#include "lint/causes.h"
#include "lint/consequences.h"
#include "lint/fixed_specs.h"
#include "lint/invalid_values.h"
#include "lint/misplaced_keys.h"
#include "lint/misspelt.h"
#include "lint/required_values.h"
#include "lint/rule.h"
#include "lint/select.h"
#include "lint/suppression.h"
#include "lint/variables.h"

namespace apf {

namespace {

constexpr std::string_view kDanglingLevel = "APF101", kSurprisingDefault = "APF503", kMisleadingYaml = "APF507";
constexpr const char *kSchemaKind = "FlowSchema", *kLevelKind = "PriorityLevelConfiguration";

template <class Object>
bool is_read(const std::vector<Object>& objects, const std::string& name) {
  return std::any_of(objects.begin(), objects.end(), [&](const Object& object) { return object.meta.name == name; });
}

// Those with an error in their spec. A wrong name or label changes nothing about what a rule says.
BrokenObjects broken_objects(const LoadedConfig& loaded, std::span<const Diagnostic> rejections) {
  BrokenObjects out;
  for (const Diagnostic& d : rejections) {
    const bool unread_text = d.code == kSyntaxError.code || d.code == kHelmTemplate.code || d.code == kMissingKind.code;
    if (unread_text && d.severity == Severity::error && d.object_name.empty())
      out.has_unread_schema = out.has_unread_level = true;
    const bool of_spec = is_decode_code(d.code) || d.field.starts_with("spec");
    if (d.severity != Severity::error || d.object_name.empty() || !of_spec || d.code == kNotServed.code) continue;
    if (d.kind == kLevelKind) out.levels.insert(d.object_name);
    if (d.kind != kSchemaKind) continue;
    out.schemas.insert(d.object_name);
    out.has_unread_schema = out.has_unread_schema || !is_read(loaded.config.flow_schemas, d.object_name);
  }
  return out;
}

// What a rule says of the content of an object that is in error need not be so. Two say why it is in error, one that
// the level which it names is not there.
bool is_of_broken(const BrokenObjects& broken, const Diagnostic& d) {
  if (d.code == kSurprisingDefault || d.code == kDanglingLevel || d.code == kMisleadingYaml) return false;
  return (d.kind == kSchemaKind && broken.schemas.contains(d.object_name)) ||
         (d.kind == kLevelKind && broken.levels.contains(d.object_name));
}

bool runs(const Rule& rule, RuleDialect dialect, const LintOptions& options) {
  if (!rule.check || (rule.dialect != RuleDialect::any && rule.dialect != dialect)) return false;
  if (!is_selected(options, rule.code, rule.name)) return false;
  const auto named = [&](const std::string& word) { return word == rule.code || word == rule.name; };
  return !rule.on_request || std::any_of(options.select.begin(), options.select.end(), named) ||
         std::any_of(options.enabled.begin(), options.enabled.end(), named);
}

}  // namespace

LintResult lint(const LoadedConfig& loaded, std::span<const ConfigText> texts, const LintOptions& options) {
  check_rule_words(options.select, "select");
  check_rule_words(options.ignore, "ignore");
  LintResult result;
  const auto keep = [&](const std::vector<Diagnostic>& found) {
    for (const Diagnostic& d : found) {
      if (is_selected(options, d.code, d.name)) result.findings.push_back(d);
    }
  };
  keep(loaded.diagnostics);
  std::vector<Diagnostic> invalid = validate(loaded, options.version);
  // kubectl fills in the namespace that most manifests leave out: nothing to regret.
  std::erase_if(invalid,
                [](const Diagnostic& d) { return d.code == kInvalidNamespace.code && d.type == "Required value"; });
  keep(invalid);
  drop_members_of_unknown_types(result.findings);
  name_causes(loaded, result.findings);
  place_keys(loaded, result.findings);
  explain_required_values(loaded, result.findings);
  explain_invalid_values(loaded, options.version, result.findings);
  offer_rejection_fixes(loaded, options.version, result.findings);
  name_odd_indents(texts, result.findings);
  name_variables(texts, result.findings);
  std::vector<Diagnostic> rejections = loaded.diagnostics;
  rejections.insert(rejections.end(), invalid.begin(), invalid.end());
  BrokenObjects broken = broken_objects(loaded, rejections);
  if (options.partial) broken.has_unread_schema = broken.has_unread_level = true;

  Config stored = loaded.config;
  apply_defaults(stored);
  Config builtins = bootstrap_config(options.version);
  apply_defaults(builtins);  // also fields that the release does not have, as in `stored`
  explain_fixed_specs(stored, builtins, result.findings);
  const Config effective = with_objects(with_builtins(stored, options.version, Builtins::all), options.added);
  const LimitsTable limits = compute_limits(
      effective, options.max_requests_inflight + options.max_mutating_requests_inflight, options.version);
  const LintContext context(loaded, texts, stored, effective, builtins, limits, options, broken);
  std::vector<Diagnostic> found;
  Findings findings(found);
  const RuleDialect dialect = dialect_of(effective).is_served() ? RuleDialect::api : RuleDialect::kep;
  for (const Rule* rule : all_rules()) {
    if (!runs(*rule, dialect, options)) continue;
    end_if_unwanted();
    findings.set_rule(*rule);
    rule->check(context, findings);
  }
  withhold_deletions(context, found);
  drop_consequences(context, found);
  const std::size_t rejected = result.findings.size();
  const auto is_rejected_there = [&](const Diagnostic& d) {
    const auto end = result.findings.begin() + static_cast<std::ptrdiff_t>(rejected);
    return std::any_of(result.findings.begin(), end, [&](const Diagnostic& other) {
      return other.kind == d.kind && other.object_name == d.object_name && other.field == d.field;
    });
  };
  for (Diagnostic& d : found) {
    const bool broken_field = d.code == kDanglingLevel && is_rejected_there(d);
    if (!broken_field && !is_of_broken(broken, d)) result.findings.push_back(std::move(d));
  }
  name_missing_separators(result.findings);
  apply_suppressions(loaded, texts, options, result);
  sort_diagnostics(result.findings);
  sort_diagnostics(result.suppressed);
  return result;
}

}  // namespace apf
