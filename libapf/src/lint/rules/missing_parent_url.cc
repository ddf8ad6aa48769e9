// APF225: a path with /* and without the path itself.
#include <fmt/core.h>

#include "base/text.h"
#include "lint/fix_edits.h"
#include "lint/missed_request.h"
#include "lint/reach/url_entries.h"

namespace apf {

namespace {

// Paths that are served themselves and have others below them. Of the last ones only what is below is asked for often.
constexpr std::string_view kServed[] = {"/healthz", "/livez", "/readyz", "/metrics", "/version"};
constexpr std::string_view kListings[] = {"/api", "/apis", "/openapi/v3", "/logs"};

// Does some nonResourceRule of the FlowSchema hold this very path?
bool lists_path(const FlowSchema& schema, std::string_view path) {
  for (const PolicyRule& rule : schema.rules) {
    for (const NonResourceRule& part : rule.non_resource_rules) {
      for (const std::string& url : part.urls) {
        if (url == "*" || url == "/" || url == "/*" || url == path) return true;
      }
    }
  }
  return false;
}

void check_entry(const LintContext& context, const UrlEntry& entry, Findings& findings) {
  const std::string& url = entry.url();
  if (!url.ends_with("/*") && !url.ends_with('/')) return;
  const std::string path = url.substr(0, url.rfind('/'));
  const bool served = is_one_of(kServed, path);
  if ((!served && !is_one_of(kListings, path)) || lists_path(entry.schema, path)) return;
  Diagnostic& d =
      findings.add(entry.schema, entry.field,
                   fmt::format("\"{}\" covers what is below \"{}\", but not \"{}\" itself", url, path, path));
  d.notes.push_back({fmt::format("\"{}\" alone covers both", path), {}});
  if (!served) d.severity = Severity::info;
  d.witness = missed_by(context, entry.schema, entry.rule, path);
  offer_fix(d, fmt::format("replace it with \"{}\"", path), false,
            replace_scalar(*entry.schema.meta.source.tree, entry.field, path));
}

void check_missing_parent_url(const LintContext& context, Findings& findings) {
  for_each_url(context, [&](const UrlEntry& entry) { check_entry(context, entry, findings); });
}

}  // namespace

extern const Rule rule_missing_parent_url = {
    .code = "APF225",
    .name = "missing-parent-url",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a path ends in /* and excludes the path itself",
    .what = R"(An entry of nonResourceURLs is a well-known path with /* or / at its end, such as /healthz/*, and the
FlowSchema has no entry for the path itself. For the listings /api, /apis, /openapi/v3 and /logs the severity is info.)",
    .why = R"(In a FlowSchema "/healthz" covers /healthz and everything below it, but "/healthz/*" covers only what is
below. The most frequent request goes to another FlowSchema. (RBAC is different: there, a path without /* is only that
path.))",
    .example = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/metrics/*"]
)",
    .instead = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/metrics"]
)",
    .check = check_missing_parent_url,
};

}  // namespace apf
