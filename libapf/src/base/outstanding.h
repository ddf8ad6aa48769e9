// The row that stands out of several that would be one.
#pragma once

#include <algorithm>
#include <iterator>

namespace apf {

// The one of more than two rows that has more than half of what all of them have; else the end.
template <class Rows, class Value>
auto outstanding(Rows& rows, const Value& value) {
  if (rows.size() <= 2) return rows.end();
  decltype(value(rows.front())) all = 0;
  for (const auto& row : rows) all += value(row);
  return std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return value(row) * 2 > all; });
}

}  // namespace apf
