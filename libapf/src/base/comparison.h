// The operators of expectations and of test files: < <= > >= == !=.
#pragma once

#include <string_view>

namespace apf {

// The one that the text begins with; empty: none.
std::string_view operator_at(std::string_view text);

template <class Number>
bool compares(Number left, std::string_view op, Number right) {
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  if (op == ">=") return left >= right;
  return (left == right) == (op == "==");
}

}  // namespace apf
