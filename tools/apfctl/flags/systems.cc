#include "flags/systems.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>

#include "shared/suggest.h"

namespace apfctl {

std::vector<std::string> parse_systems(const std::string& text, bool quotas) {
  std::vector<std::string> names;
  if (text == "all") {
    for (const std::string& name : kSystems)
      if (quotas || name != "resource-quota") names.push_back(name);
    return names;
  }
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, end - at);
    at = end + 1;
    if (std::find(kSystems.begin(), kSystems.end(), name) == kSystems.end())
      throw UsageError(
          fmt::format("--systems: unknown system '{}'{}", apf::printable(name), did_you_mean(name, kSystems)));
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw UsageError("--systems: '" + name + "' is listed twice");
    names.push_back(name);
  }
  return names;
}

apf::AdmissionStage stage_of_system(const std::string& name) {
  if (name == "max-in-flight") return apf::AdmissionStage::max_in_flight;
  if (name == "client-limit") return apf::AdmissionStage::client_limiter;
  if (name == "resource-quota") return apf::AdmissionStage::resource_quota;
  return name == "apf" ? apf::AdmissionStage::apf : apf::AdmissionStage::event_rate_limit;
}

apf::ReplayOptions options_of_system(const std::string& name, const apf::ReplayOptions& options,
                                     const InflightFlags& inflight) {
  apf::ReplayOptions out = options;
  out.server = name;
  out.top = INT_MAX;  // the users of all systems are merged
  if (name != "client-limit") out.client_limits.reset();
  else if (!out.client_limits) out.client_limits.emplace();
  if (name != "event-rate-limit") out.event_rate_limit.reset();
  if (name != "resource-quota") {
    out.resource_quotas.clear();
    out.resource_quota_configuration.reset();
  }
  out.in_flight.reset();
  if (name == "max-in-flight") out.in_flight = apf::InFlightLimits{inflight.read_only(), inflight.mutating()};
  else if (name != "apf") out.in_flight = apf::InFlightLimits{0, 0};  // no limit: the server accepts everything
  return out;
}

}  // namespace apfctl
