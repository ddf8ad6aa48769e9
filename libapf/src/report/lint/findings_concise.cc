// Findings one a line, as compilers print them and editors read them.
#include <apf/findings_report.h>

#include <fmt/core.h>

#include "report/core/findings_words.h"

namespace apf {

std::string render_concise(const std::vector<Diagnostic>& findings) {
  std::string out;
  for (const Diagnostic& d : findings) {
    std::string where = printable(d.span.file);
    if (d.span.known()) where += fmt::format(":{}:{}", d.span.line, d.span.column);
    if (!where.empty()) where += ": ";
    out +=
        fmt::format("{}{}: {}{}{}\n", where, to_string(d.severity), d.code, d.code.empty() ? "" : " ", message_line(d));
  }
  return out;
}

}  // namespace apf
