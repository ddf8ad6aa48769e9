// Users of the cluster's own components, as rules about their requests need them.
#pragma once

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

// The command that explains a request of the user for a built-in resource of this rule, which the FlowSchema gets;
// empty if none was found. `schema`: Reach::index_of() of it.
std::string taken_request(const LintContext& context, const User& user, std::uint32_t schema, std::size_t rule);

}  // namespace apf
