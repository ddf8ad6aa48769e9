// APF219: entries for long-running requests, which flow control never sees.
#include <algorithm>

#include <fmt/format.h>

#include <apf/request.h>

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

void check_resources(const LintContext& context, const FlowSchema& schema, std::size_t number, const ResourceRule& rule,
                     const std::string& field, Findings& findings) {
  const auto dead = [](const std::string& entry) { return is_never_classified(entry); };
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

void check_urls(const FlowSchema& schema, const NonResourceRule& rule, const std::string& field, Findings& findings) {
  for (std::size_t i = 0; i < rule.urls.size(); ++i) {
    if (!rule.urls[i].starts_with("/debug/pprof/")) continue;
    findings.add(
        schema, item_field(field + ".nonResourceURLs", i),
        fmt::format("requests for \"{}\" are long-running: they bypass flow control, whatever FlowSchema matches them",
                    rule.urls[i]));
  }
}

void check(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      const PolicyRule& rule = schema.rules[i];
      for (std::size_t j = 0; j < rule.resource_rules.size(); ++j) {
        check_resources(context, schema, i, rule.resource_rules[j], resource_rule_field(i, j), findings);
      }
      for (std::size_t j = 0; j < rule.non_resource_rules.size(); ++j) {
        check_urls(schema, rule.non_resource_rules[j], url_rule_field(i, j), findings);
      }
    }
  }
}

}  // namespace

extern const Rule rule_unclassified_request = {
    {"APF219", "unclassified-request", Severity::warning, "an entry is for requests that flow control never sees",
     "A resourceRule lists a subresource attach, exec, log, portforward or proxy, or a nonResourceRule a path under "
     "/debug/pprof/. Where the rule lists other resources too the finding is of severity info.",
     "Such requests are long-running and pass neither queues nor seats, whatever their FlowSchema would say. Whoever "
     "wants "
     "to limit logs or exec believes to have done so.",
     R"(resourceRules:
- verbs: [get]
  apiGroups: [""]
  resources: [pods/log]
  namespaces: ["*"]
)",
     "Remove the entry. Requests of this kind are limited by authorization, by a proxy, or not at all."},
    check};

}  // namespace apf
