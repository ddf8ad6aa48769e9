// A digest of lines of text that takes a small part of the time that reading them does: 64 bits, which other lines have
// by accident only. The same on every machine, and however the text comes in pieces of whole lines. Where
// somebody may want other text to have the same one: Sha256.
#pragma once

#include <cstdint>
#include <string_view>

namespace apf {

class TextDigest {
 public:
  // What follows: whole lines. The end of the text is the end of a line, too.
  void add(std::string_view lines);
  void add(const TextDigest& next);
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;     // of the lines' own, each times a power of a constant that says how many follow
  std::uint64_t factor_ = 1;  // that constant, to the power of the number of lines
};

}  // namespace apf
