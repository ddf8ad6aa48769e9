// ResourceQuota objects and the plugin's configuration against what the server says to them, to the letter.
#include <apf/config.h>
#include <simdjson.h>

#include <map>
#include <set>

#include "catch.h"
#include "config/resource_quota.h"
#include "config/validate_object.h"
#include "support/vector_fields.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

using apf::test::text_of;

namespace {

using Element = simdjson::dom::element;

const std::map<std::string_view, std::string_view> kErrorTypes = {
    {"FieldValueRequired", "Required value"},   {"FieldValueInvalid", "Invalid value"},
    {"FieldValueForbidden", "Forbidden"},       {"FieldValueNotSupported", "Unsupported value"},
    {"FieldValueDuplicate", "Duplicate value"}, {"FieldValueTooLong", "Too long"}};

// One line an error; those of one map come in any order upstream.
std::multiset<std::string> expected_errors(const Element& vector) {
  std::multiset<std::string> lines;
  for (const Element error : vector["expected_errors"].get_array()) {
    const auto of = [&](const char* key) { return std::string(std::string_view(error[key])); };
    lines.insert(of("field") + " | " + std::string(kErrorTypes.at(of("type"))) + " | " + of("detail") + " | " +
                 of("full_string"));
  }
  return lines;
}

std::multiset<std::string> lines_of(const std::vector<Diagnostic>& found) {
  std::multiset<std::string> lines;
  for (const Diagnostic& d : found) lines.insert(d.field + " | " + d.type + " | " + d.detail + " | " + d.message);
  return lines;
}

LoadedConfig loaded_quota_of(const Element& vector, const char* key) {
  Element object;
  if (vector[key].get(object) != simdjson::SUCCESS) return {};
  return test::load_text(simdjson::minify(object), "object.json");
}

// A list of the vector, whose members may be null or absent.
std::vector<std::string> strings(const Element& object, const char* key) {
  std::vector<std::string> out;
  simdjson::dom::array list;
  if (object[key].get(list) != simdjson::SUCCESS) return out;
  for (const Element item : list) out.emplace_back(std::string_view(item));
  return out;
}

void check_limited(const Element& expected, const ResourceQuotaConfiguration::LimitedResource& found) {
  CHECK(found.api_group == text_of(expected, "apiGroup"));
  CHECK(found.resource == text_of(expected, "resource"));
  CHECK(found.match_contains == strings(expected, "MatchContains"));
  std::vector<std::string> terms, expected_terms;
  for (const ScopeRequirement& term : found.match_scopes)
    terms.push_back(term.scope_name + term.op + test::text(term.values));
  simdjson::dom::array list;
  if (expected["matchScopes"].get(list) == simdjson::SUCCESS)
    for (const Element term : list)
      expected_terms.push_back(text_of(term, "scopeName") + text_of(term, "operator") +
                               test::text(strings(term, "values")));
  CHECK(terms == expected_terms);
}

}  // namespace

TEST_CASE("resource quota: validation of create, update and status", "[quota][validate][conformance]") {
  simdjson::dom::parser parser;
  int errors = 0;
  for (const std::string& line : test::read_vectors("resourcequota-validation.jsonl")) {
    const Element vector = parser.parse(line);
    INFO(line);
    const std::string op = text_of(vector, "op");
    const LoadedConfig old = loaded_quota_of(vector, "old"), loaded = loaded_quota_of(vector, "object");
    REQUIRE(loaded.resource_quotas.size() == 1);
    REQUIRE(loaded.diagnostics.empty());
    const auto subresource = op == "status_update" ? Subresource::status : Subresource::none;
    const auto found = validate(loaded, kNewestKubeVersion, op == "create" ? nullptr : &old, subresource);
    CHECK(lines_of(found) == expected_errors(vector));
    errors += found.empty() ? 0 : 1;
    for (const Diagnostic& d : found) CHECK(d.span.known());
  }
  CHECK(errors > 20);
}

TEST_CASE("resource quota: the plugin's configuration", "[quota][validate][conformance]") {
  simdjson::dom::parser parser;
  for (const std::string& line : test::read_vectors("resourcequota-config.jsonl")) {
    const Element vector = parser.parse(line);
    INFO(line);
    Element body;
    if (vector["body"].get(body) != simdjson::SUCCESS) continue;  // no configuration at all: nothing to read
    const LoadedConfig loaded = test::load_text(std::string(std::string_view(body)));
    const std::string load_error = text_of(vector, "load_error");
    CHECK(strict_decode_error(loaded.diagnostics) == load_error);
    REQUIRE(loaded.resource_quota_configurations.size() == (load_error.empty() ? 1 : 0));
    if (!load_error.empty()) continue;
    const auto& limited = loaded.resource_quota_configurations[0].limited_resources;
    const simdjson::dom::array expected = vector["loaded"];
    REQUIRE(limited.size() == expected.size());
    for (std::size_t i = 0; i < limited.size(); ++i) check_limited(expected.at(i), limited[i]);
    std::vector<std::string> messages;
    for (const Diagnostic& d : validate(loaded, kNewestKubeVersion)) messages.push_back(d.message);
    CHECK(messages == strings(vector, "validation_errors"));
  }
}
