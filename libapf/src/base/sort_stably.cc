#include "base/sort_stably.h"

#include <algorithm>
#include <numeric>

namespace apf {

std::vector<std::size_t> stable_order(std::size_t count,
                                      bool (*before)(const void* context, std::size_t a, std::size_t b),
                                      const void* context) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before(context, a, b); });
  return order;
}

}  // namespace apf
