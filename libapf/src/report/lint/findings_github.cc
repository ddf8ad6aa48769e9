// Findings as workflow commands, which GitHub Actions turns into annotations.
#include <apf/findings_report.h>

#include <fmt/core.h>

#include "report/core/findings_words.h"
#include "report/core/markup.h"

namespace apf {

namespace {

const char* command_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "notice";
}

}  // namespace

std::string render_github(const std::vector<Diagnostic>& findings) {
  std::string out;
  for (const Diagnostic& d : findings) {
    std::string properties = "file=" + workflow_escaped(d.span.file, true);
    if (d.span.known()) {
      properties += fmt::format(",line={},col={}", d.span.line, d.span.column);
      if (d.span.end_line >= d.span.line) properties += fmt::format(",endLine={}", d.span.end_line);
      // The column after the last byte is ours, the last one is theirs.
      if (d.span.end_line == d.span.line && d.span.end_column > d.span.column)
        properties += fmt::format(",endColumn={}", d.span.end_column - 1);
    }
    const std::string label = rule_label(d);
    if (!label.empty()) properties += ",title=" + workflow_escaped(label, true);
    std::string message = workflow_escaped(message_line(d), false);
    for (const Note& note : d.notes) {
      message += "%0Anote: ";
      if (note.span.known()) message += workflow_escaped(fmt::format("{}:{}: ", note.span.file, note.span.line), false);
      message += workflow_escaped(note.message, false);
    }
    if (!d.witness.empty()) message += "%0Ashown by: " + workflow_escaped(d.witness, false);
    out += fmt::format("::{} {}::{}\n", command_of(d.severity), properties, message);
  }
  return out;
}

}  // namespace apf
