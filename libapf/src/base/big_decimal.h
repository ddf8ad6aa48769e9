// Decimal numbers of any size, exact: what a Quantity is made of where 64 bits do not do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace apf {

struct BigDecimal {
  // value = digits × 10^exponent. No zeros at either end of digits; none at all is zero.
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
  // The power of ten that the server's decimal counts in, never above the exponent. What the server computes with the
  // low 64 bits of such a count (Value of negative numbers) depends on it.
  std::int64_t unit = 0;

  static BigDecimal of(std::int64_t value, std::int64_t exponent);
  // `digits` may have zeros at both ends; the unit is the exponent.
  static BigDecimal of(std::string_view digits, bool negative, std::int64_t exponent);

  bool is_zero() const { return digits.empty(); }
  // Where the number begins: 10^(top-1) <= |value| < 10^top.
  std::int64_t top() const { return static_cast<std::int64_t>(digits.size()) + exponent; }
};

// -1, 0, 1
int compare(const BigDecimal& a, const BigDecimal& b);
int compare_magnitude(const BigDecimal& a, const BigDecimal& b);
// Exact unless the two are more than 10,000 digits apart; then the larger one.
BigDecimal add(const BigDecimal& a, const BigDecimal& b);
// Away from zero, to whole 10^scale, which becomes the unit; false if that changed the value.
bool round_up(BigDecimal& number, std::int64_t scale);
// |value| × factor; factor at most 2^60.
void multiply(BigDecimal& number, std::uint64_t factor);
// Divides a string of decimal digits by `divisor` (at most 2^60) in place, and returns the remainder.
std::uint64_t divide(std::string& digits, std::uint64_t divisor);
// digits × 10^shift modulo 2^64.
std::uint64_t low_bits(std::string_view digits, std::int64_t shift);

}  // namespace apf
