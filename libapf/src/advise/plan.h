// Changes of a configuration: applied to it, weighed, and put together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/advise.h>

namespace apf {

using Plan = std::vector<SuggestChange>;

// Whether it is a new level that keeps others from what its client takes.
bool isolates(const SuggestChange& change);

// Changes the configuration and the seats.
void apply_plan(const Plan& plan, ReplayOptions& options);

// Whether both are of the same field, of the same level. The one of a plan that is; null: there is none.
bool is_same_field(const SuggestChange& a, const SuggestChange& b);
const SuggestChange* find_change(const Plan& plan, const SuggestChange& change);

// How large a change is: see SuggestReport::cost.
double cost_of(const SuggestChange& change);
double cost_of(const Plan& plan);

// The plan with this change, in place of one of the same field; in an order that depends on the changes alone.
Plan with_change(Plan plan, const SuggestChange& change);
Plan without_change(Plan plan, const SuggestChange& change);
std::string key_of(const Plan& plan);  // different for different plans

}  // namespace apf
