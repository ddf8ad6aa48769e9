// One text of several. fmt::join does the same, at the price of fmt's whole header in each source that uses it.
#pragma once

#include <string>
#include <string_view>

namespace apf {

template <class Texts>
std::string joined(const Texts& texts, std::string_view between) {
  std::string out;
  bool first = true;
  for (const std::string_view text : texts) {
    if (!first) out += between;
    first = false;
    out += text;
  }
  return out;
}

}  // namespace apf
