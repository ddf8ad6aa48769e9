// Which levels the server uses: queueSetCompleterForPL of apf_controller.go and queueset's checkConfig, v1.36.
#include <apf/classify.h>

#include "config/dialect.h"

namespace apf {

std::string malformed_reason(const PriorityLevel& level) {
  const bool limited = level.type == "Limited", exempt = level.type == "Exempt";
  if (!limited && !exempt) return "its type is neither Limited nor Exempt";
  if (limited && !level.limited) return "its type is Limited but it has no `limited`";
  if (!limited && level.limited) return "it has `limited` but its type is " + level.type;
  // Without `exempt` it is as before 1.28, where Exempt levels have no seats.
  if (!exempt && level.exempt) return "it has `exempt` but its type is " + level.type;
  if (dialect_of(level).fixes_exempt_level() && exempt != (level.meta.name == "exempt")) {
    return exempt ? "only the level named exempt may be of type Exempt"
                  : "the level named exempt must be of type Exempt";
  }
  if (exempt) return {};
  const bool reject = level.limited->limit_response == "Reject";
  if (reject && level.limited->queuing) return "its limitResponse is Reject but has `queuing`";
  if (!reject && !level.limited->queuing) return "its limitResponse is not Reject but has no `queuing`";
  if (reject || level.limited->queuing->queues < 1) return {};  // without queues nothing is dealt
  const Queuing& queuing = *level.limited->queuing;
  const std::string error = dialect_of(level).hand_error(queuing.queues, queuing.hand_size);
  return error.empty() ? error : "its queues cannot be dealt: " + error;
}

}  // namespace apf
