#include "logs/request_event.h"

#include <algorithm>

namespace apf {

const char* to_string(LeftOut reason) {
  switch (reason) {
    case LeftOut::no:
      return "";
    case LeftOut::unauthenticated:
      return "unauthenticated";
    case LeftOut::invalid_timeout:
      return "invalid-timeout";
    case LeftOut::shutting_down:
      return "shutting-down";
    case LeftOut::long_running:
      return "long-running";
    case LeftOut::bad_uri:
      return "bad-uri";
    case LeftOut::standing_watch:
      return "began-before-the-log";
    case LeftOut::unclassified:
      return "unclassified";
    case LeftOut::abandoned:
      return "abandoned";
    case LeftOut::further_attempt:
      return "further-attempt";
    case LeftOut::kCount:
      break;
  }
  return "";
}

void shake(RequestEvent& event, Nanos most, std::uint64_t seed) {
  // By what does not depend on where its lines stand.
  const auto number = [](Nanos time) { return static_cast<std::uint64_t>(time); };
  const std::uint64_t own = mix64(number(event.received) ^ (event.watch ? 0 : event.target), number(event.stage_time));
  std::uint64_t state = mix64(seed, own);
  const auto by = [&] {
    state = mix64(state, 0x9e3779b97f4a7c15ULL);
    return static_cast<Nanos>(state % static_cast<std::uint64_t>(2 * most + 1)) - most;
  };
  event.received += by();
  const Nanos end = by();
  if (event.execution != kNoTime) event.execution = std::max<Nanos>(0, event.execution + end);
  else if (event.stage_time != kNoTime) event.stage_time = std::max(event.received, event.stage_time + end);
}

}  // namespace apf
