// Stages of one request, joined by audit ID, and put in order of arrival.
//
// A request is complete with its ResponseComplete (or Panic), a watch already with its ResponseStarted: its end
// then follows as an event of its own. RequestReceived alone is kept until one of them comes, or until the window
// has passed: then the request counts as unfinished.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "replay/prepared.h"
#include "replay/reorder.h"

namespace apf {

struct JoinedEvent {
  enum class Kind : std::uint8_t { request, watch_end } kind = Kind::request;
  PreparedEvent event;      // watch_end: only id and stage_time mean something
  std::uint64_t seq = 0;    // requests: position in the input
  bool unfinished = false;  // the log does not tell its end
};

class Joiner {
 public:
  using Sink = std::function<void(Nanos now, JoinedEvent& event)>;  // in order of time
  using Dropped = std::function<void(const PreparedEvent& event)>;  // events that add nothing to a request
  Joiner(Nanos window, std::size_t limit, Sink sink, Dropped dropped);

  void add(PreparedEvent&& event);
  void finish();

  std::uint64_t requests() const { return seq_; }
  std::uint64_t out_of_window() const { return out_of_window_; }
  std::uint64_t negative_latencies() const { return negative_latencies_; }
  // Requests whose end the log does not tell.
  std::uint64_t unfinished() const { return unfinished_; }

 private:
  struct IdHash {
    std::size_t operator()(const AuditId& id) const { return id.high ^ (id.low * 0x9e3779b97f4a7c15ULL); }
  };

  void complete(PreparedEvent&& event, bool unfinished);
  void push(Nanos time, JoinedEvent&& event);
  void expire_received(Nanos before);

  void forget(std::unordered_map<AuditId, PreparedEvent, IdHash>& stages, const AuditId& id);
  void hold_open(const PreparedEvent& event);

  Sink sink_;
  Dropped dropped_;
  Reorder<JoinedEvent> reorder_;
  const Nanos window_;
  const std::size_t limit_;
  std::unordered_map<AuditId, PreparedEvent, IdHash> received_;
  std::deque<std::pair<Nanos, AuditId>> received_order_;
  std::unordered_set<AuditId, IdHash> started_;  // watches whose start was seen, their end not yet
  std::unordered_map<AuditId, PreparedEvent, IdHash> open_;  // likewise what is served outside the filter
  Nanos watermark_ = INT64_MIN;                  // latest time the log was written at
  std::uint64_t seq_ = 0, out_of_window_ = 0, negative_latencies_ = 0, unfinished_ = 0;
};

}  // namespace apf
