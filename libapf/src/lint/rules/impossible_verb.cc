// APF215: verbs that no request of the rule's sort can have.
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "base/joined.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/seen_requests.h"
#include "lint/verbs_of.h"

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

// "create", "get, patch and update"
std::string verbs_in_words(std::span<const std::string_view> verbs) {
  std::string out;
  for (std::size_t i = 0; i < verbs.size(); ++i)
    out += (i == 0 ? "" : i + 1 == verbs.size() ? " and " : ", ") + std::string(verbs[i]);
  return out;
}

bool never_meet(const ResourceRule& rule, const std::string& entry) {
  return std::none_of(rule.verbs.begin(), rule.verbs.end(),
                      [&](const std::string& verb) { return can_have_verb(rule, entry, verb); });
}

// Entries that no verb of the rule goes with: one finding for all of them.
void check_entries_without_verb(const ResourceRuleEntry& of, const std::vector<std::size_t>& dead, Findings& findings) {
  const std::vector<std::string>& resources = of.part.resources;
  const std::string& entry = resources[dead.front()];
  const std::span<const std::string_view> verbs = verbs_of_entry(of.part, entry);
  const bool whole = dead.size() == resources.size();
  const std::string others = dead.size() == 1 ? "" : fmt::format(" (and {} more)", dead.size() - 1);
  Diagnostic& d =
      findings.add(of.schema, whole ? of.field + ".verbs" : item_field(of.field + ".resources", dead.front()),
                   fmt::format("{} matches no request: requests for \"{}\"{} have the {} {}, never these",
                               whole ? "this rule" : "this entry", entry, others, verbs.size() == 1 ? "verb" : "verbs",
                               verbs_in_words(verbs)));
  if (!whole) d.severity = Severity::info;
  if (!whole && dead.size() == 1)
    offer_fix(d, "remove it", false,
              remove_field(*of.schema.meta.source.tree, item_field(of.field + ".resources", dead.front())));
}

// Subresources are asked for one object at a time, and some are only posted.
void check_verbs_of_entries(const ResourceRuleEntry& of, Findings& findings) {
  const ResourceRule& part = of.part;
  if (part.verbs.empty() || part.resources.empty() || is_any(part.verbs)) return;
  std::vector<std::size_t> dead;
  for (std::size_t i = 0; i < part.resources.size(); ++i) {
    if (never_meet(part, part.resources[i])) dead.push_back(i);
  }
  if (!dead.empty()) check_entries_without_verb(of, dead, findings);
  if (dead.size() == part.resources.size()) return;
  std::vector<std::string> idle;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < part.verbs.size(); ++i) {
    const bool used = is_proxy(part.verbs[i]) ||
                      std::any_of(part.resources.begin(), part.resources.end(),
                                  [&](const std::string& entry) { return can_have_verb(part, entry, part.verbs[i]); });
    if (used) continue;
    if (!first) first = i;
    idle.push_back(fmt::format("\"{}\"", part.verbs[i]));
  }
  if (!first) return;
  const std::string at = item_field(of.field + ".verbs", *first);
  Diagnostic& d =
      findings.add(of.schema, at,
                   fmt::format("no request for {} has the {} {}",
                               part.resources.size() == 1 ? "\"" + part.resources[0] + "\"" : "these resources",
                               idle.size() == 1 ? "verb" : "verbs", joined(idle, ", ")));
  d.severity = Severity::info;
  if (idle.size() == 1) offer_fix(d, "remove it", false, remove_field(*of.schema.meta.source.tree, at));
}

void check_impossible_verb(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) {
    check_verbs(context, of.schema, of.rule, "", of.part.verbs, is_proxy, of.field + ".verbs", findings);
    check_verbs_of_entries(of, findings);
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
lists proxy. The severity is info if other verbs of the list do match. Or a resource rule lists resources whose requests
have none of its verbs, or verbs that none of its resources has; while the rest of the rule matches, the severity is
info.)",
    .why = R"(The verb of a non-resource request is its HTTP method: get, post, put, delete, patch, head, options. The
verb proxy came from paths that are no longer served. A subresource is asked for one object at a time: no list, watch or
deletecollection. status and scale are got, updated and patched; eviction, binding and token, and reviews such as
tokenreviews, are only created. A rule for the deletion of pods by eviction needs create.)",
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
