// The strings of a configuration as small numbers, looked up once per request and compared as integers after.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace apf {

class StringTable {
 public:
  // The text's number, from 1; adds it.
  std::uint32_t add(std::string_view text) {
    const std::uint64_t hash = hash_bytes(text);
    if (const std::uint32_t known = find(text, hash); known != 0) return known;
    texts_.emplace_back(text);
    if (texts_.size() * 2 > slots_.size()) {
      rebuild();
    } else {
      place(static_cast<std::uint32_t>(texts_.size()), hash);
    }
    return static_cast<std::uint32_t>(texts_.size());
  }

  // 0 for a text that was never added: it equals nothing in the configuration.
  std::uint32_t find(std::string_view text) const { return find(text, hash_bytes(text)); }

 private:
  struct Slot {
    std::uint32_t hash = 0, id = 0;
  };

  std::uint32_t find(std::string_view text, std::uint64_t hash) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.id == 0) return 0;
      if (slot.hash == static_cast<std::uint32_t>(hash >> 32) && texts_[slot.id - 1] == text) return slot.id;
    }
  }
  void place(std::uint32_t id, std::uint64_t hash) {
    std::size_t at = hash & mask();
    while (slots_[at].id != 0) at = (at + 1) & mask();
    slots_[at] = {static_cast<std::uint32_t>(hash >> 32), id};
  }
  void rebuild() {
    slots_.assign(slots_.size() * 2, {});
    for (std::size_t i = 0; i < texts_.size(); ++i) place(static_cast<std::uint32_t>(i + 1), hash_bytes(texts_[i]));
  }
  std::size_t mask() const { return slots_.size() - 1; }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // power of two, at most half full
  std::vector<std::string> texts_;
};

}  // namespace apf
