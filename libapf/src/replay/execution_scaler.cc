#include "replay/execution_scaler.h"

#include <string_view>

namespace apf {

bool fits(const ExecutionScale& scale, const std::string& name) {
  if (!scale.what.ends_with('*')) return scale.what == name;
  return name.starts_with(std::string_view(scale.what).substr(0, scale.what.size() - 1));
}

std::string group_resource(const Endpoint& endpoint) {
  return endpoint.group.empty() ? endpoint.resource : endpoint.resource + "." + endpoint.group;
}

double ExecutionScaler::of(const std::string& name) const {
  double out = 1;
  for (const ExecutionScale& scale : scales_)
    if (!scale.what.empty() && fits(scale, name)) out *= scale.factor;
  return out;
}

double ExecutionScaler::factor(const LiveRequest& request) {
  double out = 1;
  for (const ExecutionScale& scale : scales_)
    if (scale.what.empty()) out *= scale.factor;
  double& user = at(users_, request.event.requester);
  if (user == 0) user = of(context_.numbers.requesters[request.event.requester].user) + 1;
  double& flow = at(flows_, request.report);
  if (flow == 0) flow = of(context_.flows.reports()[request.report].priority_level) + 1;
  out *= (user - 1) * (flow - 1);
  if (request.event.endpoint == 0) return out;
  double& resource = at(endpoints_, request.event.endpoint);
  if (resource == 0) resource = of(group_resource(context_.numbers.endpoints[request.event.endpoint - 1])) + 1;
  return out * (resource - 1);
}

}  // namespace apf
