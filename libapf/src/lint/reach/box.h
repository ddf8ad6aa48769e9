// Sets of points in a small grid of four sides, as disjoint boxes, and taking boxes away from them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace apf {

inline constexpr std::size_t kSides = 4;

// A set of numbers below a bound. Those below 64, mostly all, take no memory of their own.
class Bits {
 public:
  Bits() = default;
  void assign(std::size_t size, bool value);
  void set(std::size_t i) { word(i) |= std::uint64_t{1} << (i % 64); }
  bool test(std::size_t i) const { return ((i < 64 ? first_ : more_[i / 64 - 1]) >> (i % 64) & 1) != 0; }
  bool none() const;
  std::size_t count() const;
  std::size_t first() const;  // the smallest member; there must be one
  // Calls `visit` for each member, in order: in the time that the words and the members take.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t w = 0; w <= more_.size(); ++w)
      for (std::uint64_t word = w == 0 ? first_ : more_[w - 1]; word != 0; word &= word - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }
  bool meets(const Bits& other) const;
  bool within(const Bits& other) const;
  void words(std::vector<std::uint64_t>& out) const;  // appended: equal sets of one bound have equal words
  std::uint64_t signature() const;                    // sets whose signatures have no bit in common do not meet
  bool operator==(const Bits&) const = default;
  Bits& operator|=(const Bits& other);
  Bits& operator&=(const Bits& other);
  Bits& operator-=(const Bits& other);

 private:
  std::uint64_t& word(std::size_t i) { return i < 64 ? first_ : more_[i / 64 - 1]; }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

using Box = std::array<Bits, kSides>;

class Region {
 public:
  // The whole grid.
  explicit Region(const std::array<std::size_t, kSides>& sizes);
  // One box; none of its sides is empty.
  explicit Region(Box box) : boxes_{std::move(box)} {}

  // Takes the box away; false if nothing of it was left.
  bool take(const Box& box);

  bool empty() const { return boxes_.empty(); }
  const std::vector<Box>& boxes() const { return boxes_; }
  // Is a point left whose number on this side is `value`?
  bool holds(std::size_t side, std::size_t value) const;
  // All such numbers; there must be a point left.
  Bits left_on(std::size_t side) const;

 private:
  std::vector<Box> boxes_;
};

}  // namespace apf
