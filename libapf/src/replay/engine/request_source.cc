#include "replay/engine/request_source.h"

#include <algorithm>

#include "replay/engine/request_cost.h"

namespace apf {

RunContext RequestSource::context(const ReplayOptions& options, ServerClock& clock, Flows& flows,
                                  Pool<AdmissionAttributes>& attributes) const {
  const std::vector<SeatRules>& rules = prepared_for().rules;
  RunContext context{options, prepared_for().classifiers, flows, clock, numbers(), &attributes};
  context.rule_sets = rules.size();
  context.rule_set =
      static_cast<std::size_t>(std::find(rules.begin(), rules.end(), seat_rules(options)) - rules.begin());
  return context;
}

}  // namespace apf
