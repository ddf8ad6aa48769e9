// Which ends of requests a log held of late, so that a line that is there a second time counts once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "base/prefetch.h"

namespace apf {

// The ends are numbers, never 0: a hash of the request's ID, and below it kTimeBits of one of its arrival.
class RecentEnds {
 public:
  static constexpr int kTimeBits = 24;
  enum class Seen : std::uint8_t { no, id, yes };  // id: that of a request of another arrival
  // Whether this end was there before. Of the last few thousand that is almost always known. Of all that are kept it is
  // known of ends that go back: that were written well before the latest, as those of a file that overlaps another one.
  Seen seen(std::uint64_t end, bool goes_back);
  // Whether it was there among all that are kept. Does not keep it.
  bool knows(std::uint64_t end);
  // It is about to be asked for.
  [[gnu::always_inline]] void fetch(std::uint64_t end) const { prefetch(set_of(end)); }

  static constexpr std::size_t kKept = std::size_t{1} << 18;

 private:
  using Set = std::array<std::uint64_t, 4>;  // the latest first
  static constexpr std::size_t kSets = std::size_t{1} << 12;

  void keep(std::uint64_t end);
  const Set& set_of(std::uint64_t end) const { return near_[end >> kTimeBits & (kSets - 1)]; }

  std::vector<Set> near_ = std::vector<Set>(kSets);
  std::vector<std::uint64_t> kept_;  // in order, from oldest_ on around
  std::size_t oldest_ = 0;
  bool looks_back_ = false;  // an end went back, so that all kept ones are in `all_`, too
  std::unordered_set<std::uint64_t> all_;
};

}  // namespace apf
