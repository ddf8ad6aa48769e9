#include "lint/missed_request.h"

#include <apf/classify.h>

#include "base/api_resources.h"
#include "classify/flow_schema.h"
#include "lint/given_schemas.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

bool is_of_collection(std::string_view verb) {
  return verb == "list" || verb == "watch" || verb == "create" || verb == "deletecollection";
}

// By the first of the rule's least users that is wanted.
template <class Wanted>
std::string command_of(const LintContext& context, const FlowSchema& schema, std::size_t rule,
                       const RequestInfo& request, Wanted wanted) {
  const std::string flags = context.reach().command_flags();
  for (const Subject& subject : schema.rules[rule].subjects) {
    for (const ReachUser& user : context.reach().index().least_users(subject)) {
      if (!wanted(user.user)) continue;
      std::string command = explain_command(user.user, request, flags);
      if (!command.empty()) return command;
    }
  }
  return {};
}

}  // namespace

RequestInfo request_of(const ResourceRule& rule, std::string_view group, std::string_view resource) {
  RequestInfo out;
  out.is_resource_request = true;
  out.api_prefix = group.empty() ? "api" : "apis";
  out.api_group = group;
  out.resource = resource_of(resource);
  out.subresource = subresource_of(resource);
  const bool any_verb = rule.verbs.empty() || is_any(rule.verbs);
  out.verb = !any_verb ? rule.verbs[0] : out.subresource.empty() ? "list" : "get";
  const ApiResource* known = find_api_resource(out.resource, &group);
  const bool cluster_scoped = known && known->name == out.resource && !known->namespaced;
  if (!cluster_scoped && !rule.namespaces.empty()) out.ns = is_any(rule.namespaces) ? "default" : rule.namespaces[0];
  if (!is_of_collection(out.verb) || !out.subresource.empty()) out.name = "any";
  return out;
}

std::string missed_by(const LintContext& context, const FlowSchema& schema, std::size_t rule,
                      const RequestInfo& request) {
  return command_of(context, schema, rule, request,
                    [&](const User& user) { return !matches_flow_schema(schema, request, user); });
}

std::string made_by(const LintContext& context, const FlowSchema& schema, std::size_t rule,
                    const RequestInfo& request) {
  return command_of(context, schema, rule, request, [](const User&) { return true; });
}

std::string missed_by(const LintContext& context, const FlowSchema& schema, std::size_t rule, const std::string& path) {
  ParsedRequest parsed;
  parse_request("GET", path, parsed);
  if (!parsed.error().empty()) return {};
  return missed_by(context, schema, rule, parsed.info);
}

std::string taken_of(const LintContext& context, std::uint32_t schema, std::size_t rule, const Subject& subject) {
  const Reach& reach = context.reach();
  for (const ReachUser& user : reach.index().least_users(subject)) {
    const auto [begin, end] = reach.index().parts_of(schema, static_cast<std::uint32_t>(rule));
    for (std::uint32_t part = begin; part < end; ++part) {
      for (const RequestInfo& request : LikelyRequests(reach.index(), part)) {
        if (reach.first_match(user.user, request) != schema) continue;
        const std::string command = explain_command(user.user, request, reach.command_flags());
        if (!command.empty()) return command;
      }
    }
  }
  return {};
}

}  // namespace apf
