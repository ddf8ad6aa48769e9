// What a rolling update of a workload creates before it deletes (pkg/controller/deployment and daemon, v1.36), and
// whether that fits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/quota.h>

#include "admission/manifests.h"
#include "admission/quota_engine.h"
#include "admission/workloads.h"

namespace apf {

struct Rollout {
  std::uint64_t max_surge = 0, max_unavailable = 0;  // Pods
  std::vector<CreatedObject> once;                   // the next ReplicaSet
  CreatedObject pod;
};

// Nothing for a workload whose update creates nothing beforehand. `workload` is what its controller creates at first.
std::optional<Rollout> rollout_of(const Manifest& manifest, const Workload& workload);

// What does not fit beside what the quotas of the namespace count already; nothing if everything does.
std::optional<RollingUpdate> update_without_room(const Rollout& rollout, const QuotaEngine& engine,
                                                 const std::string& ns);

}  // namespace apf
