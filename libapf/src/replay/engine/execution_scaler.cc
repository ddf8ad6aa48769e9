#include "replay/engine/execution_scaler.h"

#include "replay/engine/load_scaler.h"

namespace apf {

std::string group_resource(const Endpoint& endpoint) {
  return endpoint.group.empty() ? endpoint.resource : endpoint.resource + "." + endpoint.group;
}

double ExecutionScaler::of(const std::string& name) const {
  double out = 1;
  for (const ExecutionScale& scale : scales_)
    if (!scale.what.empty() && matches_name(scale.what, name)) out *= scale.factor;
  return out;
}

ExecutionScaler::ExecutionScaler(const RunContext& context)
    : context_(context), scales_(context.options.execution_scales) {
  for (const ExecutionScale& scale : scales_)
    if (scale.what.empty()) of_all_ *= scale.factor;
}

double ExecutionScaler::factor(const LiveRequest& request) {
  double& user = at(users_, request.event.requester);
  if (user == kUnknown) user = of(context_.numbers.requesters[request.event.requester].user);
  double& flow = at(flows_, request.report);
  if (flow == kUnknown) flow = of(context_.flows.reports()[request.report].priority_level);
  const double out = of_all_ * user * flow;
  if (request.event.endpoint == 0) return out;
  double& resource = at(endpoints_, request.event.endpoint);
  if (resource == kUnknown) resource = of(group_resource(context_.numbers.endpoints[request.event.endpoint - 1]));
  return out * resource;
}

}  // namespace apf
