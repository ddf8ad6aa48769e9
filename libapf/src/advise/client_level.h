// A FlowSchema and a level for one client: those that a configuration has, and a new one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/advise.h>

namespace apf {

// What a level lends that isolates its client.
inline constexpr int kIsolatedLendPercent = 50;

// Whether that is the user, or one of those that it stands for.
bool is_client(const std::string& pattern, const std::string& user);
bool is_one_of(const std::vector<std::string>& patterns, const std::string& user);

// Limited levels to which only FlowSchemas for this client lead, so that nobody else has requests there.
std::vector<std::string> own_levels(const Config& config, const std::string& user);

// A FlowSchema and a level for all requests of a user, named after it, which take nothing from FlowSchemas that have
// requests of their own where that is possible, and never from those of `own`, levels that the user has. Nothing: no
// free number gets them, or the user is none that a FlowSchema can name.
std::optional<SuggestChange> level_for(const Config& config, const std::string& user, bool keeps_seats,
                                       const std::vector<std::string>& own = {});

// The objects of a change that is a level.
FlowSchema schema_of(const SuggestChange& change);
PriorityLevel level_of(const SuggestChange& change);

}  // namespace apf
