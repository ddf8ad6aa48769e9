// Sorts as std::stable_sort does, with its code compiled once instead of for each type of elements: for what is sorted
// once in a run. What sorts as often as requests come uses std::stable_sort.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace apf {

// The places of `count` elements in sorted order; before(context, a, b) compares those at two places.
std::vector<std::size_t> stable_order(std::size_t count,
                                      bool (*before)(const void* context, std::size_t a, std::size_t b),
                                      const void* context);

template <class Items, class Before>
void sort_stably(Items& items, const Before& before) {
  struct Context {
    const Items& items;
    const Before& before;
  };
  const Context context{items, before};
  std::vector<std::size_t> order = stable_order(
      items.size(),
      [](const void* given, std::size_t a, std::size_t b) -> bool {
        const Context& of = *static_cast<const Context*>(given);
        return of.before(of.items[a], of.items[b]);
      },
      &context);
  // Each cycle of elements that take each other's places moves once around.
  for (std::size_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    auto first = std::move(items[start]);
    std::size_t place = start;
    while (order[place] != start) {
      const std::size_t from = std::exchange(order[place], place);
      items[place] = std::move(items[from]);
      place = from;
    }
    items[place] = std::move(first);
    order[place] = place;
  }
}

}  // namespace apf
