// APF219: entries for long-running requests, which flow control never sees.
#include <algorithm>

#include <fmt/core.h>

#include <apf/classify.h>

#include "base/api_groups.h"
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

void check_long_running_resources(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const auto& [schema, number, part, field] = of;
  const ResourceRule& rule = part;
  const auto dead = [&](const std::string& entry) { return is_never_classified(entry) && !is_no_request(rule, entry); };
  const bool whole = std::all_of(rule.resources.begin(), rule.resources.end(), dead);
  for (std::size_t i = 0; i < rule.resources.size(); ++i) {
    if (!dead(rule.resources[i])) continue;
    Diagnostic& d = findings.add(
        schema, item_field(field + ".resources", i),
        fmt::format("requests for \"{}\" are long-running: they bypass flow control, whatever FlowSchema matches them",
                    rule.resources[i]));
    if (!whole) d.severity = Severity::info;
    const std::vector<const ApiResource*> known = built_in_resources(rule, rule.resources[i]);
    if (!known.empty())
      d.witness = made_by(context, schema, number, request_of(rule, known[0]->group, rule.resources[i]));
  }
}

void check_long_running_urls(const UrlRuleEntry& of, Findings& findings) {
  const std::vector<std::string>& urls = of.part.urls;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    if (!urls[i].starts_with("/debug/pprof/")) continue;
    findings.add(
        of.schema, item_field(of.field + ".nonResourceURLs", i),
        fmt::format("requests for \"{}\" are long-running: they bypass flow control, whatever FlowSchema matches them",
                    urls[i]));
  }
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
