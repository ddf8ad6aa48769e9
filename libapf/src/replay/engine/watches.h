// The watches that are open: those that a mutating request has to notify make it more expensive.
#pragma once

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

#include "schedule/seats.h"

#include "replay/prepare/prepared.h"

namespace apf {

class Watches {
 public:
  // `min_request_timeout`: the server's. A watch whose end the log does not hold ends after its ?timeoutSeconds, and
  // without one after twice that time, the longest that the server chooses.
  explicit Watches(Nanos min_request_timeout = 1800 * kSecond) : longest_(2 * min_request_timeout) {}

  // A watch that began before the log.
  void add_standing(WatchKey key, Nanos end);
  // A watch has arrived; if its end comes as an event of its own, it is known by its audit ID from now on.
  void announce(const PreparedEvent& event) {
    if (is_tracked(event) && ends_by_event(event)) open_[short_id(event.id)].key = event.watch_key;
  }
  // It was refused.
  void forget(const PreparedEvent& event) {
    if (is_tracked(event) && ends_by_event(event)) open_.erase(short_id(event.id));
  }
  // It runs from `now` on.
  void start(const PreparedEvent& event, Nanos now) {
    if (is_tracked(event)) start_watch(event, now);
  }
  void end(const AuditId& id, Nanos now);
  // Those whose end was known when they started, and those that have lasted as long as they may.
  void expire(Nanos now) {
    while (!ends_.empty() && ends_.top().time <= now) expire_first();
  }

  bool any() const { return tracker_.registered() > 0; }
  // How many watches such a request notifies.
  std::int64_t count(const InterestedKeys& keys) const { return tracker_.count(keys); }
  std::uint64_t peak() const { return peak_; }
  std::uint64_t standing() const { return standing_; }
  // Watches that ended because they had lasted as long as they may: the log does not hold their ends.
  std::uint64_t timed_out() const { return timed_out_; }

  // Watches of which metrics are wanted (PreparedEvent::endpoint) that have ended; to be emptied by who reads them.
  struct Ended {
    Nanos since = 0, time = 0;
    std::uint32_t endpoint = 0;
  };
  std::vector<Ended>& ended() { return ended_; }

 private:
  // The log's own end counts, which comes a little after the time is up.
  static constexpr Nanos kGrace = kSecond;

  struct Open {
    WatchKey key = 0;
    bool counted = false;  // by the tracker
    Nanos since = 0;
    std::uint32_t endpoint = 0;
  };
  struct End {
    Nanos time = 0;
    WatchKey key = 0;
    std::uint64_t id = 0;  // of open_, if the log may hold an earlier end; 0: this is the end
    Nanos since = 0;
    std::uint32_t endpoint = 0;
    bool timed_out = false;
    bool operator>(const End& other) const {
      return time != other.time ? time > other.time : key != other.key ? key > other.key : id > other.id;
    }
  };

  static bool is_tracked(const PreparedEvent& event) {
    return event.watch_key != 0 || (event.watch && event.endpoint != 0);
  }
  // Its end is another event of the log.
  static bool ends_by_event(const PreparedEvent& event) { return event.stage == Stage::response_started; }
  void start_watch(const PreparedEvent& event, Nanos now);
  void register_watch(WatchKey key);
  void expire_first();
  void close(WatchKey key, bool counted, const Ended& ended);

  const Nanos longest_;
  WatchTracker tracker_;
  std::unordered_map<std::uint64_t, Open> open_;  // by audit ID
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<Ended> ended_;
  std::uint64_t peak_ = 0, standing_ = 0, timed_out_ = 0;
};

}  // namespace apf
