// Whole objects as the server stores and serves them, byte for byte, and what is written as YAML of them.
#include <apf/config.h>
#include <simdjson.h>

#include "catch.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

Rewritten defaulted(const std::string& text, const char* name) {
  const ConfigText texts[] = {{name, text}};
  const LoadedConfig loaded = load_config(texts);
  INFO(test::diagnostics_text(loaded));
  REQUIRE_FALSE(loaded.has_errors());
  return default_objects(loaded, texts);
}

}  // namespace

TEST_CASE("defaulting: objects and lists as the server writes them", "[convert][conformance]") {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const std::string& line : test::read_vectors("defaulting.jsonl")) {
    const simdjson::dom::element vector = parser.parse(line);
    INFO(std::string_view(vector["id"]));
    const std::string expected = simdjson::minify(vector["object_out"]);
    const Rewritten json = defaulted(simdjson::minify(vector["object_in"]), "in.json");
    REQUIRE(json.objects.size() == 1);
    CHECK(json.objects[0].json == expected);
    CHECK(json.losses.empty());

    const Rewritten again = defaulted(json.objects[0].yaml, "out.yaml");
    REQUIRE(again.objects.size() == 1);
    CHECK(again.objects[0].json == expected);
    CHECK_FALSE(again.objects[0].changed);
    CHECK(again.objects[0].yaml == json.objects[0].yaml);
    CHECK(defaulted(expected, "out.json").objects[0].json == expected);
    ++cases;
  }
  CHECK(cases >= 95);
}
