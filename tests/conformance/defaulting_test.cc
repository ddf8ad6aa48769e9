// Decoding and defaulting against what kube-apiserver makes of the same objects, version by version.
#include <apf/config.h>
#include <simdjson.h>

#include "catch.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

Config decoded(const simdjson::dom::element& object) {
  LoadedConfig loaded = test::load_text(simdjson::minify(object), "object.json");
  INFO(test::diagnostics_text(loaded));
  REQUIRE(loaded.diagnostics.empty());
  REQUIRE(loaded.config.flow_schemas.size() + loaded.config.priority_levels.size() > 0);
  return std::move(loaded.config);
}

Config defaulted(const simdjson::dom::element& object) {
  Config config = decoded(object);
  apply_defaults(config);
  return config;
}

}  // namespace

TEST_CASE("defaulting: each version's defaults as the server stores them", "[config][conformance]") {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const std::string& line : test::read_vectors("defaulting.jsonl")) {
    const simdjson::dom::element vector = parser.parse(line);
    INFO(std::string_view(vector["id"]));
    CHECK(test::config_text(defaulted(vector["object_in"])) == test::config_text(decoded(vector["object_out"])));
    ++cases;
  }
  CHECK(cases >= 95);
}

// The model has one name for what the versions call differently, so an object and its conversion read alike. (The
// annotation that v1beta3 needs for zero shares comes and goes on conversion and is not compared.)
TEST_CASE("decoding: an object and its conversion to another version have the same spec", "[config][conformance]") {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const std::string& line : test::read_vectors("conversion.jsonl")) {
    const simdjson::dom::element vector = parser.parse(line);
    INFO(std::string_view(vector["id"]));
    CHECK(test::config_text(defaulted(vector["object_in"]), true) ==
          test::config_text(decoded(vector["object_out"]), true));
    ++cases;
  }
  CHECK(cases >= 126);
}
