// Requests that a FlowSchema was written for and does not match, as witnesses of findings about how it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <apf/classify.h>
#include <apf/config.h>

#include "lint/rule.h"

namespace apf {

// A request for `resource` ("pods/status") of `group` with the verb and the namespace of the rule; without a
// namespace where the resource has none.
RequestInfo request_of(const ResourceRule& rule, std::string_view group, std::string_view resource);

// The command that shows it: made by a subject of the rule, and the FlowSchema does not match it. Empty if it does, or
// if no real request is like this.
std::string missed_by(const LintContext& context, const FlowSchema& schema, std::size_t rule,
                      const RequestInfo& request);
// The same of a request for a path, as a client would get it.
std::string missed_by(const LintContext& context, const FlowSchema& schema, std::size_t rule, const std::string& path);

// The command for a request by a subject of the rule, whichever FlowSchema gets it.
std::string made_by(const LintContext& context, const FlowSchema& schema, std::size_t rule, const RequestInfo& request);

// The command for a request of the subject under this rule of the FlowSchema with this index of Reach, which gets it.
// Empty: none was found.
std::string taken_of(const LintContext& context, std::uint32_t schema, std::size_t rule, const Subject& subject);

}  // namespace apf
