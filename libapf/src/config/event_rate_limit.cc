// The configuration of kube-apiserver's EventRateLimit admission plugin: how many events are taken from whom
// (eventratelimit.admission.k8s.io/v1alpha1, kind Configuration).
#include <apf/config.h>

#include <algorithm>
#include <iterator>

namespace apf {

namespace {

constexpr const char* kEventLimitTypeNames[kEventLimitTypes] = {"Server", "Namespace", "User", "SourceAndObject"};
constexpr std::int32_t kDefaultBuckets = 4096;

}  // namespace

const char* to_string(EventLimitType type) { return kEventLimitTypeNames[static_cast<std::size_t>(type)]; }

std::optional<EventLimitType> event_limit_type(std::string_view name) {
  const auto at = std::find(std::begin(kEventLimitTypeNames), std::end(kEventLimitTypeNames), name);
  if (at == std::end(kEventLimitTypeNames)) return std::nullopt;
  return static_cast<EventLimitType>(at - std::begin(kEventLimitTypeNames));
}

std::int32_t EventRateLimitConfiguration::Limit::buckets() const {
  return cache_size == 0 ? kDefaultBuckets : cache_size;
}

}  // namespace apf
