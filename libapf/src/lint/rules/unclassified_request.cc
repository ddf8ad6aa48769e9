// APF219: entries for long-running requests, which flow control never sees.
#include <algorithm>

#include <fmt/core.h>

#include <apf/classify.h>

#include "base/api_groups.h"
#include "base/joined.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

bool is_never_classified(std::string_view resource, std::string_view subresource) {
  RequestInfo info;
  info.is_resource_request = true;
  info.verb = "get";
  info.resource = resource;
  info.subresource = subresource;
  return is_long_running(info);
}

bool is_never_classified(std::string_view entry) {
  return !subresource_of(entry).empty() && is_never_classified(resource_of(entry), subresource_of(entry));
}

// The resource has no such subresource: rule resource-not-in-group says so.
bool is_no_request(const ResourceRule& rule, std::string_view entry) {
  const std::vector<const ApiResource*> known = built_in_resources(rule, entry);
  return !known.empty() && std::none_of(known.begin(), known.end(), [&](const ApiResource* resource) {
    const std::string_view subresources = subresources_of(resource->group, resource->name);
    return subresources.empty() || has_word(subresources, subresource_of(entry));
  });
}

// One finding for all such entries of a list, at the first.
template <class IsSuch>
Diagnostic& add_long_running(const FlowSchema& schema, const std::string& list_field,
                             const std::vector<std::string>& list, IsSuch is_such, Findings& findings) {
  std::vector<std::string> entries;
  for (const std::string& entry : list) {
    if (is_such(entry)) entries.push_back(fmt::format("\"{}\"", entry));
  }
  const auto first = static_cast<std::size_t>(std::find_if(list.begin(), list.end(), is_such) - list.begin());
  return findings.add(
      schema, item_field(list_field, first),
      fmt::format("requests for {} are long-running: they bypass flow control, whatever FlowSchema matches them",
                  joined(entries, ", ")));
}

void check_long_running_resources(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const auto& [schema, number, part, field] = of;
  const ResourceRule& rule = part;
  const auto dead = [&](const std::string& entry) { return is_never_classified(entry) && !is_no_request(rule, entry); };
  const auto first = std::find_if(rule.resources.begin(), rule.resources.end(), dead);
  if (first == rule.resources.end()) return;
  Diagnostic& d = add_long_running(schema, field + ".resources", rule.resources, dead, findings);
  if (!std::all_of(rule.resources.begin(), rule.resources.end(), dead)) d.severity = Severity::info;
  const std::vector<const ApiResource*> known = built_in_resources(rule, *first);
  if (!known.empty()) d.witness = made_by(context, schema, number, request_of(rule, known[0]->group, *first));
}

void check_long_running_urls(const UrlRuleEntry& of, Findings& findings) {
  const std::vector<std::string>& urls = of.part.urls;
  const auto dead = [](const std::string& url) { return url.starts_with("/debug/pprof/"); };
  if (std::any_of(urls.begin(), urls.end(), dead))
    add_long_running(of.schema, of.field + ".nonResourceURLs", urls, dead, findings);
}

void check_unclassified_request(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context,
                         [&](const ResourceRuleEntry& of) { check_long_running_resources(context, of, findings); });
  for_each_url_rule(context, [&](const UrlRuleEntry& of) { check_long_running_urls(of, findings); });
}

}  // namespace

extern const Rule rule_unclassified_request = {
    .code = "APF219",
    .name = "unclassified-request",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "an entry is for requests that bypass flow control",
    .what = R"(A resourceRule lists a subresource attach, exec, log, portforward or proxy, or a nonResourceRule lists
a path under /debug/pprof/. The severity is info if the rule lists other resources too.)",
    .why = R"(Such requests are long-running. They use neither queues nor seats, whatever FlowSchema matches them. The
rule looks as if it limited logs or exec, but it doesn't.)",
    .example = R"(resourceRules:
- verbs: [get]
  apiGroups: [""]
  resources: [pods/log]
  namespaces: ["*"]
)",
    .instead = "Remove the entry. Such requests can be limited by authorization or by a proxy.",
    .check = check_unclassified_request,
};

}  // namespace apf
