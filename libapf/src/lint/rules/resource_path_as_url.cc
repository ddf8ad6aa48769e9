// APF218: the path of a resource among the non-resource URLs.
#include <fmt/core.h>

#include <apf/classify.h>

#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

bool is_resource_path(const std::string& path) {
  ParsedRequest parsed;
  parse_audited_request("get", path, parsed);
  return parsed.url_error.empty() && parsed.info.is_resource_request;
}

// No request that the entry matches is a non-resource request.
bool never_matches(const std::string& url) {
  const bool wildcard = url.ends_with("/*");
  return is_resource_path(wildcard ? url.substr(0, url.size() - 1) + "x" : url);
}

void check_resource_path_as_url(const LintContext& context, Findings& findings) {
  for_each_url_rule(context, [&](const UrlRuleEntry& of) {
    for (std::size_t i = 0; i < of.part.urls.size(); ++i) {
      const std::string& url = of.part.urls[i];
      if (!url.starts_with("/api") || !never_matches(url)) continue;
      Diagnostic& d = findings.add(
          of.schema, item_field(of.field + ".nonResourceURLs", i),
          fmt::format("\"{}\" is the path of a resource: the server compares such requests only with resourceRules",
                      url));
      if (!url.ends_with('*')) d.witness = missed_by(context, of.schema, of.rule, url);
      d.notes.push_back({"write it as a resourceRule: verbs, apiGroups, resources and namespaces or clusterScope", {}});
    }
  });
}

}  // namespace

extern const Rule rule_resource_path_as_url = {
    .code = "APF218",
    .name = "resource-path-as-url",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "nonResourceURLs lists the path of a resource",
    .what = R"(An entry of nonResourceURLs is a path such as /api/v1/pods or /apis/apps/v1/*, below which there are
only resources. Discovery paths (/api, /api/v1, /apis, /apis/apps/v1) are non-resource paths and aren't reported.)",
    .why = "The server compares a request for a resource only with resourceRules. The entry matches nothing.",
    .example = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/api/v1/pods"]
)",
    .instead = R"(resourceRules:
- verbs: [get, list, watch]
  apiGroups: [""]
  resources: [pods]
  namespaces: ["*"]
  clusterScope: true
)",
    .check = check_resource_path_as_url,
};

}  // namespace apf
