#include "lint/box.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace apf {

void Bits::assign(std::size_t size, bool value) {
  words_.assign((size + 63) / 64, value ? ~std::uint64_t{0} : 0);
  if (value && size % 64 != 0) words_.back() = (std::uint64_t{1} << (size % 64)) - 1;
}

bool Bits::none() const {
  return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
}

std::size_t Bits::first() const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] != 0) return i * 64 + static_cast<std::size_t>(std::countr_zero(words_[i]));
  }
  assert(false);
  return 0;
}

bool Bits::meets(const Bits& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

Bits& Bits::operator&=(const Bits& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

Bits& Bits::operator-=(const Bits& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

Region::Region(const std::array<std::size_t, kSides>& sizes) {
  Box whole;
  for (std::size_t side = 0; side < kSides; ++side) {
    if (sizes[side] == 0) return;
    whole[side].assign(sizes[side], true);
  }
  boxes_.push_back(std::move(whole));
}

bool Region::take(const Box& box) {
  const auto meets = [&](const Box& other) {
    for (std::size_t side = 0; side < kSides; ++side) {
      if (!other[side].meets(box[side])) return false;
    }
    return true;
  };
  std::vector<Box> left;
  bool taken = false;
  for (Box& old : boxes_) {
    if (!meets(old)) {
      left.push_back(std::move(old));
      continue;
    }
    taken = true;
    // Side by side: what lies outside of the box there is kept, what lies inside is looked at further.
    for (std::size_t side = 0; side < kSides; ++side) {
      Bits outside = old[side];
      outside -= box[side];
      if (outside.none()) continue;
      Box& piece = left.emplace_back(old);
      piece[side] = std::move(outside);
      old[side] &= box[side];
    }
  }
  boxes_ = std::move(left);
  return taken;
}

bool Region::holds(std::size_t side, std::size_t value) const {
  return std::any_of(boxes_.begin(), boxes_.end(), [&](const Box& box) { return box[side].test(value); });
}

}  // namespace apf
