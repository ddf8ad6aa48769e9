// What the lines of conformance vectors hold.
#pragma once

#include <simdjson.h>

#include <cmath>
#include <string>
#include <string_view>

namespace apf::test {

// Empty where there is none.
inline std::string text_of(simdjson::dom::element object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

// Throws where there is none.
inline std::string text_at(simdjson::dom::element object, std::string_view key) {
  return std::string(object[key].get_string().value());
}

inline bool close(simdjson::dom::element expected, double got) {
  std::string_view text;
  if (expected.get(text) == simdjson::SUCCESS) return text == "NaN" && std::isnan(got);
  const double value = expected.get_double().value();
  return value == got || std::fabs(value - got) <= 1e-12 * std::fabs(value);
}

}  // namespace apf::test
