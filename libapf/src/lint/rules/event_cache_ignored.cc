// APF604: cacheSize where there is one bucket.
#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/rule.h"

namespace apf {

namespace {

void check_event_cache_ignored(const LintContext& context, Findings& findings) {
  for (const EventRateLimitConfiguration& object : context.loaded.event_rate_limits) {
    for (std::size_t i = 0; i < object.limits.size(); ++i) {
      const EventRateLimitConfiguration::Limit& limit = object.limits[i];
      if (limit.cache_size == 0 || event_limit_type(limit.type) != EventLimitType::server) continue;
      const std::string field = fmt::format("limits[{}].cacheSize", i);
      Diagnostic& d =
          findings.add(object, field, "a limit of type Server has one bucket: the server ignores cacheSize");
      std::vector<Edit> edits = remove_field(*object.meta.source.tree, field);
      if (!edits.empty()) d.fix = Fix{"remove it", false, std::move(edits)};
    }
  }
}

}  // namespace

extern const Rule rule_event_cache_ignored = {
    .code = "APF604",
    .name = "event-cache-ignored",
    .severity = Severity::info,
    .group = RuleGroup::event_rate_limit,
    .summary = "an event limit of type Server has a cacheSize",
    .what = "cacheSize is the number of buckets that a limit keeps. A limit of type Server has only one.",
    .why = "The server ignores it, even if it is negative. Perhaps another type was meant.",
    .example = R"(limits:
- {type: Server, qps: 100, burst: 1000, cacheSize: 50}
)",
    .instead = R"(limits:
- {type: Server, qps: 100, burst: 1000}
)",
    .check = check_event_cache_ignored,
};

}  // namespace apf
