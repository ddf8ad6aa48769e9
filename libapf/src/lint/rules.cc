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
extern const Rule rule_workloads_to_exempt;
// 3xx: concurrency and lending.
// 4xx: queues and hands.
// 5xx: versions and defaulting.
extern const Rule rule_deprecated_api_version;
extern const Rule rule_surprising_default;
extern const Rule rule_overwritten_built_in;
extern const Rule rule_deleted_by_server;
extern const Rule rule_former_built_in;
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
      &rule_workloads_to_exempt,
      // 3xx
      // 4xx
      // 5xx
      &rule_deprecated_api_version,
      &rule_surprising_default,
      &rule_overwritten_built_in,
      &rule_deleted_by_server,
      &rule_former_built_in,
      // 9xx
      &rule_unused_suppression,
      &rule_suppression_without_reason,
      &rule_expired_suppression,
  };
}

}  // namespace apf
