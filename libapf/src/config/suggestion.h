// The end of a sentence about an unknown word: which one of a closed set was meant.
#pragma once

#include <string>
#include <string_view>

#include "base/joined.h"
#include "config/closest.h"

namespace apf {

template <class Names>
std::string suggestion(std::string_view word, const Names& names) {
  const std::string_view near = closest(word, names);
  if (!near.empty()) return std::string(", did you mean \"").append(near) + "\"?";
  return "; it is one of " + joined(names, ", ");
}

}  // namespace apf
