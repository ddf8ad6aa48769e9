// Test results for the terminal, and what no test reaches, as a table and as marks beside the YAML.
#include <algorithm>
#include <map>

#include <apf/findings_report.h>
#include <fmt/core.h>

#include "report/core/writers.h"
#include "report/lint/test_words.h"

namespace apf {

namespace {

std::string heading_of(const TestResult& test) {
  return printable(fmt::format("{}:{}: {}", test.file, test.line, test.name)) + (test.passed ? ": passed" : "");
}

void add_failure(Document& document, const TestResult& test) {
  Passage& out = document.section();
  out.say(heading_of(test), Tone::bad, Passage::kUnbroken);
  if (!test.error.empty()) return out.item("cannot be run: " + test.error, "  ");
  out.item("expected: " + test.expected, "  ");
  out.item("got: " + test.got, "  ");
  for (const std::string& line : test.details) out.item(line, "    ", Tone::plain, 4);
  if (!test.nearest_miss.empty()) out.item("nearest miss: " + test.nearest_miss, "  ", Tone::strong);
  if (!test.command.empty()) out.type(test.command, "  shown by: ", Tone::faint);
}

Table schemas_table(const TestCoverage& coverage) {
  struct Counts {
    std::size_t reached[4] = {}, all[4] = {};
  };
  std::vector<std::pair<const TestCoverage::Item*, Counts>> rows;
  for (const TestCoverage::Item& item : coverage.items) {
    if (item.kind == TestCoverage::Kind::flow_schema) rows.push_back({&item, {}});
    const auto kind = static_cast<std::size_t>(item.kind);
    ++rows.back().second.all[kind];
    rows.back().second.reached[kind] += item.reached;
  }
  Table table;
  table.left("FLOWSCHEMA", 16).right("RULES").right("SUBJECTS").right("ENTRIES");
  for (const auto& [schema, counts] : rows) {
    std::vector<Table::Cell> cells = {{printable(schema->text), Tone::strong, {}, true}};
    for (std::size_t kind = 1; kind < 4; ++kind) {
      const bool all = counts.reached[kind] == counts.all[kind];
      cells.push_back({fmt::format("{} / {}", counts.reached[kind], counts.all[kind]),
                       all                         ? Tone::plain
                       : counts.reached[kind] == 0 ? Tone::bad
                                                   : Tone::caution,
                       {}});
    }
    table.row(std::move(cells));
  }
  return table;
}

Table unreached_table(const std::vector<const TestCoverage::Item*>& items) {
  Table table;
  table.left("NO TEST REACHES", 16).left("FIELD", 20).left("WHAT", 12);
  for (const TestCoverage::Item* item : items) {
    const bool schema = item->kind == TestCoverage::Kind::flow_schema;
    table.row({{printable(item->flow_schema), Tone::strong, {}, true},
               {schema ? "all of it" : printable(item->field), Tone::plain, {}},
               {printable((schema ? "" : item_words(*item)) + (item->reachable ? ""
                                                               : schema        ? "no request can"
                                                                               : " (no request can)")),
                Tone::plain,
                {},
                true}});
  }
  return table;
}

// One line of YAML and what of it tests reach.
struct Mark {
  std::size_t reached = 0;
  std::vector<const TestCoverage::Item*> unreached;
};

// As it is, and in colour.
struct MarkedText {
  std::string plain, drawn;
  void add(const std::string& text, Tone tone, const std::string& rest = {}) {
    plain += text + rest;
    drawn += toned(text, tone, {.color = true}) + rest;
  }
};

void add_marked_line(MarkedText& out, int number, std::string_view text, const Mark* mark) {
  const char* sign = " ";
  Tone tone = Tone::faint;
  std::string remark;
  if (mark) {
    sign = mark->unreached.empty() ? "+" : mark->reached == 0 ? "-" : "~";
    tone = mark->unreached.empty() ? Tone::good : mark->reached == 0 ? Tone::bad : Tone::caution;
    for (const TestCoverage::Item* item : mark->unreached) {
      if (mark->reached == 0 && item->reachable) continue;  // the sign says it
      remark += (remark.empty() ? "" : ", ") + item_words(*item) + (item->reachable ? "" : " (no request can)");
    }
  }
  std::string line = printable(text);
  line.erase(line.find_last_not_of(' ') + 1);
  out.add(fmt::format("{:>6} {}", number, sign), tone, (line.empty() ? "" : " ") + line + "\n");
  if (remark.empty()) return;
  constexpr std::size_t kIndent = 9, kWidth = 80;  // of the text
  out.add(std::string(kIndent, ' ') + wrapped("^ not reached: " + printable(remark), kWidth, kIndent + 2, kIndent),
          tone, "\n");
}

// The FlowSchemas of a text of which something is not reached, line by line.
MarkedText marked_text(const TestCoverage& coverage, const ConfigText& text) {
  struct Range {
    int first, last;
    bool wanted = false;
  };
  std::map<int, Mark> marks;
  std::vector<Range> ranges;
  for (const TestCoverage::Item& item : coverage.items) {
    if (item.span.file != text.name || !item.span.known()) continue;
    if (item.kind == TestCoverage::Kind::flow_schema || ranges.empty())
      ranges.push_back({item.span.line, item.span.line, false});
    Range& range = ranges.back();
    range.first = std::min(range.first, item.span.line);
    range.last = std::max(range.last, item.span.line);
    range.wanted = range.wanted || !item.reached;
    Mark& mark = marks[item.span.line];
    if (item.reached) ++mark.reached;
    else mark.unreached.push_back(&item);
  }
  MarkedText out;
  int number = 0;
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t end = std::min(text.text.find('\n', at), text.text.size());
    ++number;
    const auto within = [&](const Range& range) {
      return range.wanted && number >= range.first && number <= range.last;
    };
    if (std::any_of(ranges.begin(), ranges.end(), within)) {
      std::string_view line = std::string_view(text.text).substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      const auto mark = marks.find(number);
      add_marked_line(out, number, line, mark == marks.end() ? nullptr : &mark->second);
    }
    at = end + 1;
  }
  return out;
}

void add_coverage(Document& document, const TestsReport& report, const ReportFrame& frame) {
  const TestCoverage& coverage = *report.coverage;
  const bool is_met = std::all_of(frame.expectations.begin(), frame.expectations.end(),
                                  [](const ExpectationResult& result) { return result.met; });
  document.section().judge(coverage_verdict(report), is_met ? Tone::strong : Tone::bad);
  if (!coverage.items.empty()) document.section().show(schemas_table(coverage));
  const std::vector<const TestCoverage::Item*> unreached = unreached_items(coverage);
  if (unreached.empty()) return;
  document.section().show(unreached_table(unreached));
  Passage* last = nullptr;
  for (const ConfigText& text : coverage.texts) {
    MarkedText marked = marked_text(coverage, text);
    if (marked.plain.empty()) continue;
    last = &document.section(text.name);
    last->quote(std::move(marked.plain), std::move(marked.drawn));
  }
  if (last) last->say("+ reached, - not reached, ~ in part");
}

}  // namespace

Document document_of(const TestsReport& report, const ReportFrame& frame, const View& view) {
  Document out("Tests of the configuration");
  out.section().judge(tests_verdict(report), report.passed() == report.tests.size() ? Tone::good : Tone::bad);
  out.add(expectations_passage(frame.expectations, view));
  Passage& passed = out.section();
  for (const TestResult& test : report.tests)
    if (report.passed_too && test.passed) passed.item(heading_of(test), "", Tone::good, Passage::kUnbroken);
  for (const TestResult& test : report.tests)
    if (!test.passed) add_failure(out, test);
  if (report.coverage) add_coverage(out, report, frame);
  return out;
}

}  // namespace apf
