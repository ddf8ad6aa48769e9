// Where JSON values end in a text that comes piece by piece.
#include "logs/formats/text_scan.h"

#include "catch.h"

using namespace apf;

TEST_CASE("The end of an array and of an object is found", "[logs]") {
  for (const std::string_view first : {"[1, [2], {\"a\": \"]\"}]", "{\"a\": [1, {}]}", "[]"}) {
    const std::string text = std::string(first) + " [2] {}";
    INFO(text);
    DocumentScanner one, all;
    CHECK(one.scan_one(text) == first.size());
    CHECK_FALSE(one.inside());
    CHECK(one.innermost() == '\0');
    CHECK(all.scan_all(text + " [3") == text.size());
    CHECK(all.inside());
    CHECK(all.innermost() == '[');
  }
}

TEST_CASE("A value goes on in the next piece of the text", "[logs]") {
  DocumentScanner scanner;
  CHECK(scanner.scan_one("[{\"a\": \"x") == std::string_view::npos);
  CHECK(scanner.in_string());
  CHECK(scanner.scan_one("]}\", \"b\": {") == std::string_view::npos);
  CHECK(scanner.innermost() == '{');
  CHECK(scanner.scan_one("}}] []") == 3);
}

TEST_CASE("Newlines are counted wherever they are", "[logs]") {
  for (std::size_t size = 0; size < 140; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = '\n';
      INFO(size << " bytes, a newline at " << at);
      REQUIRE(count_newlines(text.data(), size) == 1);
    }
    CHECK(count_newlines(std::string(size, '\n').data(), size) == size);
  }
  // More than the counters of one byte hold.
  const std::string many(32 * 700 + 5, '\n');
  CHECK(count_newlines(many.data(), many.size()) == many.size());
}
