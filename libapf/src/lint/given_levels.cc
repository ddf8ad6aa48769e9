// The given levels with their limits, and the flows that lead to them.
#include "lint/given_levels.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

namespace apf {

namespace {

bool same_queuing(const std::optional<Queuing>& a, const std::optional<Queuing>& b) {
  if (!a || !b) return !a && !b;
  return a->queues == b->queues && a->hand_size == b->hand_size && a->queue_length_limit == b->queue_length_limit;
}

bool same_limited(const LimitedLevel& a, const LimitedLevel& b) {
  return a.nominal_concurrency_shares == b.nominal_concurrency_shares &&
         a.lendable_percent.value_or(0) == b.lendable_percent.value_or(0) &&
         a.borrowing_limit_percent == b.borrowing_limit_percent && a.limit_response == b.limit_response &&
         same_queuing(a.queuing, b.queuing);
}

constexpr std::string_view kAny = "*";

void count_users(const FlowSchema& schema, FlowCount& flows) {
  std::unordered_set<std::string> users;
  for (const PolicyRule& rule : schema.rules) {
    for (const Subject& subject : rule.subjects) {
      if (subject.kind == "User" && subject.user && *subject.user != kAny) {
        users.insert(*subject.user);
      } else if (subject.kind == "ServiceAccount" && subject.service_account && subject.service_account->name != kAny) {
        users.insert("system:serviceaccount:" + subject.service_account->ns + ":" + subject.service_account->name);
      } else {
        flows.unbounded = true;
      }
    }
  }
  flows.known += static_cast<std::int64_t>(users.size());
}

// Requests without a namespace are one flow, whose distinguisher is empty.
void count_namespaces(const FlowSchema& schema, FlowCount& flows) {
  std::unordered_set<std::string_view> namespaces;
  for (const PolicyRule& rule : schema.rules) {
    if (!rule.non_resource_rules.empty()) namespaces.insert("");
    for (const ResourceRule& resource : rule.resource_rules) {
      if (resource.cluster_scope) namespaces.insert("");
      for (const std::string& name : resource.namespaces) {
        if (name == kAny) flows.unbounded = true;
        else namespaces.insert(name);
      }
    }
  }
  flows.known += static_cast<std::int64_t>(namespaces.size());
}

}  // namespace

bool GivenLevel::queues_as_built_in() const {
  return built_in && built_in->limited && same_queuing(level->limited->queuing, built_in->limited->queuing);
}

const LevelLimits* limits_of(const LimitsTable& table, std::string_view level) {
  const auto at = std::lower_bound(table.levels.begin(), table.levels.end(), level,
                                   [](const LevelLimits& limits, std::string_view name) { return limits.name < name; });
  return at != table.levels.end() && at->name == level ? &*at : nullptr;
}

std::vector<GivenLevel> given_limited_levels(const LintContext& context) {
  std::unordered_map<std::string_view, const PriorityLevel*> built_in;
  for (const PriorityLevel& level : context.builtins.priority_levels) built_in.emplace(level.meta.name, &level);
  std::vector<GivenLevel> given;
  for (const PriorityLevel& level : context.stored.priority_levels) {
    if (level.type != "Limited" || !level.limited || level.meta.name == "catch-all") continue;
    const LevelLimits* const limits = limits_of(context.limits, level.meta.name);
    if (!limits || limits->exempt) continue;
    const auto own = built_in.find(level.meta.name);
    const PriorityLevel* const same_name = own == built_in.end() ? nullptr : own->second;
    if (same_name && same_name->limited && same_limited(*level.limited, *same_name->limited)) continue;
    given.push_back({&level, limits, same_name});
  }
  return given;
}

int FlowCount::heavy(int wanted) const {
  if (unbounded) return wanted;
  return static_cast<int>(std::min<std::int64_t>(wanted, std::max<std::int64_t>(0, known - 1)));
}

FlowCounts count_flows(const Config& effective) {
  std::unordered_map<std::string_view, FlowCount> flows;
  for (const FlowSchema& schema : effective.flow_schemas) {
    if (schema.rules.empty()) continue;
    FlowCount& of_level = flows[schema.priority_level];
    if (!schema.distinguisher_method) ++of_level.known;
    else if (*schema.distinguisher_method == "ByNamespace") count_namespaces(schema, of_level);
    else count_users(schema, of_level);
  }
  return flows;
}

bool has_several_flows(const FlowCounts& flows, const std::string& level) {
  const auto found = flows.find(level);
  return found != flows.end() && found->second.several();
}

const char* shares_field(const PriorityLevel& level) {
  const bool assured = level.meta.api_version.ends_with("/v1beta1") || level.meta.api_version.ends_with("/v1beta2");
  return assured ? "spec.limited.assuredConcurrencyShares" : "spec.limited.nominalConcurrencyShares";
}

std::string nominal_arithmetic(const LintContext& context, const LevelLimits& limits) {
  return fmt::format("ceil({} * {} / {}) = {}", context.limits.server_concurrency_limit,
                     limits.nominal_concurrency_shares, context.limits.share_sum, limits.nominal_cl);
}

std::string count_of(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string seats_in(const LintContext& context, std::string_view level) {
  const LevelLimits* limits = limits_of(context.limits, level);
  return limits ? count_of(limits->nominal_cl, "seat") : "seats";
}

}  // namespace apf
