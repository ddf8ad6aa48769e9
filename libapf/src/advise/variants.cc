#include "advise/variants.h"

#include <algorithm>

#include "replay/spread.h"

namespace apf {

std::vector<ReplayOptions> variants_of(const ReplayOptions& options, const ReplayReport& first) {
  ReplayOptions own = options;
  own.spread = 0;
  own.progress = nullptr;
  std::vector<UnknownWaits> assumptions = {options.unknown_waits};
  if (first.undecided) assumptions = {UnknownWaits::undecided, UnknownWaits::recorded_ends};
  std::vector<ReplayOptions> out;
  for (int number = 0; number <= options.spread; ++number) {
    for (const UnknownWaits assumption : assumptions) {
      ReplayOptions& variant = out.emplace_back(own);
      variant.unknown_waits = assumption;
      // A server with another configuration or load starts when it starts: nothing says how its clock ticks.
      if (number > 0) vary(variant, number, options.spread, true);
    }
  }
  return out;
}

void multiply(ReplayOptions& options, const std::vector<std::string>& clients, double multiple) {
  if (multiple == 1) return;
  const std::vector<std::string> whose = clients.empty() ? std::vector<std::string>{""} : clients;
  if (clients.empty())
    for (LoadScale& scale : options.scales) scale.factor *= scale.user.empty() ? 1 : multiple;
  for (const std::string& user : whose) {
    const auto given = std::find_if(options.scales.begin(), options.scales.end(),
                                    [&](const LoadScale& scale) { return scale.user == user; });
    if (given != options.scales.end()) given->factor *= multiple;
    else options.scales.push_back({user, multiple, false});
  }
}

}  // namespace apf
