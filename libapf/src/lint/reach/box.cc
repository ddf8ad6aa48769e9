#include "lint/reach/box.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <utility>

namespace apf {

void Bits::assign(std::size_t size, bool value) {
  const std::uint64_t fill = value ? ~std::uint64_t{0} : 0;
  const std::uint64_t last = value && size % 64 != 0 ? (std::uint64_t{1} << (size % 64)) - 1 : fill;
  first_ = size == 0 ? 0 : size < 64 ? last : fill;
  more_.assign(size <= 64 ? 0 : (size - 1) / 64, fill);
  if (!more_.empty()) more_.back() = last;
}

bool Bits::none() const {
  return first_ == 0 && std::all_of(more_.begin(), more_.end(), [](std::uint64_t word) { return word == 0; });
}

std::size_t Bits::count() const {
  std::size_t out = static_cast<std::size_t>(std::popcount(first_));
  for (const std::uint64_t word : more_) out += static_cast<std::size_t>(std::popcount(word));
  return out;
}

std::size_t Bits::first() const {
  if (first_ != 0) return static_cast<std::size_t>(std::countr_zero(first_));
  for (std::size_t i = 0; i < more_.size(); ++i) {
    if (more_[i] != 0) return (i + 1) * 64 + static_cast<std::size_t>(std::countr_zero(more_[i]));
  }
  assert(false);
  return 0;
}

bool Bits::meets(const Bits& other) const {
  if ((first_ & other.first_) != 0) return true;
  for (std::size_t i = 0; i < more_.size(); ++i) {
    if ((more_[i] & other.more_[i]) != 0) return true;
  }
  return false;
}

bool Bits::within(const Bits& other) const {
  if ((first_ & ~other.first_) != 0) return false;
  for (std::size_t i = 0; i < more_.size(); ++i) {
    if ((more_[i] & ~other.more_[i]) != 0) return false;
  }
  return true;
}

std::size_t Bits::count() const {
  auto out = static_cast<std::size_t>(std::popcount(first_));
  for (const std::uint64_t word : more_) out += static_cast<std::size_t>(std::popcount(word));
  return out;
}

void Bits::words(std::vector<std::uint64_t>& out) const {
  out.push_back(first_);
  out.insert(out.end(), more_.begin(), more_.end());
}

std::uint64_t Bits::signature() const {
  std::uint64_t out = first_;
  for (const std::uint64_t word : more_) out |= word;
  return out;
}

Bits& Bits::operator|=(const Bits& other) {
  first_ |= other.first_;
  for (std::size_t i = 0; i < more_.size(); ++i) more_[i] |= other.more_[i];
  return *this;
}

Bits& Bits::operator&=(const Bits& other) {
  first_ &= other.first_;
  for (std::size_t i = 0; i < more_.size(); ++i) more_[i] &= other.more_[i];
  return *this;
}

Bits& Bits::operator-=(const Bits& other) {
  first_ &= ~other.first_;
  for (std::size_t i = 0; i < more_.size(); ++i) more_[i] &= ~other.more_[i];
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
  // What is not met stays in place; most boxes take nothing, so nothing is copied before one does.
  const auto first = std::find_if(boxes_.begin(), boxes_.end(), meets);
  if (first == boxes_.end()) return false;
  std::vector<Box> left(std::make_move_iterator(boxes_.begin()), std::make_move_iterator(first));
  for (auto at = first; at != boxes_.end(); ++at) {
    Box& old = *at;
    if (at != first && !meets(old)) {
      left.push_back(std::move(old));
      continue;
    }
    // Side by side: the part outside of the box is kept, the part inside is divided further.
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
  return true;
}

bool Region::holds(std::size_t side, std::size_t value) const {
  return std::any_of(boxes_.begin(), boxes_.end(), [&](const Box& box) { return box[side].test(value); });
}

Bits Region::left_on(std::size_t side) const {
  Bits out = boxes_.front()[side];
  for (const Box& box : boxes_) out |= box[side];
  return out;
}

}  // namespace apf
