// Which queue is next: a tournament over the queues by index, so that the smallest key is known at once and the first
// queue after a given one that has it is found in O(log queues). The server scans all queues instead.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace apf {

class QueueTree {
 public:
  // The key of a queue that does not take part.
  static constexpr std::uint64_t kAbsent = std::numeric_limits<std::uint64_t>::max();

  // Forgets all keys.
  void reset(int queues) {
    leaves_ = std::bit_ceil(static_cast<std::size_t>(std::max(queues, 1)));
    least_.assign(2 * leaves_, kAbsent);
  }

  void set(int queue, std::uint64_t key) {
    std::size_t at = leaves_ + static_cast<std::size_t>(queue);
    least_[at] = key;
    // Always up to the root: to stop early costs more in mispredicted branches than it saves.
    for (; at > 1; at >>= 1) {
      key = std::min(key, least_[at ^ 1]);
      least_[at >> 1] = key;
    }
  }

  // The queue with the smallest key, of several the first when counting on from `after` and wrapping around;
  // -1 if all are absent. `after` -1 starts at queue 0.
  int pick(int after) const {
    const std::uint64_t least = least_[1];
    if (least == kAbsent) return -1;
    const int first = first_below(1, least);
    if (first > after) return first;
    // Is there another one behind `after`? The deepest subtree to the right of the way down to it that has one.
    std::size_t right = 0;
    for (std::size_t at = leaves_ + static_cast<std::size_t>(after); at > 1; at >>= 1) {
      if ((at & 1) == 0 && least_[at + 1] == least) {
        right = at + 1;
        break;
      }
    }
    return right == 0 ? first : first_below(right, least);
  }

 private:
  int first_below(std::size_t at, std::uint64_t least) const {
    while (at < leaves_) {
      at *= 2;
      at += least_[at] != least;
    }
    return static_cast<int>(at - leaves_);
  }

  std::size_t leaves_ = 1;
  std::vector<std::uint64_t> least_ = {kAbsent, kAbsent};  // [1] is the root, [n] is the parent of [2n] and [2n+1]
};

}  // namespace apf
