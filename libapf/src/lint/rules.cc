// The table of rules, by code: the one place where a rule is added.
#include "lint/rule.h"

namespace apf {

// 1xx: never matches, or dangles.
extern const Rule rule_dangling_level;
extern const Rule rule_unused_level;
extern const Rule rule_schema_without_rules;
extern const Rule rule_unreachable_schema;
extern const Rule rule_dead_rule;
extern const Rule rule_dead_subject;
extern const Rule rule_dead_entry;
extern const Rule rule_duplicate_entry;
extern const Rule rule_partly_shadowed;
extern const Rule rule_covered_entry;
extern const Rule rule_equal_precedence_overlap;
extern const Rule rule_only_catch_all;
// 2xx: surprising precedence, overlap and matching.
extern const Rule rule_after_service_accounts;
extern const Rule rule_takes_vital_traffic;
extern const Rule rule_catches_components;
extern const Rule rule_literal_wildcard;
extern const Rule rule_missing_subresource;
extern const Rule rule_singular_resource;
extern const Rule rule_group_in_resource;
extern const Rule rule_version_in_group;
extern const Rule rule_impossible_verb;
extern const Rule rule_service_account_as_user;
extern const Rule rule_scope_mismatch;
extern const Rule rule_resource_path_as_url;
extern const Rule rule_unclassified_request;
extern const Rule rule_by_namespace_one_flow;
extern const Rule rule_by_user_one_flow;
extern const Rule rule_no_distinguisher;
extern const Rule rule_distinguisher_ignored;
extern const Rule rule_subject_of_wrong_kind;
extern const Rule rule_missing_parent_url;
extern const Rule rule_root_url;
extern const Rule rule_workloads_to_exempt;
// 3xx: concurrency and lending.
extern const Rule rule_tiny_nominal_limit;
extern const Rule rule_starving_shares;
extern const Rule rule_lends_everything;
extern const Rule rule_walled_off_level;
extern const Rule rule_borrowing_rounds_to_nothing;
extern const Rule rule_no_room_for_wide_list;
extern const Rule rule_working_catch_all;
extern const Rule rule_borrowing_beyond_lendable;
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
extern const Rule rule_deprecated_api_version;
extern const Rule rule_surprising_default;
extern const Rule rule_overwritten_built_in;
extern const Rule rule_deleted_by_server;
extern const Rule rule_former_built_in;
// 6xx: EventRateLimit.
extern const Rule rule_duplicate_event_limit;
extern const Rule rule_event_burst_below_rate;
extern const Rule rule_server_limit_not_above;
extern const Rule rule_event_cache_ignored;
extern const Rule rule_small_event_cache;
// 7xx: ResourceQuota.
extern const Rule rule_uncounted_quota_resource;
extern const Rule rule_uncounted_object_count;
extern const Rule rule_requests_above_limits;
extern const Rule rule_two_names_one_resource;
extern const Rule rule_zero_quota;
extern const Rule rule_quota_never_reached;
extern const Rule rule_uncounted_under_scope;
extern const Rule rule_odd_quota_amount;
// 8xx: the KEP's own dialect.
extern const Rule rule_kep_ignored_distinguisher;
extern const Rule rule_kep_capturing_groups;
extern const Rule rule_kep_matches_nothing;
extern const Rule rule_kep_shadowed;
extern const Rule rule_kep_literal_pattern;
extern const Rule rule_kep_redundant_anchor;
extern const Rule rule_kep_partial_pattern;
extern const Rule rule_kep_set_test_of_scalar;
extern const Rule rule_kep_no_fallback;
extern const Rule rule_kep_namespace_of_path;
extern const Rule rule_kep_several_exempt;
extern const Rule rule_kep_unused_priority;
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
      &rule_unreachable_schema,
      &rule_dead_rule,
      &rule_dead_subject,
      &rule_dead_entry,
      &rule_duplicate_entry,
      &rule_partly_shadowed,
      &rule_covered_entry,
      &rule_equal_precedence_overlap,
      &rule_only_catch_all,
      // 2xx
      &rule_after_service_accounts,
      &rule_takes_vital_traffic,
      &rule_catches_components,
      &rule_literal_wildcard,
      &rule_missing_subresource,
      &rule_singular_resource,
      &rule_group_in_resource,
      &rule_version_in_group,
      &rule_impossible_verb,
      &rule_service_account_as_user,
      &rule_scope_mismatch,
      &rule_resource_path_as_url,
      &rule_unclassified_request,
      &rule_by_namespace_one_flow,
      &rule_by_user_one_flow,
      &rule_no_distinguisher,
      &rule_distinguisher_ignored,
      &rule_subject_of_wrong_kind,
      &rule_missing_parent_url,
      &rule_root_url,
      &rule_workloads_to_exempt,
      // 3xx
      &rule_tiny_nominal_limit,
      &rule_starving_shares,
      &rule_lends_everything,
      &rule_walled_off_level,
      &rule_borrowing_rounds_to_nothing,
      &rule_no_room_for_wide_list,
      &rule_working_catch_all,
      &rule_borrowing_beyond_lendable,
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
      &rule_deprecated_api_version,
      &rule_surprising_default,
      &rule_overwritten_built_in,
      &rule_deleted_by_server,
      &rule_former_built_in,
      // 6xx
      &rule_duplicate_event_limit,
      &rule_event_burst_below_rate,
      &rule_server_limit_not_above,
      &rule_event_cache_ignored,
      &rule_small_event_cache,
      // 7xx
      &rule_uncounted_quota_resource,
      &rule_uncounted_object_count,
      &rule_requests_above_limits,
      &rule_two_names_one_resource,
      &rule_zero_quota,
      &rule_quota_never_reached,
      &rule_uncounted_under_scope,
      &rule_odd_quota_amount,
      // 8xx
      &rule_kep_ignored_distinguisher,
      &rule_kep_capturing_groups,
      &rule_kep_matches_nothing,
      &rule_kep_shadowed,
      &rule_kep_literal_pattern,
      &rule_kep_redundant_anchor,
      &rule_kep_partial_pattern,
      &rule_kep_set_test_of_scalar,
      &rule_kep_no_fallback,
      &rule_kep_namespace_of_path,
      &rule_kep_several_exempt,
      &rule_kep_unused_priority,
      // 9xx
      &rule_unused_suppression,
      &rule_suppression_without_reason,
      &rule_expired_suppression,
  };
}

}  // namespace apf
