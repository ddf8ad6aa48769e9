#include "advise/clients.h"

#include <algorithm>
#include <array>

#include "base/identities.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// Whether all whom it names are the client, or clients that it stands for.
bool names_only(const Subject& subject, const std::string& user) {
  if (subject.service_account) {
    const auto& [ns, name] = *subject.service_account;
    return is_client(user, std::string(kServiceAccountPrefix) + ns + ":" + name);
  }
  if (subject.user) return *subject.user != "*" && is_client(user, *subject.user);
  if (!subject.group) return false;
  if (user == kAllNodes) return *subject.group == kNodesGroup;
  constexpr std::size_t kName = kServiceAccountPrefix.size();
  return user.starts_with(kServiceAccountPrefix) && user.ends_with(":*") &&
         *subject.group == std::string(kNamespaceGroupPrefix) + user.substr(kName, user.size() - kName - 2);
}

}  // namespace

bool is_client(const std::string& pattern, const std::string& user) {
  return pattern.ends_with('*') ? user.starts_with(pattern.substr(0, pattern.size() - 1)) : user == pattern;
}

bool is_one_of(const std::vector<std::string>& clients, const std::string& user) {
  return std::any_of(clients.begin(), clients.end(), [&](const std::string& c) { return is_client(c, user); });
}

bool is_component(const std::string& user) {
  return is_control_plane(user) && !user.starts_with(kServiceAccountPrefix);
}

std::optional<Subject> subject_of(const std::string& user) {
  if (user == kAllNodes) return Subject{"Group", {}, std::string(kNodesGroup), {}};
  if (user.starts_with(kServiceAccountPrefix)) {
    const std::string rest = user.substr(kServiceAccountPrefix.size());
    const std::size_t colon = rest.find(':');
    if (colon == std::string::npos || rest.find('*') < colon) return std::nullopt;
    const std::string name = rest.substr(colon + 1);
    if (name != "*" && name.find('*') != std::string::npos) return std::nullopt;
    return Subject{"ServiceAccount", {}, {}, Subject::ServiceAccount{rest.substr(0, colon), name}};
  }
  if (user.empty() || user.ends_with('*')) return std::nullopt;
  return Subject{"User", user, {}, {}};
}

bool is_for_only(const FlowSchema& schema, const std::string& user) {
  return std::all_of(schema.rules.begin(), schema.rules.end(), [&](const PolicyRule& rule) {
    return std::all_of(rule.subjects.begin(), rule.subjects.end(),
                       [&](const Subject& subject) { return names_only(subject, user); });
  });
}

std::vector<std::string> own_levels(const Config& config, const std::string& user) {
  std::vector<std::string> out;
  for (const PriorityLevel& level : config.priority_levels) {
    const std::string& name = level.meta.name;
    if (!level.limited || is_mandatory_level(name)) continue;
    bool any = false, others = false;
    for (const FlowSchema& schema : config.flow_schemas) {
      if (schema.priority_level != name || schema.rules.empty()) continue;
      any = true;
      others = others || !is_for_only(schema, user);
    }
    if (any && !others) out.push_back(name);
  }
  return out;
}

bool keeps_its_requests(const Config& config, const std::string& flow_schema) {
  constexpr std::array kSystem = {"system-node-high", "system-leader-election", "workload-leader-election"};
  if (std::find(kSystem.begin(), kSystem.end(), flow_schema) != kSystem.end()) return true;
  const FlowSchema* const schema = find_schema(config, flow_schema);
  const PriorityLevel* const level = schema ? find_level(config, schema->priority_level) : nullptr;
  return level && level->type == "Exempt";
}

bool serves_system(const Config& config, const std::string& level) {
  return std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(), [&](const FlowSchema& schema) {
    return schema.priority_level == level && keeps_its_requests(config, schema.meta.name);
  });
}

PriorityLevel* find_level(Config& config, const std::string& name) {
  for (PriorityLevel& level : config.priority_levels)
    if (level.meta.name == name) return &level;
  return nullptr;
}

bool is_mandatory_level(const std::string& name) { return name == "exempt" || name == "catch-all"; }

}  // namespace apf
