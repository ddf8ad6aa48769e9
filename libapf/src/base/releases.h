// What differs between Kubernetes releases, in one table (releases.cc): everything that depends on the release asks it.
// A new release, or a change that is found in an old one, is a row there; tests/arch/arrows.sh finds comparisons of
// release numbers anywhere else.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <apf/version.h>

namespace apf {

// What some releases have and others do not. The order is that of the table.
enum class Feature : std::uint8_t {
  priority_and_fairness_always_on,
  // concurrency limits
  borrowing,
  exempt_level_has_seats,
  exempt_level_allocated_first,
  demand_is_a_number,
  stored_zero_shares,
  zero_shares,
  // queues
  queues_by_work,
  watches_wait,
  exact_wait_limit,
  bound_after_removal,
  growing_retry_after,
  // seats of a request
  request_width,
  mutating_width,
  free_token_requests,
  level_max_seats,
  single_objects,
  single_object_costs_one_seat,
  unknown_count_costs_all_seats,
  unknown_match_reads_storage,
  match_before_continue,
  consistent_list_from_cache,
  watch_list,
  size_based_list_cost,
  legacy_watch_costs_as_list,
  // built-in objects
  autoupdate_annotation,
  probes_flow_schema,
  node_high_level,
  endpoints_for_leader_election,
  workload_leader_election_schema,
  endpoint_controller_schema,
  // objects and their validation
  preserve_zero_shares_annotation,
  v1alpha1_types,
  short_field_errors,
  label_limits_in_bytes,
  // logs
  http_log_classification,
  http_log_execution,
  http_log_seats,
  audited_queue_wait,
  // metrics
  estimate_metrics,
  utilization_metrics,
  seat_gauges,
  waiting_seats_gauge,
  demand_of_current_limit,
  fifteen_second_bucket,
  hundred_seat_bucket,
  concurrency_limit_metric,
  concurrency_in_use_metric,
  dropped_requests_metric,
  // other APIs
  extensions_ingresses,
  cross_namespace_affinity_quota_scope,
  volume_attributes_class_quota_scope,
  // authorization
  request_selectors,
  // texts of validation
  required_level_types,
  declarative_levels,
  // audit policies
  old_audit_versions,
};

// A range of releases of Kubernetes 1.x, both ends included. A version without a patch is the newest patch of its minor
// release.
struct Releases {
  static constexpr int kNoEnd = std::numeric_limits<int>::max();
  int first_minor = 0, first_patch = 0;
  int last_minor = kNoEnd, last_patch = kNoEnd;

  constexpr bool contain(KubeVersion v) const {
    return (v.minor > first_minor || (v.minor == first_minor && v.patch >= first_patch)) &&
           (v.minor < last_minor || (v.minor == last_minor && v.patch <= last_patch));
  }
};

// A row of the table.
struct ReleaseDifference {
  static constexpr std::size_t kMostRanges = 4;
  Feature feature;
  std::string_view name;
  Releases in[kMostRanges];  // an unused range has last_minor 0
  std::string_view what;

  constexpr bool is_in(KubeVersion version) const {
    for (const Releases& releases : in) {
      if (releases.contain(version)) return true;
    }
    return false;
  }
};

std::span<const ReleaseDifference> release_differences();
// As the feature gates of the version's server say, where they decide it.
bool has(KubeVersion version, Feature feature);
// As the code of the release has it, whatever its gates.
bool has_in_code(KubeVersion version, Feature feature);

// The versions of flowcontrol.apiserver.k8s.io, newest first, by the lifecycle markers of k8s.io/api/flowcontrol.
struct ApiLifecycle {
  std::string_view version;
  int introduced;
  int deprecated, removed;  // kNoEnd: not yet

  bool is_served(KubeVersion release) const { return release.minor >= introduced && release.minor < removed; }
  bool is_deprecated(KubeVersion release) const { return is_served(release) && release.minor >= deprecated; }
};
std::span<const ApiLifecycle> api_lifecycles();
// Of the version with this name ("v1beta3"); null if there never was one.
const ApiLifecycle* find_api_lifecycle(std::string_view version);
// The newest version that the release serves.
const ApiLifecycle& newest_lifecycle(KubeVersion release);

}  // namespace apf
