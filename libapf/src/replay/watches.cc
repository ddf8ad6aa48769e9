#include "replay/watches.h"

#include <algorithm>

namespace apf {

namespace {

// Its end is another event of the log.
bool ends_by_event(const PreparedEvent& event) { return event.stage == Stage::response_started; }

}  // namespace

void Watches::register_watch(WatchKey key) {
  tracker_.add(key);
  peak_ = std::max(peak_, static_cast<std::uint64_t>(tracker_.registered()));
}

void Watches::add_standing(WatchKey key, Nanos end) {
  register_watch(key);
  ends_.emplace(end, key);
  ++standing_;
}

void Watches::announce(const PreparedEvent& event) {
  if (event.watch_key != 0 && ends_by_event(event)) open_[short_id(event.id)].key = event.watch_key;
}

void Watches::forget(const PreparedEvent& event) {
  if (event.watch_key != 0 && ends_by_event(event)) open_.erase(short_id(event.id));
}

void Watches::start(const PreparedEvent& event) {
  if (event.watch_key == 0) return;
  if (ends_by_event(event) && !event.trace) {
    const auto it = open_.find(short_id(event.id));
    if (it == open_.end()) return;  // it ended while it waited
    it->second.counted = true;
  } else {
    const Nanos end = event.trace ? event.watch_end : event.stage_time;
    if (end != kNoTime) ends_.emplace(end, event.watch_key);
  }
  register_watch(event.watch_key);
}

void Watches::end(const AuditId& id) {
  const auto it = open_.find(short_id(id));
  if (it == open_.end()) return;
  if (it->second.counted) tracker_.remove(it->second.key);
  open_.erase(it);
}

void Watches::expire(Nanos now) {
  while (!ends_.empty() && ends_.top().first <= now) {
    tracker_.remove(ends_.top().second);
    ends_.pop();
  }
}

}  // namespace apf
