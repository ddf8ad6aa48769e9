// APF226: "/" among the paths, which covers all of them.
#include "lint/reach/url_entries.h"

namespace apf {

namespace {

void check_entry(const UrlEntry& entry, Findings& findings) {
  if (entry.url() != "/") return;
  Diagnostic& d = findings.add(entry.schema, entry.field,
                               "\"/\" covers every path, not only the root: an entry holds whatever is below it");
  // Beside others it can hardly be meant; alone it may be another way to write "*".
  if (entry.part.urls.size() == 1) d.severity = Severity::info;
}

void check(const LintContext& context, Findings& findings) {
  for_each_url(context, [&](const UrlEntry& entry) { check_entry(entry, findings); });
}

}  // namespace

extern const Rule rule_root_url = {
    .code = "APF226",
    .name = "root-url",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "the path / covers every path",
    .what = R"(An entry of nonResourceURLs is "/". Where it is the only entry the finding is of severity info.)",
    .why = R"(An entry covers the path that it names and all paths below, and every path is below "/". The other
entries of the list have no meaning beside it, and health checks, metrics and discovery all go here.)",
    .example = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/", "/version"]
)",
    .instead = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/version"]
)",
    .check = check,
};

}  // namespace apf
