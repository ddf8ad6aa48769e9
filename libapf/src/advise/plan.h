// Changes of a configuration: applied to it, weighed, and put together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/advise.h>

namespace apf {

using Plan = std::vector<SuggestChange>;

PriorityLevel* find_level(Config& config, const std::string& name);
// Exempt and catch-all, which the server itself keeps as they are.
bool is_mandatory_level(const std::string& name);

// Changes the configuration and the seats.
void apply_plan(const Plan& plan, ReplayOptions& options);

// How large a change is: see SuggestReport::cost.
double cost_of(const SuggestChange& change);
double cost_of(const Plan& plan);

// The plan with this change, in place of one of the same field; in an order that depends on the changes alone.
Plan with_change(Plan plan, const SuggestChange& change);
Plan without_change(Plan plan, const SuggestChange& change);
std::string key_of(const Plan& plan);  // different for different plans

// The objects of a change that is a level.
FlowSchema schema_of(const SuggestChange& change);
PriorityLevel level_of(const SuggestChange& change);

// A FlowSchema and a level for all requests of a user, named after it, which take nothing from FlowSchemas that have
// requests of their own where that is possible. Nothing: no free number gets them, or the user is none that a
// FlowSchema can name.
std::optional<SuggestChange> level_for(const Config& config, const std::string& user, bool keeps_seats);
// Whether that is the user, or one of those that it stands for.
bool is_client(const std::string& pattern, const std::string& user);

}  // namespace apf
