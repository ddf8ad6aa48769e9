// Memory in large pages, where the kernel gives them for the asking: for tables of some megabytes that are read here
// and there. In pages of 4 KB, finding where such a place is takes longer than reading it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/system.h"

namespace apf {

inline constexpr std::size_t kLargePage = 2u << 20;

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT(google-explicit-constructor): as allocators are

  T* allocate(std::size_t count) {
    const std::size_t size = (count * sizeof(T) + kLargePage - 1) / kLargePage * kLargePage;
    void* const place = std::aligned_alloc(kLargePage, size);
    if (place == nullptr) throw std::bad_alloc();
    prefer_large_pages(place, size);
    return static_cast<T*>(place);
  }
  void deallocate(T* place, std::size_t) { std::free(place); }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

}  // namespace apf
