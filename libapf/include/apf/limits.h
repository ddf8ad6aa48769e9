// Limits: how many seats each priority level gets, how levels borrow from each other, and how many seats a request
// takes.
//
//   const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   const apf::LimitsTable table = apf::compute_limits(config, 600);  // the server's seats
//   for (const apf::LevelLimits& level : table.levels)
//     std::printf("%s: %d seats, %d to %d by borrowing\n", level.name.c_str(), level.nominal_cl, level.min_cl,
//                 level.max_cl);
//
// A seat is what a request of ordinary cost holds while it runs; limits are whole seats. Formulas: KEP-1040 "Assured
// and Borrowable Concurrency", and apf_controller.go and the work estimator of k8s.io/apiserver, v1.36. Results are
// values. All functions may be called from several threads at once; an ObjectCounts may be read by several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/version.h>

namespace apf {

struct LevelLimits {
  std::string name;
  bool exempt = false;
  bool reject = false;
  std::int64_t nominal_concurrency_shares = 0;
  int nominal_cl = 0, lendable_cl = 0, borrowing_cl = 0, min_cl = 0, max_cl = 0;  // seats
  int initial_cl = 0;  // in force after the digest of a fresh server (one borrowing step without demand)
  int max_seats = 0;   // the widest one request can be; 0 = not tracked (level without queues): only the cap counts
  int queues = 0, hand_size = 0, queue_length_limit = 0;
};

struct LimitsTable {
  int server_concurrency_limit = 0;  // --max-requests-inflight + --max-mutating-requests-inflight
  std::int64_t share_sum = 0;
  std::int64_t nominal_sum = 0;
  double fair_frac = 0;             // of the digest's borrowing step
  std::vector<LevelLimits> levels;  // sorted by name
};

// Malformed levels are ignored; missing exempt and catch-all supplied. Does not default.
APF_API LimitsTable compute_limits(const Config& config, int server_concurrency_limit,
                                   KubeVersion version = kNewestKubeVersion);

// max(1, min(ceil(0.15 * nominal_cl), nominal_cl / hand_size)): the most seats one request of a queuing level takes.
APF_API int max_seats_of(int nominal_cl, int hand_size);

struct AllocationClass {
  double lower = 0, upper = 0, target = 0;
};
struct Allocation {
  std::vector<double> allocs;
  double fair_prop = 0;
};
// computeConcurrencyAllocation: a(i) = max(lower, min(upper, FairProp * target)) summing to required_sum.
// Nothing when it has no solution; `error` (optional) then gets the server's text.
APF_API std::optional<Allocation> allocate(std::int64_t required_sum, std::span<const AllocationClass> classes,
                                           std::string* error = nullptr);

// What becomes of a request: the stages of the admission pipeline, the outcomes they have, and the one table of how
// every output names them. A new outcome is a row here; decisions, reports, metrics and expectations follow.

// In the order in which requests pass them. A server has either apf or max_in_flight.
enum class AdmissionStage : std::uint8_t {
  client_limiter,
  apf,
  max_in_flight,
  event_rate_limit,
  resource_quota,
  kCount
};
inline constexpr std::size_t kAdmissionStages = static_cast<std::size_t>(AdmissionStage::kCount);

struct StageRow {
  AdmissionStage stage;
  const char* name;
  bool in_handler;  // it runs inside the handler, while the request holds its seats
};

inline constexpr StageRow kStageTable[] = {
    {AdmissionStage::client_limiter, "client-limiter", false},
    {AdmissionStage::apf, "apf", false},
    {AdmissionStage::max_in_flight, "max-in-flight", false},
    {AdmissionStage::event_rate_limit, "event-rate-limit", true},
    {AdmissionStage::resource_quota, "resource-quota", true},
};
static_assert(std::size(kStageTable) == kAdmissionStages);
static_assert([] {
  for (std::size_t i = 0; i < kAdmissionStages; ++i)
    if (static_cast<std::size_t>(kStageTable[i].stage) != i) return false;
  return true;
}());

constexpr const StageRow& row_of(AdmissionStage stage) { return kStageTable[static_cast<std::size_t>(stage)]; }
constexpr const char* to_string(AdmissionStage stage) { return row_of(stage).name; }
constexpr bool is_in_handler(AdmissionStage stage) { return row_of(stage).in_handler; }

// Served, or why refused.
enum class Outcome : std::uint8_t {
  executed,
  queue_full,
  concurrency_limit,
  time_out,
  max_in_flight,
  event_rate_limit,
  resource_quota,
  quota_conflict,  // no update of a quota's status succeeded, or not in time
  gave_up,         // the client left the queue, as in the log or by ReplayOptions::client_timeouts
  cancelled        // its deadline passed in the queue; until 1.28.4, see apfctl-replay(1)
};

struct OutcomeRow {
  Outcome outcome;
  AdmissionStage stage;  // that has this outcome
  const char* name;      // in decisions, stage reports, metrics and expectations; "" for executed
  const char* json;      // member of "rejected" in JSON reports
  const char* column;    // of CSV
  const char* heading;   // of text tables, one column for all outcomes of the same heading; "" = no column
  const char* label;     // behind a number, in sentences and charts
  const char* mark;      // class of its part of a bar in HTML
  bool always = false;   // also shown where there are none
};

inline constexpr OutcomeRow kOutcomeTable[] = {
    {Outcome::executed, AdmissionStage::apf, "", "", "executed", "EXECUTED", "served", "served"},
    {Outcome::queue_full, AdmissionStage::apf, "queue-full", "queueFull", "queue_full", "FULL", "queue full", "full",
     true},
    {Outcome::concurrency_limit, AdmissionStage::apf, "concurrency-limit", "concurrencyLimit", "concurrency_limit",
     "LIMIT", "over the limit", "over", true},
    {Outcome::time_out, AdmissionStage::apf, "time-out", "timeOut", "time_out", "TIME-OUT", "waited too long", "late",
     true},
    {Outcome::max_in_flight, AdmissionStage::max_in_flight, "max-in-flight", "maxInFlight", "max_in_flight", "",
     "over max-in-flight", "over"},
    {Outcome::event_rate_limit, AdmissionStage::event_rate_limit, "event-rate-limit", "eventRateLimit",
     "event_rate_limit", "ADMISSION", "over EventRateLimit", "over"},
    {Outcome::resource_quota, AdmissionStage::resource_quota, "resource-quota", "resourceQuota", "resource_quota",
     "ADMISSION", "over a ResourceQuota", "over"},
    {Outcome::quota_conflict, AdmissionStage::resource_quota, "quota-conflict", "quotaConflict", "quota_conflict",
     "ADMISSION", "lost a ResourceQuota's update", "over"},
    {Outcome::gave_up, AdmissionStage::apf, "gave-up", "gaveUp", "gave_up", "GAVE-UP", "its client gave up", "late"},
    {Outcome::cancelled, AdmissionStage::apf, "cancelled", "cancelled", "cancelled", "CANCELLED", "past its deadline",
     "late"},
};
inline constexpr std::size_t kOutcomes = std::size(kOutcomeTable);
static_assert([] {
  for (std::size_t i = 0; i < kOutcomes; ++i)
    if (static_cast<std::size_t>(kOutcomeTable[i].outcome) != i) return false;
  return true;
}());

constexpr const OutcomeRow& row_of(Outcome outcome) { return kOutcomeTable[static_cast<std::size_t>(outcome)]; }
constexpr const char* to_string(Outcome outcome) { return row_of(outcome).name; }
// All but `executed`.
constexpr std::span<const OutcomeRow> refusals() { return std::span(kOutcomeTable).subspan(1); }
// Refused inside the handler, while the request held its seats.
constexpr bool is_refused_in_handler(Outcome outcome) {
  return outcome != Outcome::executed && is_in_handler(row_of(outcome).stage);
}

// Refused after it had waited in a queue.
constexpr bool is_refused_after_wait(Outcome outcome) {
  return outcome == Outcome::time_out || outcome == Outcome::gave_up || outcome == Outcome::cancelled;
}

// How many requests had each outcome.
class OutcomeCounts {
 public:
  std::uint64_t& operator[](Outcome outcome) { return counts_[static_cast<std::size_t>(outcome)]; }
  std::uint64_t operator[](Outcome outcome) const { return counts_[static_cast<std::size_t>(outcome)]; }
  std::uint64_t refused() const {
    std::uint64_t sum = 0;
    for (const OutcomeRow& row : refusals()) sum += (*this)[row.outcome];
    return sum;
  }
  std::uint64_t refused_after_wait() const {
    return (*this)[Outcome::time_out] + (*this)[Outcome::gave_up] + (*this)[Outcome::cancelled];
  }
  // By one stage.
  std::uint64_t refused(AdmissionStage stage) const {
    std::uint64_t sum = 0;
    for (const OutcomeRow& row : refusals()) sum += row.stage == stage ? (*this)[row.outcome] : 0;
    return sum;
  }
  OutcomeCounts& operator+=(const OutcomeCounts& other) {
    for (std::size_t i = 0; i < kOutcomes; ++i) counts_[i] += other.counts_[i];
    return *this;
  }

 private:
  std::array<std::uint64_t, kOutcomes> counts_{};
};

// How seats move between levels.
enum class Borrowing : std::uint8_t {
  server,  // as the server's code does
  kep,     // as KEP-1040 "Dispatching" has it; apfctl-kep(7) says where the server differs
  off,     // every level keeps its nominal limit
};

// --- how wide a request is ---

struct ObjectStats {
  enum class State : std::uint8_t { known, unknown_resource, stale_or_failed } state = State::unknown_resource;
  std::int64_t count = 0;
  std::int64_t average_size = 0;  // bytes; <= 0 = unknown
};

// Object counts by group-resource ("pods", "deployments.apps"), from lines "pods=1234[,bytes]" or from a scrape of
// the server's /metrics (apiserver_storage_objects, apiserver_resource_objects,
// apiserver_resource_size_estimate_bytes).
class APF_API ObjectCounts {
 public:
  ObjectCounts();
  ~ObjectCounts();
  ObjectCounts(const ObjectCounts&);
  ObjectCounts(ObjectCounts&&) noexcept;
  ObjectCounts& operator=(ObjectCounts&&) noexcept;
  // `name` is the file's name for messages. Throws Error naming the line when a line is neither.
  static ObjectCounts parse(std::string_view text, const std::string& name);
  void set(std::string_view group_resource, std::int64_t count, std::int64_t average_size);
  ObjectStats find(std::string_view group, std::string_view resource) const;
  bool empty() const;

 private:
  struct APF_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

// How wide a request is, as kube-apiserver estimates it. Writes are taken to interest no watch.
struct SeatEstimate {
  WorkEstimate work;
  bool counts_missing = false;  // a list of objects that `objects` has no count of: taken as the server does then
  // Set: the request is wider than it may be, and would take this number of seats if neither its level nor the server
  // capped it.
  std::optional<int> wanted_seats;
  // False: the request goes to an exempt level of a release before 1.28, which lets it in without an estimate and
  // counts no seats.
  bool estimated = true;
};
// `max_seats`, `exempt`: LevelLimits of the level that the request goes to.
APF_API SeatEstimate estimate_seats(const RequestInfo& info, const RequestQuery& query, const ObjectCounts& objects,
                                    int max_seats, KubeVersion version = kNewestKubeVersion, bool exempt = false);

// Long-running requests pass API Priority and Fairness by: neither seats nor queues. Watches are held until they are
// initialized since 1.22; before, they also passed by.
APF_API bool passes_by(const RequestInfo& info, KubeVersion version = kNewestKubeVersion);

}  // namespace apf
