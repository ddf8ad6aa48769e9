// Quantities: where a text goes wrong, extreme exponents, values at the edge of 64 bits, and what sums keep of their
// operands.
#include <apf/config.h>

#include <limits>

#include "catch.h"

using apf::Quantity;

namespace {

Quantity q(std::string_view text) {
  const auto result = Quantity::parse(text);
  INFO(text);
  REQUIRE(result);
  return *result;
}

struct Fault {
  std::string message;
  std::size_t position = 999;
};

Fault fault(std::string_view text) {
  Fault result;
  INFO(text);
  REQUIRE_FALSE(Quantity::parse(text, &result.message, &result.position));
  return result;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("a bad quantity says at which byte it goes wrong", "[quantity][base]") {
  struct Case {
    std::string_view text;
    std::size_t position;
  };
  for (const Case& c : {Case{"", 0},
                        {"1e", 2},
                        {"--5", 1},
                        {"1.5Gii", 5},
                        {"1ki", 2},
                        {"1K", 2},
                        {"1GB", 2},
                        {"1gi", 1},
                        {"1 Gi", 1},
                        {" 1", 0},
                        {"1.2.3", 3},
                        {"0x10", 1},
                        {"1e3.5", 3},
                        {"1ee3", 2},
                        {"1e+", 3},
                        {"1ni", 2},
                        {"1,5", 1},
                        {"1e3Ki", 3},
                        {"1e99999999999999999999", 2},
                        {"five", 0},
                        {"5mb", 2},
                        {"1Kib", 3}}) {
    INFO(c.text);
    CHECK(fault(c.text).position == c.position);
  }
  CHECK(fault("1e").message == "unable to parse quantity's suffix");
  CHECK(fault("--5").message == "unable to parse quantity's suffix");
  CHECK(fault("1.5Gii").message == "unable to parse quantity's suffix");
  CHECK(fault("1GB").message ==
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  CHECK(fault("").message ==
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  CHECK(fault("e-10").message == "unable to parse numeric part of quantity");
  CHECK(fault(".e-99").message == "unable to parse numeric part of quantity");
}

TEST_CASE("extreme exponents cost no time and no memory", "[quantity][base]") {
  CHECK(q("1e1000").str() == "10e999");
  CHECK(q("1e2147483647").str() == "10e2147483646");
  CHECK(q("12345678901234567890e2000000000").str() == "1234567890123456789e2000000001");
  CHECK(q("1e-2147483000").str() == "1e-9");
  CHECK(q("1e4294967296").str() == "1e4294967296");  // the exponent is cut to 32 bits: 1e0, and the text stays
  CHECK(q("1e4294967296").value() == 1);
  CHECK(q("1e2000000000") > q("1Ei"));
  CHECK(q("-1e2000000000") < q("-1Ei"));
  CHECK(q("1e2000000000") + q("1") == q("1e2000000000"));
  CHECK((q("1e5000") + q("1") - q("1e5000")).str() == "1");
  CHECK((q("1Gi") + q("1e2000000000")).value() == 0);
  CHECK((q("1Gi") + q("1e2000000000")).str() == "100");  // a binary number this large loses its power of ten
  CHECK(q(std::string(100000, '9')).sign() == 1);
  CHECK(q("0e2000000000").str() == "0");
}

TEST_CASE("numbers at the edge of 64 bits", "[quantity][base]") {
  CHECK(q("9223372036854775808").str() == "9223372036854775808");
  CHECK(q("9223372036854775807") == Quantity(kMost));
  CHECK(q("-9223372036854775808") == Quantity(kLeast));
  CHECK((Quantity(kMost) + Quantity(1)).str() == "9223372036854775808");
  CHECK((Quantity(0) - Quantity(kLeast)).str() == "9223372036854775808");
  CHECK((Quantity(kLeast) - Quantity(1)).str() == "-9223372036854775809");
  CHECK(Quantity(kLeast).str() == "-9223372036854775808");
  CHECK(Quantity(kMost, Quantity::Format::binary_si).str() == "9223372036854775807");
  CHECK(Quantity::milli(1500).str() == "1500m");
  CHECK(Quantity::milli(2048000, Quantity::Format::binary_si).str() == "2Ki");
  CHECK(q("512Pi") + q("512Pi") == q("1Ei"));
  CHECK((q("6Ei") + q("2Ei")).str() == "8Ei");
}

TEST_CASE("a sum keeps the left operand's format unless that is zero, and drops its text", "[quantity][base]") {
  CHECK((q("1Gi") + q("1G")).str() == "2073741824");
  CHECK((q("1Gi") + q("1G")).format() == Quantity::Format::binary_si);
  CHECK((q("0") + q("5Gi")).str() == "5Gi");
  CHECK((q("0") - q("5Gi")).str() == "-5Gi");
  CHECK((q("0.0") + q("5Gi")).str() == "5Gi");
  CHECK(q("+5Gi").str() == "+5Gi");
  CHECK((q("+5Gi") + Quantity()).str() == "5Gi");
  Quantity rounded = q("1.500k");
  CHECK(rounded.round_up(0));
  CHECK(rounded.str() == "1.500k");
  CHECK_FALSE(rounded.round_up(3));
  CHECK(rounded.str() == "2k");
}
