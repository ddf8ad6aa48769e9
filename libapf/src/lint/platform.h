// Who belongs to the cluster itself, and who are its ordinary users: for rules about levels that one or the other has.
#pragma once

#include <string>
#include <string_view>

#include <apf/config.h>

#include "lint/rule.h"

namespace apf {

// kube-system and the like, and the namespaces of OpenShift's own components.
bool is_platform_namespace(std::string_view ns);
// Components of the control plane, nodes, service accounts of platform namespaces, system:masters.
bool is_platform_subject(const Subject& subject);
// All service accounts of kube-system.
bool is_whole_kube_system(const Subject& subject);
// A crowd that is not of the platform: requests of ordinary users.
bool is_ordinary_crowd(const Subject& subject);

// A FlowSchema through which ordinary users' requests for resources come to the level; null if there is none.
const FlowSchema* ordinary_schema(const LintContext& context, std::string_view level);

// All verbs of all resources.
bool takes_all_resources(const PolicyRule& rule);

// "98 seats (ceil(600 * 40 / 245) = 98)"; "no limit" for an exempt level.
std::string seats_in_words(const LintContext& context, const std::string& level);

}  // namespace apf
