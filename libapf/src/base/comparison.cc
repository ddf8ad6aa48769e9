#include "base/comparison.h"

namespace apf {

std::string_view operator_at(std::string_view text) {
  for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"})
    if (text.starts_with(op)) return text.substr(0, op.size());
  return {};
}

}  // namespace apf
