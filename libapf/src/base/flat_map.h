// Values by hashes: a table whose places are searched one after the other from where the hash points to. Values are
// never taken out. Two keys of one hash are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/prefetch.h"

namespace apf {

template <class Value>
class FlatMap {
 public:
  // The value of the key, a new one if there is none. `hash`: its low bits are spread well.
  Value& operator[](std::uint64_t hash) {
    std::size_t at = place_of(hash);
    if (!slots_[at].used) {
      if (2 * ++size_ > slots_.size()) {
        grow();
        at = place_of(hash);
      }
      slots_[at].used = true;
      slots_[at].hash = hash;
    }
    return slots_[at].value;
  }
  // Null: there is none.
  const Value* find(std::uint64_t hash) const {
    const Slot& slot = slots_[place_of(hash)];
    return slot.used ? &slot.value : nullptr;
  }
  std::size_t size() const { return size_; }
  // It will be asked for soon.
  [[gnu::always_inline]] void fetch(std::uint64_t hash) const { prefetch(slots_[hash & (slots_.size() - 1)]); }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    Value value{};
    bool used = false;
  };
  std::size_t place_of(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].used && slots_[at].hash != hash) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old)
      if (slot.used) slots_[place_of(slot.hash)] = std::move(slot);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two, at most half of them used
  std::size_t size_ = 0;
};

}  // namespace apf
