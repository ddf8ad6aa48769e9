#include "report/core/findings_words.h"

#include <apf/report_words.h>

#include "base/utf8.h"

namespace apf {

std::string object_words(const Diagnostic& finding) {
  if (finding.kind.empty() || finding.object_name.empty()) return {};
  const bool placed = finding.span.known() || !finding.span.file.empty() || finding.field.empty() ||
                      finding.message.starts_with(finding.field);
  return printable(finding.kind + "/" + finding.object_name + (placed ? "" : " ." + finding.field) + ": ");
}

std::string message_line(const Diagnostic& finding) { return object_words(finding) + printable(finding.message); }

std::string rule_label(const Diagnostic& finding) {
  return finding.code + (finding.code.empty() || finding.name.empty() ? "" : " ") + finding.name;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  const std::string safe = printable(text);
  for (std::size_t at = 0; at < safe.size();) {
    const CodePoint c = decode_utf8(safe, at);
    if (c.value == 0xFFFE || c.value == 0xFFFF) {
      out += c.value == 0xFFFE ? "\\ufffe" : "\\uffff";
    } else {
      switch (safe[at]) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '"':
          out += "&quot;";
          break;
        case '\'':
          out += "&apos;";
          break;
        case '#':  // no ##vso[…] of a CI system that prints the file
          out += safe.compare(at, 2, "##") == 0 ? "&#35;" : "#";
          break;
        case ':':  // no ::error::…
          out += safe.compare(at, 2, "::") == 0 ? "&#58;" : ":";
          break;
        default:
          out += std::string_view(safe).substr(at, c.length);
      }
    }
    at += c.length;
  }
  return out;
}

}  // namespace apf
