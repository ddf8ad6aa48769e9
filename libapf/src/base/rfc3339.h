// Times as text where it is to stand.
#pragma once

#include <cstddef>

#include <apf/time.h>

namespace apf {

inline constexpr std::size_t kMostOfRfc3339 = 30;  // bytes

// Writes what format_rfc3339() makes, at most so many bytes; returns its end.
char* write_rfc3339(char* to, Nanos time);

}  // namespace apf
