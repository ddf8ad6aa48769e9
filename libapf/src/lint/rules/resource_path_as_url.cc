// APF218: the path of a resource among the non-resource URLs.
#include <fmt/format.h>

#include <apf/request.h>

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

void check(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      const std::vector<NonResourceRule>& rules = schema.rules[i].non_resource_rules;
      for (std::size_t j = 0; j < rules.size(); ++j) {
        for (std::size_t k = 0; k < rules[j].urls.size(); ++k) {
          const std::string& url = rules[j].urls[k];
          if (!url.starts_with("/api") || !never_matches(url)) continue;
          Diagnostic& d = findings.add(
              schema, item_field(url_rule_field(i, j) + ".nonResourceURLs", k),
              fmt::format("\"{}\" is the path of a resource: such requests are looked up in resourceRules only", url));
          if (!url.ends_with('*')) d.witness = missed_by(context, schema, i, url);
          d.notes.push_back(
              {"write it as a resourceRule: verbs, apiGroups, resources and namespaces or clusterScope", {}});
        }
      }
    }
  }
}

}  // namespace

extern const Rule rule_resource_path_as_url = {
    {"APF218", "resource-path-as-url", Severity::warning, "nonResourceURLs lists the path of a resource",
     "An entry of nonResourceURLs is a path such as /api/v1/pods or /apis/apps/v1/*, below which there are only "
     "resources. "
     "The paths that discovery uses (/api, /api/v1, /apis, /apis/apps/v1) are non-resource paths and not meant.",
     "A request for a resource is compared with resourceRules only. The entry matches nothing.",
     R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/api/v1/pods"]
)",
     R"(resourceRules:
- verbs: [get, list, watch]
  apiGroups: [""]
  resources: [pods]
  namespaces: ["*"]
  clusterScope: true
)"},
    check};

}  // namespace apf
