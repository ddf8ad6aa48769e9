#include "report/lint/test_words.h"

#include <cmath>
#include <set>

#include <fmt/core.h>

#include "report/core/units.h"

namespace apf {

namespace {

std::string plain_percent(double percent) { return fmt::format("{} %", std::floor(percent * 10) / 10); }

}  // namespace

std::string tests_verdict(const TestsReport& report) {
  const std::size_t all = report.tests.size(), errors = report.errors(), failed = all - report.passed() - errors;
  const std::string files = report.files > 1 ? fmt::format(" in {} files", report.files) : "";
  if (failed + errors == 0)
    return all == 1 ? "The test passed." : fmt::format("All {} tests passed{}.", grouped(all), files);
  std::string out;
  if (failed > 0) out = fmt::format("{} of {} failed{}", grouped(failed), counted(all, "test", "tests"), files);
  if (errors > 0 && out.empty())
    return fmt::format("{} of {} could not be run.", grouped(errors), counted(all, "test", "tests"));
  if (errors > 0) out += fmt::format("; {} could not be run", grouped(errors));
  return out + ".";
}

std::string coverage_verdict(const TestsReport& report) {
  const TestCoverage& coverage = *report.coverage;
  std::set<std::string_view> schemas;
  for (const TestCoverage::Item& item : coverage.items) schemas.insert(item.flow_schema);
  return fmt::format("Coverage {}: tests reach {} of {} of {}.", plain_percent(coverage.percent()),
                     grouped(coverage.reached()), counted(coverage.items.size(), "part", "parts"),
                     counted(schemas.size(), "FlowSchema", "FlowSchemas"));
}

std::string failure_words(const TestResult& test) {
  if (!test.error.empty()) return test.error;
  std::string out = fmt::format("expected {}, got {}", test.expected, test.got);
  if (!test.nearest_miss.empty()) out += "; " + test.nearest_miss;
  return out;
}

std::vector<const TestCoverage::Item*> unreached_items(const TestCoverage& coverage) {
  std::vector<const TestCoverage::Item*> out;
  using Kind = TestCoverage::Kind;
  const TestCoverage::Item *schema = nullptr, *rule = nullptr;
  for (const TestCoverage::Item& item : coverage.items) {
    if (item.kind == Kind::flow_schema) schema = &item;
    if (item.kind == Kind::rule) rule = &item;
    if (item.reached) continue;
    const bool said = (item.kind != Kind::flow_schema && schema && !schema->reached) ||
                      (item.kind > Kind::rule && rule && rule->rule == item.rule && !rule->reached);
    if (!said) out.push_back(&item);
  }
  return out;
}

std::string item_words(const TestCoverage::Item& item) {
  if (item.kind == TestCoverage::Kind::flow_schema) return "FlowSchema " + item.text;
  return item.text.empty() ? "\"\"" : item.text;
}

}  // namespace apf
