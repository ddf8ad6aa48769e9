// Defaults of the objects that limit requests but are not of flowcontrol.apiserver.k8s.io: ResourceQuota, LimitRange,
// the configurations of admission plugins, on their own or inline in an AdmissionConfiguration, and audit policies,
// which have none.
#pragma once

#include <vector>

#include <apf/config.h>

namespace apf {

// In the order of the lists of `loaded`; what is inline is part of the object around it.
std::vector<RewrittenObject> default_others(const LoadedConfig& loaded);

}  // namespace apf
