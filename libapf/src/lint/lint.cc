// Runs the rules over a configuration and applies what silences them.
#include <apf/config.h>
#include <apf/limits.h>
#include <apf/lint.h>
#include <apf/settings.h>
#include <apf/validate.h>

#include <algorithm>

#include "config/codes.h"
#include "config/dialect.h"
#include "lint/rule.h"
#include "lint/select.h"
#include "lint/suppression.h"

namespace apf {

namespace {

// Validation forbids it, but the registry clears the field of cluster-scoped objects before it validates (v1.36,
// registry/rest EnsureObjectNamespaceMatchesRequestNamespace): such manifests work, and no pipeline should stop at
// them.
void soften_namespaces(std::vector<Diagnostic>& found) {
  for (Diagnostic& d : found) {
    if (d.code != kNamespaceOnClusterScoped.code) continue;
    d.severity = Severity::info;
    d.notes.push_back({"the kind is cluster-scoped: the server clears the namespace of what kubectl sends", {}});
  }
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
  soften_namespaces(invalid);
  // kubectl fills in the namespace that most manifests leave out: nothing to regret.
  std::erase_if(invalid,
                [](const Diagnostic& d) { return d.code == kInvalidNamespace.code && d.type == "Required value"; });
  keep(invalid);

  Config stored = loaded.config;
  apply_defaults(stored);
  const Config builtins = bootstrap_config(options.version);
  const Config effective = with_objects(with_builtins(stored, options.version, Builtins::all), options.added);
  const LimitsTable limits = compute_limits(
      effective, options.max_requests_inflight + options.max_mutating_requests_inflight, options.version);
  const LintContext context(loaded, stored, effective, builtins, limits, options);
  Findings findings(result.findings);
  const RuleDialect dialect = dialect_of(effective).is_served() ? RuleDialect::api : RuleDialect::kep;
  for (const Rule* rule : all_rules()) {
    if (!rule->check || (rule->dialect != RuleDialect::any && rule->dialect != dialect)) continue;
    if (!is_selected(options, rule->code, rule->name)) continue;
    findings.set_rule(*rule);
    rule->check(context, findings);
  }
  apply_suppressions(loaded, texts, options, result);
  sort_diagnostics(result.findings);
  sort_diagnostics(result.suppressed);
  return result;
}

}  // namespace apf
