// How many times as long as the log says a request runs: ReplayOptions::execution_scales.
#pragma once

#include <cstdint>
#include <vector>

#include <apf/replay.h>

#include "replay/books/live_request.h"
#include "replay/books/run_context.h"

namespace apf {

// "pods", "deployments.apps"
std::string group_resource(const Endpoint& endpoint);

class ExecutionScaler {
 public:
  explicit ExecutionScaler(const RunContext& context);
  bool any() const { return !scales_.empty(); }
  // The product of all scales that fit the request.
  double factor(const LiveRequest& request);

 private:
  static constexpr double kUnknown = -1;
  // By the number of a user, flow or resource: the product of the scales that fit.
  static double& at(std::vector<double>& known, std::uint32_t number) {
    if (known.size() <= number) known.resize(number + 1, kUnknown);
    return known[number];
  }
  double of(const std::string& name) const;

  const RunContext& context_;
  const std::vector<ExecutionScale>& scales_;
  double of_all_ = 1;
  std::vector<double> users_, flows_, endpoints_;
};

}  // namespace apf
