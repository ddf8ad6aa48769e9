// How many of the server's seats were in use while requests were refused or waited, by the log's own times.
#pragma once

#include <map>
#include <optional>
#include <queue>
#include <set>
#include <vector>

#include <apf/log_summary.h>

#include "schedule/seat_balance.h"
#include "summary/request_facts.h"

namespace apf {

class SeatCourse {
 public:
  // `config`: whose exempt levels hold no seats; may be null.
  SeatCourse(std::optional<int> seats, const Config* config);
  // Requests in the order of their arrivals. `limited`: API Priority and Fairness sees it.
  void add(const RequestFacts& facts, const TraceRequest& request, bool limited, const LogNames& names);
  // By refusals, then by the time in which requests waited. Nothing where too little is known.
  std::vector<Remark> causes(const LogNames& names);

 private:
  // What happens at an instant; seats become free before others are taken.
  enum class Kind : std::uint8_t { release, dispatch, enqueue, leave, refuse };
  struct Change {
    Nanos time = 0;
    Kind kind = Kind::release;
    std::uint32_t level = 0;
    int seats = 0;
    bool operator>(const Change& other) const { return time != other.time ? time > other.time : kind > other.kind; }
  };
  struct Level {
    std::uint64_t waiting = 0, requests = 0, ran = 0, refused = 0, timed_out = 0, long_waits = 0;
    std::uint64_t refused_beside_waits = 0;                                             // while others waited
    double seat_seconds = 0, idle_at_refusals = 0, idle_while_waiting = 0, waited = 0;  // sums; seat-ns, ns
    Nanos since = 0;         // when its requests began to wait
    double idle_before = 0;  // idle_ at that time
    bool exempt = false;
  };

  void advance(Nanos to);
  void apply(const Change& change);
  void add_run(const RequestFacts& facts, const TraceRequest& request, Nanos dispatch, Level& level);
  bool is_known() const;
  std::optional<Remark> cause_of(const Level& level) const;

  const std::optional<int> seats_;
  std::set<std::string> exempt_;
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  std::map<std::uint32_t, Level> levels_;
  std::uint64_t ran_ = 0, known_ = 0, refused_ = 0;
  int in_use_ = 0;
  Nanos now_ = INT64_MIN, first_ = INT64_MIN, full_since_ = INT64_MIN, full_until_ = INT64_MIN;
  FullTime full_;
  double idle_ = 0;    // seats over time, in seat-ns
  double beyond_ = 0;  // ns with more seats in use than there are
};

}  // namespace apf
