// bootstrap_config against the objects that kube-apiserver's own package lists, for every release.
#include <apf/config.h>
#include <simdjson.h>

#include "catch.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

// The set's objects, decoded, in the order of the server's lists: mandatory before suggested.
Config expected_config(const simdjson::dom::element& set, bool suggested) {
  std::string text;
  for (const char* list :
       {"mandatoryFlowSchemas", "suggestedFlowSchemas", "mandatoryPriorityLevels", "suggestedPriorityLevels"}) {
    if (!suggested && std::string_view(list).starts_with("suggested")) continue;
    for (const simdjson::dom::element object : set[list]) text += simdjson::minify(object) + "\n";
  }
  LoadedConfig loaded = test::load_text(text, "bootstrap.json");
  INFO(test::diagnostics_text(loaded));
  REQUIRE(loaded.diagnostics.empty());
  return std::move(loaded.config);
}

}  // namespace

TEST_CASE("bootstrap: every release has the server's own objects", "[config][conformance]") {
  simdjson::dom::parser parser;
  std::string text;
  for (const std::string& line : test::read_vectors("bootstrap.json")) text += line;
  const simdjson::dom::element document = parser.parse(text);
  int releases = 0;
  for (const auto [release, set_name] : simdjson::dom::object(document["releases"])) {
    const auto version = KubeVersion::parse("1" + std::string(release.substr(2)));  // "v0.36" is 1.36
    INFO(release);
    REQUIRE(version);
    const simdjson::dom::element set = document["sets"][std::string_view(set_name)];
    CHECK(test::config_text(bootstrap_config(*version)) == test::config_text(expected_config(set, true)));
    CHECK(test::config_text(bootstrap_config(*version, Builtins::mandatory)) ==
          test::config_text(expected_config(set, false)));
    ++releases;
  }
  CHECK(releases == 8);
}

TEST_CASE("bootstrap: every release since 1.20 has what its own code makes", "[config][conformance]") {
  simdjson::dom::parser parser;
  int releases = 0;
  for (const std::string& line : test::read_vectors("bootstrap-by-release.jsonl")) {
    const simdjson::dom::element vector = parser.parse(line);
    const std::string release(vector["release"]);
    INFO(release);
    const std::optional<KubeVersion> version = KubeVersion::parse(release);
    REQUIRE(version);
    std::string text;
    for (const char* list : {"flowSchemas", "priorityLevels"})
      for (const simdjson::dom::element object : vector[list]) text += simdjson::minify(object) + "\n";
    const LoadedConfig loaded = test::load_text(text, "bootstrap-by-release.jsonl");
    INFO(test::diagnostics_text(loaded));
    REQUIRE(loaded.diagnostics.empty());
    Config own = bootstrap_config(*version);  // in the form of v1
    for (FlowSchema& schema : own.flow_schemas) schema.meta.api_version = std::string(vector["apiVersion"]);
    for (PriorityLevel& level : own.priority_levels) level.meta.api_version = std::string(vector["apiVersion"]);
    CHECK(test::config_text(own) == test::config_text(loaded.config));
    // As apfctl builtins writes them.
    const ObjectForm form{newest_served(*version), *version};
    std::string written;
    for (const FlowSchema& schema : own.flow_schemas) written += render_json(schema, form) + "\n";
    for (const PriorityLevel& level : own.priority_levels) written += render_json(level, form) + "\n";
    const LoadedConfig again = test::load_text(written, "written.jsonl");
    INFO(test::diagnostics_text(again));
    CHECK(again.diagnostics.empty());
    CHECK(test::config_text(again.config) == test::config_text(loaded.config));
    const Config mandatory = bootstrap_config(*version, Builtins::mandatory);
    CHECK(mandatory.flow_schemas.size() == 2);
    CHECK(mandatory.priority_levels.size() == 2);
    ++releases;
  }
  CHECK(releases == 17);
}

TEST_CASE("bootstrap: patches that added the FlowSchema probes; none is none", "[config]") {
  CHECK(bootstrap_config(KubeVersion{20, 6}).flow_schemas.size() == 10);
  CHECK(bootstrap_config(KubeVersion{20, 7}).flow_schemas.size() == 11);
  CHECK(bootstrap_config(KubeVersion{21, 0}).flow_schemas.size() == 10);
  CHECK(bootstrap_config(KubeVersion{21, 1}).flow_schemas.size() == 11);
  const Config none = bootstrap_config(KubeVersion{36}, Builtins::none);
  CHECK(none.flow_schemas.empty());
  CHECK(none.priority_levels.empty());
}

TEST_CASE("bootstrap: built-ins are what a decoded and defaulted object would be", "[config]") {
  Config config = bootstrap_config(KubeVersion{36});
  const std::string before = test::config_text(config);
  apply_defaults(config);
  CHECK(test::config_text(config) == before);
}

TEST_CASE("with_builtins: an object of the same kind and name replaces the built-in in its place", "[config]") {
  Config own = test::load_text(R"(
{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "probes"},
 "spec": {"matchingPrecedence": 77, "priorityLevelConfiguration": {"name": "mine"}}}
{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": "mine"}, "spec": {"type": "Limited"}}
{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": "probes"}, "spec": {"type": "Limited"}}
)")
                   .config;
  const Config all = with_builtins(own, KubeVersion{36}, Builtins::all);
  const Config built_in = bootstrap_config(KubeVersion{36});
  REQUIRE(all.flow_schemas.size() == built_in.flow_schemas.size());
  REQUIRE(all.priority_levels.size() ==
          built_in.priority_levels.size() + 2);  // a level named like a schema replaces nothing
  CHECK(all.flow_schemas[4].meta.name == "probes");
  CHECK(all.flow_schemas[4].matching_precedence == 77);
  CHECK(all.flow_schemas[4].meta.source.tree != nullptr);
  CHECK(all.priority_levels[all.priority_levels.size() - 2].meta.name == "mine");

  const Config alone = with_builtins(own, KubeVersion{36}, Builtins::none);
  CHECK(test::config_text(alone) == test::config_text(own));
}
