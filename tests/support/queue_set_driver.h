// Runs a queue set under a clock of events: what arrives, how long it runs, when it gives up, when the settings change.
// A template, so that the property tests can run their slow model by the same events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/queue_set.h"

namespace apf::test {

// What happens at one instant happens in this order; within a kind in the order of scheduling.
enum class EventKind : std::uint8_t { finish, release, change, time_out, arrival };

struct Event {
  Nanos time = 0;
  std::uint64_t order = 0;    // kind, then number of scheduling
  std::uint64_t subject = 0;  // the caller's

  EventKind kind() const { return static_cast<EventKind>(order >> 60); }
  bool operator<(const Event& other) const { return time != other.time ? time < other.time : order < other.order; }
};

// A heap of four children a node: half the depth of a binary one, and siblings share a cache line or two.
class EventHeap {
 public:
  void push(Nanos time, EventKind kind, std::uint64_t subject) {
    const Event event{time, static_cast<std::uint64_t>(kind) << 60 | scheduled_++, subject};
    std::size_t at = events_.size();
    events_.push_back(event);
    while (at > 0 && event < events_[(at - 1) / 4]) {
      events_[at] = events_[(at - 1) / 4];
      at = (at - 1) / 4;
    }
    events_[at] = event;
  }
  bool empty() const { return events_.empty(); }
  const Event& top() const { return events_.front(); }
  void pop() {
    const Event last = events_.back();
    events_.pop_back();
    const std::size_t size = events_.size();
    if (size == 0) return;
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 4 * at + 1) {
      std::size_t least = child;
      for (std::size_t i = child + 1; i < std::min(child + 4, size); ++i) {
        if (events_[i] < events_[least]) least = i;
      }
      if (!(events_[least] < last)) break;
      events_[at] = events_[least];
      at = least;
    }
    events_[at] = last;
  }

 private:
  std::vector<Event> events_;
  std::uint64_t scheduled_ = 0;
};

struct Scenario {
  struct Request {
    Nanos arrival = 0;
    std::uint64_t flow_hash = 0;
    WorkEstimate work;
    Nanos service = 0;
    Nanos time_out = -1;  // -1: waits without limit
  };
  struct Change {
    Nanos time = 0;
    QueueSetSettings settings;
  };
  QueueSetSettings settings;
  std::vector<Change> changes;      // by time
  std::vector<Nanos> sample_times;  // by time
  std::vector<Request> requests;    // by arrival
};

enum class Fate : std::uint8_t { executed, queue_full, concurrency_limit, timed_out };

struct Outcome {
  Fate fate = Fate::executed;
  int queue = -1;
  Nanos dispatch = -1;  // of a request that timed out: when it did
  std::int64_t sequence = -1;
  Nanos finish = -1, release = -1;
  bool operator==(const Outcome&) const = default;
};

struct Sample {
  Nanos time = 0;
  SeatDemandStats demand;
  std::int64_t seats_in_use = 0, seats_waiting = 0, waiting = 0, executing = 0;
};

template <class Set>
class Driver {
 public:
  explicit Driver(const Scenario& scenario) : set(scenario.settings), scenario_(scenario) {
    outcomes.resize(scenario.requests.size());
    handles_.resize(scenario.requests.size());
    waiting_.resize(scenario.requests.size());
    for (std::size_t i = 0; i < scenario.changes.size(); ++i) {
      heap_.push(scenario.changes[i].time, EventKind::change, i);
    }
    for (std::size_t i = 0; i < scenario.sample_times.size(); ++i) {
      heap_.push(scenario.sample_times[i], EventKind::change, scenario.changes.size() + i);
    }
  }

  // Until nothing more happens.
  void run() {
    while (step()) {
    }
  }

  // The next event of any kind. False if there is none.
  bool step() {
    const bool arrivals_left = next_ < scenario_.requests.size();
    if (arrivals_left && (heap_.empty() || scenario_.requests[next_].arrival < heap_.top().time)) {
      arrive(next_++);
      return true;
    }
    if (heap_.empty()) return false;
    const Event event = heap_.top();
    heap_.pop();
    handle(event);
    return true;
  }

  Set set;
  std::vector<Outcome> outcomes;
  std::vector<Sample> samples;
  std::int64_t refused = 0, timed_out = 0;
  Nanos now = 0;

 private:
  void arrive(std::size_t i) {
    const Scenario::Request& request = scenario_.requests[i];
    now = request.arrival;
    const auto arrival = set.arrive(now, request.flow_hash, request.work, i);
    outcomes[i].queue = arrival.queue;
    if (arrival.verdict != QueueSet::Verdict::accepted) {
      outcomes[i].fate = arrival.verdict == QueueSet::Verdict::queue_full ? Fate::queue_full : Fate::concurrency_limit;
      ++refused;
      return;
    }
    handles_[i] = arrival.handle;
    waiting_[i] = true;
    start_dispatched();
    if (waiting_[i] && request.time_out >= 0) heap_.push(request.time_out, EventKind::time_out, i);
  }

  void handle(const Event& event) {
    const auto i = static_cast<std::size_t>(event.subject);
    switch (event.kind()) {
      case EventKind::finish:
        now = event.time;
        if (set.finish(now, handles_[i])) heap_.push(outcomes[i].release, EventKind::release, i);
        break;
      case EventKind::release:
        now = event.time;
        set.release(now, handles_[i]);
        break;
      case EventKind::change:
        now = event.time;
        if (i >= scenario_.changes.size()) return sample();
        set.configure(now, scenario_.changes[i].settings);
        break;
      case EventKind::time_out:
        now = event.time;
        if (!waiting_[i]) return;
        set.time_out(now, handles_[i]);
        waiting_[i] = false;
        outcomes[i].fate = Fate::timed_out;
        outcomes[i].dispatch = now;
        ++timed_out;
        return;
      case EventKind::arrival:
        return;  // not in the heap
    }
    start_dispatched();
  }

  void start_dispatched() {
    for (const auto& dispatch : set.dispatched()) {
      const auto i = static_cast<std::size_t>(dispatch.tag);
      handles_[i] = dispatch.handle;
      waiting_[i] = false;
      Outcome& outcome = outcomes[i];
      outcome.dispatch = now;
      outcome.sequence = sequence_++;
      outcome.finish = now + scenario_.requests[i].service;
      outcome.release = outcome.finish + dispatch.additional_latency;
      heap_.push(outcome.finish, EventKind::finish, i);
    }
  }

  void sample() {
    samples.push_back({now, set.demand().reset(now), set.counts().seats_in_use, set.counts().seats_waiting,
                       set.counts().waiting, set.counts().executing});
  }

  const Scenario& scenario_;
  EventHeap heap_;
  std::size_t next_ = 0;
  std::vector<typename Set::Handle> handles_;
  std::vector<bool> waiting_;
  std::int64_t sequence_ = 0;
};

}  // namespace apf::test
