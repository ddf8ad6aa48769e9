// Loading configurations: what is read, and what is said of what cannot be.
#include <apf/config.h>

#include <chrono>
#include <set>

#include "catch.h"
#include "config/codes.h"
#include "config/tree.h"
#include "unit/config/model_text.h"

using namespace apf;
using test::load_text;

namespace {

constexpr const char* kGoodSchema = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: good
spec:
  priorityLevelConfiguration:
    name: level
)";

// The only diagnostic, as "code line:column-line:column message".
std::string only(const LoadedConfig& loaded) {
  INFO(test::diagnostics_text(loaded));
  REQUIRE(loaded.diagnostics.size() == 1);
  const Diagnostic& d = loaded.diagnostics[0];
  return fmt::format("{} {}:{}-{}:{} {}", d.code, d.span.line, d.span.column, d.span.end_line, d.span.end_column,
                     d.message);
}

std::string schema_with(const std::string& spec_lines) {
  return "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: a}\nspec:\n" + spec_lines;
}

std::string level_with(const std::string& limited_lines, const std::string& version = "v1") {
  return "apiVersion: flowcontrol.apiserver.k8s.io/" + version +
         "\nkind: PriorityLevelConfiguration\nmetadata: {name: a}\nspec:\n  type: Limited\n  limited:\n" +
         limited_lines;
}

}  // namespace

TEST_CASE("load: a FlowSchema with everything in it", "[config]") {
  const LoadedConfig loaded = load_text(R"(
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: everything
  uid: 7b9a
  annotations:
    note: "true"
    empty:
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: {name: workload-low}
  distinguisherMethod: {type: ByNamespace}
  rules:
  - subjects:
    - {kind: User, user: {name: alice}}
    - {kind: Group, group: {name: dev}}
    - kind: ServiceAccount
      serviceAccount:
        namespace: ci
        name: "*"
    resourceRules:
    - verbs: [get, list]
      apiGroups: [""]
      resources: ["pods", 'pods/log']
      namespaces: ["*"]
    - {verbs: ["*"], apiGroups: [apps], resources: ["*"], clusterScope: true}
    nonResourceRules:
    - verbs: ["*"]
      nonResourceURLs: [/healthz]
)");
  INFO(test::diagnostics_text(loaded));
  CHECK(loaded.diagnostics.empty());
  CHECK_FALSE(loaded.has_errors());
  CHECK(loaded.documents == 1);
  REQUIRE(loaded.config.flow_schemas.size() == 1);
  CHECK(test::object_text(loaded.config.flow_schemas[0]) ==
        "name 'everything' uid '7b9a'\n"
        "annotation 'note' = 'true'\n"
        "annotation 'empty' = ''\n"
        "level 'workload-low' precedence 500 distinguisher 'ByNamespace'\n"
        "rule\n"
        " subject 'User' user 'alice' group unset account unset\n"
        " subject 'Group' user unset group 'dev' account unset\n"
        " subject 'ServiceAccount' user unset group unset account 'ci' '*'\n"
        " resource ['get' 'list' ] ['' ] ['pods' 'pods/log' ] ['*' ] false\n"
        " resource ['*' ] ['apps' ] ['*' ] [] true\n"
        " non-resource ['*' ] ['/healthz' ]\n");
}

TEST_CASE("load: shares by either name, absent and null alike", "[config]") {
  const auto shares = [](const std::string& version, const std::string& line) {
    const LoadedConfig loaded = load_text(level_with(line + "    limitResponse: {type: Reject}\n", version));
    REQUIRE(loaded.config.priority_levels.size() == 1);
    return test::text(loaded.config.priority_levels[0].limited->nominal_concurrency_shares);
  };
  CHECK(shares("v1", "    nominalConcurrencyShares: 0\n") == "0");
  CHECK(shares("v1beta3", "    nominalConcurrencyShares: 7\n") == "7");
  CHECK(shares("v1beta2", "    assuredConcurrencyShares: 7\n") == "7");
  CHECK(shares("v1beta1", "    assuredConcurrencyShares: 7\n") == "7");
  CHECK(shares("v1alpha1", "    assuredConcurrencyShares: 7\n") == "7");
  CHECK(shares("v1", "    nominalConcurrencyShares: null\n") == "unset");
  CHECK(shares("v1", "") == "unset");
}

TEST_CASE("load: kubectl get -o yaml output with status and managedFields is clean", "[config]") {
  const LoadedConfig loaded = load_text(R"(apiVersion: v1
items:
- apiVersion: flowcontrol.apiserver.k8s.io/v1
  kind: FlowSchema
  metadata:
    annotations:
      apf.kubernetes.io/autoupdate-spec: "true"
    creationTimestamp: "2026-01-05T08:00:00Z"
    generation: 1
    labels: {app: x}
    managedFields:
    - apiVersion: flowcontrol.apiserver.k8s.io/v1
      fieldsType: FieldsV1
      fieldsV1:
        f:metadata:
          f:annotations: {.: {}, f:apf.kubernetes.io/autoupdate-spec: {}}
      manager: api-priority-and-fairness-config-producer-v1
      operation: Apply
      subresource: status
      time: 2026-01-05T08:00:00Z
    name: exempt
    resourceVersion: "88"
    uid: 0a1b
  spec:
    matchingPrecedence: 1
    priorityLevelConfiguration: {name: exempt}
  status:
    conditions:
    - lastTransitionTime: "2026-01-05T08:00:00Z"
      message: This FlowSchema references the PriorityLevelConfiguration object named "exempt" and it exists
      reason: Found
      status: "False"
      type: Dangling
- apiVersion: flowcontrol.apiserver.k8s.io/v1
  kind: PriorityLevelConfiguration
  metadata: {creationTimestamp: null, name: exempt}
  spec: {type: Exempt, exempt: {lendablePercent: 0, nominalConcurrencyShares: 0}}
  status: {}
kind: List
metadata:
  resourceVersion: ""
)");
  INFO(test::diagnostics_text(loaded));
  CHECK(loaded.diagnostics.empty());
  CHECK(loaded.config.flow_schemas.size() == 1);
  CHECK(loaded.config.priority_levels.size() == 1);
}

TEST_CASE("load: typed lists lend their items kind and apiVersion; a broken item leaves the others", "[config]") {
  const LoadedConfig loaded = load_text(R"(apiVersion: flowcontrol.apiserver.k8s.io/v1beta2
kind: PriorityLevelConfigurationList
items:
- metadata: {name: a}
  spec: {type: Limited, limited: {assuredConcurrencyShares: 3}}
- metadata: {name: b}
  spec: {type: Limited, limited: {assuredConcurrencyShares: many}}
- 17
- metadata: {name: c}
)");
  REQUIRE(loaded.config.priority_levels.size() == 2);
  CHECK(loaded.config.priority_levels[0].meta.name == "a");
  CHECK(loaded.config.priority_levels[0].meta.api_version == "flowcontrol.apiserver.k8s.io/v1beta2");
  CHECK(loaded.config.priority_levels[1].meta.name == "c");
  CHECK(test::diagnostics_text(loaded) ==
        "APF004 test.yaml:7:61: error: PriorityLevelConfiguration/b: spec.limited.assuredConcurrencyShares: expected "
        "an integer, found a string\n"
        "APF013 test.yaml:8:3: error: expected a Kubernetes object with apiVersion and kind, found a single value\n");
}

TEST_CASE("load: other kinds are skipped and named", "[config]") {
  const LoadedConfig loaded = load_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n---\n# nothing\n---\n" +
                                        std::string(kGoodSchema));
  CHECK(loaded.diagnostics.empty());
  CHECK(loaded.documents == 2);
  REQUIRE(loaded.skipped.size() == 1);
  CHECK(loaded.skipped[0].kind == "ConfigMap");
  CHECK(loaded.skipped[0].api_version == "v1");
  CHECK(loaded.skipped[0].name == "cm");
  CHECK(loaded.skipped[0].span.line == 2);
  REQUIRE(loaded.config.flow_schemas.size() == 1);
  CHECK(loaded.config.flow_schemas[0].meta.source.document == 1);
}

TEST_CASE("load: unknown fields are warnings with position and the likely name", "[config]") {
  const LoadedConfig loaded =
      load_text(schema_with("  matchingPrecedense: 5\n  rules:\n  - subjects:\n    - {kind: User, user: {nam: x}}\n"));
  CHECK_FALSE(loaded.has_errors());
  REQUIRE(loaded.config.flow_schemas.size() == 1);
  REQUIRE(loaded.diagnostics.size() == 2);
  const Diagnostic& first = loaded.diagnostics[0];
  CHECK(to_string(first) == "test.yaml:5:3: warning: FlowSchema/a: unknown field \"spec.matchingPrecedense\"");
  CHECK(first.span.end_column == 21);
  CHECK(first.field == "spec.matchingPrecedense");
  CHECK(first.detail == "strict decoding error: unknown field \"spec.matchingPrecedense\"");
  REQUIRE(first.notes.size() == 1);
  CHECK(first.notes[0].message == "did you mean \"matchingPrecedence\"?");
  CHECK(loaded.diagnostics[1].message == "unknown field \"spec.rules[0].subjects[0].user.nam\"");
}

TEST_CASE("load: shares under the other versions' name", "[config]") {
  const LoadedConfig loaded = load_text(level_with("    assuredConcurrencyShares: 10\n", "v1beta3"));
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics[0].message == "unknown field \"spec.limited.assuredConcurrencyShares\"");
  REQUIRE(loaded.diagnostics[0].notes.size() == 1);
  CHECK(loaded.diagnostics[0].notes[0].message.starts_with("v1beta3 calls it nominalConcurrencyShares"));
}

TEST_CASE("load: duplicate fields are warnings, the last one is used", "[config]") {
  for (const char* text : {"apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: "
                           "a}\nspec:\n  matchingPrecedence: 1\n"
                           "  matchingPrecedence: 2\n",
                           "{\"apiVersion\": \"flowcontrol.apiserver.k8s.io/v1\",\n\"kind\": "
                           "\"FlowSchema\",\n\"metadata\": {\"name\": \"a\"},\n"
                           "\"spec\": {\n  \"matchingPrecedence\": 1,\n  \"matchingPrecedence\": 2}}"}) {
    const LoadedConfig loaded = load_text(text);
    REQUIRE(loaded.config.flow_schemas.size() == 1);
    CHECK(loaded.config.flow_schemas[0].matching_precedence == 2);
    REQUIRE(loaded.diagnostics.size() == 1);
    CHECK(to_string(loaded.diagnostics[0]) ==
          "test.yaml:6:3: warning: FlowSchema/a: duplicate field \"spec.matchingPrecedence\"");
  }
  const LoadedConfig annotations = load_text(R"({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
 "metadata": {"name": "a", "annotations": {"k": "1", "l": "x",
   "k": "2"}}})");
  CHECK(only(annotations) == "APF003 3:4-3:7 duplicate field \"metadata.annotations[k]\"");
  CHECK(test::object_text(annotations.config.flow_schemas.at(0)).find("annotation 'k' = '2'\nannotation 'l' = 'x'\n") !=
        std::string::npos);
}

TEST_CASE("load: wrong types are errors with the server's text as detail", "[config]") {
  struct Case {
    const char* spec;  // JSON
    const char* field;
    const char* detail;
  };
  const Case cases[] = {
      {R"({"matchingPrecedence": "5"})", "spec.matchingPrecedence",
       "json: cannot unmarshal string into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type int32"},
      {R"({"matchingPrecedence": 5.0})", "spec.matchingPrecedence",
       "json: cannot unmarshal number 5.0 into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type int32"},
      {R"({"matchingPrecedence": 5.5})", "spec.matchingPrecedence",
       "json: cannot unmarshal number 5.5 into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type int32"},
      {R"({"matchingPrecedence": 2147483648})", "spec.matchingPrecedence",
       "json: cannot unmarshal number 2147483648 into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type "
       "int32"},
      {R"({"matchingPrecedence": true})", "spec.matchingPrecedence",
       "json: cannot unmarshal bool into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type int32"},
      {R"({"matchingPrecedence": 99999999999999999999})", "spec.matchingPrecedence",
       "json: cannot unmarshal number 99999999999999999999 into Go struct field FlowSchemaSpec.spec.matchingPrecedence "
       "of type int32"},
      {R"({"rules": {}})", "spec.rules",
       "json: cannot unmarshal object into Go struct field FlowSchemaSpec.spec.rules of type "
       "[]v1.PolicyRulesWithSubjects"},
      {R"({"rules": [{"resourceRules": [{"verbs": "get"}]}]})", "spec.rules[0].resourceRules[0].verbs",
       "json: cannot unmarshal string into Go struct field ResourcePolicyRule.spec.rules.resourceRules.verbs of type "
       "[]string"},
      {R"({"rules": [{}, {"nonResourceRules": [{"verbs": ["get", 7]}]}]})",
       "spec.rules[1].nonResourceRules[0].verbs[1]",
       "json: cannot unmarshal number into Go struct field NonResourcePolicyRule.spec.rules.nonResourceRules.verbs of "
       "type string"},
      {R"({"rules": [{"subjects": [{"user": "alice"}]}]})", "spec.rules[0].subjects[0].user",
       "json: cannot unmarshal string into Go struct field Subject.spec.rules.subjects.user of type v1.UserSubject"},
      {R"([])", "spec", "json: cannot unmarshal array into Go struct field FlowSchema.spec of type v1.FlowSchemaSpec"},
  };
  for (const Case& c : cases) {
    const LoadedConfig loaded = load_text(
        std::string(
            R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"a"},"spec":)") +
        c.spec + "}");
    INFO(c.spec);
    CHECK(loaded.config.flow_schemas.empty());
    REQUIRE(loaded.diagnostics.size() == 1);
    CHECK(loaded.diagnostics[0].code == kWrongType.code);
    CHECK(loaded.diagnostics[0].severity == Severity::error);
    CHECK(loaded.diagnostics[0].field == c.field);
    CHECK(loaded.diagnostics[0].detail == c.detail);
  }
}

TEST_CASE("load: YAML 1.1 scalars read as kubectl reads them", "[config]") {
  const auto precedence = [](const std::string& text) {
    const LoadedConfig loaded = load_text(schema_with("  matchingPrecedence: " + text + "\n"));
    return loaded.config.flow_schemas.empty() ? -1 : loaded.config.flow_schemas[0].matching_precedence;
  };
  CHECK(precedence("0o10") == 8);
  CHECK(precedence("010") == 8);
  CHECK(precedence("0x10") == 16);
  CHECK(precedence("0b101") == 5);
  CHECK(precedence("1_000") == 1000);
  CHECK(precedence("+5") == 5);
  CHECK(precedence("!!int \"5\"") == 5);
  CHECK(precedence("2147483647") == 2147483647);
  CHECK(precedence("2147483648") == -1);
  CHECK(precedence("\"5\"") == -1);
  CHECK(precedence("!!str 5") == -1);
  CHECK(precedence("5.0") == 5);
  CHECK(precedence("1e3") == 1000);
  CHECK(precedence("5.5") == -1);
  CHECK(precedence("yes") == -1);
  CHECK(precedence("~") == 0);
  CHECK(precedence("") == 0);

  const LoadedConfig no = load_text(schema_with("  rules:\n  - subjects:\n    - {kind: User, user: {name: no}}\n"));
  CHECK(only(no) == "APF004 7:33-7:35 spec.rules[0].subjects[0].user.name: expected a string, found the boolean no");
  REQUIRE(no.diagnostics[0].notes.size() == 1);
  CHECK(no.diagnostics[0].notes[0].message == "YAML reads no as a boolean; write it in quotes");

  const LoadedConfig scope =
      load_text(schema_with("  rules:\n  - resourceRules:\n    - {clusterScope: on}\n    - {clusterScope: Off}\n"));
  REQUIRE(scope.config.flow_schemas.size() == 1);
  CHECK(scope.config.flow_schemas[0].rules[0].resource_rules[0].cluster_scope);
  CHECK_FALSE(scope.config.flow_schemas[0].rules[0].resource_rules[1].cluster_scope);
}

TEST_CASE("load: keys that YAML reads as something else become that value's text", "[config]") {
  const LoadedConfig loaded = load_text(
      "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: a\n  annotations: {on: x, "
      "0x10: z}\n");
  INFO(test::diagnostics_text(loaded));
  REQUIRE(loaded.config.flow_schemas.size() == 1);
  const auto& annotations = loaded.config.flow_schemas[0].meta.annotations;
  REQUIRE(annotations.size() == 2);
  CHECK(annotations[0].first == "true");
  CHECK(annotations[1].first == "16");
}

TEST_CASE("load: a text that does not parse says where and what was expected", "[config]") {
  struct Case {
    const char* name;
    const char* text;
    const char* expected;
  };
  const Case cases[] = {
      {"a.yaml", "kind: FlowSchema\nmetadata: name: x\n",
       "APF001 2:15-2:16 YAML: did not expect ':' here: a mapping begins on a line of its own, and text with ': ' in "
       "it needs quotes"},
      {"a.yaml", "kind: FlowSchema\nmetadata:\n\tname: x\n",
       "APF001 3:1-3:2 YAML: expected spaces as indentation, found a tab"},
      {"a.yaml", "a:\n\t# note\n  b: x\n", "APF001 2:1-2:2 YAML: expected spaces as indentation, found a tab"},
      {"a.yaml", "a:\n-\tx\n", "APF001 2:2-2:3 YAML: expected spaces as indentation, found a tab"},
      {"a.yaml", "a: [1, 2\nb: 3\n", "APF001 2:2-2:3 YAML: expected ',' or ']' in a list in brackets"},
      {"a.yaml", "[a,\n", "APF001 2:1-2:1 YAML: expected ',' or ']' in a list in brackets"},
      {"a.yaml", "a: {b: 1\n", "APF001 2:1-2:1 YAML: expected ',' or '}' in a mapping in braces"},
      {"a.yaml", "a: \"never closed\nb: 1\n",
       "APF001 1:4-1:5 YAML: expected the closing quote of this string, found the end of the document"},
      {"a.yaml", "a: *nobody\n",
       "APF001 1:4-1:11 YAML: no anchor '&nobody' comes before this alias; a text that begins with '*' needs quotes"},
      {"a.yaml", "verbs: [*]\n",
       "APF001 1:10-1:11 YAML: expected a name after '*'; a text that begins with '*' needs quotes"},
      {"a.yaml", "a: @b\n",
       "APF001 1:4-1:5 YAML: expected a value; a text that begins with this character needs quotes"},
      {"a.yaml", "[a, b]\nc: d\n",
       "APF001 2:1-2:2 YAML: expected the end of the document here; the value before this is complete, and kubectl "
       "ignores the rest"},
      {"a.yaml", "? [a]\n: b\n", "APF001 1:3-1:4 YAML: expected a string as the key of a mapping"},
      {"a.yaml", "a: 1\nb\nc: 2\n", "APF001 2:1-2:2 YAML: expected ':' after this key"},
      {"a.yaml", "a:\n  b: 1\n  cd # x\n", "APF001 3:3-3:5 YAML: expected ':' after this key"},
      {"a.yaml", "a: [x, , y]\n", "APF001 1:8-1:9 YAML: expected a value before this comma"},
      {"a.yaml", "%a: b\nc: d\n",
       "APF001 1:1-1:2 YAML: did not expect a directive here; a text that begins with '%' needs quotes"},
      {"a.yaml", "c: d\n%a: b\n",
       "APF001 2:1-2:2 YAML: did not expect a directive here; a text that begins with '%' needs quotes"},
      {"a.yaml", "%YAML 1.1\n---\n",
       "APF001 1:1-1:2 YAML: did not expect a directive here; a text that begins with '%' needs quotes"},
      {"a.yaml", "---\n...\n", "APF001 2:1-2:2 YAML: kubectl refuses a document that begins with '...'"},
      {"a.yaml", "a: b\n...\n# c\nd: e\n",
       "APF001 4:1-4:2 YAML: kubectl reads nothing between '...' and the next '---': begin a document with '---'"},
      {"a.yaml", "--- c\n",
       "APF001 1:5-1:6 YAML: kubectl takes nothing but a comment behind '---': begin the document on the next line"},
      {"a.yaml", "a: \"\\/\"\n",
       "APF001 1:5-1:7 YAML: no escape begins with \\/; write a backslash in double quotes as \\\\"},
      {"a.yaml", "a: !!int b\n", "APF001 1:4-1:9 YAML: the tag !!int does not fit this value"},
      {"a.yaml", "a: !!binary aGk=\n",
       "APF001 1:4-1:12 YAML: apfctl does not read values of the type !!binary; write the text itself in quotes"},
      {"a.yaml", "a: .inf\n", "APF001 1:4-1:8 YAML: JSON has no such number, so that kubectl refuses it"},
      {"a.yaml", "a: {1.5: b}\n",
       "APF001 1:5-1:8 YAML: kubectl makes another text of this number as a key: write it in quotes"},
      {"a.yaml", "a: [b?c]\n",
       "APF001 1:5-1:8 YAML: readers of YAML read this differently, and apfctl does not guess: write the text in "
       "double "
       "quotes, on one line"},
      {"a.yaml", "a: [/b?c=d]\n",
       "APF001 1:5-1:11 YAML: readers of YAML read this differently, and apfctl does not guess: write the text in "
       "double "
       "quotes, on one line"},
      {"a.yaml", "- &x b\n  c\n",
       "APF001 1:6-2:4 YAML: readers of YAML read this differently, and apfctl does not guess: write the text in "
       "double "
       "quotes, on one line"},
      {"a.yaml", "a: >+\n  b\n\n",
       "APF001 1:4-2:4 YAML: readers of YAML read this differently, and apfctl does not guess: write '|+' for '>+', or "
       "the text in double quotes"},
      {"a.yaml", "- !!str |\n  b\n",
       "APF001 1:9-2:4 YAML: readers of YAML read this differently, and apfctl does not guess: indent the lines below "
       "this further"},
      {"a.yaml", "a: \"x\\Ny\"\n",
       "APF001 1:4-1:10 YAML: readers of YAML read this differently, and apfctl does not guess: write \\u0085 for \\N, "
       "and \\u00a0 for \\_"},
      {"a.yaml", "a: !!!str b\n",
       "APF001 1:11-1:12 YAML: readers of YAML read this differently, and apfctl does not guess: write the text in "
       "double "
       "quotes, without its tag"},
      {"a.yaml", "a: [2001:db8::]\n",
       "APF001 1:14-1:15 YAML: apfctl reads no text with ':' before a bracket, a brace or a comma: write a space after "
       "the colon, or the text in quotes"},
      {"a.yaml", "a: [!!str, b]\n",
       "APF001 1:5-1:11 YAML: kubectl takes the comma for a part of this tag: write a space before it"},
      {"a.yaml", "a: \"\\'\"\n", "APF001 1:5-1:7 YAML: apfctl does not read the escape \\': write ' itself"},
      {"a.yaml",
       "a: 1\n\xEF\xBB\xBF"
       "b: 2\n",
       "APF001 2:1-2:4 YAML: kubectl takes the byte order mark (U+FEFF) here for text, and editors do not show it: "
       "delete "
       "it"},
      {"a.yaml", "a: \"\\ud800\"\n", "APF001 1:5-1:11 YAML: U+D800 is not a character: write the character itself"},
      {"a.yaml", "a: \"\\xg\"\n", "APF001 1:5-1:7 YAML: expected 2 hexadecimal digits after \\x"},
      {"a.yaml", "a: x\x04y\nb: c\n", "APF001 1:5-1:6 YAML: control characters are not allowed, found U+0004"},
      {"a.json", "{\"a\": 1,\n \"b\": }", "APF001 2:7-2:8 JSON: expected a value after the key, found '}'"},
      {"a.json", "{\"a\": 1\n \"b\": 2}", "APF001 2:2-2:3 JSON: expected ',' or '}' after a value, found '\"'"},
      {"a.json", "{\"a\": [1, 2,]}", "APF001 1:13-1:14 JSON: expected a value after ',', found ']'"},
      {"a.json", "{\"a\": [1, 2",
       "APF001 1:12-1:12 JSON: expected ',' or ']' after an element, found the end of the text"},
      {"a.json", "{a: 1}", "APF001 1:2-1:3 JSON: expected a key in double quotes or '}', found 'a'"},
      {"a.json", "{\"a\" 1}", "APF001 1:6-1:7 JSON: expected ':' after the key, found '1'"},
      {"a.json", "{\"a\": 01}", "APF001 1:8-1:9 JSON: a number may not begin with 0"},
      {"a.json", "{\"a\": \"x\ny\"}", "APF001 1:9-1:9 JSON: a string may not hold a line break; expected '\"'"},
      {"a.json", "{\"a\": \"\\q\"}",
       "APF001 1:9-1:10 JSON: expected one of \" \\ / b f n r t u after a backslash, found 'q'"},
      {"a.json", "{\"a\": nul}", "APF001 1:7-1:8 JSON: expected a value after the key, found 'n'"},
      {"<stdin>", "{\"a\": [1}", "APF001 1:9-1:10 JSON: expected ',' or ']' after an element, found '}'"},
      {"a.yaml", "a: \xff\n", "APF010 1:4-1:5 this file is not UTF-8 (byte 0xff); convert it to UTF-8"},
      {"a.yaml",
       "\xff\xfe"
       "a",
       "APF010 1:1-1:2 this file is not UTF-8 (byte 0xff, it looks like UTF-16); convert it to UTF-8"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    const LoadedConfig loaded = load_text(c.text, c.name);
    CHECK(only(loaded) == c.expected);
    CHECK(loaded.has_errors());
    CHECK(loaded.diagnostics[0].span.file == c.name);
  }
}

TEST_CASE("load: what ends a line for kubectl and not for an editor is refused wherever it stands", "[config]") {
  struct Case {
    std::string_view bytes;
    const char* message;
  };
  const Case cases[] = {
      {"\r", "YAML: a carriage return (U+000D) ends"},
      {"\xC2\x85", "YAML: U+0085 ends"},
      {"\xE2\x80\xA8", "YAML: U+2028 ends"},
      {"\xE2\x80\xA9", "YAML: U+2029 ends"},
  };
  for (const Case& c : cases) {
    for (const std::string before : {"a: b # ", "# ", "a: b\n---\n# ", "a: [", "a: '", "a: \"", "a: b", "a: |\n  b"}) {
      INFO(before << c.message);
      const LoadedConfig loaded = load_text(before + std::string(c.bytes) + "'\"]");
      REQUIRE_FALSE(loaded.diagnostics.empty());
      const Diagnostic& d = loaded.diagnostics.back();
      CHECK(d.message.starts_with(c.message));
      const std::size_t line = before.rfind('\n') + 1;
      CHECK(d.span.column == static_cast<int>(before.size() - line) + 1);
      if (c.bytes != "\r") CHECK(d.span.end_column == d.span.column + static_cast<int>(c.bytes.size()));
    }
  }
  CHECK(load_text("# a\r\n\r\n").diagnostics.empty());
}

TEST_CASE("load: of keys that a merge key repeats, the one that stands last counts", "[config]") {
  const auto precedence = [](const std::string& spec) {
    const LoadedConfig loaded = load_text(
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: a}\nspec: " + spec + "\n");
    INFO(test::diagnostics_text(loaded));
    REQUIRE(loaded.diagnostics.empty());
    return loaded.config.flow_schemas.at(0).matching_precedence;
  };
  CHECK(precedence("{<<: {matchingPrecedence: 1}, matchingPrecedence: 3}") == 3);
  CHECK(precedence("{matchingPrecedence: 3, <<: {matchingPrecedence: 1}}") == 1);
  CHECK(precedence("{<<: [{matchingPrecedence: 1}, {matchingPrecedence: 2}]}") == 1);
  CHECK(precedence("{<<: {matchingPrecedence: 1}, <<: {matchingPrecedence: 2}}") == 2);
  CHECK(precedence("{matchingPrecedence: 4, <<: [{}, {matchingPrecedence: 2}]}") == 2);
}

TEST_CASE("load: tabs and percent signs inside strings and brackets are only text", "[config]") {
  const LoadedConfig loaded = load_text(
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\t # tab before a comment\ndata:\n  a: |\n    one\n    "
      "\ttwo\n  b: \"x\n\t\ty\n%z\"\n  c: [\n\t1]\n");
  INFO(test::diagnostics_text(loaded));
  CHECK(loaded.diagnostics.empty());
  CHECK(loaded.skipped.size() == 1);
}

TEST_CASE("load: a broken document leaves the others", "[config]") {
  std::string other = kGoodSchema;
  other.replace(other.find("good"), 4, "also");
  const LoadedConfig loaded = load_text(std::string(kGoodSchema) + "---\na: \"open\n--- # third\n" + other + "...\n");
  CHECK(loaded.documents == 3);
  REQUIRE(loaded.config.flow_schemas.size() == 2);
  CHECK(loaded.config.flow_schemas[1].meta.name == "also");
  CHECK(loaded.config.flow_schemas[1].meta.source.document == 2);
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics[0].document == 1);
}

TEST_CASE("load: JSON values one after another; what comes after a broken one is not guessed at", "[config]") {
  const std::string one =
      R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"x"}})";
  std::string two = one;
  two.replace(two.find("\"x\""), 3, "\"y\"");
  CHECK(load_text(one + "\n" + two + "\n").config.flow_schemas.size() == 2);
  const LoadedConfig broken = load_text(one + "\n{\"a\" 1}\n" + two, "a.json");
  CHECK(broken.config.flow_schemas.size() == 1);
  CHECK(only(broken) == "APF001 2:6-2:7 JSON: expected ':' after the key, found '1'");
  // JSON with trailing commas or comments is YAML all the same, unless the file says that it is JSON.
  CHECK(load_text(one.substr(0, one.size() - 1) + ",} # end\n").config.flow_schemas.size() == 1);
  CHECK(load_text(one + "\n---\n" + two).config.flow_schemas.size() == 2);
}

TEST_CASE("load: byte order mark and CRLF do not move positions", "[config]") {
  const LoadedConfig loaded = load_text(
      "\xEF\xBB\xBF"
      "apiVersion: flowcontrol.apiserver.k8s.io/v1\r\nkind: FlowSchema\r\nmetadata:\r\n  name: a\r\nspec:\r\n  foo: "
      "1\r\n"
      "  matchingPrecedence: x\r\n");
  REQUIRE(loaded.diagnostics.size() == 2);
  CHECK(to_string(loaded.diagnostics[0]) == "test.yaml:6:3: warning: FlowSchema/a: unknown field \"spec.foo\"");
  CHECK(loaded.diagnostics[1].span.line == 7);
  CHECK(loaded.diagnostics[1].span.column == 23);
  CHECK(loaded.diagnostics[1].span.end_column == 24);
  const LoadedConfig first_line = load_text("\xEF\xBB\xBF{\"kind\": 1}", "a.json");
  CHECK(only(first_line) == "APF004 1:10-1:11 kind: expected a string");
}

TEST_CASE("load: anchors, aliases and merge keys", "[config]") {
  const LoadedConfig loaded = load_text(R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: a}
spec:
  rules:
  - subjects: &subjects
    - {kind: User, user: {name: u}}
    resourceRules:
    - &rule {verbs: [get], apiGroups: [""], resources: [pods], namespaces: ["*"]}
    - <<: *rule
      verbs: [list]
  - subjects: *subjects
    nonResourceRules: [{verbs: [get], nonResourceURLs: [&url /x, *url]}]
)");
  INFO(test::diagnostics_text(loaded));
  CHECK(loaded.diagnostics.empty());
  REQUIRE(loaded.config.flow_schemas.size() == 1);
  CHECK(test::spec_text(loaded.config.flow_schemas[0]) ==
        "level '' precedence 0 distinguisher unset\n"
        "rule\n subject 'User' user 'u' group unset account unset\n"
        " resource ['get' ] ['' ] ['pods' ] ['*' ] false\n"
        " resource ['list' ] ['' ] ['pods' ] ['*' ] false\n"
        "rule\n subject 'User' user 'u' group unset account unset\n"
        " non-resource ['get' ] ['/x' '/x' ]\n");
  CHECK(only(load_text("a: &a [1, *a]\n")) == "APF001 1:11-1:13 this alias refers to a value that contains it");
  CHECK(only(load_text("a: &a 1\nb: {<<: *a}\n")) ==
        "APF001 2:9-2:11 a merge key << takes a mapping or a list of mappings");
}

TEST_CASE("load: aliases that explode are refused", "[config]") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{0}: &a{0} [", i);
    for (int j = 0; j < 10; ++j) bomb += fmt::format("*a{}, ", i - 1);
    bomb += "]\n";
  }
  const LoadedConfig loaded = load_text(bomb);
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics[0].code == kExcessiveAliases.code);

  std::string deep = "a0: &a0 [x]\n";
  for (int i = 1; i < 600; ++i) deep += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  const LoadedConfig nested = load_text(deep);
  REQUIRE(nested.diagnostics.size() == 1);
  CHECK(nested.diagnostics[0].code == kNestedTooDeep.code);

  std::string merges = "a0: &a0 {";
  for (int i = 0; i < 2000; ++i) merges += fmt::format("k{}: 1, ", i);
  merges += "}\n";
  for (int i = 0; i < 2000; ++i) merges += fmt::format("m{}: {{<<: *a0}}\n", i);
  const LoadedConfig merged = load_text(merges);
  REQUIRE(merged.diagnostics.size() == 1);
  CHECK(merged.diagnostics[0].code == kExcessiveAliases.code);
}

TEST_CASE("load: deep nesting neither overflows nor takes long", "[config]") {
  const auto start = std::chrono::steady_clock::now();
  for (const int depth : {10'000, 200'000}) {
    for (const char* name : {"a.yaml", "a.json"}) {
      for (const std::string& text : {std::string(static_cast<std::size_t>(depth), '['),
                                      "a: " + std::string(static_cast<std::size_t>(depth), '{')}) {
        const LoadedConfig loaded = load_text(text, name);
        REQUIRE(loaded.diagnostics.size() == 1);
        if (text[0] == '[') CHECK(loaded.diagnostics[0].code == kNestedTooDeep.code);
      }
    }
    std::string dashes;
    for (int i = 0; i < depth; ++i) dashes += "- ";
    REQUIRE(load_text(dashes).diagnostics.size() == 1);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("load: Helm templates are told from broken YAML, once a file", "[config]") {
  const LoadedConfig loaded = load_text(
      "# {{ not this }}\n{{- if .Values.apf }}\nkind: FlowSchema\n{{- end }}\n---\nname: {{ .Release.Name }}\n---\n" +
      std::string(kGoodSchema));
  CHECK(only(loaded).starts_with("APF008 2:1-2:3 this is a template with {{ }}"));
  CHECK(loaded.config.flow_schemas.size() == 1);
  const LoadedConfig quoted =
      load_text(schema_with("  priorityLevelConfiguration:\n    name: '{{ .Values.level }}'\n"));
  CHECK(only(quoted).starts_with("APF008 6:11-6:32 this is a template with {{ }}"));
  CHECK(quoted.config.flow_schemas.empty());
  const LoadedConfig rule = load_text("a: 'x {{ $labels.pod }}'\nb: \"{{ y }}\"\n# {{ z }}\nc: [\n");
  CHECK(only(rule).starts_with("APF001 5:1-5:1 YAML: expected ',' or ']'"));
  // Braces that are only text do no harm.
  CHECK(load_text("apiVersion: v1\nkind: ConfigMap\ndata:\n  x: '{{ $labels.pod }}'\n").diagnostics.empty());
}

TEST_CASE("load: objects without kind or apiVersion, of unknown versions, of other groups", "[config]") {
  CHECK(only(load_text("metadata: {name: x}\n")) == "APF006 1:1-1:9 kind and apiVersion are missing");
  CHECK(only(load_text("kind: FlowSchema\n")) == "APF006 1:7-1:17 apiVersion is missing");
  CHECK(only(load_text("apiVersion: v1\nkind:\n")) == "APF006 2:1-2:5 kind is missing");
  CHECK(load_text("kind: FlowSchema\n").diagnostics[0].detail ==
        "Object 'apiVersion' is missing in '{\"kind\":\"FlowSchema\"}'");
  CHECK(only(load_text("- a\n")).starts_with("APF013 1:1-"));
  CHECK(only(load_text("apiVersion: [v1]\nkind: FlowSchema\n")) == "APF004 1:13-1:17 apiVersion: expected a string");

  CHECK(only(load_text("apiVersion: flowcontrol.apiserver.k8s.io/v2\nkind: FlowSchema\n")) ==
        "APF005 1:13-1:44 no kind \"FlowSchema\" is registered for version \"flowcontrol.apiserver.k8s.io/v2\"");
  const LoadedConfig group = load_text("apiVersion: apps/v1\nkind: PriorityLevelConfiguration\n");
  CHECK(only(group) == "APF005 1:13-1:20 no kind \"PriorityLevelConfiguration\" is registered for version \"apps/v1\"");
  REQUIRE(group.diagnostics[0].notes.size() == 1);
  CHECK(group.diagnostics[0].notes[0].message.find("flowcontrol.apiserver.k8s.io/v1") != std::string::npos);
  const LoadedConfig kind = load_text("apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchemas\n");
  CHECK(only(kind).starts_with("APF005 2:7-2:18 no kind \"FlowSchemas\""));
  CHECK(kind.diagnostics[0].notes.at(0).message == "did you mean \"FlowSchema\"?");
}

TEST_CASE("load: an object that comes again replaces the earlier one and says so", "[config]") {
  std::string second = kGoodSchema;
  second.replace(second.find("level"), 5, "other");
  const ConfigText texts[] = {{"one.yaml", kGoodSchema}, {"two.yaml", second}};
  const LoadedConfig loaded = load_config(texts);
  REQUIRE(loaded.config.flow_schemas.size() == 1);
  CHECK(loaded.config.flow_schemas[0].priority_level == "other");
  CHECK(loaded.config.flow_schemas[0].meta.source.file == "two.yaml");
  REQUIRE(loaded.diagnostics.size() == 1);
  const Diagnostic& d = loaded.diagnostics[0];
  CHECK(to_string(d) ==
        "two.yaml:4:9: warning: FlowSchema/good: FlowSchema \"good\" is defined again and replaces the earlier one");
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0].span.file == "one.yaml");
  CHECK(d.notes[0].span.line == 4);
}

TEST_CASE("load: times are RFC 3339 of any year", "[config]") {
  const auto codes = [](const std::string& time) {
    std::string out;
    for (const Diagnostic& d :
         load_text(
             "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: a, creationTimestamp: " +
             time + "}\n")
             .diagnostics) {
      out += d.code + " " + d.message;
    }
    return out;
  };
  for (const char* time :
       {"2026-01-05T08:00:00Z", "\"2026-01-05T08:00:00.25+01:00\"", "0001-01-01T00:00:00Z", "null", ""})
    CHECK(codes(time).empty());
  CHECK(codes("yesterday") == "APF004 metadata.creationTimestamp: expected an RFC 3339 time, found \"yesterday\"");
  CHECK(codes("\"\"") == "APF004 metadata.creationTimestamp: expected an RFC 3339 time, found \"\"");
  CHECK(codes("2026") ==
        "APF004 metadata.creationTimestamp: expected an RFC 3339 time as a string, found the number 2026");
}

TEST_CASE("codes: each code and each name once", "[config]") {
  std::set<std::string_view> seen;
  for (const ConfigCode& code : kConfigCodes) {
    CHECK(code.code.starts_with("APF0"));
    CHECK(code.code.size() == 6);
    CHECK(seen.insert(code.code).second);
    CHECK(seen.insert(code.name).second);
  }
}

TEST_CASE("load: several texts, none, and empty ones", "[config]") {
  CHECK(load_config({}).documents == 0);
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "---\n---\n", "\xEF\xBB\xBF"}) {
    INFO(text);
    const LoadedConfig loaded = load_text(text);
    CHECK(loaded.diagnostics.empty());
    CHECK(loaded.documents == 0);
  }
}

TEST_CASE("span_of: positions of fields and the nearest one that is there", "[config]") {
  const LoadedConfig loaded = load_text(std::string("---\n") + kGoodSchema + R"(  matchingPrecedence:   500
  rules:
  - subjects:
    - kind: User
      user:
        name: "al ice"
)" + "---\n");
  REQUIRE(loaded.config.flow_schemas.size() == 1);
  const ObjectSource& source = loaded.config.flow_schemas[0].meta.source;
  const auto at = [&](const char* field) {
    const Span s = source.span_of(field);
    return fmt::format("{}:{}-{}:{}", s.line, s.column, s.end_line, s.end_column);
  };
  CHECK(at("spec.matchingPrecedence") == "9:25-9:28");
  CHECK(at("spec.rules[0].subjects[0].kind") == "12:13-12:17");
  CHECK(at("spec.rules[0].subjects[0].user.name") == "14:15-14:23");
  CHECK(at("spec.rules[0].subjects[0].user") == "13:7-13:11");  // a mapping: its key
  CHECK(at("spec.rules[0].subjects[0]") == "12:7-14:23");       // an item: all of it
  CHECK(at("spec.rules[0].subjects[7].kind") == "11:5-11:13");  // not there: the list
  CHECK(at("spec.rules[0].resourceRules") == "11:5-14:23");     // not there: the rule
  CHECK(at("spec.distinguisherMethod.type") == "6:1-6:5");      // not there: spec
  CHECK(at("metadata.name") == "5:9-5:13");
  CHECK(at("nonsense").starts_with("2:1-"));
  CHECK(source.span_of("spec").file == "test.yaml");
  CHECK_FALSE(ObjectSource{}.span_of("spec").known());
}

TEST_CASE("Keys that become one text are an error, as kubectl takes the value of either", "[config][yaml]") {
  const auto fault = [](const std::string& data) {
    const ConfigText texts[] = {{"a.yaml", "apiVersion: v1\nkind: ConfigMap\ndata: " + data + "\n"}};
    const std::vector<Diagnostic> found = load_config(texts).diagnostics;
    return found.empty() ? std::string() : std::to_string(found[0].span.column) + " " + found[0].message;
  };
  const std::string either = " as a string and as something else, and kubectl takes either value: write the key once";
  CHECK(fault("{1: a, \"1\": b}") == "14 YAML: this mapping has the key \"1\"" + either);
  CHECK(fault("{\"true\": a, yes: b}") == "19 YAML: this mapping has the key \"true\"" + either);
  CHECK(fault("{<<: {1: a}, \"1\": b}") == "20 YAML: this mapping has the key \"1\"" + either);
  CHECK(fault("{1: a, 0x1: b}").find("kubectl") == std::string::npos);
  CHECK(fault("{a: {1: a}, b: {\"1\": b}}").empty());
}

TEST_CASE("A text of objects that begins with { is JSON to kubectl", "[config][yaml]") {
  const auto faults = [](const std::string& text, const std::string& name = "a.yaml") {
    const ConfigText texts[] = {{name, text}};
    std::string out;
    for (const Diagnostic& d : load_config(texts).diagnostics) out += to_string(d) + "\n";
    return out;
  };
  const std::string flow = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
                    json = R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})"
                           "\n";
  const std::string no_json =
      ": error: YAML: kubectl takes a file that begins with '{' for JSON, which this here is not: write '---' before "
      "it\n";
  CHECK(faults(flow) == "a.yaml:1:2" + no_json);
  CHECK(faults(" \n" + flow) == "a.yaml:2:2" + no_json);
  CHECK(faults(json + "---\n" + flow) == "a.yaml:2:2" + no_json);
  for (const std::string& text : {json, json + json, "---\n" + flow, "# a\n" + flow, "\xEF\xBB\xBF" + flow}) {
    INFO(text);
    CHECK(faults(text).empty());
  }
}
