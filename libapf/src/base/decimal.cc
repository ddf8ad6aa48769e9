#include "base/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include <simdjson.h>

#include "base/text.h"

namespace apf {

bool looks_decimal(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - from;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  std::size_t seen = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    seen += digits();
  }
  if (seen == 0) return false;
  if (i == text.size()) return true;
  if ((text[i] | 0x20) != 'e') return false;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  return digits() > 0 && i == text.size();
}

std::errc read_decimal_portably(std::string_view text, double& out) {
  if (text.starts_with('+')) return std::errc::invalid_argument;
  if (looks_decimal(text)) {
    const double value = simdjson::internal::from_chars(std::string(text).c_str());
    const std::string_view digits = text.substr(0, text.find_first_of("eE"));
    const bool is_zero = digits.find_first_of("123456789") == digits.npos;
    if (!std::isfinite(value) || (value == 0) != is_zero) return std::errc::result_out_of_range;
    out = value;
    return {};
  }
  const bool negative = text.starts_with('-');
  std::string word(text.substr(negative ? 1 : 0));
  for (char& c : word) c = static_cast<char>(c | 0x20);
  const double sign = negative ? -1 : 1;
  if (word == "inf" || word == "infinity") out = std::copysign(std::numeric_limits<double>::infinity(), sign);
  else if (word == "nan") out = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  else return std::errc::invalid_argument;
  return {};
}

void append_decimal(std::string& out, double value, double least, double most) {
  const double size = std::abs(value);
  if (std::signbit(value)) out += '-';
  const bool plain = size == 0 || (size >= least && size < most);
  char buffer[32];
  if (plain && size >= 0x1p53) {  // whole, with all of its digits
    out.append(buffer, fmt::format_to(buffer, "{:.0f}", size));
    return;
  }
  // With an exponent below 1e-4 and from 1e16 on.
  const std::string_view text(buffer, static_cast<std::size_t>(fmt::format_to(buffer, "{}", size) - buffer));
  const std::size_t e = text.find('e');
  if (plain == (e == text.npos)) {
    out += text;
    return;
  }
  std::string digits(text.substr(0, e));
  const std::size_t point = std::min(digits.find('.'), digits.size());
  if (point < digits.size()) digits.erase(point, 1);
  if (plain) {
    int zeros = 0;
    std::from_chars(text.data() + e + 2, text.data() + text.size(), zeros);
    out.append("0.").append(static_cast<std::size_t>(zeros) - 1, '0').append(digits);
    return;
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.size() > 1) digits.insert(1, 1, '.');
  fmt::format_to(std::back_inserter(out), "{}e+{:02}", digits, point - 1);
}

}  // namespace apf
