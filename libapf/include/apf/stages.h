// The admission pipeline of a replay: which stages there are and how they are set. What each reports: StageReport in
// replay.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <apf/outcome.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

// client-go's own limiter: a token bucket in every client.
struct ClientLimit {
  float qps = 5;  // negative: none
  int burst = 10;
};
struct ClientLimits {
  ClientLimit of_all;
  // Clients whose user agent begins with the text; the longest counts.
  std::vector<std::pair<std::string, ClientLimit>> by_user_agent;
  const ClientLimit& of(const std::string& user, const std::string& user_agent) const;
};

// --max-requests-inflight and --max-mutating-requests-inflight of a server without API Priority and Fairness; 0 = no
// limit.
struct InFlightLimits {
  int read_only = 400, mutating = 200;
};

// How one requester fared at a stage.
struct RequesterReport {
  std::string user;
  std::string user_agent;  // empty where users are not told apart by it
  std::uint64_t requests = 0, delayed = 0, refused = 0;
  double delay_sum = 0;  // ns
  Nanos delay_max = 0;
};

// The most of a quantity in each second, as kube-apiserver's apiserver_current_inflight_requests tells it; the width
// of the bins grows with the log, so that their number does not.
struct PeakSeries {
  Nanos begin = 0, width = kSecond;
  std::vector<int> peaks;
  int last_second = 0;  // in the last second in which anything happened
};

// What became of one limit of EventRateLimit.
struct EventLimitReport {
  std::string type;  // "Server", "Namespace", "User", "SourceAndObject"
  std::int32_t qps = 0, burst = 0;
  std::int32_t cache_size = 0;  // buckets that are kept; 0: there is one
  std::uint64_t asked = 0, refused = 0;
  std::uint64_t undecidable = 0;  // events whose key the log does not tell: not asked
  std::uint64_t buckets = 0;      // that there were at most at once
  std::uint64_t evicted = 0;
};
struct EventRateLimitReport {
  std::vector<EventLimitReport> limits;  // in the configuration's order
  std::uint64_t turned_away = 0;         // events that, by the log, other checks refused before
  // Against the log's own refusals by this plugin.
  std::uint64_t refused_in_both = 0, refused_only_in_log = 0, refused_only_in_replay = 0;
};

// A quota at the end of the replay.
struct QuotaStageReport {
  struct Resource {
    std::string name, start, used, peak, hard;  // as kube-apiserver prints them
  };
  std::string name, ns;
  bool from_status = false;
  std::vector<Resource> resources;  // by name
  std::uint64_t refused = 0;        // requests, by this quota
};
struct ResourceQuotaReport {
  std::vector<QuotaStageReport> quotas;  // by namespace and name
  std::uint64_t asked = 0, refused = 0;
  // The log does not hold the object: counts were decided, everything else could not be.
  std::uint64_t undecidable = 0;
  // Changes and deletions of objects that the log does not know, so that what they free is not known either.
  std::uint64_t unknown_changes = 0;
  std::uint64_t turned_away = 0;  // by the log, refused by other checks before
  // Against the log's own refusals by this plugin.
  std::uint64_t refused_in_both = 0, refused_only_in_log = 0, refused_only_in_replay = 0;
};

struct InFlightReport {
  struct Kind {
    int limit = 0;
    std::uint64_t requests = 0, refused = 0;
    std::uint64_t uncounted = 0;  // of system:masters, beyond the limit
    int peak = 0;                 // counted ones
    double average = 0;           // over time
    PeakSeries series;
  };
  Kind read_only, mutating;
};

}  // namespace apf
