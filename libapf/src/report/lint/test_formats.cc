// Test results in the forms that other programs read: JUnit XML, TAP, workflow commands of GitHub Actions.
#include <algorithm>

#include <apf/findings_report.h>
#include <fmt/core.h>

#include "report/core/findings_words.h"
#include "report/core/markup.h"
#include "report/lint/test_words.h"

namespace apf {

namespace {

// What a failed test says, line by line.
std::vector<std::string> body_of(const TestResult& test) {
  if (!test.error.empty()) return {test.error};
  std::vector<std::string> out = {"expected: " + test.expected, "got: " + test.got};
  for (const std::string& line : test.details) out.push_back("  " + line);
  if (!test.nearest_miss.empty()) out.push_back("nearest miss: " + test.nearest_miss);
  if (!test.command.empty()) out.push_back("shown by: " + test.command);
  return out;
}

std::string junit_case(const TestResult& test) {
  std::string head = fmt::format("    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\"",
                                 xml_escaped(test.name), xml_escaped(test.file), xml_escaped(test.file), test.line);
  if (test.passed) return head + "/>\n";
  const char* tag = test.error.empty() ? "failure" : "error";
  std::string body;
  for (const std::string& line : body_of(test)) body += (body.empty() ? "" : "\n") + xml_escaped(line);
  return fmt::format("{}>\n      <{} message=\"{}\">{}</{}>\n    </testcase>\n", head, tag,
                     xml_escaped(failure_words(test)), body, tag);
}

std::string json_text(const std::string& text) {
  std::string out;
  append_json_string(out, printable(text));
  return out;
}

// A description may hold neither a directive nor a line end.
std::string tap_name(const std::string& name) {
  std::string out;
  for (const char c : printable(name)) {
    if (c == '#' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string render_junit(const TestsReport& report) {
  std::string suites;
  std::size_t all_failed = 0, all_errors = 0;
  for (std::size_t begin = 0; begin < report.tests.size();) {
    std::size_t end = begin, failed = 0, errors = 0;
    const std::string& file = report.tests[begin].file;
    std::string cases;
    for (; end < report.tests.size() && report.tests[end].file == file; ++end) {
      const TestResult& test = report.tests[end];
      cases += junit_case(test);
      errors += !test.error.empty();
      failed += !test.passed && test.error.empty();
    }
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}  </testsuite>\n",
                          xml_escaped(file), end - begin, failed, errors, cases);
    all_failed += failed;
    all_errors += errors;
    begin = end;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"apfctl test\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\">\n{}</testsuites>\n",
      report.tests.size(), all_failed, all_errors, suites);
}

std::string render_tap(const TestsReport& report) {
  std::string out = fmt::format("TAP version 13\n1..{}\n", report.tests.size());
  std::size_t number = 0;
  for (const TestResult& test : report.tests) {
    out += fmt::format("{}ok {} - {}\n", test.passed ? "" : "not ", ++number, tap_name(test.name));
    if (test.passed) continue;
    out += fmt::format("  ---\n  file: {}\n  line: {}\n", json_text(test.file), test.line);
    const auto member = [&](const char* key, const std::string& text) {
      if (!text.empty()) out += fmt::format("  {}: {}\n", key, json_text(text));
    };
    member("error", test.error);
    member("expected", test.expected);
    member("got", test.got);
    member("nearestMiss", test.nearest_miss);
    member("command", test.command);
    if (!test.details.empty()) out += "  details:\n";
    for (const std::string& line : test.details) out += "  - " + json_text(line) + "\n";
    out += "  ...\n";
  }
  out += "# " + tests_verdict(report) + "\n";
  if (report.coverage) out += "# " + coverage_verdict(report) + "\n";
  return out;
}

std::string render_github(const TestsReport& report, const ReportFrame& frame) {
  std::string out;
  for (const TestResult& test : report.tests) {
    if (test.passed) continue;
    std::string message = workflow_escaped(printable(test.name), false);
    for (const std::string& line : body_of(test)) message += "%0A" + workflow_escaped(printable(line), false);
    out += fmt::format("::error file={},line={},title=apfctl test::{}\n", workflow_escaped(printable(test.file), true),
                       test.line, message);
  }
  for (const ExpectationResult& result : frame.expectations)
    if (!result.met)
      out += "::error title=apfctl test::expectation not met: " + workflow_escaped(printable(result.message), false) +
             "\n";
  if (!report.coverage) return out;
  for (const TestCoverage::Item* item : unreached_items(*report.coverage)) {
    if (!item->span.known()) continue;
    out += fmt::format("::notice file={},line={},title=apfctl test::no test reaches {} of {}\n",
                       workflow_escaped(printable(item->span.file), true), item->span.line,
                       workflow_escaped(printable(item_words(*item)), false),
                       workflow_escaped(printable(item->flow_schema), false));
  }
  return out;
}

}  // namespace apf
