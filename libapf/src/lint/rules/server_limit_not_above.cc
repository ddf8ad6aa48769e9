// APF603: one namespace, user or source may use all that the Server limit allows.
#include <fmt/core.h>

#include "lint/rule.h"

namespace apf {

namespace {

const char* one_of(EventLimitType type) {
  if (type == EventLimitType::ns) return "namespace";
  return type == EventLimitType::user ? "user" : "source";
}

void check_server_limit_not_above(const LintContext& context, Findings& findings) {
  for (const EventRateLimitConfiguration& object : context.loaded.event_rate_limits) {
    for (std::size_t s = 0; s < object.limits.size(); ++s) {
      const EventRateLimitConfiguration::Limit& server = object.limits[s];
      if (event_limit_type(server.type) != EventLimitType::server || server.qps <= 0 || server.burst <= 0) continue;
      for (std::size_t i = 0; i < object.limits.size(); ++i) {
        const EventRateLimitConfiguration::Limit& limit = object.limits[i];
        const auto type = event_limit_type(limit.type);
        if (!type || *type == EventLimitType::server || limit.qps < server.qps || limit.burst < server.burst) continue;
        findings
            .add(object, fmt::format("limits[{}].qps", i),
                 fmt::format("one {} may use up all that the server accepts: {} allows each {} a second and a burst of "
                             "{}, Server "
                             "{} and {} in all",
                             one_of(*type), limit.type, limit.qps, limit.burst, server.qps, server.burst))
            .notes.push_back(note_at(object.meta, fmt::format("limits[{}].type", s), "the Server limit is here"));
      }
    }
  }
}

}  // namespace

extern const Rule rule_server_limit_not_above = {
    .code = "APF603",
    .name = "server-limit-not-above",
    .severity = Severity::warning,
    .group = RuleGroup::event_rate_limit,
    .summary = "the Server limit for events is no higher than that of one sender",
    .what = R"(A limit of type Namespace, User or SourceAndObject has a qps and a burst that are both at least those
of the Server limit.)",
    .why = R"(These limits should keep one noisy sender from using everybody's share. Here one sender may use as much
as the server accepts from all, and events of the others are rejected too.)",
    .example = R"(limits:
- {type: Server, qps: 20, burst: 100}
- {type: Namespace, qps: 50, burst: 100}
)",
    .instead = R"(limits:
- {type: Server, qps: 200, burst: 1000}
- {type: Namespace, qps: 50, burst: 100}
)",
    .check = check_server_limit_not_above,
};

}  // namespace apf
