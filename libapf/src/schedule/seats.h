// How wide a request is: seats while it runs and seats that linger after it
// (k8s.io/apiserver/pkg/util/flowcontrol/request, v1.36), and the watches that make writes wide.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/limits.h>
#include <apf/time.h>
#include <apf/version.h>

#include "classify/request_view.h"

namespace apf {

// Work in seat-seconds, fixed point: 1e8 units a seat-second, unsigned 64 bits with wrap-around.
using SeatSeconds = std::uint64_t;

// round(seats * d / 10), left to right in doubles, half away from zero; negative durations wrap.
SeatSeconds seats_times_duration(double seats, Nanos duration);
// trunc(work / seats * 10) ns, in doubles.
Nanos duration_per_seat(SeatSeconds work, double seats);
// "6.93307623ss"
std::string format_seat_seconds(SeatSeconds work);

// Which rules of a release are in force (base/releases.h says since when).
struct SeatRules {
  bool widths = true;    // else every request costs one seat
  bool mutating = true;  // writes that watches see cost seats after their end
  bool free_tokens = true;
  bool size_based = true;
  bool watch_list = true;
  bool legacy_watch_is_list = true;
  bool consistent_list_from_cache = true;  // etcd permitting
  bool limit_reads_storage = false;        // a limit, even where lists without a resourceVersion are cached
  bool unknown_match_reads_storage = true;
  bool match_before_continue = true;
  bool single_objects = true;              // a list of one named object differs from that of all
  bool single_object_is_one_seat = false;  // whatever is known of its resource
  bool unknown_count_is_all_seats = false;
  // As before sizes counted: a stale count costs all seats, and no level caps requests without RequestInfo.
  bool before_sizes = false;
  int max_list_seats = 100;  // 10 when not size_based
  // No rule of any release: what a list returns is asked for, rather than its seats (ListWidths::bytes).
  bool bytes_of_lists = false;
  int max_mutating_seats = 10;
  static SeatRules of(KubeVersion version);
  bool operator==(const SeatRules&) const = default;
};

inline constexpr int kAllSeats = 1 << 30;  // "max seats": as many as the level and the cap allow

// Seats of a list (or of a watch that begins with one) before clamping, kAllSeats where the estimator
// gives up. `info` and `query` decide; verbs other than list and watch give 1.
int list_seats(const RequestInfo& info, const RequestQuery& query, const ObjectStats& stats, const SeatRules& rules);

// What list_seats() gives under SeatRules::bytes_of_lists, in an int.
struct ListSize {
  bool known = false;
  std::int64_t bytes = 0;  // known; beyond half a gigabyte to the next kilobyte
  int seats = 0;           // else: as the release estimates

  int packed() const;
  static ListSize unpacked(int packed);
};
// What a list returns: known of the first page of a whole resource and of a single object, where its objects are
// counted and weighed. Of a namespace, by a selector or from a page on, it is a part of unknown size.
std::optional<std::int64_t> bytes_of_list(const RequestView& request, const ObjectStats& stats);

// The two inner formulas, before clamping to [1, max].
std::int64_t list_seats_by_count(std::int64_t object_count, std::int64_t limit, bool from_cache, bool has_selector,
                                 bool single_object);
std::int64_t list_seats_by_size(std::int64_t object_count, std::int64_t average_size, std::int64_t limit,
                                bool from_cache, bool has_selector, bool single_object);

// The level's cap on one request: its max seats, or `cap` when that is 0 or larger.
inline int effective_max_seats(int level_max_seats, int cap) {
  return level_max_seats == 0 || level_max_seats > cap ? cap : level_max_seats;
}

enum class SeatKind : std::uint8_t { one, list, mutating };
// Which estimate the verb asks for.
SeatKind seat_kind(std::string_view verb, const SeatRules& rules);

// Seats that a write would take after its end for so many watches if nothing capped them; 0: too few to count.
std::int64_t wanted_final_seats(std::int64_t watches);
// Seats of a write that `watches` watches are interested in; level_max_seats as in LevelLimits (0 = cap only).
WorkEstimate mutating_estimate(std::int64_t watches, int level_max_seats, const SeatRules& rules);

// The whole estimate. `watches` = interested watches (see WatchTracker), used for writes only.
// `info` null: no RequestInfo in the context, which takes the maximum.
WorkEstimate estimate_work(const RequestInfo* info, const RequestQuery& query, const ObjectStats& stats,
                           std::int64_t watches, int level_max_seats, const SeatRules& rules);

// 64-bit keys of what a watch looks at. Equal keys mean equal (group, resource, namespace, name) but for
// hash collisions of 2^-64.
using WatchKey = std::uint64_t;
WatchKey watch_key(std::string_view group, std::string_view resource, std::string_view ns, std::string_view name);
// In two steps, of which many names share the first.
WatchKey begin_watch_key(std::string_view group, std::string_view resource, std::string_view ns);
WatchKey end_watch_key(WatchKey begun, std::string_view name);

// The key under which a request registers as a watch; nothing if it does not (no watch, or the
// indexed spec.nodeName watch on pods).
std::optional<WatchKey> registered_watch_key(const RequestInfo& info, const RequestQuery& query);

// The distinct keys whose watches a write interests (1 to 3). 0 keys: get, list, watch, proxy, non-resource.
struct InterestedKeys {
  int count = 0;
  WatchKey keys[3] = {};
};
InterestedKeys interested_keys(const RequestInfo& info);

// How many watches are registered under each key.
class WatchTracker {
 public:
  WatchTracker();
  ~WatchTracker();
  WatchTracker(const WatchTracker&) = delete;
  WatchTracker& operator=(const WatchTracker&) = delete;
  void add(WatchKey key);
  void remove(WatchKey key);  // one watch of that key; none registered: nothing happens
  std::int64_t count(const InterestedKeys& keys) const;
  std::int64_t registered() const { return registered_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::int64_t registered_ = 0;
};

// The same on the replay's own form of a request.

// As seat_kind of the verb, but one seat for a token request, which wakes no watch (v1.36, mutating_work_estimator.go).
SeatKind seat_kind(const RequestView& request, const SeatRules& rules);

int list_seats(const RequestView& request, const ObjectStats& stats, const SeatRules& rules);
WorkEstimate estimate_work(const RequestView& request, const ObjectStats& stats, std::int64_t watches,
                           int level_max_seats, const SeatRules& rules);
std::optional<WatchKey> registered_watch_key(const RequestView& request);
InterestedKeys interested_keys(const RequestView& request);
// The same but for the key of the object's name, which add_name_key() adds: `names` is what all names begin with.
InterestedKeys keys_without_name(const RequestView& request, WatchKey& names);
void add_name_key(InterestedKeys& keys, WatchKey names, std::string_view name);

}  // namespace apf
