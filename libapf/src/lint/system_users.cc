#include "lint/system_users.h"

namespace apf {

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

}  // namespace apf
