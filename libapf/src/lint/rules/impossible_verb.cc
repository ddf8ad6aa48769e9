// APF215: verbs that no request of the rule's sort can have.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/seen_requests.h"

namespace apf {

namespace {

// Only paths under /api/v1/proxy gave it, which no release since 1.10 serves.
bool is_proxy(std::string_view verb) { return verb == "proxy"; }

// `url`: a path of the rule; empty of a resourceRule.
template <class Impossible>
void check_verbs(const LintContext& context, const FlowSchema& schema, std::size_t number, const std::string& url,
                 const std::vector<std::string>& verbs, Impossible can_never_be, const std::string& field,
                 Findings& findings) {
  const bool urls = !url.empty();
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

// Subresources are asked for one object at a time.
void check_collections_of_subresources(const ResourceRuleEntry& of, Findings& findings) {
  const ResourceRule& part = of.part;
  if (part.verbs.empty() || part.resources.empty()) return;
  if (!std::all_of(part.verbs.begin(), part.verbs.end(), is_verb_of_collections)) return;
  const auto is_subresource = [](const std::string& entry) { return entry.find('/') != entry.npos; };
  if (!std::all_of(part.resources.begin(), part.resources.end(), is_subresource)) return;
  findings.add(of.schema, of.field + ".verbs",
               fmt::format("this rule matches no request: list, watch and deletecollection are of whole collections, "
                           "and \"{}\" is of one object",
                           part.resources[0]));
}

void check_impossible_verb(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) {
    check_verbs(context, of.schema, of.rule, "", of.part.verbs, is_proxy, of.field + ".verbs", findings);
    check_collections_of_subresources(of, findings);
  });
  for_each_url_rule(context, [&](const UrlRuleEntry& of) {
    const std::vector<std::string>& urls = of.part.urls;
    const std::string url = urls.empty() || urls[0] == "*" ? "/version" : urls[0];
    check_verbs(context, of.schema, of.rule, url, of.part.verbs, is_verb_of_resources, of.field + ".verbs", findings);
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
lists proxy. The severity is info if other verbs of the list do match. Or a resource rule has only list, watch and
deletecollection, and only subresources such as pods/status.)",
    .why = R"(The verb of a non-resource request is its HTTP method: get, post, put, delete, patch, head, options. The
verb proxy came from paths that are no longer served. A subresource is asked for one object at a time: its verbs are
get, create, update, patch and delete.)",
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
