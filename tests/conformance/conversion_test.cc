// Conversion between the versions of the API, byte for byte.
#include <apf/config.h>
#include <simdjson.h>

#include "catch.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

FlowControlVersion version_of(std::string_view api_version) {
  const std::string_view version = api_version.substr(api_version.find('/') + 1);
  if (version == "v1") return FlowControlVersion::v1;
  if (version == "v1beta3") return FlowControlVersion::v1beta3;
  if (version == "v1beta2") return FlowControlVersion::v1beta2;
  REQUIRE(version == "v1beta1");
  return FlowControlVersion::v1beta1;
}

Rewritten converted(const std::string& text, FlowControlVersion to) {
  const ConfigText texts[] = {{"in.json", text}};
  const LoadedConfig loaded = load_config(texts);
  INFO(test::diagnostics_text(loaded));
  REQUIRE_FALSE(loaded.has_errors());
  return convert_objects(loaded, texts, to);
}

}  // namespace

TEST_CASE("conversion: objects and lists as the server writes them in another version", "[convert][conformance]") {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const std::string& line : test::read_vectors("conversion.jsonl")) {
    const simdjson::dom::element vector = parser.parse(line);
    INFO(std::string_view(vector["id"]));
    const FlowControlVersion to = version_of(std::string_view(vector["to"]));
    const Rewritten out = converted(simdjson::minify(vector["object_in"]), to);
    REQUIRE(out.objects.size() == 1);
    CHECK(out.objects[0].json == simdjson::minify(vector["object_out"]));

    // What is written as YAML says the same, unless it was lost.
    const bool zero = out.objects[0].json.find("\"assuredConcurrencyShares\":0") != std::string::npos;
    CHECK(zero == (out.losses.size() > 0 && out.losses.back().message.find("zero shares") != std::string::npos));
    const ConfigText texts[] = {{"out.yaml", out.objects[0].yaml}};
    const Rewritten again = default_objects(load_config(texts), texts);
    REQUIRE(again.objects.size() == 1);
    if (!zero) CHECK(again.objects[0].json == out.objects[0].json);
    ++cases;
  }
  CHECK(cases >= 126);
}
