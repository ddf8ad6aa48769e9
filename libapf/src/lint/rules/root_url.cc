// APF226: "/" among the paths, which covers all of them.
#include "lint/reach/url_entries.h"

namespace apf {

namespace {

void check_entry(const UrlEntry& entry, Findings& findings) {
  if (entry.url() != "/") return;
  Diagnostic& d = findings.add(entry.schema, entry.field,
                               "\"/\" covers every path, not only the root: an entry includes everything below it");
  // Beside others it can hardly be meant; alone it may be another way to write "*".
  if (entry.part.urls.size() == 1) d.severity = Severity::info;
}

void check_root_url(const LintContext& context, Findings& findings) {
  for_each_url(context, [&](const UrlEntry& entry) { check_entry(entry, findings); });
}

}  // namespace

extern const Rule rule_root_url = {
    .code = "APF226",
    .name = "root-url",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "the path / covers every path",
    .what = R"(An entry of nonResourceURLs is "/". The severity is info if it is the only entry.)",
    .why = R"(An entry covers its path and all paths below it, and every path is below "/". The other entries of the
list have no effect, and all health checks, metrics and discovery requests match.)",
    .example = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/", "/version"]
)",
    .instead = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/version"]
)",
    .check = check_root_url,
};

}  // namespace apf
