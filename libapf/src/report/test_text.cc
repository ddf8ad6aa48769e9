// Test results for the terminal, and what no test reaches, as a table and as marks beside the YAML.
#include <algorithm>
#include <map>

#include <apf/report.h>
#include <fmt/core.h>

#include "report/table.h"
#include "report/test_words.h"

namespace apf {

namespace {

std::string label_line(const char* label, const std::string& text, Tone tone, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  const std::string line = wrapped("  " + std::string(label) + printable(text), width, 4);
  return "  " + std::string(label) + toned(line.substr(2 + std::string_view(label).size()), tone, style) + "\n";
}

std::string heading_of(const TestResult& test) {
  return printable(fmt::format("{}:{}: {}", test.file, test.line, test.name)) + (test.passed ? ": passed" : "");
}

std::string failure_text(const TestResult& test, const TextStyle& style) {
  std::string out = "\n" + toned(heading_of(test), Tone::bad, style) + "\n";
  if (!test.error.empty()) return out + label_line("cannot be run: ", test.error, Tone::plain, style);
  out += label_line("expected: ", test.expected, Tone::plain, style);
  out += label_line("got: ", test.got, Tone::plain, style);
  for (const std::string& line : test.details) out += label_line("  ", line, Tone::plain, style);
  if (!test.nearest_miss.empty()) out += label_line("nearest miss: ", test.nearest_miss, Tone::strong, style);
  if (!test.command.empty()) out += "  shown by: " + toned(printable(test.command), Tone::faint, style) + "\n";
  return out;
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

std::string marked_line(int number, std::string_view text, const Mark* mark, const TextStyle& style) {
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
  std::string out = toned(fmt::format("{:>6} {} ", number, sign), tone, style) + printable(text);
  while (out.ends_with(' ')) out.pop_back();
  if (remark.empty()) return out + "\n";
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  constexpr std::size_t kIndent = 9;  // of the text
  return out + "\n" + std::string(kIndent, ' ') +
         toned(wrapped("^ not reached: " + printable(remark), width - kIndent, kIndent + 2), tone, style) + "\n";
}

// The FlowSchemas of a text of which something is not reached, line by line.
std::string marked_text(const TestCoverage& coverage, const ConfigText& text, const TextStyle& style) {
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
  std::string out;
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
      out += marked_line(number, line, mark == marks.end() ? nullptr : &mark->second, style);
    }
    at = end + 1;
  }
  return out.empty() ? out : "\n" + toned(printable(text.name), Tone::strong, style) + "\n" + out;
}

std::string coverage_text(const TestsReport& report, const TextStyle& style) {
  const TestCoverage& coverage = *report.coverage;
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string out =
      "\n" +
      toned(wrapped(coverage_verdict(report), width, 0), report.lacks_coverage() ? Tone::bad : Tone::strong, style) +
      "\n";
  if (!coverage.items.empty()) out += "\n" + schemas_table(coverage).render(style);
  const std::vector<const TestCoverage::Item*> unreached = unreached_items(coverage);
  if (unreached.empty()) return out;
  out += "\n" + unreached_table(unreached).render(style);
  std::string marked;
  for (const ConfigText& text : coverage.texts) marked += marked_text(coverage, text, style);
  if (!marked.empty()) out += marked + "+ reached, - not reached, ~ in part\n";
  return out;
}

}  // namespace

std::string render_text(const TestsReport& report, const TextStyle& style) {
  const bool good = report.passed() == report.tests.size();
  std::string out = toned(tests_verdict(report), good ? Tone::good : Tone::bad, style) + "\n";
  if (report.passed_too) {
    out += "\n";
    for (const TestResult& test : report.tests) {
      if (test.passed) out += toned(heading_of(test), Tone::good, style) + "\n";
    }
  }
  for (const TestResult& test : report.tests) {
    if (!test.passed) out += failure_text(test, style);
  }
  if (report.coverage) out += coverage_text(report, style);
  return out;
}

}  // namespace apf
