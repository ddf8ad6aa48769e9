// How many watches look at each (group, resource, namespace, name):
// k8s.io/apiserver/pkg/util/flowcontrol/watch_tracker.go, v1.36.
#include "schedule/seats.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"

namespace apf {

// Each part is hashed with its length and seeds the next, so that ("a", "bc") and ("ab", "c") differ.
WatchKey begin_watch_key(std::string_view group, std::string_view resource, std::string_view ns) {
  return hash_bytes(ns, hash_bytes(resource, hash_bytes(group)));
}

WatchKey end_watch_key(WatchKey begun, std::string_view name) { return hash_bytes(name, begun); }

WatchKey watch_key(std::string_view group, std::string_view resource, std::string_view ns, std::string_view name) {
  return end_watch_key(begin_watch_key(group, resource, ns), name);
}

// Open addressing, power of two, linear probing, at most a quarter full: of most keys nothing is watched, and their
// slot is mostly free. A key that drops to zero watches keeps its slot until the table grows, which is when such slots
// are left behind.
struct WatchTracker::Impl {
  static constexpr std::int64_t kFree = -1;
  struct Slot {
    WatchKey key = 0;
    std::int64_t count = kFree;
    bool used() const { return count != kFree; }
  };
  std::vector<Slot> slots = std::vector<Slot>(64);
  std::size_t used = 0;

  // The key's slot, or the free one where it would go.
  std::size_t find(WatchKey key) const {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = key & mask;
    while (slots[at].used() && slots[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void rebuild() {
    std::size_t live = 0;
    for (const Slot& slot : slots) live += slot.count > 0 ? 1 : 0;
    std::size_t size = 64;
    while (size < live * 8) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots);
    used = live;
    for (const Slot& slot : old) {
      if (slot.count > 0) slots[find(slot.key)] = slot;
    }
  }
};

WatchTracker::WatchTracker() : impl_(std::make_unique<Impl>()) {}
WatchTracker::~WatchTracker() = default;

void WatchTracker::add(WatchKey key) {
  ++registered_;
  std::size_t at = impl_->find(key);
  if (!impl_->slots[at].used()) {
    if ((impl_->used + 1) * 4 > impl_->slots.size()) {
      impl_->rebuild();
      at = impl_->find(key);
    }
    impl_->slots[at] = {key, 0};
    ++impl_->used;
  }
  ++impl_->slots[at].count;
}

void WatchTracker::remove(WatchKey key) {
  Impl::Slot& slot = impl_->slots[impl_->find(key)];
  if (slot.count <= 0) return;
  --slot.count;
  --registered_;
}

std::int64_t WatchTracker::count(const InterestedKeys& keys) const {
  std::int64_t total = 0;
  for (int i = 0; i < keys.count; ++i)
    total += std::max<std::int64_t>(impl_->slots[impl_->find(keys.keys[i])].count, 0);
  return total;
}

}  // namespace apf
