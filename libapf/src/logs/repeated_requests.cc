#include "logs/repeated_requests.h"

#include "base/hash.h"

namespace apf {

bool RepeatedRequests::is_known(std::uint64_t id, Nanos received, std::uint64_t what) {
  constexpr std::uint64_t kTime = (std::uint64_t{1} << RecentEnds::kTimeBits) - 1;
  const std::uint64_t time = mix64(static_cast<std::uint64_t>(received), what);
  if (ends_.seen((id & ~kTime) | (time & kTime) | 1, true) == RecentEnds::Seen::yes) return true;
  Ended& last = latest_[id % latest_.size()];
  if (last.id == id && last.what == what && last.received > received) return true;
  last = {id, what, received};
  return false;
}

bool RepeatedRequests::has(std::string_view id, int stage, Nanos received, std::uint64_t what) {
  const bool known = is_known(hash_bytes(id, static_cast<std::uint64_t>(stage)), received, what);
  count_ += known ? 1 : 0;
  return known;
}

}  // namespace apf
