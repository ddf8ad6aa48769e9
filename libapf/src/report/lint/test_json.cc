// Test results as JSON.
#include <cmath>

#include <apf/findings_report.h>

#include "report/lint/test_words.h"

namespace apf {

namespace {

void write_text_or_null(JsonWriter& json, const char* key, const std::string& text) {
  json.key(key);
  if (text.empty()) json.null();
  else json.value(text);
}

void write_test(JsonWriter& json, const TestResult& test) {
  json.begin_object().field("name", test.name).field("file", test.file).field("line", test.line);
  json.field("passed", test.passed).field("expected", test.expected).field("got", test.got);
  write_text_or_null(json, "nearestMiss", test.nearest_miss);
  write_text_or_null(json, "command", test.command);
  if (!test.details.empty()) {
    json.key("details").begin_array();
    for (const std::string& line : test.details) json.value(line);
    json.end_array();
  }
  if (!test.error.empty()) json.field("error", test.error);
  json.end_object();
}

void write_coverage(JsonWriter& json, const TestsReport& report) {
  const TestCoverage& coverage = *report.coverage;
  json.key("coverage").begin_object().field("percent", std::floor(coverage.percent() * 100) / 100);
  json.field("reached", static_cast<std::uint64_t>(coverage.reached()));
  json.field("parts", static_cast<std::uint64_t>(coverage.items.size()));
  json.key("unreached").begin_array();
  for (const TestCoverage::Item* item : unreached_items(coverage)) {
    json.begin_object().field("flowSchema", item->flow_schema).key("rule");
    if (item->rule) json.value(*item->rule);
    else json.null();
    write_text_or_null(json, "field", item->field);
    json.field("what", item->text);
    if (item->span.known()) json.field("file", item->span.file).field("line", item->span.line);
    json.field("reachable", item->reachable).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string render_json(const TestsReport& report) {
  JsonWriter json;
  json.begin_object().field("passed", static_cast<std::uint64_t>(report.passed()));
  json.field("failed", static_cast<std::uint64_t>(report.tests.size() - report.passed()));
  json.key("tests").begin_array();
  for (const TestResult& test : report.tests) write_test(json, test);
  json.end_array();
  if (report.coverage) write_coverage(json, report);
  return json.end_object().take();
}

}  // namespace apf
