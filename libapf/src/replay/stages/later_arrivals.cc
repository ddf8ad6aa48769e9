#include "replay/stages/later_arrivals.h"

namespace apf {

namespace {

constexpr std::uint8_t kMostRetries = 10;  // client-go's default

// Everything happens to it as before, only later.
void move_later(PreparedEvent& event, Nanos by) {
  event.received = later(event.received, by);
  if (event.stage_time != kNoTime) event.stage_time = later(event.stage_time, by);
  if (event.watch_end != kNoTime) event.watch_end = later(event.watch_end, by);
}

}  // namespace

void LaterArrivals::hold_back(Nanos now, Nanos delay, const JoinedEvent& joined, Sending&& sending) {
  LaterArrival held{joined, std::move(sending)};
  held.sending.delay = later(held.sending.delay, delay);
  move_later(held.joined.event, delay);
  if (joined.event.watch_key != 0 && joined.event.stage == Stage::response_started && !joined.event.trace) {
    Nanos& moved = moved_watches_[short_id(joined.event.id)];
    moved = later(moved, held.sending.delay);
  }
  push(later(now, delay), std::move(held));
}

bool LaterArrivals::move_watch_end(Nanos now, const JoinedEvent& joined) {
  const auto it = moved_watches_.find(short_id(joined.event.id));
  if (it == moved_watches_.end()) return false;
  LaterArrival end;
  end.joined = joined;
  push(later(now, it->second), std::move(end));
  moved_watches_.erase(it);
  return true;
}

// As client-go does it: after as many seconds as Retry-After says, up to ten times.
bool LaterArrivals::come_back(const LiveRequest& request, std::string&& id_text, Nanos now, int retry_after_seconds) {
  if (request.attempt == kMostRetries) {
    ++gave_up_;
    return false;
  }
  LaterArrival again;
  const Nanos time = later(now, retry_after_seconds * kSecond);
  again.joined.event = request.event;
  again.joined.seq = request.seq;
  again.joined.unfinished = request.unfinished;
  move_later(again.joined.event, time - request.arrival);
  again.sending.id_text = std::move(id_text);
  again.sending.attempt = static_cast<std::uint8_t>(request.attempt + 1);
  push(time, std::move(again));
  ++retried_;
  return true;
}

}  // namespace apf
