// One text of several. fmt::join does the same, at the price of fmt's whole header in each source that uses it.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thousands.h"

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

// "a, b and 3 more": the first `most` of them.
inline std::string joined_first(const std::vector<std::string>& texts, std::size_t most) {
  const std::size_t shown = std::min(texts.size(), most);
  const std::string out = joined(std::span(texts).first(shown), ", ");
  return shown < texts.size() ? out + " and " + with_thousands(texts.size() - shown) + " more" : out;
}

}  // namespace apf
