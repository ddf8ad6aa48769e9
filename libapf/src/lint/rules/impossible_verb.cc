// APF215: verbs that no request of the rule's sort can have.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

// The verb of a non-resource request is its method in lower case.
constexpr std::string_view kNotOfUrls[] = {"list", "watch", "create", "update", "deletecollection", "proxy"};
// Only paths under /api/v1/proxy gave it, which no release since 1.10 serves.
constexpr std::string_view kNotOfResources[] = {"proxy"};

// `url`: a path of the rule; empty of a resourceRule.
template <class Names>
void check_verbs(const LintContext& context, const FlowSchema& schema, std::size_t number, const std::string& url,
                 const std::vector<std::string>& verbs, const Names& impossible, const std::string& field,
                 Findings& findings) {
  const bool urls = !url.empty();
  const auto can_never_be = [&](const std::string& verb) { return is_one_of(impossible, verb); };
  const bool whole = std::all_of(verbs.begin(), verbs.end(), can_never_be);
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    if (!can_never_be(verbs[i])) continue;
    const std::string at = item_field(field, i);
    Diagnostic& d = findings.add(
        schema, at,
        urls ? fmt::format("no non-resource request has the verb \"{}\": its verb is the HTTP method in lower case",
                           verbs[i])
             : std::string(
                   "no request has the verb \"proxy\": proxying is a get or create of the subresource pods/proxy "
                   "or services/proxy, "
                   "and such requests bypass flow control"));
    if (urls && (verbs[i] == "create" || verbs[i] == "update")) {
      d.notes.push_back(
          {fmt::format("\"{}\" cannot be listed; only \"*\" covers it", verbs[i] == "create" ? "post" : "put"), {}});
    }
    if (urls && !url.ends_with('*')) d.witness = missed_by(context, schema, number, url);
    // With nothing else in the list the rule is dead.
    if (whole) continue;
    d.severity = Severity::info;
    offer_fix(d, "remove it", false, remove_field(*schema.meta.source.tree, at));
  }
}

void check_impossible_verb(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) {
    check_verbs(context, of.schema, of.rule, "", of.part.verbs, kNotOfResources, of.field + ".verbs", findings);
  });
  for_each_url_rule(context, [&](const UrlRuleEntry& of) {
    const std::vector<std::string>& urls = of.part.urls;
    const std::string url = urls.empty() || urls[0] == "*" ? "/version" : urls[0];
    check_verbs(context, of.schema, of.rule, url, of.part.verbs, kNotOfUrls, of.field + ".verbs", findings);
  });
}

}  // namespace

extern const Rule rule_impossible_verb = {
    .code = "APF215",
    .name = "impossible-verb",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a rule lists a verb that its requests never have",
    .what = R"(A non-resource rule lists list, watch, create, update, deletecollection or proxy, or a resource rule
lists proxy. The severity is info if other verbs of the list do match.)",
    .why = R"(The verb of a non-resource request is its HTTP method: get, post, put, delete, patch, head, options. The
verb proxy came from paths that are no longer served.)",
    .example = R"(nonResourceRules:
- verbs: [list]
  nonResourceURLs: ["/metrics"]
)",
    .instead = R"(nonResourceRules:
- verbs: [get]
  nonResourceURLs: ["/metrics"]
)",
    .check = check_impossible_verb,
};

}  // namespace apf
