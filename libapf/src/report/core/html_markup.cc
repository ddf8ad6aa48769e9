#include "report/core/html_markup.h"

#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "report/core/findings_words.h"
#include "report/core/writers.h"

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

namespace {

const char* style_of(Tone tone) {
  switch (tone) {
    case Tone::faint:
      return "zero";
    case Tone::caution:
      return "caution";
    case Tone::bad:
      return "bad";
    case Tone::good:
      return "good";
    case Tone::plain:
    case Tone::strong:
      break;
  }
  return "";
}

std::string class_of(bool right, Tone tone) {
  std::string names = right ? "" : "t";
  const std::string style = style_of(tone);
  if (!style.empty()) names += (names.empty() ? "" : " ") + style;
  return names.empty() ? "" : " class=\"" + names + "\"";
}

}  // namespace

std::string html_table(const Table& table) {
  const auto& columns = table.columns();
  std::string head, body;
  std::vector<std::string> titles;
  for (const Table::Column& column : columns) {
    // The first column has the heads of rows, which are on the left.
    const bool right = column.right && !titles.empty();
    titles.push_back(html_text(sentence_case(column.title)));
    head += titles.back().empty()
                ? "<td></td>"
                : fmt::format("<th{} scope=\"col\">{}</th>", class_of(right, Tone::plain), titles.back());
  }
  for (const auto& row : table.rows()) {
    body += "<tr>";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Table::Cell& cell = row[c];
      const std::string text = cell.markup.empty() ? html_text(cell.text) : cell.markup;
      if (c == 0) body += fmt::format("<th scope=\"row\"{}>{}</th>", class_of(true, cell.tone), text);
      else
        body += fmt::format("<td{}{}>{}</td>", titles[c].empty() ? "" : " data-l=\"" + titles[c] + "\"",
                            class_of(columns[c].right, cell.tone), text);
    }
    body += "</tr>\n";
  }
  head = has_titles(table) ? "<thead><tr>" + head + "</tr></thead>" : "";
  return "<div class=\"scroll\"><table class=\"stack\">" + head + "<tbody>\n" + body + "</tbody></table></div>\n";
}

}  // namespace apf
