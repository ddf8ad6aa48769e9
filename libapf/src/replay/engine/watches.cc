#include "replay/engine/watches.h"

#include <algorithm>

namespace apf {

void Watches::register_watch(WatchKey key) {
  tracker_.add(key);
  peak_ = std::max(peak_, static_cast<std::uint64_t>(tracker_.registered()));
}

void Watches::add_standing(WatchKey key, Nanos end) {
  register_watch(key);
  ends_.push({.time = end, .key = key});
  ++standing_;
}

void Watches::start_watch(const PreparedEvent& event, Nanos now) {
  const Nanos at_most = later(now, event.watch_timeout > 0 ? event.watch_timeout : longest_);
  End end{.key = event.watch_key, .since = now, .endpoint = event.endpoint};
  if (ends_by_event(event) && !event.trace) {
    const auto it = open_.find(short_id(event.id));
    if (it == open_.end()) return;  // it ended while it waited
    it->second.counted = event.watch_key != 0;
    it->second.since = now;
    it->second.endpoint = event.endpoint;
    end.id = it->first;
    end.time = later(at_most, kGrace);
    end.timed_out = true;
  } else {
    end.time = event.trace ? event.watch_end : event.stage_time;
    end.timed_out = end.time == kNoTime;
    if (end.timed_out) end.time = at_most;
  }
  ends_.push(end);
  if (event.watch_key != 0) register_watch(event.watch_key);
}

void Watches::close(WatchKey key, bool counted, const Ended& ended) {
  if (counted) tracker_.remove(key);
  if (ended.endpoint != 0) ended_.push_back(ended);
}

void Watches::expire_first() {
  const End end = ends_.top();
  ends_.pop();
  if (end.id != 0) {
    const auto it = open_.find(end.id);
    if (it == open_.end() || it->second.since != end.since) return;  // the log had its end
    open_.erase(it);
  }
  timed_out_ += end.timed_out ? 1 : 0;
  close(end.key, end.key != 0, {end.since, end.time, end.endpoint});
}

void Watches::end(const AuditId& id, Nanos now) {
  const auto it = open_.find(short_id(id));
  if (it == open_.end()) return;
  const Open open = it->second;
  open_.erase(it);
  close(open.key, open.counted, {open.since, now, open.endpoint});
}

}  // namespace apf
