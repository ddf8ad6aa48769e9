// Times as text where it is to stand.
#pragma once

#include <cstddef>
#include <string>

#include <apf/time.h>

namespace apf {

inline constexpr std::size_t kMostOfRfc3339 = 30;  // bytes

// Writes what format_rfc3339() makes, at most so many bytes; returns its end.
char* write_rfc3339(char* to, Nanos time);

inline std::string clock_of(Nanos time) { return format_rfc3339(time).substr(11, 8); }  // "10:02:31"

}  // namespace apf
