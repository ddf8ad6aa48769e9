// Priority levels for tests, built without text.
#pragma once

#include <optional>
#include <string>

#include <apf/config.h>

namespace apf::test {

inline PriorityLevel reject_level(const std::string& name, int shares, int lendable_percent = 0) {
  PriorityLevel level;
  level.meta.name = name;
  level.type = "Limited";
  LimitedLevel limited;
  limited.nominal_concurrency_shares = shares;
  limited.lendable_percent = lendable_percent;
  limited.limit_response = "Reject";
  level.limited = limited;
  return level;
}

inline PriorityLevel queue_level(const std::string& name, int shares, Queuing queuing, int lendable_percent = 0,
                                 std::optional<int> borrowing_limit_percent = std::nullopt) {
  PriorityLevel level = reject_level(name, shares, lendable_percent);
  level.limited->borrowing_limit_percent = borrowing_limit_percent;
  level.limited->limit_response = "Queue";
  level.limited->queuing = queuing;
  return level;
}

inline PriorityLevel exempt_level(int shares = 0, int lendable_percent = 0) {
  PriorityLevel level;
  level.meta.name = "exempt";
  level.type = "Exempt";
  level.exempt = ExemptLevel{shares, lendable_percent};
  return level;
}

}  // namespace apf::test
