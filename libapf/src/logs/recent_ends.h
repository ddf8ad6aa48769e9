// Which ends of requests a log held of late, so that a line that is there a second time counts once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"
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
  // Single questions look at all that are kept, one after the other; where there are many, a table answers, until
  // nobody has asked for a while.
  static constexpr int kFewQuestions = 4;
  static constexpr std::size_t kQuiet = std::size_t{1} << 12;
  static constexpr std::size_t kTable = 2 * kKept;

  void keep(std::uint64_t end);
  void enter(std::uint64_t end);
  static std::size_t place_of(std::uint64_t end) { return mix64(end, 0x9e3779b97f4a7c15ULL) % kTable; }
  const Set& set_of(std::uint64_t end) const { return near_[end >> kTimeBits & (kSets - 1)]; }

  std::vector<Set> near_ = std::vector<Set>(kSets);
  std::vector<std::uint64_t> kept_;  // in order, from oldest_ on around
  std::size_t oldest_ = 0;
  std::vector<std::uint64_t> table_;  // of kept_, by hash, 0: free; empty: nobody asks. It may hold older ones, too
  std::size_t entered_ = 0;           // in the table
  int questions_ = 0;                 // since it was quiet
  std::size_t quiet_ = 0;             // ends that were kept since the last question
};

}  // namespace apf
