#include <apf/config.h>

#include "catch.h"
#include "config/go_json.h"
#include "config/validate_names.h"
#include "config/validate_object.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

constexpr const char* kLevelHead = "kind: PriorityLevelConfiguration\n";

std::string messages(const std::vector<Diagnostic>& found) {
  std::string out;
  for (const Diagnostic& d : found) out += d.code + " " + d.message + "\n";
  return out;
}

std::string said(const std::string& yaml, int minor = 36) {
  const LoadedConfig loaded = test::load_text(yaml);
  INFO(test::diagnostics_text(loaded));
  REQUIRE_FALSE(loaded.has_errors());
  return messages(validate(loaded, KubeVersion{minor}));
}

std::string level(const std::string& name, const std::string& spec, const char* version = "v1") {
  return std::string("apiVersion: flowcontrol.apiserver.k8s.io/") + version + "\n" + kLevelHead +
         "metadata: {name: " + name + "}\nspec: " + spec + "\n";
}

std::string schema(const std::string& metadata, const std::string& more = "") {
  return "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: " + metadata +
         "\nspec:\n  priorityLevelConfiguration: {name: a}\n" + more;
}

}  // namespace

TEST_CASE("validate: texts and rules of older releases", "[validate]") {
  const std::string wrong_type = level("exempt", "{type: Limited, limited: {limitResponse: {type: Reject}}}");
  CHECK(said(wrong_type, 34)
            .starts_with("APF050 spec.type: Invalid value: \"Limited\": must be 'Exempt' if and only if "
                         "`name` is 'exempt'\n"));
  CHECK(said(wrong_type, 33)
            .starts_with("APF050 spec.type: Invalid value: \"Limited\": type must be 'Exempt' if and "
                         "only if name is 'exempt'\n"));

  const auto zero = [](const char* version) {
    return level(
        "a", std::string("{type: Limited, limited: {nominalConcurrencyShares: 0, limitResponse: {type: ") + "Reject}}}",
        version);
  };
  CHECK(said(zero("v1"), 30).empty());
  CHECK(said(zero("v1"), 29) == "APF053 spec.limited.nominalConcurrencyShares: Invalid value: 0: must be positive\n");
  const std::string negative =
      level("a", "{type: Limited, limited: {assuredConcurrencyShares: -1, limitResponse: {type: Reject}}}", "v1beta2");
  CHECK(said(negative, 28) == "APF053 spec.limited.assuredConcurrencyShares: Invalid value: -1: must be positive\n");

  // 1.29 takes zero from who has it already.
  const LoadedConfig now = test::load_text(zero("v1")), before = test::load_text(zero("v1"));
  CHECK(validate(now, KubeVersion{29}, &before).empty());

  // Before 1.28 there is no exempt stanza to be wrong, or to be changed.
  const std::string lending = level("exempt", "{type: Exempt, exempt: {lendablePercent: 200}}", "v1beta3");
  CHECK(said(lending, 28) ==
        "APF059 spec.exempt.lendablePercent: Invalid value: 200: must be between 0 and 100, inclusive\n");
  CHECK(said(lending, 27) == "APF002 unknown field \"spec.exempt\"\n");
  CHECK(said(level("exempt", "{type: Exempt, limited: {limitResponse: {type: Reject}}}", "v1beta2"), 25) ==
        "APF052 spec.limited: Forbidden: must be nil if the type is not Limited\n"
        "APF044 spec: Invalid value: {\"Type\":\"Exempt\",\"Limited\":{\"AssuredConcurrencyShares\":30,"
        "\"LimitResponse\":{\"Type\":\"Reject\",\"Queuing\":null}}}: spec of 'exempt' must equal the fixed value\n");
  // Nor is there lending before 1.26.
  CHECK(said(level("a", "{type: Limited, limited: {lendablePercent: 101, limitResponse: {type: Reject}}}", "v1beta2"),
             25) == "APF002 unknown field \"spec.limited.lendablePercent\"\n");
}

TEST_CASE("validate: API versions that a release does not serve", "[validate]") {
  const std::string spec = "{type: Limited, limited: {limitResponse: {type: Reject}}}";
  const auto finding = [&](const char* version, int minor) {
    const std::vector<Diagnostic> found = validate(test::load_text(level("a", spec, version)), KubeVersion{minor});
    if (found.empty()) return std::string();
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].notes.size() == 1);
    CHECK(found[0].span.line == 1);
    CHECK(found[0].severity == Severity::error);
    return found[0].code + " " + found[0].notes[0].message.substr(0, found[0].notes[0].message.find(';'));
  };
  CHECK(finding("v1", 29).empty());
  CHECK(finding("v1", 28) == "APF014 Kubernetes 1.28 serves v1beta3");
  CHECK(finding("v1beta3", 31).empty());
  CHECK(finding("v1beta3", 32) == "APF014 Kubernetes 1.32 serves v1");
  CHECK(finding("v1beta2", 28).empty());
  CHECK(finding("v1beta2", 29) == "APF014 Kubernetes 1.29 serves v1");
  CHECK(finding("v1beta2", 22) == "APF014 Kubernetes 1.22 serves v1beta1");
  CHECK(finding("v1beta1", 25).empty());
  CHECK(finding("v1beta1", 26) == "APF014 Kubernetes 1.26 serves v1beta3");
  CHECK(finding("v1alpha1", 20).empty());
  CHECK(finding("v1alpha1", 21) == "APF014 Kubernetes 1.21 serves v1beta1");
  CHECK(finding("v1alpha1", 29) == "APF005 Kubernetes 1.29 serves v1");
  CHECK(said(level("a", spec, "v1beta1"), 26) ==
        "APF014 no matches for kind \"PriorityLevelConfiguration\" in version "
        "\"flowcontrol.apiserver.k8s.io/v1beta1\"\n");
}

TEST_CASE("validate: metadata rules that all kinds share", "[validate]") {
  CHECK(said(schema("{name: a, labels: {app: 'a b', ok: v, n: null}}")) ==
        "APF023 metadata.labels: Invalid value: \"a b\": a valid label must be an empty string or consist of "
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
        "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\n");
  const std::string long_text(64, 'x');
  CHECK(said(schema("{name: a, labels: {b: " + long_text + "}}")) ==
        "APF023 metadata.labels: Invalid value: \"" + long_text + "\": must be no more than 63 bytes\n");
  CHECK(said(schema("{name: a, labels: {b: " + long_text + "}}"), 35) ==
        "APF023 metadata.labels: Invalid value: \"" + long_text + "\": must be no more than 63 characters\n");
  CHECK(said(schema("{name: a, generation: -1, namespace: b}")) ==
        "APF021 metadata.namespace: Forbidden: not allowed on this type\n"
        "APF022 metadata.generation: Invalid value: -1: must be greater than or equal to 0\n");
  CHECK(said(schema("{name: a, annotations: {x: " + std::string(262144, 'y') + "}}")) ==
        "APF024 metadata.annotations: Too long: may not be more than 262144 bytes\n");
  CHECK(said(schema("{name: a, annotations: {x: " + std::string(262143, 'y') + "}}")).empty());
  CHECK(said(schema("{name: a, finalizers: [orphan, foregroundDeletion, kubernetes, a.b/c]}")) ==
        "APF022 metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\",\"kubernetes\",\"a.b/c\"]: "
        "finalizer orphan and foregroundDeletion cannot be both set\n");
  CHECK(said(schema("{name: a, ownerReferences: [{apiVersion: v1, kind: Event, name: e, uid: u, controller: true}, "
                    "{apiVersion: a/b/c, kind: K, name: o, uid: u, controller: true}]}")) ==
        "APF022 metadata.ownerReferences: Invalid value: "
        "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"e\",\"uid\":\"u\",\"controller\":true}: /v1, Kind=Event "
        "is disallowed from being an owner\n"
        "APF022 metadata.ownerReferences.apiVersion: Invalid value: \"a/b/c\": version must not be empty\n"
        "APF022 metadata.ownerReferences: Invalid value: "
        "[{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"e\",\"uid\":\"u\",\"controller\":true},"
        "{\"apiVersion\":\"a/b/c\",\"kind\":\"K\",\"name\":\"o\",\"uid\":\"u\",\"controller\":true}]: Only one "
        "reference can have Controller set to true. Found \"true\" in references for Event/e and K/o\n");
  CHECK(said(schema(
            "{name: a, managedFields: [{operation: Apply, manager: \"a\\tb\"}, {operation: x, fieldsType: z}]}")) ==
        "APF022 metadata.managedFields[0].manager: Invalid value: \"a\\tb\": invalid character U+0009 (at position 1)\n"
        "APF022 metadata.managedFields[1].operation: Invalid value: \"x\": must be `Apply` or `Update`\n"
        "APF022 metadata.managedFields[1].fieldsType: Invalid value: \"z\": must be `FieldsV1`\n");
}

TEST_CASE("validate: what an update may not change", "[validate]") {
  const auto update = [](const std::string& now, const std::string& before) {
    const LoadedConfig old = test::load_text(schema(before));
    return messages(validate(test::load_text(schema(now)), kNewestKubeVersion, &old));
  };
  const std::string old = "{name: a, uid: u, generation: 3, creationTimestamp: '2026-01-05T08:00:00Z'}";
  CHECK(update("{name: a}", old).empty());
  CHECK(update("{name: a, creationTimestamp: '2026-01-05T09:00:00+01:00'}", old).empty());
  CHECK(update("{name: a, uid: v, generation: 2, creationTimestamp: '2026-01-05T09:00:00Z'}", old) ==
        "APF026 metadata.generation: Invalid value: 2: must not be decremented\n"
        "APF026 metadata.uid: Invalid value: \"v\": field is immutable\n"
        "APF026 metadata.creationTimestamp: Invalid value: \"2026-01-05T09:00:00Z\": field is immutable\n");
  CHECK(update("{name: b, uid: v}", old).empty());  // another object: a create
  CHECK(update("{name: a, finalizers: [b.c/d, a.b/c, orphan]}",
               "{name: a, deletionTimestamp: '2026-01-05T08:00:00Z', finalizers: [orphan]}") ==
        "APF026 metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found "
        "new finalizers []string{\"a.b/c\", \"b.c/d\"}\n");
}

TEST_CASE("validate: findings point at what is wrong", "[validate]") {
  const std::vector<Diagnostic> found = validate(test::load_text(schema(R"({name: a, labels: {"b c": x}})", R"(  rules:
  - subjects:
    - kind: Group
    nonResourceRules:
    - {verbs: [get], nonResourceURLs: [/a, "//"]}
)")),
                                                 kNewestKubeVersion);
  REQUIRE(found.size() == 3);
  const auto place = [](const Diagnostic& d) {
    return fmt::format("{}:{}-{}", d.span.line, d.span.column, d.span.end_column);
  };
  CHECK(place(found[0]) == "3:30-35");  // the key: the path names the whole map
  CHECK(place(found[1]) == "8:7-18");   // absent: the subject
  CHECK(found[1].field == "spec.rules[0].subjects[0].group");
  CHECK(place(found[2]) == "10:44-48");
  CHECK(found[2].object_name == "a");
  CHECK(found[2].api_version == "flowcontrol.apiserver.k8s.io/v1");
}

TEST_CASE("validate: objects come in the order of the texts, whatever their kinds", "[validate]") {
  const std::string text = level("b", "{type: x}") + "---\n" + schema("{name: X}") + "---\n" + level("a", "{type: z}");
  std::string names;
  for (const Diagnostic& d : validate(test::load_text(text), kNewestKubeVersion)) names += d.object_name + " ";
  CHECK(names == "b X a ");
}

TEST_CASE("validate: an object that comes again is validated like the first", "[validate]") {
  const std::string text = level("b", "{type: x}") + "---\n" + level("b", "{type: z}");
  const LoadedConfig loaded = test::load_text(text);
  CHECK(loaded.config.priority_levels.size() == 1);
  std::string places;
  for (const Diagnostic& d : validate(loaded, kNewestKubeVersion))
    places += fmt::format("{}:{} ", d.document, d.span.line);
  CHECK(places == "0:4 1:9 ");
}

TEST_CASE("validate: of the status subresource the status alone counts", "[validate]") {
  const LoadedConfig loaded =
      test::load_text(level("B", "{type: x}") + "status: {conditions: [{type: a}, {type: a}, {}]}\n");
  REQUIRE_FALSE(loaded.has_errors());
  CHECK(messages(validate(loaded, kNewestKubeVersion)).find("status") == std::string::npos);
  CHECK(messages(validate(loaded, kNewestKubeVersion, nullptr, Subresource::status)) ==
        "APF045 status.conditions[1].type: Duplicate value: \"a\"\nAPF045 status.conditions[2].type: Required value\n");
}

TEST_CASE("validate: strict decoding makes one error of an object's unknown and duplicate fields", "[validate]") {
  const auto strict = [](const std::string& yaml) {
    std::vector<Diagnostic> diagnostics = test::load_text(yaml).diagnostics;
    apply_strict_decoding(diagnostics);
    std::string out;
    for (const Diagnostic& d : diagnostics)
      out += fmt::format("{} {} {} {}\n", d.code, d.severity == Severity::error ? "error" : "warning", d.notes.size(),
                         d.message);
    return out;
  };
  CHECK(strict(level("a", "{type: x, xyzzy: 1, type: Limited, plugh: 2}") + "---\n" + level("b", "{quux: 1}")) ==
        "APF002 error 3 strict decoding error: unknown field \"spec.xyzzy\", duplicate field \"spec.type\", unknown "
        "field \"spec.plugh\"\n"
        "APF002 error 0 strict decoding error: unknown field \"spec.quux\"\n");
  // What does not decode at all is said alone; the fields stay warnings.
  CHECK(strict(level("a", "{xyzzy: 1, type: 5}"))
            .starts_with("APF002 warning 0 unknown field \"spec.xyzzy\"\nAPF004 error "));
}

TEST_CASE("validate: strings in errors are printed as Go prints them", "[validate]") {
  CHECK(go_json("a<b>&\"\\\n\t\b\x01\xE2\x80\xA8\x7f\xff") ==
        "\"a\\u003cb\\u003e\\u0026\\\"\\\\\\n\\t\\b\\u0001\\u2028\x7f\\ufffd\"");
  CHECK(said(level("a", "{type: \"a<\\n\"}")) ==
        "APF051 spec.type: Unsupported value: \"a\\u003c\\n\": supported values: \"Exempt\", \"Limited\"\n");
  CHECK(said(schema("{name: \"\\a<\"}")).starts_with("APF020 metadata.name: Invalid value: \"\\a<\": a lower"));
}

TEST_CASE("validate: names at their limits", "[validate]") {
  const auto count = [](const NameFaults& faults) { return faults.size(); };
  const std::string a63(63, 'a'), a253 = a63 + "." + a63 + "." + a63 + "." + std::string(61, 'a');
  CHECK(count(dns_subdomain_faults(a253)) == 0);
  CHECK(dns_subdomain_faults(a253 + "a") == NameFaults{"must be no more than 253 characters"});
  CHECK(count(dns_subdomain_faults(a253 + "_")) == 2);
  CHECK(count(dns_subdomain_faults("a\n")) == 1);
  CHECK(count(dns_label_faults(a63)) == 0);
  CHECK(dns_label_faults(a63 + "a") == NameFaults{"must be no more than 63 characters"});
  CHECK(dns_label_faults("a.b") == NameFaults{"must not contain dots"});
  CHECK(count(name_prefix_faults("abc-")) == 0);
  CHECK(count(name_prefix_faults("-")) == 1);
  CHECK(count(label_key_faults("a/" + a63, kNewestKubeVersion)) == 0);
  CHECK(label_key_faults("/", kNewestKubeVersion)[0] == "prefix part must be non-empty");
  CHECK(label_key_faults("a/", kNewestKubeVersion)[0] == "name part must be non-empty");
  CHECK(count(label_key_faults("", kNewestKubeVersion)) == 2);
}

TEST_CASE("validate: what is said of an object does not multiply what stands in it", "[validate]") {
  const auto said_bytes = [](const std::string& yaml) {
    const LoadedConfig loaded = test::load_text(yaml);
    std::size_t bytes = 0;
    for (const Diagnostic& d : loaded.diagnostics) bytes += d.object_name.size() + d.message.size();
    for (const Diagnostic& d : validate(loaded, kNewestKubeVersion)) bytes += d.object_name.size() + d.message.size();
    return bytes;
  };
  std::string owners = "{name: a, ownerReferences: [";
  for (int i = 0; i < 3000; ++i) owners += "{apiVersion: v1, kind: Node, name: n, uid: u, controller: true}, ";
  CHECK(said_bytes(schema(owners + "]}")) < 20'000'000);

  std::string rules = "  rules:\n";
  for (int i = 0; i < 2000; ++i) rules += "  - {x: 1}\n";
  const std::string name(100'000, 'n');
  CHECK(said_bytes(schema("{name: " + name + "}", rules)) < 20'000'000);
  const LoadedConfig loaded = test::load_text(schema("{name: é" + name + "}", "  x: 1\n"));
  CHECK(loaded.config.flow_schemas.at(0).meta.name.size() == name.size() + 2);
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics[0].object_name == "é" + std::string(998, 'n') + "…");
}

TEST_CASE("validate: a level without a type is incomplete since 1.36.3", "[validate]") {
  const std::string no_type = level("a", "{limited: {limitResponse: {type: Reject}}}"),
                    no_response = level("a", "{type: Limited, limited: {limitResponse: {}}}");
  for (const int minor : {37, 38}) {
    CHECK(said(no_type, minor) == "APF052 spec.limited: Forbidden\nAPF051 spec.type: Required value\n");
    CHECK(said(no_response, minor) == "APF054 spec.limited.limitResponse.type: Required value\n");
  }
  CHECK(said(no_type, 36) == "APF051 spec.type: Required value\n");
  CHECK(said(no_type, 35) == "APF051 spec.type: Unsupported value: \"\": supported values: \"Exempt\", \"Limited\"\n");
  CHECK(said(no_response, 35) ==
        "APF054 spec.limited.limitResponse.type: Unsupported value: \"\": supported values: \"Queue\", \"Reject\"\n");
  CHECK(said(level("a", "{type: limited}"), 37) ==
        "APF051 spec.type: Unsupported value: \"limited\": supported values: \"Exempt\", \"Limited\"\n");
}
