// Schoolbook arithmetic on strings of decimal digits. Such numbers are rare and short (sums of nano units, more than 2^63 bytes);
// powers of ten stay in the exponent, so that 1e1000000000 costs nothing.
#include "base/big_decimal.h"

#include <algorithm>

namespace apf {

namespace {

// As far as two numbers may lie apart to be written out for a sum.
constexpr std::int64_t kMaxPadding = 10000;

void normalise(BigDecimal& number) {
  const std::size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) {
    number.digits.clear();
    number.negative = false;
    number.exponent = number.unit;
    return;
  }
  const std::size_t last = number.digits.find_last_not_of('0');
  number.exponent += static_cast<std::int64_t>(number.digits.size() - 1 - last);
  number.digits = number.digits.substr(first, last - first + 1);
}

// Digits of both written out to the same power of ten and the same length.
struct Aligned {
  std::string a, b;
  std::int64_t exponent;
};

Aligned align(const BigDecimal& a, const BigDecimal& b) {
  Aligned result{a.digits, b.digits, std::min(a.exponent, b.exponent)};
  result.a.append(static_cast<std::size_t>(a.exponent - result.exponent), '0');
  result.b.append(static_cast<std::size_t>(b.exponent - result.exponent), '0');
  const std::size_t size = std::max(result.a.size(), result.b.size());
  result.a.insert(0, size - result.a.size(), '0');
  result.b.insert(0, size - result.b.size(), '0');
  return result;
}

std::string sum(const std::string& a, const std::string& b) {
  std::string result(a.size() + 1, '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digit = (a[i] - '0') + (b[i] - '0') + carry;
    result[i + 1] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  result[0] = static_cast<char>('0' + carry);
  return result;
}

// a - b, where a >= b.
std::string difference(const std::string& a, const std::string& b) {
  std::string result(a.size(), '0');
  int borrow = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    int digit = a[i] - b[i] - borrow;
    borrow = digit < 0 ? 1 : 0;
    if (digit < 0) digit += 10;
    result[i] = static_cast<char>('0' + digit);
  }
  return result;
}

}  // namespace

BigDecimal BigDecimal::of(std::int64_t value, std::int64_t exponent) {
  const bool negative = value < 0;
  const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return of(std::to_string(magnitude), negative, exponent);
}

BigDecimal BigDecimal::of(std::string_view digits, bool negative, std::int64_t exponent) {
  BigDecimal result{negative, std::string(digits), exponent, exponent};
  normalise(result);
  return result;
}

int compare_magnitude(const BigDecimal& a, const BigDecimal& b) {
  if (a.is_zero() || b.is_zero()) return static_cast<int>(b.is_zero()) - static_cast<int>(a.is_zero());
  if (a.top() != b.top()) return a.top() < b.top() ? -1 : 1;
  // Both begin at the same power of ten and end in no zero: the order of their digits is that of the numbers.
  const int order = a.digits.compare(b.digits);
  return order < 0 ? -1 : static_cast<int>(order > 0);
}

int compare(const BigDecimal& a, const BigDecimal& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  return a.negative ? -compare_magnitude(a, b) : compare_magnitude(a, b);
}

BigDecimal add(const BigDecimal& a, const BigDecimal& b) {
  const std::int64_t unit = std::min(a.unit, b.unit);
  const int order = compare_magnitude(a, b);
  const BigDecimal& larger = order < 0 ? b : a;
  BigDecimal result = larger;
  result.unit = unit;
  const std::int64_t apart = a.exponent > b.exponent ? a.exponent - b.exponent : b.exponent - a.exponent;
  if (a.is_zero() || b.is_zero() || apart > kMaxPadding) return result;
  const Aligned aligned = align(a, b);
  if (a.negative == b.negative)
    result.digits = sum(aligned.a, aligned.b);
  else
    result.digits = order < 0 ? difference(aligned.b, aligned.a) : difference(aligned.a, aligned.b);
  result.exponent = aligned.exponent;
  normalise(result);
  return result;
}

bool round_up(BigDecimal& number, std::int64_t scale) {
  number.unit = scale;
  if (number.is_zero()) number.exponent = scale;
  if (number.exponent >= scale) return true;
  const std::int64_t cut = scale - number.exponent;
  std::string kept = cut < static_cast<std::int64_t>(number.digits.size())
                         ? number.digits.substr(0, number.digits.size() - static_cast<std::size_t>(cut))
                         : std::string("0");
  const std::string one = std::string(kept.size() - 1, '0') + '1';
  number.digits = sum(kept, one);
  number.exponent = scale;
  normalise(number);
  return false;
}

void multiply(BigDecimal& number, std::uint64_t factor) {
  std::string result(number.digits.size() + 20, '0');
  std::uint64_t carry = 0;
  std::size_t at = result.size();
  for (std::size_t i = number.digits.size(); i-- > 0;) {
    const std::uint64_t product = static_cast<std::uint64_t>(number.digits[i] - '0') * factor + carry;
    result[--at] = static_cast<char>('0' + product % 10);
    carry = product / 10;
  }
  for (; carry != 0; carry /= 10) result[--at] = static_cast<char>('0' + carry % 10);
  number.digits = std::move(result);
  normalise(number);
}

std::uint64_t divide(std::string& digits, std::uint64_t divisor) {
  std::uint64_t remainder = 0;
  for (char& digit : digits) {
    remainder = remainder * 10 + static_cast<std::uint64_t>(digit - '0');
    digit = static_cast<char>('0' + remainder / divisor);
    remainder %= divisor;
  }
  const std::size_t first = digits.find_first_not_of('0');
  digits.erase(0, first);
  return remainder;
}

std::uint64_t low_bits(std::string_view digits, std::int64_t shift) {
  if (shift >= 64) return 0;  // 10^64 is a multiple of 2^64
  std::uint64_t bits = 0;
  for (const char digit : digits) bits = bits * 10 + static_cast<std::uint64_t>(digit - '0');
  for (; shift > 0; --shift) bits *= 10;
  return bits;
}

}  // namespace apf
