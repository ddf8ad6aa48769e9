// replay --systems: one replay for each system that limits requests, with only that system on.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/report.h>

#include "flags/options.h"

namespace apfctl {

inline const std::vector<std::string> kSystems = {"max-in-flight", "client-limit", "event-rate-limit", "resource-quota",
                                                  "apf"};

// "max-in-flight,apf", or "all": names, each once. `quotas`: there are some, and so "all" has resource-quota. Throws
// UsageError.
std::vector<std::string> parse_systems(const std::string& text, bool quotas);
// The stage of the system.
apf::AdmissionStage stage_of_system(const std::string& name);
// `options` with only this system on; it gets its defaults if no flag configures it.
apf::ReplayOptions options_of_system(const std::string& name, const apf::ReplayOptions& options,
                                     const InflightFlags& inflight);

}  // namespace apfctl
