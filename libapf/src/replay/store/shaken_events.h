// Events of a log that was read, with arrivals and ends moved as Joiner moves them while it reads, and put into order
// again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "replay/prepare/prepared.h"

namespace apf {

// `Item`: has a `now` and a `joined`. `Next`: bool(Item&); false: there are no more.
template <class Item, class Next>
class ShakenEvents {
 public:
  // Moved by up to `most`, evenly, the same way for the same seed; 0: by nothing.
  ShakenEvents(Next next, Nanos most, std::uint64_t seed) : next_(std::move(next)), most_(most), seed_(seed) {}

  bool next(Item& item) {
    if (most_ <= 0) return next_(item);
    while (!ended_ && (held_.empty() || held_.front().item.now >= read_until_ - most_)) read_one();
    if (held_.empty()) return false;
    std::pop_heap(held_.begin(), held_.end(), Later());
    item = std::move(held_.back().item);
    held_.pop_back();
    return true;
  }

 private:
  struct Held {
    std::uint64_t order = 0;
    Item item;
  };
  struct Later {
    bool operator()(const Held& a, const Held& b) const {
      return a.item.now != b.item.now ? a.item.now > b.item.now : a.order > b.order;
    }
  };

  void read_one() {
    Held held;
    if (!next_(held.item)) {
      ended_ = true;
      return;
    }
    read_until_ = held.item.now;
    held.order = number_++;
    JoinedEvent& joined = held.item.joined;
    if (joined.kind == JoinedEvent::Kind::request) {
      // What the log has too late for its place comes later than it was received.
      const Nanos late = held.item.now - joined.event.received;
      shake(joined.event, most_, seed_);
      held.item.now = joined.event.received + late;
      held.order = joined.seq | std::uint64_t{1} << 63;  // ends come before arrivals
    }
    held_.push_back(std::move(held));
    std::push_heap(held_.begin(), held_.end(), Later());
  }

  Next next_;
  const Nanos most_;
  const std::uint64_t seed_;
  std::vector<Held> held_;  // a heap
  Nanos read_until_ = INT64_MIN;
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace apf
