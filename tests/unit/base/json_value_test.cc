// Values of small JSON texts: each type, and nothing of another type.
#include "base/json_value.h"

#include <limits>
#include <string>
#include <utility>

#include "catch.h"

namespace apf::test {
namespace {

TEST_CASE("JsonDocument: what is no JSON says why", "[base]") {
  for (const char* text : {"", "{", "{\"a\":}", "[1,]", "nul"}) {
    INFO(text);
    const JsonDocument document(text);
    REQUIRE(document.error());
    CHECK_FALSE(std::string(document.error()).empty());
  }
  CHECK_FALSE(JsonDocument("{}").error());
  CHECK_FALSE(JsonDocument(" 1 ").error());
}

TEST_CASE("JsonValue: of its own type only", "[base]") {
  const JsonDocument document(R"({"no":null,"yes":true,"one":1,"minus":-1,"most":18446744073709551615,"half":0.5,)"
                              R"("text":"a\nb","list":[1,"x"],"object":{"b":1,"a":2}})");
  REQUIRE_FALSE(document.error());
  const JsonValue root = document.root();
  CHECK(root.is_object());
  CHECK_FALSE(root.get("none"));
  CHECK(root.get("no")->is_null());
  CHECK_FALSE(root.get("no")->get("a"));
  CHECK(root.get("yes")->flag() == true);
  CHECK_FALSE(root.get("one")->flag());
  CHECK(root.get("one")->whole() == 1);
  CHECK(root.get("one")->natural() == 1u);
  CHECK(root.get("one")->real() == 1.0);
  CHECK_FALSE(root.get("one")->text());
  CHECK(root.get("minus")->whole() == -1);
  CHECK_FALSE(root.get("minus")->natural());
  CHECK(root.get("most")->natural() == std::numeric_limits<std::uint64_t>::max());
  CHECK_FALSE(root.get("most")->whole());
  CHECK(root.get("half")->real() == 0.5);
  CHECK_FALSE(root.get("half")->whole());
  CHECK(root.get("text")->text() == "a\nb");
  CHECK_FALSE(root.get("text")->elements());
  CHECK_FALSE(root.get("list")->is_object());
  CHECK_FALSE(root.get("list")->members());
  const auto list = root.get("list")->elements();
  REQUIRE(list);
  REQUIRE(list->size() == 2);
  CHECK(list->front().whole() == 1);
  CHECK(list->back().text() == "x");
  const auto members = root.get("object")->members();
  REQUIRE(members);
  REQUIRE(members->size() == 2);
  CHECK(members->front().first == "b");  // as written
  CHECK(members->back().second.whole() == 2);
}

TEST_CASE("JsonDocument: values stay valid when it moves", "[base]") {
  JsonDocument first(R"({"a":["x"]})");
  const JsonValue root = first.root();
  const JsonDocument second = std::move(first);
  CHECK(root.get("a")->elements()->front().text() == "x");
  CHECK(second.root().get("a")->elements()->size() == 1);
}

}  // namespace
}  // namespace apf::test
