// Numbers with fractions as text.
#include "base/decimal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "catch.h"

using namespace apf;

namespace {

std::vector<std::string> texts() {
  std::vector<std::string> out = {"",         "-",
                                  "+1",       ".",
                                  ".5",       "5.",
                                  "-0",       "-0.0",
                                  "007",      "1e",
                                  "1e+",      "1e5",
                                  "1E-5",     "0x1p3",
                                  "1_000",    " 1",
                                  "1 ",       "inf",
                                  "-INF",     "NaN",
                                  "-nan",     "infin",
                                  "infinity", "1e400",
                                  "-1e400",   "1e-400",
                                  "0e999",    "1e308",
                                  "5e-324",   "1.5x",
                                  "1.2.3",    "--1",
                                  "1e5e5",    "123456789012345678901234567890"};
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(random() >> random() % 64),
                      fraction = std::to_string(random() >> random() % 64);
    out.push_back((random() % 2 ? "-" : "") + number + (random() % 3 ? "." + fraction : "") +
                  (random() % 3 ? "" : "e" + std::to_string(static_cast<int>(random() % 700) - 350)));
  }
  return out;
}

std::vector<double> numbers() {
  std::vector<double> out = {0.0,  -0.0, 1,    0.1,  1e-4, 9.9999e-5, 1e-6,       1e-7, 1e5,  1e6,     1234567.5,
                             1e15, 1e16, 1e17, 1e20, 1e21, 0x1p53,    0x1p53 + 2, 1e22, 1e23, 1.7e308, 5e-324};
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    if (const double any = std::bit_cast<double>(random()); std::isfinite(any)) out.push_back(any);
    out.push_back(static_cast<double>(random() >> 1) / std::pow(10, static_cast<double>(random() % 30)));
    out.push_back(static_cast<double>(random() >> random() % 64));
  }
  return out;
}

}  // namespace

TEST_CASE("Numbers are read as std::from_chars reads them", "[base][decimal]") {
  for (const std::string& text : texts()) {
    INFO(text);
    double value = 0, expected = 0;
    const char* const end = text.data() + text.size();
    const auto [at, fault] = std::from_chars(text.data(), end, expected);
    const std::errc error = read_decimal_portably(text, value);
    REQUIRE(read_decimal(text, expected) == error);
    REQUIRE(error == (fault == std::errc() && at != end ? std::errc::invalid_argument : fault));
    if (error == std::errc()) REQUIRE((std::isnan(expected) ? std::isnan(value) : value == expected));
    if (error == std::errc()) REQUIRE(std::signbit(value) == std::signbit(expected));
  }
}

TEST_CASE("Numbers are written as std::to_chars writes them", "[base][decimal]") {
  for (const auto& [least, most] : {std::pair(1e-6, 1e21), std::pair(1e-4, 1e6)})
    for (const double value : numbers()) {
      const double size = std::abs(value);
      const bool plain = size == 0 || (size >= least && size < most);
      char buffer[400];
      const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value,
                                     plain ? std::chars_format::fixed : std::chars_format::scientific);
      std::string text;
      append_decimal(text, value, least, most);
      REQUIRE(text == std::string(buffer, end.ptr));
    }
}
