// explain --uid: which object the headers X-Kubernetes-PF-FlowSchema-UID and X-Kubernetes-PF-PriorityLevel-UID of an
// answer mean.
#pragma once

#include <string>
#include <vector>

#include <apf/config.h>

#include "flags/options.h"

namespace apfctl {

// `uids`: as in a header, or the whole header. Returns the exit code; all that are found are printed first.
int explain_uids(const std::vector<std::string>& uids, const apf::Config& config, const OutputFlags& output,
                 const Console& console);

}  // namespace apfctl
