// The scalar rules of sigs.k8s.io/yaml (goyaml.v2, resolve.go), which Kubernetes v1.36 reads YAML with.
#include "config/scalar.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>

#include "base/decimal.h"
#include "base/text.h"

namespace apf {

namespace {

constexpr std::string_view kNulls[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kTrue[] = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
constexpr std::string_view kFalse[] = {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
constexpr std::string_view kSpecialFloats[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                               "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

template <std::size_t N>
bool one_of(std::string_view text, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

struct Magnitude {
  bool negative = false;
  bool fits = false;  // a number of some base within 64 bits
  std::uint64_t value = 0;
};

// [+-] then decimal, 0x, 0o, 0b or 0… octal.
Magnitude read_magnitude(std::string_view digits) {
  Magnitude result;
  if (!digits.empty() && (digits[0] == '+' || digits[0] == '-')) {
    result.negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  unsigned base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    switch (digits[1] | 0x20) {
      case 'x':
        base = 16;
        digits.remove_prefix(2);
        break;
      case 'o':
        base = 8;
        digits.remove_prefix(2);
        break;
      case 'b':
        base = 2;
        digits.remove_prefix(2);
        break;
      default:
        base = 8;
        digits.remove_prefix(1);
        break;
    }
  }
  if (digits.empty()) return result;
  for (const char c : digits) {
    const auto digit = static_cast<unsigned>(digit_value(c));
    if (digit >= base || result.value > (UINT64_MAX - digit) / base) return result;
    result.value = result.value * base + digit;
  }
  result.fits = true;
  return result;
}

std::string without_underscores(std::string_view text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain), [](char c) { return c != '_'; });
  return plain;
}

// Of a float that is not within the range of a double: is it too large, and not too close to zero?
bool is_too_large(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == digits.npos) return false;
  std::int64_t exponent = 0;
  if (e < text.size()) {
    const bool negative = text[e + 1] == '-';
    const std::size_t from = e + 1 + (negative || text[e + 1] == '+' ? 1 : 0);
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    const auto read = std::from_chars(text.data() + from, text.data() + text.size(), exponent);
    exponent = read.ec != std::errc() ? kFar : std::min(exponent, kFar);
    if (negative) exponent = -exponent;
  }
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent > 0;
}

// A float of YAML 1.1 as go-yaml reads it; nothing beyond the range of a double, which stays a string.
std::optional<double> read_float(std::string_view text) {
  if (!looks_decimal(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  if (read_decimal(text, value) == std::errc()) return value;
  if (is_too_large(text)) return std::nullopt;
  return 0.0;
}

bool is_int64(double value) { return std::trunc(value) == value && std::fabs(value) < 0x1p63; }

// kubectl sends a whole number as one, however it was written.
NodeKind kind_of(std::optional<double> value) {
  if (!value) return NodeKind::string;
  return is_int64(*value) ? NodeKind::integer : NodeKind::floating;
}

// The negative range ends at int64; the positive one goes on to uint64.
bool is_integer(const Magnitude& magnitude) {
  return magnitude.fits && (!magnitude.negative || magnitude.value <= std::uint64_t{1} << 63);
}

NodeKind resolve_number(std::string_view text) {
  const std::string plain = without_underscores(text);
  return is_integer(read_magnitude(plain)) ? NodeKind::integer : kind_of(read_float(plain));
}

}  // namespace

NodeKind resolve_plain(std::string_view text) {
  if (text.empty()) return NodeKind::null;
  switch (text[0]) {
    case 'y':
    case 'Y':
    case 'n':
    case 'N':
    case 't':
    case 'T':
    case 'f':
    case 'F':
    case 'o':
    case 'O':
    case '~':
      if (text.size() > 5) return NodeKind::string;
      if (one_of(text, kNulls)) return NodeKind::null;
      return one_of(text, kTrue) || one_of(text, kFalse) ? NodeKind::boolean : NodeKind::string;
    case '.':
      return one_of(text, kSpecialFloats) ? NodeKind::floating : kind_of(read_float(text));
    case '+':
    case '-':
      if (one_of(text, kSpecialFloats)) return NodeKind::floating;
      return resolve_number(text);
    default:
      return is_digit(text[0]) ? resolve_number(text) : NodeKind::string;
  }
}

bool plain_boolean(std::string_view text) { return one_of(text, kTrue); }

std::optional<std::int64_t> plain_integer(std::string_view text) {
  const std::string plain = without_underscores(text);
  const Magnitude m = read_magnitude(plain);
  if (!m.fits) {
    const std::optional<double> value = read_float(plain);
    return value && is_int64(*value) ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
  }
  constexpr std::uint64_t kMax = INT64_MAX;
  if (m.value > kMax + (m.negative ? 1 : 0)) return std::nullopt;
  if (m.negative) return m.value == kMax + 1 ? INT64_MIN : -static_cast<std::int64_t>(m.value);
  return static_cast<std::int64_t>(m.value);
}

bool is_written_as_integer(std::string_view text) { return is_integer(read_magnitude(without_underscores(text))); }

bool is_finite_number(std::string_view text) { return !one_of(text, kSpecialFloats); }

std::string number_json(std::string_view text) {
  if (const auto value = plain_integer(text)) return std::to_string(*value);
  const std::string plain = without_underscores(text);
  const Magnitude m = read_magnitude(plain);
  if (is_integer(m)) return std::to_string(m.value);
  const std::optional<double> value = read_float(plain);
  if (!value) return std::string(text);
  std::string json;
  append_decimal(json, *value, 1e-6, 1e21);
  const std::size_t zero = json.find("e-0");
  if (zero != json.npos) json.erase(zero + 2, 1);
  return json;
}

bool needs_quotes(std::string_view text) {
  if (text.empty() || text == "<<" || text == "=") return true;
  if (resolve_plain(text) != NodeKind::string || looks_decimal(text)) return true;
  // Sexagesimal numbers and dates of YAML 1.1: all that is made of digits and their punctuation.
  if (text.find_first_not_of("0123456789+-_.:eEtTzZ ") == text.npos &&
      std::any_of(text.begin(), text.end(), is_digit)) {
    return true;
  }
  if (std::isalnum(static_cast<unsigned char>(text[0])) == 0 && text[0] != '/' && text[0] != '_') return true;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string_view("-_./:+@").find(c) == text.npos)
      return true;
  }
  return text.back() == ':';  // would begin a mapping
}

}  // namespace apf
