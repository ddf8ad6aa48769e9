// The files of --event-rate-limit and --quota, and of the keys of these names in a plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>

#include "flags/options.h"

namespace apfctl {

// What `texts`, read from `path`, configure. Nothing: they have errors, which are printed. Throws apf::Error if they
// configure no EventRateLimit, or several.
std::optional<apf::EventRateLimitConfiguration> event_rate_limit_of(const std::vector<apf::ConfigText>& texts,
                                                                    const std::string& path, const Console& console);

struct QuotaFiles {
  std::vector<apf::ResourceQuota> quotas;
  std::optional<apf::ResourceQuotaConfiguration> configuration;
};
// In the same way.
std::optional<QuotaFiles> quotas_of(const std::vector<apf::ConfigText>& texts, const std::vector<std::string>& paths,
                                    const Console& console, bool no_validate);

}  // namespace apfctl
