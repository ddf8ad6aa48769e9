// APF218: a path that no request without a resource has: that of a resource, or one with a query.
#include <fmt/core.h>

#include <apf/classify.h>

#include "lint/fix_edits.h"
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

void check_unmatched_url(const LintContext& context, Findings& findings) {
  for_each_url_rule(context, [&](const UrlRuleEntry& of) {
    for (std::size_t i = 0; i < of.part.urls.size(); ++i) {
      const std::string &url = of.part.urls[i], at = item_field(of.field + ".nonResourceURLs", i);
      if (const std::size_t query = url.find_first_of("?#"); query != std::string::npos) {
        const std::string path = url.substr(0, query);
        Diagnostic& d =
            findings.add(of.schema, at,
                         fmt::format("\"{}\" matches no request: the query of a request is no part of its path", url));
        d.witness = missed_by(context, of.schema, of.rule, path);
        offer_fix(d, fmt::format("replace it with \"{}\"", path), false,
                  replace_scalar(*of.schema.meta.source.tree, at, path));
        continue;
      }
      if (!url.starts_with("/api") || !never_matches(url)) continue;
      Diagnostic& d = findings.add(
          of.schema, at,
          fmt::format("\"{}\" is the path of a resource: the server compares such requests only with resourceRules",
                      url));
      if (!url.ends_with('*')) d.witness = missed_by(context, of.schema, of.rule, url);
      d.notes.push_back({"write it as a resourceRule: verbs, apiGroups, resources and namespaces or clusterScope", {}});
    }
  });
}

}  // namespace

extern const Rule rule_unmatched_url = {
    .code = "APF218",
    .name = "unmatched-url",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "nonResourceURLs lists the path of a resource, or a path with a query",
    .what = R"(An entry of nonResourceURLs is a path such as /api/v1/pods or /apis/apps/v1/*, below which there are
only resources, or it has a query (/metrics?verbose). Discovery paths (/api, /api/v1, /apis, /apis/apps/v1) are non-resource paths and aren't reported.)",
    .why = R"(The server compares a request for a resource only with resourceRules, and of others the path without
the query. The entry matches nothing.)",
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
    .check = check_unmatched_url,
};

}  // namespace apf
