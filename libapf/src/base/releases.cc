#include "base/releases.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

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
    row(Feature::priority_and_fairness_always_on, "priority-and-fairness-always-on",
        "the feature gate APIPriorityAndFairness is always true", since(29)),
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
        "a level without a type is refused as incomplete; before, its type was called unsupported",
        {36, 3, kNoEnd, kNoEnd}),
    row(Feature::declarative_levels, "declarative-levels",
        "generated rules check which stanzas a level has; before, handwritten ones", since(37)),
    row(Feature::old_audit_versions, "old-audit-versions", "audit policies of v1alpha1 and v1beta1 are read",
        until(23)),
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kDifferences); ++i) {
    if (static_cast<std::size_t>(kDifferences[i].feature) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the rows are in the order of Feature");

// The releases from `first` on, and before `locked`, whose servers let a feature gate decide whether they have a
// feature (pkg/features/kube_features.go).
struct FeatureGate {
  std::string_view name;
  Feature feature;
  int first, locked = kNoEnd;

  constexpr bool is_asked_by(KubeVersion v) const { return v.minor >= first && v.minor < locked; }
};

// KubeVersion has a bit for each.
constexpr FeatureGate kGates[] = {
    {"ConsistentListFromCache", Feature::consistent_list_from_cache, 28, 34},
    {"WatchList", Feature::watch_list, 28},
    {"SizeBasedListCostEstimate", Feature::size_based_list_cost, 34},
    {"ZeroLimitedNominalConcurrencyShares", Feature::zero_shares, 29, 30},
    {"AuthorizeWithSelectors", Feature::request_selectors, 31, 34},
    {"DeclarativeValidationBeta", Feature::declarative_levels, 37},
};
static_assert(std::size(kGates) <= 8);

// Gates that matter here, in releases from `first` on and before `until`, and that nothing computes.
struct GateNote {
  std::string_view name;
  bool on;
  int first, until;
  const char* text;
};
constexpr GateNote kGateNotes[] = {
    {"APIListChunking", false, 0, 29, ": the seats of lists are those of a server that obeys limit and continue"},
    {"APIPriorityAndFairness", false, 29, kNoEnd,
     ": since 1.29 only --enable-priority-and-fairness=false switches it off"},
    {"AllAlpha", true, 0, kNoEnd, ": name the gates that it stands for"},
    {"AllBeta", false, 0, kNoEnd, ": name the gates that it stands for"},
};

constexpr ApiLifecycle kLifecycles[] = {
    // version, introduced, deprecated, removed
    {"v1", 29, kNoEnd, kNoEnd}, {"v1beta3", 26, 29, 32},  {"v1beta2", 23, 26, 29},
    {"v1beta1", 20, 23, 26},    {"v1alpha1", 18, 21, 21},
};

}  // namespace

std::span<const ReleaseDifference> release_differences() { return kDifferences; }

bool has_in_code(KubeVersion version, Feature feature) {
  return kDifferences[static_cast<std::size_t>(feature)].is_in(version);
}

bool has(KubeVersion version, Feature feature) {
  if ((version.gates_on | version.gates_off) != 0) [[unlikely]] {
    for (std::size_t i = 0; i < std::size(kGates); ++i) {
      if (kGates[i].feature != feature || !kGates[i].is_asked_by(version)) continue;
      if ((version.gates_on >> i & 1) != 0) return true;
      if ((version.gates_off >> i & 1) != 0) return false;
    }
  }
  return has_in_code(version, feature);
}

std::vector<std::string> set_feature_gates(std::string_view gates, KubeVersion& release) {
  std::vector<std::string> unheeded;
  for (std::size_t at = 0; at < gates.size();) {
    const std::string_view text = gates.substr(at, gates.find(',', at) - at);
    at += text.size() + 1;
    const std::size_t equals = text.find('=');
    if (equals == text.npos) continue;
    std::string_view name = text.substr(0, equals);
    if (name.starts_with("kube:")) name.remove_prefix(5);
    const std::string_view value = text.substr(equals + 1);
    const bool on = value == "1" || value.starts_with('t') || value.starts_with('T');
    const std::string given = std::string(name) + (on ? "=true" : "=false");
    for (const GateNote& note : kGateNotes)
      if (note.name == name && note.on == on && release.minor >= note.first && release.minor < note.until)
        unheeded.push_back(given + note.text);
    for (std::size_t i = 0; i < std::size(kGates); ++i) {
      const FeatureGate& gate = kGates[i];
      if (gate.name != name) continue;
      const auto bit = static_cast<std::uint8_t>(1u << i);
      release.gates_on = static_cast<std::uint8_t>(on ? release.gates_on | bit : release.gates_on & ~bit);
      release.gates_off = static_cast<std::uint8_t>(on ? release.gates_off & ~bit : release.gates_off | bit);
      if (!gate.is_asked_by(release) && on != has_in_code(release, gate.feature))
        unheeded.push_back(
            given + ": Kubernetes " + release.str() +
            (release.minor < gate.first ? " does not have it" : " has it locked, and does not start so"));
    }
  }
  return unheeded;
}

std::string patch_differences(KubeVersion release) {
  std::string out;
  if (release.patch != KubeVersion::kNewestPatch) return out;
  for (const ReleaseDifference& row : kDifferences) {
    if (row.feature == Feature::required_level_types) continue;  // its patch is inferred
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
