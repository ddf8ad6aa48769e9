#include "lint/system_users.h"

#include <algorithm>

#include "base/api_resources.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

constexpr std::size_t kTriedParts = 8;  // of a rule

}  // namespace

User system_user(const char* name, const char* group) {
  User user{name, {}};
  if (group) user.groups.emplace_back(group);
  add_implied_groups(user);
  return user;
}

bool is_worse_place(const LintContext& context, const EffectiveLevels& levels, const FlowSchema& taker,
                    const FlowSchema& built_in) {
  if (!is_given(taker.meta) || find_schema(context.builtins, taker.meta.name)) return false;
  const LevelUse* level = levels.find(taker.priority_level);
  return level && !level->exempt && taker.priority_level != built_in.priority_level;
}

namespace {

// Empty: none was found.
std::string taken_request(const LintContext& context, const User& user, std::uint32_t schema, std::size_t rule) {
  const Reach& reach = context.reach();
  const auto [begin, end] = reach.index().parts_of(schema, static_cast<std::uint32_t>(rule));
  for (std::uint32_t part = begin; part < std::min<std::uint32_t>(end, begin + kTriedParts); ++part) {
    std::size_t tries = kTriesPerPart;
    for (const RequestInfo& request : LikelyRequests(reach.index(), part)) {
      if (tries-- == 0) break;
      const std::string_view group = request.api_group;
      const ApiResource* known = request.is_resource_request ? find_api_resource(request.resource, &group) : nullptr;
      if (!known || known->name != request.resource || reach.first_match(user, request) != schema) continue;
      const std::string command = explain_command(user, request, reach.command_flags());
      if (!command.empty()) return command;
    }
  }
  return {};
}

}  // namespace

TakenUsers taken_users(const LintContext& context, std::span<const std::optional<User>> users, std::uint32_t schema,
                       std::size_t rule) {
  TakenUsers out;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const std::string witness = users[i] ? taken_request(context, *users[i], schema, rule) : std::string();
    if (witness.empty()) continue;
    out.users.push_back(i);
    if (out.witness.empty()) out.witness = witness;
  }
  return out;
}

}  // namespace apf
