// What a decision carries of the log as text: the request's id, where it is no UUID, and the fields that are asked for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <apf/replay.h>

#include "logs/log_event.h"

namespace apf {

// The first fields are shown in decisions, the others only kept, for dumps.
struct KeptFields {
  std::vector<DecisionField> fields;
  std::size_t shown = 0;
};

// `user`: null where the log does not name it. Fields that the log does not have are left out.
std::string decision_text(std::string_view id, const LogEvent& event, const std::string* user, const KeptFields& kept);

// Its parts: the id, and members of a JSON object, those that are shown and the others.
struct DecisionText {
  std::string_view id, members, others;
};
DecisionText parse_decision_text(std::string_view text);

}  // namespace apf
