// How many seats each priority level gets (KEP-1040 "Assured and Borrowable Concurrency"; apf_controller.go of v1.36),
// and how idle seats move between levels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/kube_version.h>
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

}  // namespace apf
