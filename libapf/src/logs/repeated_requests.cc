#include "logs/repeated_requests.h"

namespace apf {

std::uint64_t RepeatedRequests::end_of(std::uint64_t id, Nanos received, std::uint64_t what) {
  constexpr std::uint64_t kTime = (std::uint64_t{1} << RecentEnds::kTimeBits) - 1;
  return (id & ~kTime) | (mix64(static_cast<std::uint64_t>(received), what) & kTime) | 1;
}

bool RepeatedRequests::is_known(std::uint64_t id, Nanos received, std::uint64_t what) {
  if (ends_.seen(end_of(id, received, what), true) == RecentEnds::Seen::yes) return true;
  Ended& last = latest_[id % latest_.size()];
  if (last.id == id && last.what == what && last.received > received) return true;
  last = {id, what, received};
  return false;
}

bool RepeatedRequests::has(std::string_view id, Stage stage, Nanos received, std::uint64_t what) {
  const bool known = is_known(id_of(id, stage), received, what);
  count_ += known ? 1 : 0;
  return known;
}

bool RepeatedRequests::has_later_stage(std::string_view id, Stage stage, Nanos received, std::uint64_t what) {
  for (const Stage later : {Stage::response_complete, Stage::panic, Stage::response_started})
    if (later > stage && ends_.knows(end_of(id_of(id, later), received, what))) return true;
  return false;
}

}  // namespace apf
