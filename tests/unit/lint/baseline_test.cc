// Fingerprints stay what they are when lines move, and baselines read back as they were written.
#include <apf/error.h>
#include <apf/lint.h>

#include "lint/baseline.h"

#include <algorithm>

#include "catch.h"

using namespace apf;

namespace {

const std::string kSchema =
    "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: ci\nspec:\n  "
    "matchingPrecedence: 1000\n"
    "  priorityLevelConfiguration:\n    name: missing\n  rules:\n  - subjects:\n    - kind: User\n      user:\n        "
    "name: ci\n"
    "    resourceRules:\n    - apiGroups: ['*']\n      resources: ['*']\n      verbs: ['*']\n      namespaces: ['*']\n "
    "     clusterScope: true\n";

std::vector<std::string> prints_of(const std::string& text) {
  const ConfigText texts[] = {{"a.yaml", text}};
  LintOptions options;
  options.select = {"APF101"};
  return fingerprints(lint(load_config(texts), texts, options).findings, texts);
}

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("fingerprints survive moved lines and nothing else", "[lint][baseline]") {
  const std::vector<std::string> before = prints_of(kSchema);
  REQUIRE(before.size() == 1);
  CHECK(before[0].size() == 34);
  CHECK(before[0].substr(32) == ":1");
  CHECK(prints_of("# one\n# two\n" + kSchema) == before);
  CHECK(prints_of(with_replaced(kSchema, "  name: ci\n", "  name: ci\n  labels:\n    a: b\n")) == before);
  CHECK(prints_of(with_replaced(kSchema, "    name: missing", "    name: missing  ")) == before);
  CHECK(prints_of(with_replaced(kSchema, "name: missing", "name: missing-too")) != before);
  CHECK(prints_of(with_replaced(kSchema, "  name: ci\n", "  name: cd\n")) != before);
}

TEST_CASE("entries that move in their list keep their fingerprint, equal ones are told apart", "[lint][baseline]") {
  Diagnostic d;
  d.code = "APF110";
  d.kind = "FlowSchema";
  d.object_name = "ci";
  d.span = {"a.yaml", 1, 1, 1, 2};
  d.field = "spec.rules[0].subjects[1]";
  const ConfigText texts[] = {{"a.yaml", "same\nsame\nother\n"}};
  Diagnostic moved = d;
  moved.field = "spec.rules[12].subjects[0]";
  moved.span.line = 2;
  Diagnostic annotation = d;
  annotation.field = "spec.rules[a].subjects[1]";
  const Diagnostic findings[] = {d, moved, annotation};
  const std::vector<std::string> prints = fingerprints(findings, texts);
  CHECK(prints[0].substr(0, 32) == prints[1].substr(0, 32));
  CHECK(prints[0].substr(32) == ":1");
  CHECK(prints[1].substr(32) == ":2");
  CHECK(prints[2].substr(0, 32) != prints[0].substr(0, 32));
}

TEST_CASE("a baseline reads back as it was written", "[lint][baseline]") {
  const BaselineEntry entries[] = {{"b.yaml", "11:1", "APF101", "FlowSchema/ci", "a \"message\"\nof two lines"},
                                   {"a.yaml", "22:1", "", "", ""},
                                   {"b.yaml", "33:2", "APF102", "", "x"}};
  const std::string text = render_baseline(entries);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  const std::vector<BaselineEntry> read = parse_baseline(text, "known.json");
  REQUIRE(read.size() == 3);
  CHECK(read[0].file == "a.yaml");
  CHECK(read[1].message == entries[0].message);
  CHECK(read[1].object == "FlowSchema/ci");
  CHECK(read[2].fingerprint == "33:2");
  CHECK(parse_baseline(render_baseline({}), "known.json").empty());
}

TEST_CASE("what is no baseline is refused", "[lint][baseline]") {
  for (const char* text :
       {"", "[]", "{}", "{\"apfctlBaseline\":2,\"findings\":[]}", "{\"apfctlBaseline\":1}",
        "{\"apfctlBaseline\":1,\"findings\":[{}]}", "{\"apfctlBaseline\":1,\"findings\":[1]}", "kind: List"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_baseline(text, "known.json"), Error);
  }
  CHECK_THROWS_WITH(parse_baseline("{}", "known.json"), Catch::StartsWith("known.json isn't a baseline: "));
}
