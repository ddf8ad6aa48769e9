// Users of the cluster's own components, as rules about their requests need them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apf/classify.h>

#include "lint/given_schemas.h"
#include "lint/rule.h"

namespace apf {

inline constexpr const char *kAnyNode = "system:node:any",
                            *kKubeSystemAccount = "system:serviceaccount:kube-system:any";

// With the groups that authentication implies; `group` may be null.
User system_user(const char* name, const char* group);

// Does `taker` lead to another place than the built-in FlowSchema that is for the requests, and not to an exempt level?
// Built-in FlowSchemas, changed or not, never do.
bool is_worse_place(const LintContext& context, const EffectiveLevels& levels, const FlowSchema& taker,
                    const FlowSchema& built_in);

// Those of the users of whom the FlowSchema gets a request for a built-in resource of this rule, as numbers, and the
// command that explains the first such request. `schema`: Reach::index_of() of it.
struct TakenUsers {
  std::vector<std::size_t> users;
  std::string witness;
};
TakenUsers taken_users(const LintContext& context, std::span<const std::optional<User>> users, std::uint32_t schema,
                       std::size_t rule);

}  // namespace apf
