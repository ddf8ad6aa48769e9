// "Did you mean": suggests a name from a closed set.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace apfctl {

// "; did you mean 'x'?" or, if no name is similar and the set is short, "; expected one of a, b, c"; may be empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// "; did you mean '--filename'?" for a word that begins with "-"; empty if no flag is similar. The dashes do not count.
std::string did_you_mean_flag(std::string_view word, std::span<const std::string> flags);

}  // namespace apfctl
