// Amounts as Kubernetes writes them: fixed-point numbers with a suffix, their text and their arithmetic. Mirrors
// k8s.io/apimachinery/pkg/api/resource (v1.36).
//
//   const std::optional<apf::Quantity> memory = apf::Quantity::parse("1.5Gi");
//   if (memory) std::puts((*memory + apf::Quantity(1)).str().c_str());
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

class APF_API Quantity {
 public:
  enum class Format : std::uint8_t { decimal_si, binary_si, decimal_exponent };

  Quantity() = default;  // 0, decimal_si
  explicit Quantity(std::int64_t value, Format format = Format::decimal_si);
  static Quantity milli(std::int64_t value, Format format = Format::decimal_si);

  // Finer than nano is rounded away from zero; binary values are capped at 2^63-1. Nothing for text that is no
  // quantity; then `error` (where given) is the server's text, `position` the first byte that is not allowed there.
  static std::optional<Quantity> parse(std::string_view text, std::string* error = nullptr,
                                       std::size_t* position = nullptr);

  Format format() const;
  // As the server prints it: the text as it was parsed where its parser takes that for canonical, else the canonical
  // form.
  std::string str() const;
  // Rounded away from zero; overflow is silent, as the server's.
  std::int64_t value() const;
  std::int64_t milli_value() const;
  // The value where the server has it as a whole 64-bit number without work (AsInt64); nothing for fractions, and for
  // numbers that it keeps as big decimals, whole or not.
  std::optional<std::int64_t> as_int64() const;
  int sign() const;  // -1, 0, 1
  bool is_zero() const { return sign() == 0; }

  // Exact, unless the operands are more than 10,000 digits apart: then the smaller one is lost (the server would run
  // out of memory). The left operand's format stays unless it is zero, then the right one's.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  // By value: 1Gi equals 1024Mi.
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }
  // Up to whole 10^scale units (0 = whole, -3 = milli), away from zero; false if that changed the value.
  bool round_up(int scale);

 private:
  Quantity& add(const Quantity& other, bool negate);
  std::int64_t scaled(int scale) const;

  // value_ × 10^scale_ unless big_ is set; see quantity.cc.
  std::int64_t value_ = 0;
  std::int32_t scale_ = 0;
  Format format_ = Format::decimal_si;
  std::shared_ptr<const struct BigDecimal> big_;  // beyond 64 bits
  std::string text_;                              // as parsed, while it is canonical
};

}  // namespace apf
