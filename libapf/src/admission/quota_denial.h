// What a quota check says of an object that the server would deny.
#pragma once

#include <apf/quota.h>

#include "admission/quota_engine.h"

namespace apf {

// All but the manifest and what was created. `engine` must be as it was when it refused.
QuotaDenial denial_of(const QuotaVerdict& verdict, const QuotaRequest& request, const QuotaEngine& engine);

}  // namespace apf
