#include "advise/client_requests.h"

#include <algorithm>
#include <array>
#include <set>

#include "advise/client_level.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The server asks FlowSchemas in the order of their numbers.
void keep_last(std::optional<FlowSchema>& last, const FlowSchema& schema) {
  if (!last || last->matching_precedence < schema.matching_precedence) last = schema;
}

void keep_first(std::optional<FlowSchema>& first, const FlowSchema& schema) {
  if (!first || schema.matching_precedence < first->matching_precedence) first = schema;
}

}  // namespace

bool ClientRequests::goes_to_own(const std::string& level) const { return contains(own_levels, level); }

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

ClientRequests requests_of(const PreparedLog& log, const ReplayOptions& options, const std::string& user,
                           const std::vector<std::string>& less) {
  const Config& config = options.config;
  const std::vector<std::string> own = own_levels(config, user);
  std::vector<std::string> of_others;  // own levels of those who are left out
  for (const std::string& other : less)
    for (const std::string& level : own_levels(config, other)) of_others.push_back(level);
  ClientRequests out;
  std::set<std::string> used;
  for (const PreparedLog::FlowPlace& place : log.places_of_flows(options)) {
    const bool to_own = contains(own, place.priority_level);
    // A log that names no users says by the FlowSchema whose requests these are.
    if (place.user.empty() ? !to_own : !is_client(user, place.user)) continue;
    const FlowSchema* const schema = find_schema(config, place.flow_schema);
    const bool is_left_out =
        place.user.empty() ? contains(of_others, place.priority_level) : is_one_of(less, place.user);
    if (schema && (is_left_out ? contains(of_others, place.priority_level) : to_own)) keep_last(out.last_own, *schema);
    out.any_left_out = out.any_left_out || is_left_out;
    if (is_left_out) continue;
    if (to_own) used.insert(place.priority_level);
    else if (schema && !place.exempt && !keeps_its_requests(config, place.flow_schema))
      keep_first(out.first_other, *schema);
  }
  for (const std::string& level : own)
    if (used.contains(level)) out.own_levels.push_back(level);
  return out;
}

}  // namespace apf
