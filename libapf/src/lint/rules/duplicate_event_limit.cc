// APF601: two limits of one type.
#include <fmt/core.h>

#include <map>

#include "lint/rule.h"

namespace apf {

namespace {

void check_duplicate_event_limit(const LintContext& context, Findings& findings) {
  for (const EventRateLimitConfiguration& object : context.loaded.event_rate_limits) {
    std::map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < object.limits.size(); ++i) {
      const auto [at, fresh] = first.try_emplace(object.limits[i].type, i);
      if (fresh || !event_limit_type(object.limits[i].type)) continue;
      const std::string earlier = fmt::format("limits[{}].type", at->second);
      findings
          .add(object, fmt::format("limits[{}].type", i),
               fmt::format("there already is a limit of type {}: each has its own buckets, and an event must pass both",
                           object.limits[i].type))
          .notes.push_back(note_at(object.meta, earlier, "the first one is here"));
    }
  }
}

}  // namespace

extern const Rule rule_duplicate_event_limit = {
    .code = "APF601",
    .name = "duplicate-event-limit",
    .severity = Severity::warning,
    .group = RuleGroup::event_rate_limit,
    .summary = "two event limits have the same type",
    .what = "A Configuration of EventRateLimit has several limits of one type.",
    .why = R"(kube-apiserver allows it, although the plugin's design proposal didn't. Both limits apply, each with its
own buckets, and an event that one limit rejects still uses a token of the other. Readers of the file will expect that
only one of them applies.)",
    .example = R"(limits:
- {type: Namespace, qps: 50, burst: 100}
- {type: Namespace, qps: 10, burst: 500}
)",
    .instead = R"(limits:
- {type: Namespace, qps: 10, burst: 100}
)",
    .check = check_duplicate_event_limit,
};

}  // namespace apf
