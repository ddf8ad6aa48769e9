// resource.Quantity: parsing, rounding, arithmetic and canonical text, as in k8s.io/apimachinery of v1.36. The server
// keeps small numbers as 64 bits and a power of ten, others as decimals of any size; which of the two a number is shows
// in Value, MilliValue and in whether the text stays as written, so both forms exist here too.
#include <apf/quantity.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/big_decimal.h"
#include "base/text.h"

namespace apf {

namespace {

using Format = Quantity::Format;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr int kNano = -9;
// As many digits as the server's fast path takes.
constexpr std::int64_t kFastDigits = 18;
// Powers of ten up to which a whole number is written out to find its binary suffix; the server would not live to see a
// larger one.
constexpr std::int64_t kMaxWrittenOut = 10000;

constexpr std::string_view kFormatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kNumericWrong = "unable to parse numeric part of quantity";
constexpr std::string_view kSuffixWrong = "unable to parse quantity's suffix";

struct Suffix {
  std::string_view text;
  int exponent;  // of 10, or of 2 with `i`
};

constexpr std::array<Suffix, 10> kDecimalSuffixes{
    {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0}, {"k", 3}, {"M", 6}, {"G", 9}, {"T", 12}, {"P", 15}, {"E", 18}}};
constexpr std::array<Suffix, 6> kBinarySuffixes{
    {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60}}};

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// Go's conversion of a wider number to int32.
std::int32_t wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
}

// The parts as the server's scanner cuts them.
struct Parts {
  bool positive = true;
  std::string_view value;        // with sign, leading zeros and fraction; what the slow path reads
  std::string_view numerator;    // without leading zeros
  std::string_view denominator;  // digits after the point
  std::string_view suffix;
};

std::optional<Parts> cut(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  if (text[0] == '-' || text[0] == '+') {
    parts.positive = text[0] == '+';
    ++at;
  }
  while (at < text.size() && text[at] == '0') ++at;
  if (at == text.size()) {  // also a lone sign
    parts.numerator = parts.value = "0";
    return parts;
  }
  const std::size_t numerator = at;
  at = skip_digits(text, at);
  parts.numerator = at == numerator ? std::string_view("0") : text.substr(numerator, at - numerator);
  if (at < text.size() && text[at] == '.') {
    const std::size_t denominator = ++at;
    at = skip_digits(text, at);
    parts.denominator = text.substr(denominator, at - denominator);
  }
  parts.value = text.substr(0, at);
  parts.suffix = text.substr(at);
  while (at < text.size() && std::string_view("eEinumkKMGTP").find(text[at]) != std::string_view::npos) ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  if (skip_digits(text, at) != text.size()) return std::nullopt;
  return parts;
}

struct Unit {
  Format format = Format::decimal_si;
  std::int32_t exponent = 0;
};

// strconv.ParseInt of what follows the e, then cut to 32 bits.
std::optional<std::int32_t> decimal_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || skip_digits(text, 0) != text.size()) return std::nullopt;
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (most - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(negative ? 0 - value : value));
}

std::optional<Unit> interpret(std::string_view suffix) {
  for (const Suffix& s : kDecimalSuffixes)
    if (s.text == suffix) return Unit{Format::decimal_si, s.exponent};
  for (const Suffix& s : kBinarySuffixes)
    if (s.text == suffix) return Unit{Format::binary_si, s.exponent};
  if (suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E'))
    if (const auto exponent = decimal_exponent(suffix.substr(1))) return Unit{Format::decimal_exponent, *exponent};
  return std::nullopt;
}

// The first byte that no quantity can go on with; the end where something is missing.
std::size_t first_wrong(std::string_view text) {
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  at = skip_digits(text, at);
  if (at < text.size() && text[at] == '.') at = skip_digits(text, at + 1);
  const std::string_view suffix = text.substr(at);
  std::size_t good = 0;
  const auto try_suffix = [&](std::string_view candidate) {
    const auto end = std::mismatch(suffix.begin(), suffix.end(), candidate.begin(), candidate.end()).first;
    good = std::max(good, static_cast<std::size_t>(end - suffix.begin()));
  };
  for (const Suffix& s : kDecimalSuffixes) try_suffix(s.text);
  for (const Suffix& s : kBinarySuffixes) try_suffix(s.text);
  if (suffix.starts_with('e') || suffix.starts_with('E')) {
    const std::size_t sign = suffix.size() > 1 && (suffix[1] == '-' || suffix[1] == '+') ? 2 : 1;
    const std::size_t end = skip_digits(suffix, sign);
    const bool too_large = end > sign && !decimal_exponent(suffix.substr(1, end - 1));
    good = std::max(good, too_large ? sign : end);
  }
  return at + good;
}

// base × 10^scale as the server's positiveScaleInt64: the common scales wrap around, the others give 0 on overflow.
std::int64_t scale_up(std::int64_t base, std::int64_t scale) {
  if (scale == 0 || base == 0) return base;
  const bool wraps = scale <= 3 || scale == 6 || scale == 9;
  if (base == kLeast) return 0;
  std::int64_t result = base;
  for (; scale > 0; --scale) {
    std::int64_t next = 0;
    if (__builtin_mul_overflow(result, std::int64_t{10}, &next) && !wraps) return 0;
    result = static_cast<std::int64_t>(static_cast<std::uint64_t>(result) * 10);
  }
  return result;
}

// base / 10^scale, away from zero.
std::int64_t scale_down(std::int64_t base, std::int64_t scale, bool* exact) {
  std::int64_t value = base;
  bool fraction = false;
  for (; scale > 0 && value != 0; --scale) {
    fraction = fraction || value % 10 != 0;
    value /= 10;
  }
  if (fraction) value += base > 0 ? 1 : -1;
  if (exact) *exact = !fraction;
  return value;
}

// A decimal's value in whole 10^scale: scaledValue of the server, whose int64 arithmetic overflows silently.
std::int64_t scaled_value(const BigDecimal& number, std::int64_t scale) {
  if (number.is_zero()) return 0;
  const std::int64_t down = scale - number.unit;
  const std::uint64_t magnitude = low_bits(number.digits, number.exponent - number.unit);
  const auto count = static_cast<std::int64_t>(number.negative ? 0 - magnitude : magnitude);
  if (down <= 0) {
    // A float64 power of ten as int64; beyond 10^18 the conversion gives the least number (amd64).
    const std::int64_t power = -down > 18 ? kLeast : scale_up(1, -down);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(power));
  }
  if (number.negative && down < 19) {
    // The server assumes that any negative number fits 64 bits.
    const std::int64_t power = scale_up(1, down);
    return count / power + (count % power != 0 ? 1 : 0);
  }
  const std::int64_t cut = std::max<std::int64_t>(0, scale - number.exponent);
  const std::size_t kept = number.digits.size() - std::min(number.digits.size(), static_cast<std::size_t>(cut));
  const std::uint64_t whole =
      low_bits(std::string_view(number.digits).substr(0, kept), std::max<std::int64_t>(0, number.exponent - scale));
  if (number.negative) return static_cast<std::int64_t>(0 - whole);
  return static_cast<std::int64_t>(whole + (cut > 0 ? 1 : 0));
}

std::string signed_text(const BigDecimal& number, const std::string& digits) {
  return number.negative ? "-" + digits : digits;
}

std::string decimal_text(const BigDecimal& number, Format format) {
  const std::int64_t off = ((number.exponent % 3) + 3) % 3;
  const std::int32_t exponent = wrapped(number.exponent - off);
  std::string text = signed_text(number, number.digits + std::string(static_cast<std::size_t>(off), '0'));
  if (format == Format::decimal_exponent) return exponent == 0 ? text : text + "e" + std::to_string(exponent);
  for (const Suffix& s : kDecimalSuffixes)
    if (s.exponent == exponent) return text.append(s.text);
  return text;  // beyond E the server of v1.36 drops the power of ten
}

std::string binary_text(const BigDecimal& number) {
  std::string digits = number.digits + std::string(static_cast<std::size_t>(number.exponent), '0');
  int exponent = 0;
  for (std::string quotient = digits; divide(quotient, 1024) == 0; digits = quotient) exponent += 10;
  for (const Suffix& s : kBinarySuffixes)
    if (s.exponent == exponent) return signed_text(number, digits).append(s.text);
  return signed_text(number, digits);  // none below 1Ki; beyond Ei the server drops the power
}

std::string canonical(const BigDecimal& number, Format format) {
  if (number.is_zero()) return "0";
  if (format == Format::binary_si) {
    const bool small = compare_magnitude(number, BigDecimal::of(1024, 0)) < 0;
    if (!small && number.exponent >= 0 && number.exponent <= kMaxWrittenOut) return binary_text(number);
    format = Format::decimal_si;  // a fraction would be lost
  }
  return decimal_text(number, format);
}

// What the fast path does not take.
std::optional<BigDecimal> parse_big(const Parts& parts, Unit& unit) {
  std::string_view number = parts.value;
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  std::string digits(number);
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  if (digits.empty()) return std::nullopt;
  std::int64_t fraction = static_cast<std::int64_t>(parts.denominator.size());
  if (unit.format != Format::binary_si) fraction = wrapped(fraction - unit.exponent);
  BigDecimal result = BigDecimal::of(digits, !parts.positive, -fraction);
  if (unit.format == Format::binary_si) multiply(result, std::uint64_t{1} << unit.exponent);
  if (result.is_zero()) return result;
  round_up(result, kNano);
  if (unit.format == Format::binary_si) {
    const BigDecimal most = BigDecimal::of(std::numeric_limits<std::int64_t>::max(), 0);
    if (compare_magnitude(result, most) > 0) {
      result = most;
      result.negative = !parts.positive;
    }
    if (result.top() <= 0) unit.format = Format::decimal_si;
  }
  return result;
}

struct Small {
  std::int64_t value = 0;
  std::int32_t scale = 0;
  bool keeps_text = false;
};

std::optional<Small> parse_small(const Parts& parts, const Unit& unit) {
  const auto digits = static_cast<std::int64_t>(parts.numerator.size() + parts.denominator.size());
  const bool binary = unit.format == Format::binary_si;
  // 2^exponent has about 3/10 × exponent digits itself.
  const std::int64_t spare = binary ? 14 - digits - unit.exponent * 3 / 10 : kFastDigits - digits;
  if (spare < 0 || (binary && !parts.denominator.empty())) return std::nullopt;
  const std::int32_t scale =
      wrapped((binary ? 0 : unit.exponent) - static_cast<std::int64_t>(parts.denominator.size()));
  if (scale < kNano) return std::nullopt;
  std::string shifted(parts.numerator);
  shifted.append(parts.denominator);
  std::int64_t value = 0;
  for (const char c : shifted) value = value * 10 + (c - '0');
  Small result{value, scale, false};
  if (binary) {
    if (__builtin_mul_overflow(value, std::int64_t{1} << unit.exponent, &result.value)) return std::nullopt;
    result.keeps_text = value % 8 != 0;
  } else {
    result.keeps_text = scale % 3 == 0 && !shifted.ends_with("000") && shifted[0] != '0';
  }
  if (!parts.positive) result.value = -result.value;
  return result;
}

}  // namespace

Quantity::Quantity(std::int64_t value, Format format) : value_(value), format_(format) {}

Quantity Quantity::milli(std::int64_t value, Format format) {
  Quantity result(value, format);
  result.scale_ = -3;
  return result;
}

std::optional<Quantity> Quantity::parse(std::string_view text, std::string* error, std::size_t* position) {
  const auto fail = [&](std::string_view why) {
    if (error) *error = why;
    if (position) *position = first_wrong(text);
    return std::nullopt;
  };
  if (text.empty()) return fail(kFormatWrong);
  const auto parts = cut(text);
  if (!parts) return fail(kFormatWrong);
  auto unit = interpret(parts->suffix);
  if (!unit) return fail(kSuffixWrong);
  Quantity result;
  if (const auto small = parse_small(*parts, *unit)) {
    result.value_ = small->value;
    result.scale_ = small->scale;
    if (small->keeps_text) result.text_ = text;
  } else {
    auto big = parse_big(*parts, *unit);
    if (!big) return fail(kNumericWrong);
    result.big_ = std::make_shared<const BigDecimal>(std::move(*big));
  }
  result.format_ = unit->format;
  return result;
}

Quantity::Format Quantity::format() const { return format_; }

std::string Quantity::str() const {
  if (!text_.empty()) return text_;
  if (big_) return canonical(*big_, format_);
  if (value_ == kLeast && format_ == Format::binary_si && scale_ == 0)
    return std::to_string(value_);  // no factor is found in it
  return canonical(BigDecimal::of(value_, scale_), format_);
}

std::int64_t Quantity::scaled(int scale) const {
  if (big_) return scaled_value(*big_, scale);
  if (scale_ < scale) return scale_down(value_, scale - std::int64_t{scale_}, nullptr);
  return scale_up(value_, std::int64_t{scale_} - scale);
}

std::int64_t Quantity::value() const { return scaled(0); }

std::int64_t Quantity::milli_value() const { return scaled(-3); }

std::optional<std::int64_t> Quantity::as_int64() const {
  if (big_ || scale_ < 0) return std::nullopt;
  std::int64_t result = value_;
  for (std::int32_t i = 0; i < scale_ && result != 0; ++i)
    if (__builtin_mul_overflow(result, std::int64_t{10}, &result)) return std::nullopt;
  return result;
}

int Quantity::sign() const {
  if (big_) return big_->is_zero() ? 0 : big_->negative ? -1 : 1;
  return value_ == 0 ? 0 : value_ < 0 ? -1 : 1;
}

Quantity& Quantity::add(const Quantity& other, bool negate) {
  text_.clear();
  if (is_zero()) format_ = other.format_;
  if (!big_ && !other.big_) {
    if (other.value_ == 0) return *this;
    const std::int32_t low = value_ == 0 ? other.scale_ : std::min(scale_, other.scale_);
    std::int64_t mine = 0, theirs = 0, total = 0;
    const auto at_low = [&](std::int64_t value, std::int32_t scale, std::int64_t* result) {
      for (std::int64_t i = low; i < scale && value != 0; ++i)
        if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return false;
      *result = value;
      return true;
    };
    if (at_low(value_, scale_, &mine) && at_low(other.value_, other.scale_, &theirs) &&
        !(negate ? __builtin_sub_overflow(mine, theirs, &total) : __builtin_add_overflow(mine, theirs, &total))) {
      value_ = total;
      scale_ = low;
      return *this;
    }
  }
  BigDecimal right = other.big_ ? *other.big_ : BigDecimal::of(other.value_, other.scale_);
  if (negate && !right.is_zero()) right.negative = !right.negative;
  big_ = std::make_shared<const BigDecimal>(apf::add(big_ ? *big_ : BigDecimal::of(value_, scale_), right));
  value_ = 0;
  scale_ = 0;
  return *this;
}

Quantity& Quantity::operator+=(const Quantity& other) { return add(other, false); }

Quantity& Quantity::operator-=(const Quantity& other) { return add(other, true); }

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (!big_ && !other.big_) {
    if (scale_ == other.scale_) return value_ <=> other.value_;
    const std::int64_t apart = std::int64_t{scale_} - other.scale_;
    if (apart >= -18 && apart <= 18) {
      const auto scaled_by = [](std::int64_t value, std::int64_t scale) {
        __extension__ __int128 result = value;
        for (; scale > 0; --scale) result *= 10;
        return result;
      };
      const auto mine = scaled_by(value_, apart), theirs = scaled_by(other.value_, -apart);
      return mine < theirs   ? std::strong_ordering::less
             : mine > theirs ? std::strong_ordering::greater
                             : std::strong_ordering::equal;
    }
  }
  const BigDecimal mine = big_ ? *big_ : BigDecimal::of(value_, scale_);
  const BigDecimal theirs = other.big_ ? *other.big_ : BigDecimal::of(other.value_, other.scale_);
  return compare(mine, theirs) <=> 0;
}

bool Quantity::round_up(int scale) {
  bool exact = true;
  if (big_) {
    BigDecimal rounded = *big_;
    text_.clear();
    exact = apf::round_up(rounded, scale);
    big_ = std::make_shared<const BigDecimal>(std::move(rounded));
  } else if (scale_ < scale) {
    text_.clear();
    value_ = scale_down(value_, std::int64_t{scale} - scale_, &exact);
    scale_ = scale;
  }
  return exact;
}

}  // namespace apf
