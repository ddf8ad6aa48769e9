#include "report/core/html_markup.h"

#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "report/core/findings_words.h"
#include "report/core/units.h"
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

std::string text_of(const Table::Cell& cell, const LinkTargets& places) {
  const std::string text = html_text(cell.text);
  return cell.link.empty() || !places.has(cell.link) ? text
                                                     : "<a href=\"" + html_text(cell.link) + "\">" + text + "</a>";
}

std::string html_row(const std::vector<Table::Cell>& row, const std::vector<Table::Column>& columns,
                     const std::vector<std::string>& titles, LinkTargets& places) {
  std::string out = "<tr>";
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Table::Cell& cell = row[c];
    if (!cell.place.empty() && places.written.insert(cell.place).second)
      out = "<tr id=\"" + cell.place + "\">" + out.substr(4);
    const std::string text = text_of(cell, places);
    if (c == 0) out += fmt::format("<th scope=\"row\"{}>{}</th>", class_of(true, cell.tone), text);
    else
      out += fmt::format("<td{}{}>{}</td>", titles[c].empty() ? "" : " data-l=\"" + titles[c] + "\"",
                         class_of(columns[c].right, cell.tone), text);
  }
  return out + "</tr>\n";
}

}  // namespace

std::string html_table(const Table& table, LinkTargets& places) {
  constexpr std::size_t kOpen = 20, kFew = 5;  // rows; fewer more are no details
  const auto& columns = table.columns();
  std::string head, out;
  std::vector<std::string> titles;
  for (const Table::Column& column : columns) {
    // The first column has the heads of rows, which are on the left.
    const bool right = column.right && !titles.empty();
    titles.push_back(html_text(sentence_case(column.title)));
    head += titles.back().empty()
                ? "<td></td>"
                : fmt::format("<th{} scope=\"col\">{}</th>", class_of(right, Tone::plain), titles.back());
  }
  head = "<div class=\"scroll\"><table class=\"stack\">" +
         (has_titles(table) ? "<thead><tr>" + head + "</tr></thead>" : "") + "<tbody>\n";
  const std::string end = "</tbody></table></div>";
  const std::size_t rows = table.rows().size(), open = rows > kOpen + kFew ? kOpen : rows;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i == open) out += fmt::format("{}\n<details><summary>{} more</summary>{}", end, grouped(rows - open), head);
    out += html_row(table.rows()[i], columns, titles, places);
  }
  return head + out + end + (open < rows ? "</details>\n" : "\n");
}

}  // namespace apf
