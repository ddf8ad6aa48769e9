// The configuration of kube-apiserver's EventRateLimit admission plugin: how many events are taken from whom
// (eventratelimit.admission.k8s.io/v1alpha1, kind Configuration).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/object_meta.h>
#include <apf/version.h>

namespace apf {

// What one bucket of a limit is for: all events, a namespace's, a user's, those of one source about one object.
enum class EventLimitType : std::uint8_t { server, ns, user, source_and_object };
inline constexpr std::size_t kEventLimitTypes = 4;
APF_API const char* to_string(EventLimitType type);  // "Server", "Namespace", "User", "SourceAndObject"
// Nothing if it is none; names are case-sensitive.
APF_API std::optional<EventLimitType> event_limit_type(std::string_view name);

struct EventRateLimitConfiguration {
  struct Limit {
    std::string type;
    std::int32_t qps = 0, burst = 0, cache_size = 0;
    // How many buckets are kept: 4096 without a cacheSize.
    APF_API std::int32_t buckets() const;
  };
  ObjectMeta meta;
  bool has_limits = false;  // `limits` is there, if empty
  std::vector<Limit> limits;
};

}  // namespace apf
