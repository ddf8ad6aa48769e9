// How many seats a request takes that the log does not say them of: by its release, and by how many objects there are.
#pragma once

#include <string_view>

#include <apf/log_summary.h>

#include "schedule/seats.h"

namespace apf {

class RequestSeats {
 public:
  explicit RequestSeats(const LogSummaryOptions& options) : options_(options), rules_(SeatRules::of(options.version)) {}
  // `level`: its name; empty: not known.
  WorkEstimate of(const RequestView& request, std::string_view level);

 private:
  // 0: not known, or not limited.
  int max_seats_of_level(std::string_view level);

  const LogSummaryOptions& options_;
  const SeatRules rules_;
  LimitsTable limits_;  // empty until asked for
};

}  // namespace apf
