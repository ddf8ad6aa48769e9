#include "advise/client_requests.h"

#include <algorithm>
#include <set>

#include "lint/given_schemas.h"

namespace apf {

namespace {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// The server asks FlowSchemas in the order of their numbers.
void keep_last(std::optional<FlowSchema>& last, const FlowSchema& schema) {
  if (!last || last->matching_precedence < schema.matching_precedence) last = schema;
}

void keep_first(std::optional<FlowSchema>& first, const FlowSchema& schema) {
  if (!first || schema.matching_precedence < first->matching_precedence) first = schema;
}

// What the server itself has for one client, which may lead elsewhere once it says that the server must not restore it.
bool is_redirectable(const std::string& schema) {
  return schema == "kube-controller-manager" || schema == "kube-scheduler";
}

// FlowSchemas for this client alone, that lead to levels of others as well: the user's own, and of those that the
// server has those that may lead elsewhere.
std::vector<const FlowSchema*> shared_schemas_of(const ReplayOptions& options, const std::string& user,
                                                 const std::vector<std::string>& own_levels) {
  const Config builtins = bootstrap_config(options.version);
  std::vector<const FlowSchema*> out;
  for (const FlowSchema& schema : options.config.flow_schemas)
    if ((find_schema(builtins, schema.meta.name) ? is_redirectable(schema.meta.name)
                                                 : schema.meta.source.tree != nullptr) &&
        is_for_only(schema, user) && !contains(own_levels, schema.priority_level) &&
        !keeps_its_requests(options.config, schema.meta.name))
      out.push_back(&schema);
  return out;
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
  const std::vector<std::string> own = own_levels(config, user), of_others = own_levels_of(config, less);
  const std::vector<const FlowSchema*> shared = shared_schemas_of(options, user, own);
  ClientRequests out;
  std::set<std::string> used;
  std::set<const FlowSchema*> used_shared;
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
      if (contains(shared, schema)) used_shared.insert(schema);
      else keep_first(out.first_other, *schema);
    }
  }
  for (const std::string& level : own)
    if (used.contains(level)) out.own_levels.push_back(level);
  if (used_shared.empty() && !out.first_other) return out;
  for (const FlowSchema* schema : shared) {
    const bool comes_first = !out.first_other || schema->matching_precedence < out.first_other->matching_precedence;
    if (!comes_first && !used_shared.contains(schema)) continue;  // no request reaches it then
    out.own_schemas.push_back(schema->meta.name);
    keep_last(out.last_own, *schema);
  }
  return out;
}

}  // namespace apf
