// A FlowSchema and a level for one client: those that a configuration has, and a new one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/advise.h>

#include "advise/client_requests.h"

namespace apf {

// What a level lends that isolates its client.
inline constexpr int kIsolatedLendPercent = 50;

// Whether that is the user, or one of those that it stands for.
bool is_client(const std::string& pattern, const std::string& user);
bool is_one_of(const std::vector<std::string>& patterns, const std::string& user);

// Limited levels to which only FlowSchemas for this client lead, so that nobody else has requests there.
std::vector<std::string> own_levels(const Config& config, const std::string& user);

// Whether a FlowSchema can name the user, or those that it stands for.
bool can_be_named(const std::string& user);

// A FlowSchema and a level for those requests of a user that go to none of its own levels, named after it. They take
// nothing from FlowSchemas that have requests of their own, unless the log has requests of the user there; and never
// from those of its own levels. Nothing: no free number gets them.
std::optional<SuggestChange> level_for(const Config& config, const std::string& user, bool keeps_seats,
                                       const ClientRequests& requests);

// The objects of a change that is a level.
FlowSchema schema_of(const SuggestChange& change);
PriorityLevel level_of(const SuggestChange& change, KubeVersion version);

}  // namespace apf
