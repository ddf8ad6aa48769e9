// The table of rules, by code: the one place where a rule is added.
#include "lint/rule.h"

namespace apf {

// 1xx: never matches, or dangles.
extern const Rule rule_dangling_level;
extern const Rule rule_unused_level;
extern const Rule rule_schema_without_rules;
// 2xx: surprising precedence, overlap and matching.
// 3xx: concurrency and lending.
extern const Rule rule_tiny_nominal_limit;
extern const Rule rule_starving_shares;
extern const Rule rule_lends_everything;
extern const Rule rule_walled_off_level;
extern const Rule rule_borrowing_rounds_to_nothing;
extern const Rule rule_no_room_for_wide_list;
extern const Rule rule_working_catch_all;
extern const Rule rule_nobody_lends;
extern const Rule rule_zero_shares_no_jail;
extern const Rule rule_level_without_seats;
extern const Rule rule_exempt_keeps_idle_seats;
// 4xx: queues and hands.
extern const Rule rule_likely_collision;
extern const Rule rule_hand_size_one;
extern const Rule rule_hand_equals_queues;
extern const Rule rule_queues_far_above_seats;
extern const Rule rule_boundless_waiting;
extern const Rule rule_hand_exceeds_seats;
extern const Rule rule_queue_outlasts_wait_limit;
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
      &rule_tiny_nominal_limit,
      &rule_starving_shares,
      &rule_lends_everything,
      &rule_walled_off_level,
      &rule_borrowing_rounds_to_nothing,
      &rule_no_room_for_wide_list,
      &rule_working_catch_all,
      &rule_nobody_lends,
      &rule_zero_shares_no_jail,
      &rule_level_without_seats,
      &rule_exempt_keeps_idle_seats,
      // 4xx
      &rule_likely_collision,
      &rule_hand_size_one,
      &rule_hand_equals_queues,
      &rule_queues_far_above_seats,
      &rule_boundless_waiting,
      &rule_hand_exceeds_seats,
      &rule_queue_outlasts_wait_limit,
      // 5xx
      // 9xx
      &rule_unused_suppression,
      &rule_suppression_without_reason,
      &rule_expired_suppression,
  };
}

}  // namespace apf
