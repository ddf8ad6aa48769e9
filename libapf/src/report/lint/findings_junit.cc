// Findings as JUnit XML: what CI servers show as test results.
#include <apf/findings_report.h>

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "report/core/findings_words.h"

namespace apf {

namespace {

std::string body_of(const Diagnostic& d) {
  std::string out = printable(to_string(d));
  for (const Note& note : d.notes) {
    out += "\nnote: ";
    if (note.span.known()) out += printable(fmt::format("{}:{}: ", note.span.file, note.span.line));
    out += printable(note.message);
  }
  if (!d.witness.empty()) out += "\nshown by: " + printable(d.witness);
  std::string safe;
  std::string_view rest = out;
  while (true) {  // line by line: the line ends are ours
    const std::size_t end = rest.find('\n');
    safe += xml_escaped(rest.substr(0, end));
    if (end == std::string_view::npos) return safe;
    safe += '\n';
    rest.remove_prefix(end + 1);
  }
}

std::string case_of(const Diagnostic& d, const std::string& file) {
  std::string name = rule_label(d);
  if (!d.object_name.empty()) name += (name.empty() ? "" : " ") + d.kind + "/" + d.object_name;
  if (d.span.known()) name += fmt::format(" line {}", d.span.line);
  const std::string head = fmt::format("    <testcase name=\"{}\" classname=\"{}\"", xml_escaped(name), file);
  if (d.severity == Severity::info)
    return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", head, body_of(d));
  return fmt::format("{}>\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n", head,
                     to_string(d.severity), xml_escaped(message_line(d)), body_of(d));
}

}  // namespace

std::string render_junit(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts) {
  std::map<std::string_view, std::vector<const Diagnostic*>> by_file;
  for (const ConfigText& text : texts) by_file[text.name];
  for (const Diagnostic& d : findings) by_file[d.span.file].push_back(&d);
  std::string suites;
  std::size_t all = 0, all_failed = 0;
  for (const auto& [file, of_file] : by_file) {
    const std::string name = xml_escaped(file);
    std::string cases;
    std::size_t failed = 0;
    for (const Diagnostic* d : of_file) {
      cases += case_of(*d, name);
      failed += d->severity != Severity::info;
    }
    if (of_file.empty()) cases = fmt::format("    <testcase name=\"no findings\" classname=\"{}\"/>\n", name);
    const std::size_t count = std::max<std::size_t>(of_file.size(), 1);
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}  </testsuite>\n",
                          name, count, failed, cases);
    all += count;
    all_failed += failed;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"apfctl\" tests=\"{}\" failures=\"{}\" "
      "errors=\"0\">\n{}"
      "</testsuites>\n",
      all, all_failed, suites);
}

}  // namespace apf
