// "Did you mean": the nearest of a closed set of names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace apfctl {

// "; did you mean 'x'?" or, when nothing is near and the set is short, "; expected one of a, b, c"; may be empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace apfctl
