#include "replay/join.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace apf {

Joiner::Joiner(Nanos window, std::size_t limit, Sink sink, Dropped dropped)
    : sink_(std::move(sink)), dropped_(std::move(dropped)), reorder_(window, limit), window_(window), limit_(limit) {}

void Joiner::push(Nanos time, JoinedEvent&& event) {
  const auto emit = [this](Nanos now, JoinedEvent& due) { sink_(now, due); };
  const bool ahead = event.kind == JoinedEvent::Kind::watch_end;  // ends come before arrivals
  if (!reorder_.push(time, std::move(event), emit, ahead)) ++out_of_window_;
}

void Joiner::complete(PreparedEvent&& event, bool unfinished) {
  JoinedEvent joined;
  joined.seq = seq_++;
  joined.unfinished = unfinished;
  if (unfinished) ++unfinished_;
  const Nanos time = event.received;
  joined.event = std::move(event);
  push(time, std::move(joined));
}

void Joiner::add(PreparedEvent&& event) {
  const Nanos written = event.trace || event.stage_time == kNoTime ? event.received : event.stage_time;
  if (event.received > written) {
    event.received = written;
    ++negative_latencies_;
  }
  if (written > watermark_) {
    watermark_ = written;
    reorder_.advance(written, [this](Nanos now, JoinedEvent& due) { sink_(now, due); });
    expire_received(written - window_);
  }
  const AuditId id = event.id;
  switch (event.stage) {
    case Stage::received:
      if (event.left_out != LeftOut::no) return hold_open(event);
      if (!received_.emplace(id, event).second) return dropped_(event);
      received_order_.emplace_back(event.received, id);
      if (received_.size() > limit_) expire_received(received_order_.front().first + 1);
      return;
    case Stage::response_started:
      // Of what is not a watch, only requests turned away before the filter end with this stage.
      if (event.left_out == LeftOut::long_running) return hold_open(event);
      if (!event.watch && event.left_out == LeftOut::no) return dropped_(event);
      forget(received_, id);
      forget(open_, id);
      if (event.watch && !id.none() && !started_.insert(id).second) return dropped_(event);  // told twice
      if (event.watch) event.stage_time = kNoTime;  // when it ends is not known yet
      return complete(std::move(event), false);
    case Stage::response_complete:
    case Stage::panic:
      forget(received_, id);
      forget(open_, id);
      if (event.watch && !started_.empty() && started_.erase(id) > 0) {
        JoinedEvent end;
        end.kind = JoinedEvent::Kind::watch_end;
        end.event = std::move(event);
        const Nanos time = end.event.stage_time;
        return push(time, std::move(end));
      }
      return complete(std::move(event), false);
  }
}

void Joiner::forget(std::unordered_map<AuditId, PreparedEvent, IdHash>& stages, const AuditId& id) {
  if (stages.empty()) return;
  const auto it = stages.find(id);
  if (it == stages.end()) return;
  dropped_(it->second);
  stages.erase(it);
}

// Counted when it completes, or at the end of the log.
void Joiner::hold_open(const PreparedEvent& event) {
  if (!open_.emplace(event.id, event).second) dropped_(event);
}

void Joiner::expire_received(Nanos before) {
  while (!received_order_.empty() && received_order_.front().first < before) {
    const auto it = received_.find(received_order_.front().second);
    received_order_.pop_front();
    if (it == received_.end()) continue;
    PreparedEvent event = std::move(it->second);
    received_.erase(it);
    if (event.watch) started_.insert(event.id);  // a policy without ResponseStarted: it is open, its end comes later
    complete(std::move(event), true);
  }
}

void Joiner::finish() {
  expire_received(INT64_MAX);
  std::vector<PreparedEvent> open;
  for (const auto& [id, event] : open_) open.push_back(event);
  open_.clear();
  std::sort(open.begin(), open.end(), [](const PreparedEvent& a, const PreparedEvent& b) {
    return std::tie(a.received, a.id.high, a.id.low) < std::tie(b.received, b.id.high, b.id.low);
  });
  for (PreparedEvent& event : open) complete(std::move(event), true);
  reorder_.finish([this](Nanos now, JoinedEvent& due) { sink_(now, due); });
}

}  // namespace apf
