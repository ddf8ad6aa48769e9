// How many seats a request takes and leaves behind: k8s.io/apiserver/pkg/util/flowcontrol/request
// (width.go, list_work_estimator.go, mutating_work_estimator.go), v1.36, and what earlier releases did otherwise.
#include "schedule/seats.h"
#include "base/releases.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace apf {
namespace {

// What the server assumes of a resource whose numbers are stale or could not be had, and of an unknown size.
constexpr std::int64_t kMaxObjectCount = 1'000'000'000;
constexpr std::int64_t kMaxObjectSize = 1'500'000;  // etcd's own limit

constexpr std::int64_t kBytesPerSeat = 100'000;
constexpr std::int64_t kMaxCacheBytes = 1'000'000;  // a list from the watch cache is encoded in chunks
constexpr std::int64_t kObjectsPerSeat = 100;       // before 1.34

// Of ListSize: sizes up to kExact as they are, larger ones in kLarge bytes.
constexpr std::int64_t kExact = std::int64_t{1} << 29, kLarge = 1024;

constexpr std::int64_t kWatchesPerSeat = 10;
constexpr Nanos kEventDuration = 5 * kMillisecond;

std::int64_t ceil_div(double value, std::int64_t divisor) {
  return static_cast<std::int64_t>(std::ceil(value / static_cast<double>(divisor)));
}

// Since 1.33 (k8s.io/apiserver/pkg/storage/cacher/delegator/interface.go).
bool lists_from_cache_by_match(const RequestView::Fields& f, const SeatRules& rules) {
  if (!f.resource_version_match.empty()) return f.resource_version_match == "NotOlderThan";
  if (f.has_continue) return false;
  if (f.resource_version.empty()) return rules.consistent_list_from_cache;
  return f.limit <= 0 || f.resource_version == "0";
}

bool lists_from_cache(const RequestView::Fields& f, const SeatRules& rules) {
  if (f.verb == "watch") return true;
  if (rules.match_before_continue) return lists_from_cache_by_match(f, rules);
  const std::string_view match = f.resource_version_match;
  if (f.has_continue || match == "Exact") return false;
  if (rules.unknown_match_reads_storage && !match.empty() && match != "NotOlderThan") return false;
  if (f.resource_version.empty() && !rules.consistent_list_from_cache) return false;
  if (rules.limit_reads_storage) return f.limit <= 0 || f.resource_version == "0";
  if (f.resource_version.empty()) return true;
  return f.limit <= 0 || f.resource_version == "0" || !match.empty();
}

// A watch costs a list if it begins with one: asked for, or (since 1.35) implied by no resourceVersion or 0.
bool watch_begins_with_list(const RequestView::Fields& f, const SeatRules& rules) {
  if (f.send_initial_events) return true;
  return rules.legacy_watch_is_list && (f.resource_version.empty() || f.resource_version == "0");
}

int clamp_seats(std::int64_t seats, int max_seats) {
  return static_cast<int>(std::clamp<std::int64_t>(seats, 1, std::max(max_seats, 1)));
}

void add_key(InterestedKeys& keys, WatchKey key) {
  for (int i = 0; i < keys.count; ++i) {
    if (keys.keys[i] == key) return;
  }
  keys.keys[keys.count++] = key;
}

}  // namespace

SeatRules SeatRules::of(KubeVersion version) {
  SeatRules rules;
  rules.widths = has(version, Feature::request_width);
  rules.mutating = has(version, Feature::mutating_width);
  rules.free_tokens = has(version, Feature::free_token_requests);
  rules.single_objects = has(version, Feature::single_objects);
  rules.before_sizes = !has_in_code(version, Feature::size_based_list_cost);
  rules.single_object_is_one_seat = has(version, Feature::single_object_costs_one_seat);
  rules.unknown_count_is_all_seats = has(version, Feature::unknown_count_costs_all_seats);
  rules.unknown_match_reads_storage = has(version, Feature::unknown_match_reads_storage);
  rules.match_before_continue = has(version, Feature::match_before_continue);
  rules.size_based = has(version, Feature::size_based_list_cost);
  rules.watch_list = has(version, Feature::watch_list);
  rules.legacy_watch_is_list = rules.watch_list && has(version, Feature::legacy_watch_costs_as_list);
  rules.consistent_list_from_cache = has(version, Feature::consistent_list_from_cache);
  rules.limit_reads_storage = !has_in_code(version, Feature::consistent_list_from_cache);
  rules.max_list_seats = rules.size_based ? 100 : 10;
  return rules;
}

std::int64_t list_seats_by_count(std::int64_t object_count, std::int64_t limit, bool from_cache, bool has_selector,
                                 bool single_object) {
  const std::int64_t limited = limit > 0 && limit < object_count ? limit : object_count;
  std::int64_t processed = 2 * limited;  // read from storage, then encoded
  if (single_object) {
    processed = 1;
  } else if (from_cache) {
    processed = object_count;
  } else if (has_selector) {
    processed = object_count + limited;
  }
  return ceil_div(static_cast<double>(processed), kObjectsPerSeat);
}

std::int64_t list_seats_by_size(std::int64_t object_count, std::int64_t average_size, std::int64_t limit,
                                bool from_cache, bool has_selector, bool single_object) {
  if (average_size <= 0 && object_count != 0) average_size = kMaxObjectSize;
  const std::int64_t limited = limit > 0 && limit < object_count ? limit : object_count;
  std::int64_t in_memory = limited;
  if (single_object) {
    in_memory = 1;
  } else if (!from_cache && has_selector) {
    in_memory = std::max(limited, object_count / 2);
  }
  std::int64_t bytes = 0;  // numbers of a made-up --objects file must not overflow
  if (__builtin_mul_overflow(in_memory, average_size, &bytes)) bytes = INT64_MAX;
  if (from_cache) bytes = std::min(bytes, kMaxCacheBytes);
  return ceil_div(static_cast<double>(bytes), kBytesPerSeat);
}

int ListSize::packed() const {
  if (!known) return ~seats;
  if (bytes <= kExact) return static_cast<int>(bytes);
  return static_cast<int>(std::min<std::int64_t>(kExact + (bytes - kExact + kLarge - 1) / kLarge, INT_MAX));
}

ListSize ListSize::unpacked(int packed) {
  if (packed < 0) return {false, 0, ~packed};
  return {true, packed <= kExact ? packed : kExact + (packed - kExact) * kLarge, 0};
}

std::optional<std::int64_t> bytes_of_list(const RequestView& request, const ObjectStats& stats) {
  const RequestView::Fields& f = request.f;
  if (f.verb != "list" || !f.is_resource || !f.list_options_ok || stats.state != ObjectStats::State::known)
    return std::nullopt;
  if (stats.count == 0) return 0;
  if (stats.average_size <= 0) return std::nullopt;
  const bool alone = f.label_selector.empty() && f.field_selector.find(',') == std::string_view::npos;
  if (!f.name.empty() && alone) return stats.average_size;
  if (!f.name.empty() || !f.ns.empty() || f.has_selector || f.has_continue) return std::nullopt;
  // The watch cache, which a resourceVersion of 0 asks for, knows no pages.
  const bool pages = f.limit > 0 && f.resource_version != "0";
  const std::int64_t count = pages ? std::min(f.limit, stats.count) : stats.count;
  std::int64_t bytes = 0;  // numbers of a made-up --objects file must not overflow
  return __builtin_mul_overflow(count, stats.average_size, &bytes) ? INT64_MAX : bytes;
}

int list_seats(const RequestView& request, const ObjectStats& stats, const SeatRules& rules) {
  const RequestView::Fields& f = request.f;
  if (rules.bytes_of_lists) {
    const std::optional<std::int64_t> bytes = bytes_of_list(request, stats);
    if (bytes) return ListSize{true, *bytes, 0}.packed();
    SeatRules of_release = rules;
    of_release.bytes_of_lists = false;
    return ListSize{false, 0, list_seats(request, stats, of_release)}.packed();
  }
  if (seat_kind(f.verb, rules) != SeatKind::list) return 1;
  const bool single = rules.single_objects && !f.name.empty();
  if (single && rules.single_object_is_one_seat) return 1;
  if (!f.list_options_ok) return kAllSeats;
  if (f.verb == "watch" && !watch_begins_with_list(f, rules)) return 1;
  if (stats.state == ObjectStats::State::unknown_resource) return rules.unknown_count_is_all_seats ? kAllSeats : 1;
  if (stats.state == ObjectStats::State::stale_or_failed && rules.before_sizes) return kAllSeats;
  const bool known = stats.state == ObjectStats::State::known;
  const std::int64_t count = known ? stats.count : kMaxObjectCount;
  const std::int64_t size = known ? stats.average_size : kMaxObjectSize;
  const bool from_cache = lists_from_cache(f, rules);
  const std::int64_t seats = rules.size_based
                                 ? list_seats_by_size(count, size, f.limit, from_cache, f.has_selector, single)
                                 : list_seats_by_count(count, f.limit, from_cache, f.has_selector, single);
  return static_cast<int>(std::clamp<std::int64_t>(seats, 0, kAllSeats));
}

SeatKind seat_kind(std::string_view verb, const SeatRules& rules) {
  if (!rules.widths) return SeatKind::one;
  if (verb == "list") return SeatKind::list;
  if (verb == "watch") return rules.watch_list ? SeatKind::list : SeatKind::one;
  if (verb == "create" || verb == "update" || verb == "patch" || verb == "delete")
    return rules.mutating ? SeatKind::mutating : SeatKind::one;
  return SeatKind::one;
}

SeatKind seat_kind(const RequestView& request, const SeatRules& rules) {
  const SeatKind kind = seat_kind(request.f.verb, rules);
  const bool token = rules.free_tokens && kind == SeatKind::mutating && request.f.resource == "serviceaccounts" &&
                     request.f.subresource == "token";
  return token ? SeatKind::one : kind;
}

std::int64_t wanted_final_seats(std::int64_t watches) {
  return watches < kWatchesPerSeat ? 0 : ceil_div(static_cast<double>(watches), kWatchesPerSeat);
}

WorkEstimate mutating_estimate(std::int64_t watches, int level_max_seats, const SeatRules& rules) {
  WorkEstimate estimate;
  const std::int64_t wanted = wanted_final_seats(watches);
  if (wanted == 0) return estimate;
  const SeatSeconds work = seats_times_duration(static_cast<double>(wanted), kEventDuration);
  const int max_seats = effective_max_seats(level_max_seats, rules.max_mutating_seats);
  estimate.final_seats = static_cast<int>(std::min<std::int64_t>(wanted, max_seats));
  estimate.additional_latency = duration_per_seat(work, estimate.final_seats);
  return estimate;
}

WorkEstimate estimate_work(const RequestView& request, const ObjectStats& stats, std::int64_t watches,
                           int level_max_seats, const SeatRules& rules) {
  WorkEstimate estimate;
  switch (seat_kind(request, rules)) {
    case SeatKind::one:
      break;
    case SeatKind::list:
      estimate.initial_seats =
          clamp_seats(list_seats(request, stats, rules), effective_max_seats(level_max_seats, rules.max_list_seats));
      break;
    case SeatKind::mutating:
      estimate = mutating_estimate(watches, level_max_seats, rules);
      break;
  }
  return estimate;
}

std::optional<WatchKey> registered_watch_key(const RequestView& request) {
  const RequestView::Fields& f = request.f;
  if (f.verb != "watch") return std::nullopt;
  // Indexed by the server: the kubelets' watches on their own pods are not woken by other nodes' pods.
  if (f.node_name_selector && f.resource == "pods" && f.api_group.empty()) return std::nullopt;
  return watch_key(f.api_group, f.resource, f.ns, f.name);
}

InterestedKeys keys_without_name(const RequestView& request, WatchKey& names) {
  const RequestView::Fields& f = request.f;
  InterestedKeys keys;
  if (!f.is_resource || f.verb == "get" || f.verb == "list" || f.verb == "watch" || f.verb == "proxy") return keys;
  names = begin_watch_key(f.api_group, f.resource, f.ns);
  add_key(keys, watch_key(f.api_group, f.resource, {}, {}));
  if (!f.ns.empty()) add_key(keys, end_watch_key(names, {}));
  return keys;
}

void add_name_key(InterestedKeys& keys, WatchKey names, std::string_view name) {
  add_key(keys, end_watch_key(names, name));
}

InterestedKeys interested_keys(const RequestView& request) {
  WatchKey names = 0;
  InterestedKeys keys = keys_without_name(request, names);
  if (keys.count > 0 && !request.f.name.empty()) add_name_key(keys, names, request.f.name);
  return keys;
}

// --- the public forms ------------------------------------------------------------------------------

int list_seats(const RequestInfo& info, const RequestQuery& query, const ObjectStats& stats, const SeatRules& rules) {
  RequestView view;
  view_request(info, &query, view);
  return list_seats(view, stats, rules);
}

WorkEstimate estimate_work(const RequestInfo* info, const RequestQuery& query, const ObjectStats& stats,
                           std::int64_t watches, int level_max_seats, const SeatRules& rules) {
  if (info == nullptr) {
    WorkEstimate all;
    const int cap = rules.widths ? rules.max_list_seats : 1;
    all.initial_seats = std::max(1, rules.before_sizes ? cap : effective_max_seats(level_max_seats, cap));
    return all;
  }
  RequestView view;
  view_request(*info, &query, view);
  return estimate_work(view, stats, watches, level_max_seats, rules);
}

SeatEstimate estimate_seats(const RequestInfo& info, const RequestQuery& query, const ObjectCounts& objects,
                            int max_seats, KubeVersion version, bool exempt) {
  if (exempt && !has(version, Feature::exempt_level_has_seats)) {
    SeatEstimate none;
    none.estimated = false;
    return none;
  }
  const SeatRules rules = SeatRules::of(version);
  const ObjectStats stats = info.is_resource_request ? objects.find(info.api_group, info.resource) : ObjectStats{};
  SeatEstimate estimate;
  RequestView view;
  view_request(info, &query, view);
  estimate.work = estimate_work(view, stats, 0, max_seats, rules);
  if (seat_kind(view, rules) == SeatKind::list) {
    const int wanted = list_seats(view, stats, rules);
    if (wanted > estimate.work.initial_seats && wanted != kAllSeats) estimate.wanted_seats = wanted;
  }
  estimate.counts_missing = seat_kind(info.verb, rules) == SeatKind::list && info.is_resource_request &&
                            stats.state == ObjectStats::State::unknown_resource;
  return estimate;
}

bool passes_by(const RequestInfo& info, KubeVersion version) {
  if (!is_long_running(info)) return false;
  return info.verb != "watch" || !has(version, Feature::watches_wait);
}

std::optional<WatchKey> registered_watch_key(const RequestInfo& info, const RequestQuery& query) {
  RequestView view;
  view_request(info, &query, view);
  return registered_watch_key(view);
}

InterestedKeys interested_keys(const RequestInfo& info) {
  RequestView view;
  view_request(info, nullptr, view);
  return interested_keys(view);
}

}  // namespace apf
