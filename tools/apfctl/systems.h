// replay --systems: one replay for each system that limits requests, which alone is on in it.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/report.h>

#include "options.h"
#include "stage_flags.h"

namespace apfctl {

inline const std::vector<std::string> kSystems = {"max-in-flight", "client-limit", "event-rate-limit", "apf"};

// "max-in-flight,apf", or "all": names, each once. Throws UsageError.
std::vector<std::string> parse_systems(const std::string& text);
// The stage that is the system.
apf::AdmissionStage stage_of_system(const std::string& name);
// `options` as the flags have set them, cut down to the one system, which gets its defaults where no flag sets it.
apf::ReplayOptions options_of_system(const std::string& name, const apf::ReplayOptions& options,
                                     const InflightFlags& inflight);

}  // namespace apfctl
