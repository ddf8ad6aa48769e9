// Names of a log as numbers, a bounded many: what comes beyond them has one number together.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/interner.h"

namespace apf {

class Names {
 public:
  static constexpr std::size_t kMost = 1u << 16;

  Names() {
    texts_.id("");
    texts_.id("…");
  }
  std::uint32_t id(std::string_view text) {
    if (text.empty()) return kNone;
    if (text == last_) return last_id_;
    last_id_ = texts_.size() < kMost ? texts_.id(text) : kOthers;
    last_ = texts_.text(last_id_);
    return last_id_;
  }
  std::string_view text(std::uint32_t id) const { return texts_.text(id); }

  static constexpr std::uint32_t kNone = 0, kOthers = 1;

 private:
  Interner texts_;
  std::string_view last_;  // of the last one: requests of a client often follow each other
  std::uint32_t last_id_ = kNone;
};

}  // namespace apf
