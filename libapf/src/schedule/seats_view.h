// Width estimation on the replay's own form of a request (classify/request_view.h); schedule/seats.h says what each
// does.
#pragma once

#include "schedule/seats.h"

#include "classify/request_view.h"

namespace apf {

// As seat_kind of the verb, but one seat for a token request, which wakes no watch (v1.36, mutating_work_estimator.go).
SeatKind seat_kind(const RequestView& request, const SeatRules& rules);

int list_seats(const RequestView& request, const ObjectStats& stats, const SeatRules& rules);
WorkEstimate estimate_work(const RequestView& request, const ObjectStats& stats, std::int64_t watches,
                           int level_max_seats, const SeatRules& rules);
std::optional<WatchKey> registered_watch_key(const RequestView& request);
InterestedKeys interested_keys(const RequestView& request);
// The same but for the key of the object's name, which add_name_key() adds: `names` is what all names begin with.
InterestedKeys keys_without_name(const RequestView& request, WatchKey& names);
void add_name_key(InterestedKeys& keys, WatchKey names, std::string_view name);

}  // namespace apf
