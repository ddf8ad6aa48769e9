// APF605: fewer buckets than senders.
#include <fmt/core.h>

#include "lint/rule.h"

namespace apf {

namespace {

// Without a log: hardly a cluster has so few namespaces, those of the system included.
constexpr std::int32_t kFewNamespaces = 100;

void check_without_log(const LintContext& context, Findings& findings) {
  for (const EventRateLimitConfiguration& object : context.loaded.event_rate_limits) {
    for (std::size_t i = 0; i < object.limits.size(); ++i) {
      const EventRateLimitConfiguration::Limit& limit = object.limits[i];
      const bool few = limit.cache_size > 0 && limit.cache_size < kFewNamespaces;
      if (!few || event_limit_type(limit.type) != EventLimitType::ns) continue;
      Diagnostic& d = findings.add(
          object, fmt::format("limits[{}].cacheSize", i),
          fmt::format("in a cluster with more than {} namespaces that send events, a namespace that is forgotten comes "
                      "back with a full bucket",
                      limit.cache_size));
      d.severity = Severity::info;
      d.notes.push_back({"the default is 4096; --log counts the namespaces of a log", {}});
    }
  }
}

void check_small_event_cache(const LintContext& context, Findings& findings) {
  if (!context.options.events) return check_without_log(context, findings);
  for (const EventRateLimitConfiguration& object : context.loaded.event_rate_limits) {
    for (std::size_t i = 0; i < object.limits.size(); ++i) {
      const EventRateLimitConfiguration::Limit& limit = object.limits[i];
      const auto type = event_limit_type(limit.type);
      const bool by_namespace = type == EventLimitType::ns;
      if (limit.cache_size < 0 || (!by_namespace && type != EventLimitType::user)) continue;
      const std::size_t senders = by_namespace ? context.options.events->namespaces : context.options.events->users;
      const auto buckets = static_cast<std::size_t>(limit.buckets());
      if (senders <= buckets) continue;
      findings.add(object, fmt::format("limits[{}].{}", i, limit.cache_size == 0 ? "type" : "cacheSize"),
                   fmt::format("{} {} kept{}, and the log has events {} {} {}: who is forgotten comes back with a "
                               "full bucket",
                               buckets, buckets == 1 ? "bucket is" : "buckets are",
                               limit.cache_size == 0 ? " without a cacheSize" : "", by_namespace ? "of" : "from",
                               senders, by_namespace ? "namespaces" : "users"));
    }
  }
}

}  // namespace

extern const Rule rule_small_event_cache = {
    .code = "APF605",
    .name = "small-event-cache",
    .severity = Severity::warning,
    .group = RuleGroup::event_rate_limit,
    .summary = "an event limit keeps fewer buckets than there are senders",
    .what = R"(With --log: cacheSize (4096 if it is missing or 0) is smaller than the number of namespaces, or of
users, whose events are in the log. Limits of type SourceAndObject aren't checked. Without --log: a limit of type
Namespace keeps fewer than a hundred buckets; then the severity is info.)",
    .why = R"(The server keeps the buckets that were used last. A bucket that was dropped is full again when its
namespace sends the next event. With one namespace more than there are buckets, sending in turn, nobody is ever
limited.)",
    .example = R"(limits:
- {type: Namespace, qps: 10, burst: 50, cacheSize: 20}   # and 35 namespaces in the log
)",
    .instead = R"(limits:
- {type: Namespace, qps: 10, burst: 50}   # 4096 buckets; or a cacheSize above the number of namespaces
)",
    .check = check_small_event_cache,
};

}  // namespace apf
