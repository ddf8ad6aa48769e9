// The quotas with which a check begins: those that are there already, and those that its manifests create.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apf/quota.h>

#include "admission/manifests.h"
#include "admission/quota_engine.h"

namespace apf {

struct QuotaBeginning {
  std::vector<ResourceQuota> quotas;  // in force
  std::vector<QuotaState> states;     // of the same, and whether each starts from its status
  std::vector<bool> from_status;
  // A quota may limit quotas: what the server says to those among the manifests that don't fit, by namespace and name.
  std::map<std::pair<std::string, std::string>, QuotaDenial> denied;
  std::vector<Remark> notes;
};

// Quotas of the manifests are created in the order given, before all other objects; one with a status that counts is
// there already, and so are quotas that are not among the manifests. `ns`: of those that name none.
QuotaBeginning begin_quotas(std::span<const ResourceQuota> quotas, const ManifestSet& manifests,
                            const std::vector<LimitedResource>& limited, const QuotaCheckOptions& options,
                            const std::string& ns);

}  // namespace apf
