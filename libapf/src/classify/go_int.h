// Integers as Go's strconv.ParseInt(text, 10, 64) reads them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace apf {

// An optional sign and decimal digits, nothing else, within int64; `out` is untouched otherwise.
inline bool parse_go_int64(std::string_view text, std::int64_t& out) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || at != end) return false;
  out = value;
  return true;
}

}  // namespace apf
