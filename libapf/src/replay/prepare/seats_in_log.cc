#include "replay/prepare/seats_in_log.h"

namespace apf {

namespace {

// The seats are looked at no more often.
constexpr Nanos kPause = 10 * kMillisecond;

}  // namespace

void SeatsInLog::drop_ended(Nanos now) {
  std::erase_if(running_, [now](const Running& r) { return r.end < now; });
  most_kept_ = std::max<std::size_t>(1024, 2 * running_.size());
}

void SeatsInLog::look(Nanos now) {
  if (looked_ && now - *looked_ < kPause) return;
  looked_ = now;
  int seats = 0;
  for (const Running& r : running_)
    if (r.begin <= now && now < r.end) seats += r.seats;
  most_ = std::max(most_.value_or(0), seats);
}

}  // namespace apf
