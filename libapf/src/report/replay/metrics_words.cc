#include "report/replay/metrics_words.h"

#include <cmath>

#include <apf/output.h>
#include <apf/replays_report.h>

#include "base/utf8.h"

namespace apf {

namespace {

// Quotes, backslashes, line ends and what cannot be seen are escaped; what is no UTF-8 is replaced.
std::string label_value(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    const char first = text[at];
    if (!c.valid) out += "\xEF\xBF\xBD";
    else if (first == '\n') out += "\\n";
    else if (first == '"' || first == '\\') (out += '\\') += first;
    else if (first != '\t' && is_invisible(c.value)) {
      for (const char shown : printable(text.substr(at, c.length))) out.append(shown == '\\' ? 2 : 1, shown);
    } else out += text.substr(at, c.length);
    at += c.length;
  }
  return out;
}

}  // namespace

std::string metric_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::string out;
  append_json_double(out, value);
  return out;
}

std::string metric_labels(const std::vector<std::pair<std::string, std::string>>& labels, const std::string& le) {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& value) {
    out += (out.empty() ? '{' : ',') + name + "=\"" + value + '"';
  };
  for (const auto& [label, text] : labels) add(label, label_value(text));
  if (!le.empty()) add("le", le);
  return out.empty() ? out : out + '}';
}

}  // namespace apf
