// Which queue is next: a tournament over the queues by index, so that the smallest key is known at once and the first
// queue after a given one that has it is found in O(log queues). The server scans all queues instead.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/zeroed_array.h"

namespace apf {

class QueueTree {
 public:
  // The key of a queue that does not take part.
  static constexpr std::uint64_t kAbsent = std::numeric_limits<std::uint64_t>::max();

  // Forgets all keys.
  void reset(int queues) {
    leaves_ = std::bit_ceil(static_cast<std::size_t>(std::max(queues, 1)));
    most_ = ZeroedArray<std::uint64_t>(2 * leaves_);
  }

  void set(int queue, std::uint64_t key) {
    std::size_t at = leaves_ + static_cast<std::size_t>(queue);
    std::uint64_t value = ~key;
    most_[at] = value;
    // Always up to the root: to stop early costs more in mispredicted branches than it saves.
    for (; at > 1; at >>= 1) {
      value = std::max(value, most_[at ^ 1]);
      most_[at >> 1] = value;
    }
  }

  // The queue with the smallest key, of several the first when counting on from `after` and wrapping around;
  // -1 if all are absent. `after` -1 starts at queue 0.
  int pick(int after) const {
    const std::uint64_t most = most_[1];
    if (most == ~kAbsent) return -1;
    const int first = first_below(1, most);
    if (first > after) return first;
    // Is there another one behind `after`? The deepest subtree to the right of the way down to it that has one.
    std::size_t right = 0;
    for (std::size_t at = leaves_ + static_cast<std::size_t>(after); at > 1; at >>= 1) {
      if ((at & 1) == 0 && most_[at + 1] == most) {
        right = at + 1;
        break;
      }
    }
    return right == 0 ? first : first_below(right, most);
  }

 private:
  int first_below(std::size_t at, std::uint64_t most) const {
    while (at < leaves_) {
      at *= 2;
      at += most_[at] != most;
    }
    return static_cast<int>(at - leaves_);
  }

  std::size_t leaves_ = 1;
  // [1] is the root, [n] is the parent of [2n] and [2n+1]. Complements of keys, so that an absent one is 0.
  ZeroedArray<std::uint64_t> most_ = ZeroedArray<std::uint64_t>(2);
};

}  // namespace apf
