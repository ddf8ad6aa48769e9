// The requests of the cluster's own components: those that must be answered in time, and who else sends some.
#pragma once

#include <cstdint>
#include <span>

#include <apf/classify.h>

#include "lint/given_schemas.h"
#include "lint/rule.h"
#include "lint/system_users.h"

namespace apf {

// A request on whose quick answer the cluster depends, and the built-in FlowSchema that is for it.
struct VitalRequest {
  const char* what;
  const char* built_in;
  const char* user;
  const char* group;  // may be null
  const char* verb;
  const char* path;
};
std::span<const VitalRequest> vital_requests();
RequestInfo request_of(const VitalRequest& vital);

// Components with a built-in FlowSchema, which are in the broad groups without anybody thinking of them.
struct Component {
  const char* what;
  const char* built_in;
  const char* user;
  const char* group;  // may be null
};
std::span<const Component> components();

// Does the FlowSchema take requests of the cluster's own components from the FlowSchemas that are for them, or would it
// with clusterScope in that resourceRule?
bool takes_system_traffic(const LintContext& context, const ResourceRuleEntry& of);

}  // namespace apf
