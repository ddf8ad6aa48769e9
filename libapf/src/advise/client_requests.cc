#include "advise/client_requests.h"

#include <algorithm>
#include <set>

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

// What the server itself has of that name it may restore, whatever the files say.
bool may_lead_elsewhere(const FlowSchema& schema, const Config& builtins) {
  return schema.meta.source.tree && !find_schema(builtins, schema.meta.name);
}

std::vector<std::string> own_levels_of(const Config& config, const std::vector<std::string>& users) {
  std::vector<std::string> out;
  for (const std::string& user : users)
    for (const std::string& level : own_levels(config, user)) out.push_back(level);
  return out;
}

}  // namespace

bool ClientRequests::goes_to_own(const std::string& level) const { return contains(own_levels, level); }

const FlowSchema* ClientRequests::last_before() const {
  if (!last_own || !last_kept) return last_own ? &*last_own : last_kept ? &*last_kept : nullptr;
  return last_own->matching_precedence < last_kept->matching_precedence ? &*last_kept : &*last_own;
}

ClientRequests requests_of(const PreparedLog& log, const ReplayOptions& options, const std::string& user,
                           const std::vector<std::string>& less) {
  const Config& config = options.config;
  const Config builtins = bootstrap_config(options.version);
  const std::vector<std::string> own = own_levels(config, user), of_others = own_levels_of(config, less);
  ClientRequests out;
  std::set<std::string> used, shared;
  for (const PreparedLog::FlowPlace& place : log.places_of_flows(options)) {
    const bool is_known = !place.user.empty(), to_own = contains(own, place.priority_level),
               to_others = contains(of_others, place.priority_level);
    out.names_users = out.names_users || is_known;
    // A log that names no users says by the FlowSchema whose requests these are.
    if (is_known ? !is_client(user, place.user) : !to_own) continue;
    const bool is_left_out = is_known ? is_one_of(less, place.user) : to_others;
    out.any_left_out = out.any_left_out || is_left_out;
    const FlowSchema* const schema = find_schema(config, place.flow_schema);
    if (!schema) continue;
    if (keeps_its_requests(config, place.flow_schema)) keep_last(out.last_kept, *schema);
    if (is_left_out ? to_others : to_own) keep_last(out.last_own, *schema);
    if (is_left_out) continue;
    if (to_own) {
      used.insert(place.priority_level);
    } else if (!keeps_its_requests(config, place.flow_schema)) {
      const bool is_own = is_for_only(*schema, user) && may_lead_elsewhere(*schema, builtins);
      if (is_own) shared.insert(place.flow_schema);
      is_own ? keep_last(out.last_own, *schema) : keep_first(out.first_other, *schema);
    }
  }
  for (const std::string& level : own)
    if (used.contains(level)) out.own_levels.push_back(level);
  out.own_schemas.assign(shared.begin(), shared.end());
  return out;
}

}  // namespace apf
