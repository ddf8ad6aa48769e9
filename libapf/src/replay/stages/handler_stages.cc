#include "replay/stages/handler_stages.h"

#include "replay/stages/event_rate_limit.h"
#include "replay/stages/resource_quota.h"

namespace apf {

std::vector<std::unique_ptr<HandlerStage>> handler_stages(const ReplayOptions& options) {
  std::vector<std::unique_ptr<HandlerStage>> stages;
  if (options.event_rate_limit) stages.push_back(std::make_unique<EventRateLimitStage>(*options.event_rate_limit));
  if (options.limits_resources()) stages.push_back(std::make_unique<ResourceQuotaStage>(options));
  return stages;
}

}  // namespace apf
