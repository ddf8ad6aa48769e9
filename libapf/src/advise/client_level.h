// A FlowSchema and a level for one client: those that a configuration has, and a new one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <apf/advise.h>

#include "advise/client_requests.h"

namespace apf {

// What a level lends that isolates its client.
inline constexpr int kIsolatedLendPercent = 50;
// What a level lends that keeps its seats for its client: of many seats some, since APF312 finds a quarter of the
// server's seats that nobody else ever has.
int kept_lend_percent(const SuggestChange& level);

// A level for those requests of a user that go to none of its own levels, named after it. FlowSchemas that are for the
// user alone lead there from now on; a new one is for all others, if there are any. It takes nothing from FlowSchemas
// that have requests of their own, unless the log has requests of the user there; and never from those that lead to its
// own levels, or keep their requests. `followers`: so many more FlowSchemas are to stand between it and where these
// requests go now, if there is room. Nothing: no free number gets them.
std::optional<SuggestChange> level_for(const ReplayOptions& options, const std::string& user, bool keeps_seats,
                                       const ClientRequests& requests, std::size_t followers = 0);

// The objects of a change that is a level; the FlowSchema of one with a matchingPrecedence.
FlowSchema schema_of(const SuggestChange& change);
PriorityLevel level_of(const SuggestChange& change, KubeVersion version);

}  // namespace apf
