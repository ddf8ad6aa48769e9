// Validation against what kube-apiserver says to the same objects: decoding, strict decoding and field errors, to the
// letter.
#include <apf/config.h>
#include <simdjson.h>

#include <map>

#include "catch.h"
#include "config/validate_object.h"
#include "support/aggregate.h"
#include "support/vector_fields.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

using apf::test::text_of;

namespace {

using Element = simdjson::dom::element;

constexpr KubeVersion kVectorsRelease{36, 0};

std::string type_text(const std::string& name) {
  static const std::map<std::string, std::string> kTypes = {
      {"FieldValueRequired", "Required value"},        {"FieldValueInvalid", "Invalid value"},
      {"FieldValueNotSupported", "Unsupported value"}, {"FieldValueForbidden", "Forbidden"},
      {"FieldValueDuplicate", "Duplicate value"},      {"FieldValueTooLong", "Too long"}};
  return kTypes.at(name);
}

LoadedConfig loaded_of(const Element& vector, const char* key) {
  Element object;
  if (vector[key].get(object) != simdjson::SUCCESS || object.is_null()) return {};
  return test::load_text(simdjson::minify(object), "object.json");
}

std::string first_error(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::error) return d.detail;
  }
  return {};
}

// The vector's text holds the request's body with its members in another order than `object` has.
std::string without_body(const std::string& text) {
  const std::size_t at = text.find(" is missing in '");
  return at == std::string::npos ? text : text.substr(0, at + 16);
}

std::vector<Diagnostic> field_errors(const LoadedConfig& loaded, const LoadedConfig& old, const std::string& op) {
  if (op == "create") return validate(loaded, kVectorsRelease);
  if (op == "update") return validate(loaded, kVectorsRelease, &old);
  std::vector<Diagnostic> out;
  const Operation operation = op == "object" ? Operation::object : Operation::status_update;
  for (const FlowSchema& o : loaded.config.flow_schemas) validate_object(o, operation, kVectorsRelease, nullptr, out);
  for (const PriorityLevel& o : loaded.config.priority_levels)
    validate_object(o, operation, kVectorsRelease, nullptr, out);
  return out;
}

void check_errors(const Element& vector, const std::vector<Diagnostic>& found) {
  simdjson::dom::array expected;
  REQUIRE(vector["expected_errors"].get(expected) == simdjson::SUCCESS);
  std::string expected_text, found_text;
  for (const Element& error : expected) {
    expected_text += text_of(error, "field") + " | " + type_text(text_of(error, "type")) + " | " +
                     text_of(error, "detail") + " | " + text_of(error, "full_string") + "\n";
  }
  for (const Diagnostic& d : found) {
    found_text += d.field + " | " + d.type + " | " + d.detail + " | " + d.message + "\n";
    CHECK(d.code.starts_with("APF0"));
    CHECK(d.span.known());
    CHECK(d.kind == text_of(vector, "kind"));
  }
  CHECK(found_text == expected_text);
  CHECK(test::aggregate_message(found) == text_of(vector, "aggregate"));
}

void check_vector(const Element& vector) {
  const std::string op = text_of(vector, "op"), decode_error = text_of(vector, "decode_error");
  const LoadedConfig loaded = loaded_of(vector, "object"), old = loaded_of(vector, "old_object");
  INFO(test::diagnostics_text(loaded));
  std::vector<Diagnostic> said = loaded.diagnostics, found = field_errors(loaded, old, op);
  // Versions that are read here and unknown to the newest release are found by validation.
  const bool unknown = !found.empty() && found[0].code == kUnknownApiVersion.code;
  if (unknown) said.insert(said.end(), found.begin(), found.end());
  else std::erase_if(found, [](const Diagnostic& d) { return d.code == kNotServed.code; });
  CHECK(without_body(strict_decode_error(said)) == without_body(text_of(vector, "strict_decode_error")));
  CHECK(without_body(first_error(said)) == without_body(decode_error));
  if (decode_error.empty()) check_errors(vector, found);
  else CHECK((unknown || found.empty()));
}

void check_file(const char* name, int least) {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const std::string& line : test::read_vectors(name)) {
    const Element vector = parser.parse(line);
    INFO(text_of(vector, "id"));
    check_vector(vector);
    ++cases;
  }
  CHECK(cases >= least);
}

}  // namespace

TEST_CASE("validation: decoding and field errors as the server reports them", "[validate][conformance]") {
  check_file("validation.jsonl", 343);
}

TEST_CASE("validation: generated objects", "[validate][conformance]") { check_file("validation-random.jsonl", 232); }
