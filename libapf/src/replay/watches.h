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
  // A watch that began before the log.
  void add_standing(WatchKey key, Nanos end);
  // A watch has arrived; if its end comes as an event of its own, it is known by its audit ID from now on.
  void announce(const PreparedEvent& event) {
    if (event.watch_key != 0 && ends_by_event(event)) open_[short_id(event.id)].key = event.watch_key;
  }
  // It was refused.
  void forget(const PreparedEvent& event) {
    if (event.watch_key != 0 && ends_by_event(event)) open_.erase(short_id(event.id));
  }
  // It runs.
  void start(const PreparedEvent& event) {
    if (event.watch_key != 0) start_watch(event);
  }
  void end(const AuditId& id);
  // Those whose end was known when they started.
  void expire(Nanos now) {
    while (!ends_.empty() && ends_.top().first <= now) {
      tracker_.remove(ends_.top().second);
      ends_.pop();
    }
  }

  bool any() const { return tracker_.registered() > 0; }
  // How many watches such a request notifies.
  std::int64_t count(const InterestedKeys& keys) const { return tracker_.count(keys); }
  std::uint64_t peak() const { return peak_; }
  std::uint64_t standing() const { return standing_; }

 private:
  struct Open {
    WatchKey key = 0;
    bool counted = false;  // by the tracker
  };
  // Its end is another event of the log.
  static bool ends_by_event(const PreparedEvent& event) { return event.stage == Stage::response_started; }
  void start_watch(const PreparedEvent& event);
  void register_watch(WatchKey key);

  WatchTracker tracker_;
  std::unordered_map<std::uint64_t, Open> open_;  // by audit ID
  std::priority_queue<std::pair<Nanos, WatchKey>, std::vector<std::pair<Nanos, WatchKey>>, std::greater<>> ends_;
  std::uint64_t peak_ = 0, standing_ = 0;
};

}  // namespace apf
