#include "replay/watches.h"

#include <algorithm>

namespace apf {

void Watches::register_watch(WatchKey key) {
  tracker_.add(key);
  peak_ = std::max(peak_, static_cast<std::uint64_t>(tracker_.registered()));
}

void Watches::add_standing(WatchKey key, Nanos end) {
  register_watch(key);
  ends_.emplace(end, key);
  ++standing_;
}

void Watches::start_watch(const PreparedEvent& event) {
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

}  // namespace apf
