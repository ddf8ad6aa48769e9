// Who wins when several write the status of a quota: the servers of a cluster, each for the requests that it admits,
// and the quota controller. An update names the version that it was made from (compare and swap); if another one came
// between, it fails. After the evaluator of k8s.io/apiserver/pkg/admission/plugin/resourcequota (controller.go,
// resource_access.go, v1.36).
//
// A server evaluates the requests of a namespace in batches, one batch at a time; five workers take the namespaces in
// turn. A batch updates each quota that it changes, one after the other. What failed is read again from the server's
// cache and tried again at once, three times; then those requests of the batch that the failed quota concerns get the
// conflict, a 409. Who waits for more than 10 s gets a 500. The cache is behind by a lag, but has what the server
// itself wrote last: within one server nothing conflicts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <apf/time.h>

namespace apf {

// A change of quotas' statuses that somebody wants to write.
struct QuotaWrite {
  Nanos time = 0;
  std::uint32_t quotas = 0;  // number of a set of quotas
  bool counted = true;       // false: it is written, but in no count of requests
};

struct QuotaWriteRules {
  Nanos lag = 0;    // from an update until the caches of other servers have it, >= 0
  Nanos write = 0;  // how long an update takes, > 0
};

// What the quotas of a write are.
struct QuotaSet {
  std::uint32_t ns = 0;
  std::vector<std::uint32_t> quotas;  // in the order of their updates, not empty
};

struct QuotaWriteCounts {
  std::uint64_t requests = 0;               // writes that were wanted
  std::uint64_t updates = 0;                // that were tried, for one request or many
  std::uint64_t conflicts = 0;              // of them
  std::uint64_t retried = 0;                // requests whose batch met a conflict, and that were admitted
  std::uint64_t refused = 0;                // requests answered with 409
  std::uint64_t timed_out = 0;              // requests answered with 500
  std::vector<std::uint64_t> conflicts_of;  // by quota

  QuotaWriteCounts& operator+=(const QuotaWriteCounts& other);
};

// `servers`: the writes of each, in order of time; `controller`: those of the quota controller, which always succeed,
// in order of time. Of writes at one instant the controller's come first, then those of the first server.
std::vector<QuotaWriteCounts> count_quota_conflicts(std::span<const std::vector<QuotaWrite>> servers,
                                                    std::span<const QuotaWrite> controller,
                                                    std::span<const QuotaSet> sets, std::size_t quotas,
                                                    QuotaWriteRules rules);

}  // namespace apf
