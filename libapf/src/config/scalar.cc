// The scalar rules of sigs.k8s.io/yaml (goyaml.v2, resolve.go), which Kubernetes v1.36 reads YAML with.
#include "config/scalar.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

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

// [-+]? digits* .? digits+ ( [eE] [-+] digits+ )? with a required or an optional exponent sign.
bool looks_float(std::string_view text, bool exponent_sign_required) {
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
    seen = digits();
  }
  if (seen == 0) return false;
  if (i == text.size()) return true;
  if ((text[i] | 0x20) != 'e') return false;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  else if (exponent_sign_required) return false;
  return digits() > 0 && i == text.size();
}

NodeKind resolve_number(std::string_view text) {
  const std::string plain = text.find('_') == text.npos ? std::string(text) : without_underscores(text);
  const Magnitude magnitude = read_magnitude(plain);
  // The negative range ends at int64; the positive one goes on to uint64.
  if (magnitude.fits && (!magnitude.negative || magnitude.value <= std::uint64_t{1} << 63)) return NodeKind::integer;
  return looks_float(plain, true) ? NodeKind::floating : NodeKind::string;
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
      return one_of(text, kSpecialFloats) || looks_float(text, false) ? NodeKind::floating : NodeKind::string;
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
  const Magnitude m = read_magnitude(text.find('_') == text.npos ? std::string(text) : without_underscores(text));
  constexpr std::uint64_t kMax = INT64_MAX;
  if (!m.fits || m.value > kMax + (m.negative ? 1 : 0)) return std::nullopt;
  if (m.negative) return m.value == kMax + 1 ? INT64_MIN : -static_cast<std::int64_t>(m.value);
  return static_cast<std::int64_t>(m.value);
}

bool needs_quotes(std::string_view text) {
  if (text.empty() || text == "<<" || text == "=") return true;
  if (resolve_plain(text) != NodeKind::string || looks_float(text, false)) return true;
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
