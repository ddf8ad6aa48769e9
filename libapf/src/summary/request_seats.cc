#include "summary/request_seats.h"

#include "schedule/level_state.h"

namespace apf {

WorkEstimate RequestSeats::of(const RequestView& request, std::string_view level) {
  if (!options_.objects || seat_kind(request, rules_) != SeatKind::list)
    return estimate_work(request, {}, 0, 0, rules_);
  const ObjectStats stats = options_.objects->find(request.f.api_group, request.f.resource);
  return estimate_work(request, stats, 0, max_seats_of_level(level), rules_);
}

int RequestSeats::max_seats_of_level(std::string_view level) {
  if (!options_.seats || !options_.config) return 0;
  if (limits_.levels.empty()) limits_ = compute_limits(*options_.config, *options_.seats, options_.version);
  const LevelLimits* const limits = find_level(limits_, level);
  return limits ? limits->max_seats : 0;
}

}  // namespace apf
