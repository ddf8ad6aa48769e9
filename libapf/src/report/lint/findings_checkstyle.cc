// Findings as Checkstyle's XML, which review tools read.
#include <apf/findings_report.h>

#include <fmt/core.h>

#include "report/core/findings_words.h"

namespace apf {

std::string render_checkstyle(const std::vector<Diagnostic>& findings) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Diagnostic& d = findings[i];
    if (i == 0 || findings[i - 1].span.file != d.span.file)
      out += fmt::format("  <file name=\"{}\">\n", xml_escaped(d.span.file));
    out += "    <error";
    if (d.span.known()) out += fmt::format(" line=\"{}\" column=\"{}\"", d.span.line, d.span.column);
    out += fmt::format(" severity=\"{}\" message=\"{}\" source=\"apfctl.{}\"/>\n", to_string(d.severity),
                       xml_escaped(message_line(d)), xml_escaped(d.code.empty() ? "input" : d.code));
    if (i + 1 == findings.size() || findings[i + 1].span.file != d.span.file) out += "  </file>\n";
  }
  return out + "</checkstyle>\n";
}

}  // namespace apf
