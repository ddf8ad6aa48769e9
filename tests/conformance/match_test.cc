// FlowSchemas, levels, flows and hashes, against the server's own controller.
#include <apf/classify.h>
#include <apf/hand.h>
#include <simdjson.h>

#include <algorithm>

#include "catch.h"
#include "support/vector_fields.h"
#include "support/vectors.h"

using namespace apf;
using simdjson::dom::element;

using apf::test::text_at;

namespace {

// The objects of a vector as a user's file would hold them, one JSON value after the other.
Config config_of_file(element vector) {
  ConfigText file{"vector.json", ""};
  for (const std::string_view list : {"flowSchemas", "priorityLevels"}) {
    for (const element object : vector[list].get_array()) file.text += simdjson::to_string(object) + "\n";
  }
  LoadedConfig loaded = load_config({&file, 1});
  for (const Diagnostic& diagnostic : loaded.diagnostics) UNSCOPED_INFO(to_string(diagnostic));
  REQUIRE_FALSE(loaded.has_errors());
  return std::move(loaded.config);
}

RequestInfo info_of(element from) {
  RequestInfo info;
  info.is_resource_request = from["isResourceRequest"].get_bool().value();
  info.path = text_at(from, "path");
  info.verb = text_at(from, "verb");
  info.api_group = text_at(from, "apiGroup");
  info.ns = text_at(from, "namespace");
  info.resource = text_at(from, "resource");
  info.subresource = text_at(from, "subresource");
  info.name = text_at(from, "name");
  return info;
}

User user_of(element from) {
  User user{text_at(from, "name"), {}};
  simdjson::dom::array groups;
  if (from["groups"].get(groups) != simdjson::SUCCESS) return user;
  for (const element group : groups) user.groups.emplace_back(group.get_string().value());
  return user;
}

void check_request(const Config& config, const Classifier& classifier, element request) {
  const RequestInfo info = info_of(request["requestInfo"]);
  const User user = user_of(request["user"]);
  std::vector<std::int64_t> matches, wanted;
  for (std::size_t i = 0; i < config.flow_schemas.size(); ++i) {
    if (matches_flow_schema(config.flow_schemas[i], info, user)) matches.push_back(static_cast<std::int64_t>(i));
  }
  for (const element index : request["matches"].get_array()) wanted.push_back(index.get_int64().value());
  CHECK(matches == wanted);
  const Classifier::Match match = classifier.match(info, user);
  const Classifier::Schema& schema = classifier.schemas()[match.schema];
  const Classifier::Level& level = classifier.levels()[schema.level];
  CHECK(schema.name == text_at(request, "chosen"));
  CHECK(level.name == text_at(request, "priorityLevel"));
  CHECK(level.exempt == request["exempt"].get_bool().value());
  bool fallback = false;
  if (request["fallback"].error() == simdjson::SUCCESS) fallback = request["fallback"].get_bool().value();
  CHECK(match.fallback == fallback);
  using Distinguisher = Classifier::Schema::Distinguisher;
  const std::string distinguisher = schema.distinguisher == Distinguisher::by_user        ? user.name
                                    : schema.distinguisher == Distinguisher::by_namespace ? info.ns
                                                                                          : "";
  CHECK(distinguisher == text_at(request, "distinguisher"));
  CHECK(std::to_string(flow_hash(schema.name, distinguisher)) == text_at(request, "hash"));
  CHECK(classifier.distinguisher(match.schema, info, user) == text_at(request, "distinguisherUsed"));

  const Explanation explanation = explain(classifier, info, user);
  CHECK(explanation.flow_schema == schema.name);
  CHECK(explanation.flow_distinguisher == text_at(request, "distinguisherUsed"));
  REQUIRE(explanation.trace.size() == classifier.schemas().size());
  for (std::size_t i = 0; i < explanation.trace.size(); ++i) {
    CHECK(explanation.trace[i].matches == matches_flow_schema(classifier.schemas()[i].object, info, user));
    CHECK_FALSE(explanation.trace[i].because.empty());
  }
}

}  // namespace

TEST_CASE("match vectors", "[classify][conformance]") {
  simdjson::dom::parser parser;
  for (const std::string& line : test::read_vectors("match.jsonl")) {
    const element vector = parser.parse(line);
    const std::string label = text_at(vector, "label");
    INFO(label);
    const Config config = config_of_file(vector);
    const Classifier classifier(config);
    std::vector<std::string> order, wanted;
    for (const Classifier::Schema& schema : classifier.schemas()) order.push_back(schema.name);
    for (const element name : vector["order"].get_array()) wanted.emplace_back(name.get_string().value());
    REQUIRE(order == wanted);
    for (const element request : vector["requests"].get_array()) {
      INFO(label << ": " << request);
      check_request(config, classifier, request);
    }
  }
}
