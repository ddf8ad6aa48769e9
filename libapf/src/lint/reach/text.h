// How findings about reachability are worded, and which objects they pass over.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lint/reach/reach.h"
#include "lint/rule.h"

namespace apf {

// "ci" (matchingPrecedence 100) and "batch" (200); of many, the first few.
std::string listed_schemas(const std::vector<const FlowSchema*>& schemas);

// A note on each of the first few, that points at its precedence where it is a given object.
void add_schema_notes(const std::vector<const FlowSchema*>& schemas, Diagnostic& diagnostic);

// Is the object one that some release has built in, word for word? What it holds is not its operator's to answer for.
bool is_stock(const FlowSchema& schema);

// Adds a finding about something that no request reaches; `what` begins its message ("this rule"). Nothing is added
// for a stock object that only others of its kind shadow.
void add_shadowed(const Reach& reach, std::uint32_t schema, const ReachSelection& selection, std::string field,
                  const std::string& what, Findings& findings);

// Calls `visit` for every given FlowSchema that is consulted, with its place in consulted order.
void for_given_schemas(const LintContext& context, const std::function<void(std::uint32_t, const FlowSchema&)>& visit);

// "spec.rules[0].resourceRules[1]"
std::string rule_field(std::uint32_t rule);
std::string part_field(std::uint32_t rule, const PartReach& part);

}  // namespace apf
