// How many times as long as the log says a request runs: ReplayOptions::execution_scales.
#pragma once

#include <cstdint>
#include <vector>

#include <apf/replay.h>

#include "replay/live_request.h"
#include "replay/run_context.h"

namespace apf {

// Whether the names of a request's user, level and resource are what the scale says.
bool fits(const ExecutionScale& scale, const std::string& name);

// "pods", "deployments.apps"
std::string group_resource(const Endpoint& endpoint);

class ExecutionScaler {
 public:
  explicit ExecutionScaler(const RunContext& context) : context_(context), scales_(context.options.execution_scales) {}
  bool any() const { return !scales_.empty(); }
  // The product of all scales that fit the request.
  double factor(const LiveRequest& request);

 private:
  // By the number of a user, flow or resource: 1 + the product of the scales that fit; 0: not yet known.
  static double& at(std::vector<double>& known, std::uint32_t number) {
    if (known.size() <= number) known.resize(number + 1);
    return known[number];
  }
  double of(const std::string& name) const;

  const RunContext& context_;
  const std::vector<ExecutionScale>& scales_;
  std::vector<double> users_, flows_, endpoints_;
};

}  // namespace apf
