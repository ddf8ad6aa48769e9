#include "report/html/markup.h"

#include <cmath>

#include <fmt/format.h>

#include "report/findings_words.h"

namespace apf {

// HTML is escaped as XML is.
std::string html_text(std::string_view text) { return xml_escaped(text); }

std::string svg_number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string out = fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

}  // namespace apf
