#include "base/releases.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <apf/findings.h>

namespace apf {

namespace {

constexpr int kNoEnd = Releases::kNoEnd;
constexpr Releases kNoRelease{0, 0, 0, 0};

// The forms in which the history of releases is written.
constexpr Releases since(int minor) { return {minor, 0, kNoEnd, kNoEnd}; }
constexpr Releases until(int minor) { return {0, 0, minor, kNoEnd}; }
constexpr Releases only(int minor) { return {minor, 0, minor, kNoEnd}; }

constexpr ReleaseDifference row(Feature feature, std::string_view name, std::string_view what, Releases a,
                                Releases b = kNoRelease, Releases c = kNoRelease, Releases d = kNoRelease) {
  return {feature, name, {a, b, c, d}, what};
}

constexpr ReleaseDifference kDifferences[] = {
    row(Feature::borrowing, "borrowing", "levels lend seats to each other and borrow them", since(26)),
    row(Feature::exempt_level_has_seats, "exempt-level-has-seats", "the exempt level has shares, lends, and counts",
        since(28)),
    row(Feature::exempt_level_allocated_first, "exempt-level-allocated-first",
        "the exempt level gets its seats before the others share the rest", since(31)),
    row(Feature::demand_is_a_number, "demand-is-a-number",
        "a demand whose deviation is NaN counts as steady; before, it spoils the level's average for good",
        {26, 13, 26, kNoEnd}, {27, 10, 27, kNoEnd}, {28, 6, kNoEnd, kNoEnd}),
    row(Feature::stored_zero_shares, "stored-zero-shares", "shares of 0 are kept by objects that have them", since(29)),
    row(Feature::zero_shares, "zero-shares", "any Limited level may have shares of 0", since(30)),
    row(Feature::queues_by_work, "queues-by-work", "queues take turns by work in seat-seconds; before, by requests",
        since(23)),
    row(Feature::watches_wait, "watches-wait", "watches pass API Priority and Fairness until they are initialized",
        since(22)),
    row(Feature::exact_wait_limit, "exact-wait-limit",
        "a request leaves its queue when a quarter of its deadline has passed; before, when another one comes",
        {28, 5, kNoEnd, kNoEnd}),
    row(Feature::bound_after_removal, "bound-after-removal",
        "a queue that a waiting request leaves does not keep the turn that it had before its next one came",
        {23, 16, 23, kNoEnd}, {24, 10, 24, kNoEnd}, {25, 6, kNoEnd, kNoEnd}),
    row(Feature::growing_retry_after, "growing-retry-after",
        "Retry-After grows while a level keeps refusing; before, it is 1 s", since(28)),
    row(Feature::request_width, "request-width", "a request may cost more than one seat", since(23)),
    row(Feature::mutating_width, "mutating-width", "a write that watches see costs seats after its end", since(24)),
    row(Feature::free_token_requests, "free-token-requests", "the token of a service account costs nothing extra",
        since(26)),
    row(Feature::level_max_seats, "level-max-seats", "a level with queues limits the seats of one request",
        {25, 13, 25, kNoEnd}, {26, 8, 26, kNoEnd}, {27, 5, kNoEnd, kNoEnd}),
    row(Feature::single_objects, "single-objects", "a list of one named object is not as wide as that of all",
        {23, 13, 23, kNoEnd}, {24, 7, 24, kNoEnd}, {25, 3, kNoEnd, kNoEnd}),
    row(Feature::single_object_costs_one_seat, "single-object-costs-one-seat",
        "a list of one named object always costs one seat", {23, 13, 23, kNoEnd}, {24, 7, 24, kNoEnd},
        {25, 3, 33, kNoEnd}),
    row(Feature::unknown_count_costs_all_seats, "unknown-count-costs-all-seats",
        "a list of a resource whose objects are not counted costs as many seats as one may", {23, 0, 23, 5}),
    row(Feature::unknown_match_reads_storage, "unknown-match-reads-storage",
        "every resourceVersionMatch but NotOlderThan reads from storage; before, only Exact", since(27)),
    row(Feature::match_before_continue, "match-before-continue",
        "resourceVersionMatch decides before continue where a list reads from", since(33)),
    row(Feature::consistent_list_from_cache, "consistent-list-from-cache",
        "a list without a resource version is read from the watch cache", since(31)),
    row(Feature::watch_list, "watch-list", "a watch with sendInitialEvents costs as much as a list", only(32),
        since(34)),
    row(Feature::size_based_list_cost, "size-based-list-cost",
        "a list costs by the bytes that it reads, at most 100 seats; before, by its objects, at most 10", since(34)),
    row(Feature::legacy_watch_costs_as_list, "legacy-watch-costs-as-list",
        "a watch without a resource version, or with 0, costs as much as a list", since(35)),
    row(Feature::autoupdate_annotation, "autoupdate-annotation",
        "built-in objects have the annotation apf.kubernetes.io/autoupdate-spec", since(22)),
    row(Feature::probes_flow_schema, "probes-flow-schema", "the FlowSchema probes is built in", {20, 7, 20, kNoEnd},
        {21, 1, kNoEnd, kNoEnd}),
    row(Feature::node_high_level, "node-high-level", "the level node-high and its FlowSchema are built in", since(22)),
    row(Feature::endpoints_for_leader_election, "endpoints-for-leader-election",
        "system-leader-election also takes endpoints and configmaps of kube-system", until(23)),
    row(Feature::workload_leader_election_schema, "workload-leader-election-schema",
        "the FlowSchema workload-leader-election is built in", until(33)),
    row(Feature::endpoint_controller_schema, "endpoint-controller-schema",
        "the FlowSchema endpoint-controller is built in", {24, 0, 33, kNoEnd}),
    row(Feature::preserve_zero_shares_annotation, "preserve-zero-shares-annotation",
        "an annotation keeps the zero shares of v1beta3, and is forbidden in other versions", since(29)),
    row(Feature::v1alpha1_types, "v1alpha1-types", "the server still knows the types of v1alpha1", until(28)),
    row(Feature::short_field_errors, "short-field-errors", "field errors without the name of the field", since(34)),
    row(Feature::label_limits_in_bytes, "label-limits-in-bytes",
        "errors about labels count bytes; before, they said characters", since(36)),
    row(Feature::http_log_classification, "http-log-classification",
        "the HTTP log has the FlowSchema and the level of a request, and how long a watch took to initialize",
        since(23)),
    row(Feature::http_log_execution, "http-log-execution", "the HTTP log has the execution time of a request",
        since(24)),
    row(Feature::http_log_seats, "http-log-seats", "the HTTP log has the seats of a request at -v=3",
        {24, 7, kNoEnd, kNoEnd}),
    row(Feature::audited_queue_wait, "audited-queue-wait",
        "the audit event of a request that took more than 500 ms has its queue wait, if there was any",
        {31, 0, 33, kNoEnd}, {34, 7, 34, kNoEnd}, {35, 4, kNoEnd, kNoEnd}),
    row(Feature::estimate_metrics, "estimate-metrics",
        "metrics of estimated seats and of requests that did not fit; execution times by type", since(24)),
    row(Feature::utilization_metrics, "utilization-metrics",
        "metrics of what part of the limits is in use; before, samples of counts", since(25)),
    row(Feature::seat_gauges, "seat-gauges", "the gauge of seats held", since(28)),
    row(Feature::waiting_seats_gauge, "waiting-seats-gauge", "the gauge of seats waited for", {28, 5, kNoEnd, kNoEnd}),
    row(Feature::demand_of_current_limit, "demand-of-current-limit",
        "the metric demand_seats is a part of the current limit; before, of the nominal one", since(28)),
    row(Feature::fifteen_second_bucket, "fifteen-second-bucket", "durations have a bucket of 15 s", since(28)),
    row(Feature::hundred_seat_bucket, "hundred-seat-bucket", "estimated seats have buckets up to 100; before, up to 10",
        since(34)),
    row(Feature::concurrency_limit_metric, "concurrency-limit-metric", "the metric request_concurrency_limit",
        until(30)),
    row(Feature::concurrency_in_use_metric, "concurrency-in-use-metric", "the metric request_concurrency_in_use",
        {22, 0, 31, kNoEnd}),
    row(Feature::dropped_requests_metric, "dropped-requests-metric", "the metric apiserver_dropped_requests_total",
        until(24)),
    row(Feature::extensions_ingresses, "extensions-ingresses", "ingresses are served in the group extensions",
        until(21)),
    row(Feature::cross_namespace_affinity_quota_scope, "cross-namespace-affinity-quota-scope",
        "the quota scope CrossNamespacePodAffinity", since(22)),
    row(Feature::volume_attributes_class_quota_scope, "volume-attributes-class-quota-scope",
        "the quota scope VolumeAttributesClass", since(34)),
    row(Feature::request_selectors, "request-selectors",
        "RequestInfo has the selectors of a list, which authorization looks at", since(32)),
    row(Feature::required_level_types, "required-level-types",
        "a level without a type is refused as incomplete; before, its type was called unsupported", since(37)),
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kDifferences); ++i) {
    if (static_cast<std::size_t>(kDifferences[i].feature) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the rows are in the order of Feature");

constexpr ApiLifecycle kLifecycles[] = {
    // version, introduced, deprecated, removed
    {"v1", 29, kNoEnd, kNoEnd}, {"v1beta3", 26, 29, 32},  {"v1beta2", 23, 26, 29},
    {"v1beta1", 20, 23, 26},    {"v1alpha1", 18, 21, 21},
};

}  // namespace

std::span<const ReleaseDifference> release_differences() { return kDifferences; }

bool has(KubeVersion version, Feature feature) {
  return kDifferences[static_cast<std::size_t>(feature)].is_in(version);
}

std::string patch_differences(KubeVersion release) {
  std::string out;
  if (release.patch != KubeVersion::kNewestPatch) return out;
  for (const ReleaseDifference& row : kDifferences) {
    for (const Releases& range : row.in) {
      // Beside the change its other side is another one.
      const bool begins = range.first_minor == release.minor && range.first_patch > 0;
      const bool ends = range.last_minor == release.minor && range.last_patch != kNoEnd;
      if (!begins && !ends) continue;
      out += out.empty() ? "" : "; ";
      out += row.what;
      const KubeVersion at{release.minor, begins ? range.first_patch : range.last_patch};
      out += (begins ? " (since " : " (until ") + at.str() + ")";
    }
  }
  return out;
}

std::vector<Remark> release_remarks(KubeVersion release) {
  if (release > kNextKubeVersion)
    return {{.kind = RemarkKind::release_newer, .name = release.str(), .detail = kNextKubeVersion.str()}};
  if (release > kNewestKubeVersion) return {{.kind = RemarkKind::release_not_out, .name = release.str()}};
  return {};
}

std::span<const ApiLifecycle> api_lifecycles() { return kLifecycles; }

const ApiLifecycle* find_api_lifecycle(std::string_view version) {
  const auto* found = std::find_if(std::begin(kLifecycles), std::end(kLifecycles),
                                   [&](const ApiLifecycle& row) { return row.version == version; });
  return found == std::end(kLifecycles) ? nullptr : found;
}

const ApiLifecycle& newest_lifecycle(KubeVersion release) {
  return *std::find_if(std::begin(kLifecycles), std::end(kLifecycles),
                       [&](const ApiLifecycle& row) { return row.is_served(release); });
}

}  // namespace apf
