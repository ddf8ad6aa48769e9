// The objects that KEP-1040 creates where no exempt one is given, and those it implies ("Default Behavior").
#pragma once

#include <apf/config.h>

namespace apf {

// Adds the priorities of "Example Configuration" if no priority is exempt, and its FlowSchemas if no FlowSchema leads
// to an exempt priority; never one whose name is in use, nor a FlowSchema without its priority, which matches nothing.
// Doing it again adds nothing.
void create_default_objects(Config& config);

// The priority of KEP-1040's "Example Configuration" with that name, which must be one of them.
PriorityLevel default_priority(std::string_view name);

// The configuration with the created objects and the backstops of "Default Behavior" that it lacks; one that is not in
// the dialect stays as it is. Doing it again adds nothing.
Config with_backstops(Config config);

}  // namespace apf
