// Numbers as text. Those with fractions as std::from_chars and std::to_chars have them where a standard library has
// these.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace apf {

// All of `text` as a whole number.
template <class Integer>
bool read_integer(std::string_view text, Integer& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// [-+]? ( . digits+ | digits+ ( . digits* )? ) ( [eE] [-+]? digits+ )?
bool looks_decimal(std::string_view text);

// All of `text` as a number, without + before it; inf and nan too. Else invalid_argument; or result_out_of_range, where
// it is too large or too close to 0 for a double. The first one is for standard libraries that read integers alone.
std::errc read_decimal_portably(std::string_view text, double& out);
inline std::errc read_decimal(std::string_view text, double& out) {
#ifdef __cpp_lib_to_chars
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end != text.data() + text.size() ? std::errc::invalid_argument : error;
#else
  return read_decimal_portably(text, out);
#endif
}

// The shortest digits that read back as `value`, which is finite: with an exponent below `least` (at most 1e-4) and
// from `most` on, as "1.5e-07".
void append_decimal(std::string& out, double value, double least, double most);

}  // namespace apf
