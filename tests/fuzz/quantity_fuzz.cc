// Any bytes as one quantity, or as two with a newline between: a fault has a position inside the text, a number reads
// back from its own text, rounds to something not nearer zero, and sums can be undone.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <apf/config.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

std::optional<apf::Quantity> parse(std::string_view text) {
  std::string error;
  std::size_t position = 0;
  auto result = apf::Quantity::parse(text, &error, &position);
  require(result.has_value() == error.empty());
  require(position <= text.size());
  return result;
}

// Canonical text loses its power of ten beyond E, and a binary sum beyond Ei its suffix: upstream's faults, kept here.
bool text_is_faithful(const apf::Quantity& q) {
  static const apf::Quantity least = *apf::Quantity::parse("-1E"), most = *apf::Quantity::parse("1E");
  return q.format() == apf::Quantity::Format::decimal_exponent || (q > least && q < most);
}

}  // namespace

APF_FUZZER(quantity_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = text.find('\n');
  const auto a = parse(text.substr(0, newline));
  if (!a) return;
  require(a->value() == 0 || !a->is_zero());
  require((*a <=> *a) == 0);
  require((*a - *a).is_zero());
  if (text_is_faithful(*a)) {
    const auto again = apf::Quantity::parse(a->str());
    require(again && *again == *a);
  }
  apf::Quantity milli = *a;
  const bool exact = milli.round_up(-3);
  require(exact == (milli == *a));
  require(a->sign() < 0 ? milli <= *a : milli >= *a);
  if (newline == std::string_view::npos) return;
  const auto b = parse(text.substr(newline + 1));
  if (!b) return;
  require((*a <=> *b) == 0 ? (*a - *b).is_zero() : (*a - *b).sign() == (*a < *b ? -1 : 1));
  require(*a + *b == *b + *a);
}
