#include "logs/clock_steps.h"

#include <algorithm>

namespace apf {

namespace {

// So many lines in a row are no stragglers.
constexpr std::uint64_t kLasting = 100;

}  // namespace

bool ClockSteps::is_in_order(const EventBatch& batch) {
  const bool in_order = !batch.falls_back && (latest_ == INT64_MIN || batch.earliest >= latest_ - window_);
  if (offset_ != 0 || !in_order) return false;
  latest_ = std::max(latest_, batch.latest);
  late_ = 0;
  return true;
}

void ClockSteps::move_late(std::span<RequestEvent* const> events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    RequestEvent& event = *events[i];
    const Nanos logged = event.written();
    const Nanos in_time = latest_ == INT64_MIN ? INT64_MIN : latest_ - window_;
    if (logged >= in_time) offset_ = 0;  // the clock is right again, or always was
    if (later(logged, offset_) < in_time) {
      if (is_step(events.subspan(i))) {
        largest_ = std::max(largest_, latest_ - later(logged, offset_));
        offset_ = latest_ - logged;
        ++steps_;
        late_ = 0;
      } else {
        ++late_;
      }
    } else {
      late_ = 0;
    }
    latest_ = std::max(latest_, later(logged, offset_));
    if (offset_ != 0) move(event);
  }
}

bool ClockSteps::is_step(std::span<RequestEvent* const> rest) const {
  if (late_ + rest.size() < kLasting) return false;
  const std::size_t more = late_ >= kLasting ? 1 : kLasting - late_;
  return std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(more),
                     [&](const RequestEvent* event) { return later(event->written(), offset_) < latest_ - window_; });
}

// An audit event that ends behind the step may have begun before it, by the clock of then.
void ClockSteps::move(RequestEvent& event) const {
  const bool began_before = event.stage_time != kNoTime && event.received > event.stage_time;
  if (!began_before) event.received = later(event.received, offset_);
  if (event.stage_time != kNoTime) event.stage_time = later(event.stage_time, offset_);
  if (event.watch_end != kNoTime) event.watch_end = later(event.watch_end, offset_);
}

}  // namespace apf
