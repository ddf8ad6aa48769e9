// Quantities: every number the server's own package gave for a text, and for pairs of them.
#include <apf/config.h>
#include <simdjson.h>

#include "catch.h"
#include "support/vector_fields.h"
#include "support/vectors.h"

using apf::Quantity;

using apf::test::text_at;

namespace {

std::string_view format_name(Quantity::Format format) {
  switch (format) {
    case Quantity::Format::decimal_si:
      return "DecimalSI";
    case Quantity::Format::binary_si:
      return "BinarySI";
    case Quantity::Format::decimal_exponent:
      return "DecimalExponent";
  }
  return "";
}

Quantity parsed(std::string_view text) {
  const auto result = Quantity::parse(text);
  REQUIRE(result);
  return *result;
}

void check_number(simdjson::dom::element vector) {
  const Quantity q = parsed(text_at(vector, "input"));
  CHECK(q.str() == text_at(vector, "canonical"));
  CHECK("\"" + q.str() + "\"" == text_at(vector, "json"));
  CHECK(format_name(q.format()) == text_at(vector, "format"));
  CHECK(std::to_string(q.value()) == text_at(vector, "value"));
  CHECK(std::to_string(q.milli_value()) == text_at(vector, "milli_value"));
  CHECK(q.sign() == std::int64_t(vector["sign"]));
  CHECK(q.as_int64().has_value() == bool(vector["as_int64_ok"]));
  if (q.as_int64()) CHECK(*q.as_int64() == q.value());
  Quantity milli = q;
  CHECK(milli.round_up(-3) == bool(vector["round_up_milli_exact"]));
  CHECK(milli.str() == text_at(vector, "round_up_milli"));
  Quantity unit = q;
  const bool exact = unit.round_up(0);
  CHECK(unit.str() == text_at(vector, "round_up_unit"));
  CHECK(exact == (unit == q));
}

}  // namespace

TEST_CASE("quantity: parsing, rounding and text", "[quantity][base][conformance]") {
  simdjson::dom::parser parser;
  int numbers = 0, errors = 0;
  for (const std::string file : {"quantity.jsonl", "quantity-random.jsonl"})
    for (const std::string& line : apf::test::read_vectors(file)) {
      const simdjson::dom::element vector = parser.parse(line);
      INFO(line);
      std::string_view error;
      if (vector["error"].get(error) != simdjson::SUCCESS) {
        check_number(vector);
        ++numbers;
        continue;
      }
      std::string message;
      CHECK_FALSE(Quantity::parse(text_at(vector, "input"), &message));
      CHECK(message == error);
      ++errors;
    }
  CHECK(numbers > 150);
  CHECK(errors > 20);
}

TEST_CASE("quantity: order, sum and difference", "[quantity][base][conformance]") {
  simdjson::dom::parser parser;
  for (const std::string& line : apf::test::read_vectors("quantity-pairs.jsonl")) {
    const simdjson::dom::element vector = parser.parse(line);
    INFO(line);
    const Quantity a = parsed(text_at(vector, "a")), b = parsed(text_at(vector, "b"));
    const auto order = a <=> b;
    CHECK((order < 0 ? -1 : order > 0 ? 1 : 0) == std::int64_t(vector["cmp"]));
    CHECK((a == b) == bool(vector["equal"]));
    CHECK((a + b).str() == text_at(vector, "sum"));
    CHECK((a - b).str() == text_at(vector, "difference"));
  }
}
