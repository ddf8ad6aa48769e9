// The hands that a priority level deals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <apf/hand.h>

namespace apf {

// The hands of the flows that came last: to deal one takes longer than to look it up.
class Hands {
 public:
  // The hand that deal_hand() deals. Valid until the next call.
  std::span<const std::uint32_t> of(std::uint64_t hash, int queues, int hand_size) {
    if (queues != queues_ || hand_size != hand_size_) [[unlikely]]
      begin(queues, hand_size);
    const std::size_t place = hash % kPlaces, size = static_cast<std::size_t>(hand_size);
    const std::span<std::uint32_t> hand(cards_.data() + place * size, size);
    if (hashes_[place] != hash) {
      deal_hand(hash, queues, hand);
      hashes_[place] = hash;
    }
    return hand;
  }

 private:
  static constexpr std::size_t kPlaces = 256;

  void begin(int queues, int hand_size) {
    queues_ = queues;
    hand_size_ = hand_size;
    cards_.assign(kPlaces * static_cast<std::size_t>(hand_size), 0);
    hashes_.resize(kPlaces);
    for (std::size_t place = 0; place < kPlaces; ++place)
      hashes_[place] = place + 1;  // of another place: none is known
  }

  int queues_ = 0, hand_size_ = 0;
  // Both by place, and empty before the first hand.
  std::vector<std::uint64_t> hashes_;  // whose hand it is
  std::vector<std::uint32_t> cards_;   // hand by hand
};

// How many there were: each is visited from one card further on than the one before.
class Deals {
 public:
  std::uint64_t count() const { return count_; }
  // One more. Returns count() % hand_size as it was before, without a division.
  std::size_t first_card(std::size_t hand_size) {
    if (hand_size != hand_size_) [[unlikely]] {
      hand_size_ = hand_size;
      next_ = count_ % hand_size;
    }
    ++count_;
    const std::size_t first = next_;
    next_ = next_ + 1 == hand_size ? 0 : next_ + 1;
    return first;
  }

 private:
  std::uint64_t count_ = 0;
  std::size_t hand_size_ = 0, next_ = 0;
};

}  // namespace apf
