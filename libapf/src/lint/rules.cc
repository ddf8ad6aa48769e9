// The table of rules, by code: the one place where a rule is added.
#include "lint/rule.h"

namespace apf {

// 1xx: never matches, or dangles.
extern const Rule rule_dangling_level;
extern const Rule rule_unused_level;
extern const Rule rule_schema_without_rules;
// 2xx: surprising precedence, overlap and matching.
// 3xx: concurrency and lending.
// 4xx: queues and hands.
// 5xx: versions and defaulting.
// 9xx: suppressions.
extern const Rule rule_unused_suppression;
extern const Rule rule_suppression_without_reason;
extern const Rule rule_expired_suppression;

std::vector<const Rule*> all_rules() {
  return {
      // 1xx
      &rule_dangling_level,
      &rule_unused_level,
      &rule_schema_without_rules,
      // 2xx
      // 3xx
      // 4xx
      // 5xx
      // 9xx
      &rule_unused_suppression,
      &rule_suppression_without_reason,
      &rule_expired_suppression,
  };
}

}  // namespace apf
