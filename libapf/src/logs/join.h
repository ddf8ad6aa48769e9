// Stages of one request, joined by audit ID, and put in order of arrival; likewise what two logs of one server tell of
// the same request.
//
// A request is complete with its ResponseComplete (or Panic), a watch already with its ResponseStarted: its end
// then follows as an event of its own. RequestReceived alone is kept until one of them comes, or until the window
// has passed: then the request counts as unfinished. Where there is an HTTP log beside the audit log, a request that
// is complete in one of them waits a while for the other's word.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <apf/replay.h>

#include "logs/prepared.h"
#include "logs/reorder.h"

namespace apf {

struct JoinedEvent {
  enum class Kind : std::uint8_t { request, watch_end } kind = Kind::request;
  PreparedEvent event;      // watch_end: only id and stage_time mean something
  std::uint64_t seq = 0;    // requests: position in the input
  bool unfinished = false;  // the log does not tell its end
};

// How the two logs of a joined replay met.
struct JoinCounts {
  std::uint64_t joined = 0, audit_only = 0, http_only = 0;
};

class Joiner {
 public:
  using Sink = std::function<void(Nanos now, JoinedEvent& event)>;  // in order of time
  using Dropped = std::function<void(const PreparedEvent& event)>;  // events that add nothing to a request
  // A request of which only the HTTP log tells: who may it be from?
  using Resolve = std::function<void(PreparedEvent& event)>;
  // With `resolve` audit events and HTTP lines are joined.
  Joiner(Nanos window, std::size_t limit, Sink sink, Dropped dropped, Resolve resolve = {});

  void add(PreparedEvent&& event);
  // A line of the HTTP log that will be written later than it is told here, at the time of its arrival.
  void add_early(PreparedEvent&& event);
  void finish();
  // Arrivals and ends are moved by up to `most`, evenly, the same way for the same seed.
  void jitter(Nanos most, std::uint64_t seed) { jitter_ = most, jitter_seed_ = seed; }

  std::uint64_t requests() const { return seq_; }
  std::uint64_t out_of_window() const { return out_of_window_; }
  std::uint64_t negative_latencies() const { return negative_latencies_; }
  // Ends told twice, as by a shipper that was not sure the first one had arrived: of those not far from each other.
  std::uint64_t duplicates() const { return duplicates_; }
  // Requests whose end the log does not tell.
  std::uint64_t unfinished() const { return unfinished_; }
  const JoinCounts& counts() const { return counts_; }
  // Requests, how the logs met, and what was amiss.
  void fill(ReplayReport& report) const;

 private:
  struct IdHash {
    std::size_t operator()(const AuditId& id) const { return id.high ^ (id.low * 0x9e3779b97f4a7c15ULL); }
  };
  struct Half {  // a request complete in one of two logs
    PreparedEvent event;
    std::uint64_t number = 0;
    bool done = false;  // it is through already: the other log's word comes too late
  };
  struct HalfDeadline {
    Nanos time;
    std::uint64_t number;
    AuditId id;
    bool operator>(const HalfDeadline& o) const { return time != o.time ? time > o.time : number > o.number; }
  };

  // Complete as far as one log is concerned.
  void offer(PreparedEvent&& event, Nanos written);
  void end_line_of(const PreparedEvent& ended, Nanos written);
  void wait_for_other(PreparedEvent&& event, Nanos deadline, bool done);
  void complete(PreparedEvent&& event, bool unfinished);
  void shake(PreparedEvent& event) const;
  void push(Nanos time, JoinedEvent::Kind kind, const PreparedEvent& event, bool unfinished);
  void expire_received(Nanos before);
  void expire_halves(Nanos before);
  void pass_alone(PreparedEvent&& event);

  bool told_before(const PreparedEvent& event);
  void forget(std::unordered_map<AuditId, PreparedEvent, IdHash>& stages, const AuditId& id);
  void hold_open(const PreparedEvent& event);

  Sink sink_;
  Dropped dropped_;
  Resolve resolve_;
  Reorder<JoinedEvent> reorder_;
  const Nanos window_;
  const std::size_t limit_;
  std::unordered_map<AuditId, PreparedEvent, IdHash> received_;
  std::deque<std::pair<Nanos, AuditId>> received_order_;
  std::unordered_set<AuditId, IdHash> started_;              // watches whose start was seen, their end not yet
  std::unordered_map<AuditId, PreparedEvent, IdHash> open_;  // likewise what is served outside the filter
  std::unordered_map<AuditId, Half, IdHash> halves_;
  std::priority_queue<HalfDeadline, std::vector<HalfDeadline>, std::greater<>> half_deadlines_;
  std::uint64_t half_number_ = 0;
  Nanos watermark_ = INT64_MIN;  // latest time the log was written at
  Nanos first_written_ = INT64_MAX;
  std::uint64_t seq_ = 0, out_of_window_ = 0, negative_latencies_ = 0, unfinished_ = 0, duplicates_ = 0;
  static constexpr std::size_t kRecent = 1u << 12;
  std::vector<std::uint64_t> recent_ =
      std::vector<std::uint64_t>(kRecent);  // hashes of ends, each in the place it falls to
  JoinCounts counts_;
  Nanos jitter_ = 0;
  std::uint64_t jitter_seed_ = 0;
};

// Whether a refusal came so late that it was none at once, and so early that the request had not waited as long as it
// may: it was the client who had enough, after `total`.
bool left_its_queue(Nanos total, Nanos wait_limit);

// Of a watch that began before the log: whether it is there no more as a request, by the time when its end is told.
inline bool outlasts(const PreparedEvent& watch, Nanos window) { return watch.stage_time - watch.received > window; }

// Adds to an audit event what the line of the HTTP log tells of the same request.
void join_http(PreparedEvent& audit, const PreparedEvent& http);

}  // namespace apf
