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
    while (at > 1) {
      const std::uint64_t least = std::min(least_[at], least_[at ^ 1]);
      at >>= 1;
      if (least_[at] == least) return;
      least_[at] = least;
    }
  }

  // The queue with the smallest key, of several the first when counting on from `after` and wrapping around;
  // -1 if all are absent. `after` -1 starts at queue 0.
  int pick(int after) const {
    const std::uint64_t least = least_[1];
    if (least == kAbsent) return -1;
    std::size_t at = 1;
    if (after >= 0) {
      // Climb until a subtree to the right holds the key; from the root, nothing does and the count wraps.
      for (std::size_t from = leaves_ + static_cast<std::size_t>(after); from > 1; from >>= 1) {
        if ((from & 1) == 0 && least_[from + 1] == least) {
          at = from + 1;
          break;
        }
      }
    }
    while (at < leaves_) {
      at *= 2;
      at += least_[at] != least;
    }
    return static_cast<int>(at - leaves_);
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<std::uint64_t> least_ = {kAbsent, kAbsent};  // [1] is the root, [n] stands over [2n] and [2n+1]
};

}  // namespace apf
