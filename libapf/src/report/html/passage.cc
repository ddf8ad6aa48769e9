// A passage on the page.
#include <fmt/core.h>

#include "report/html/markup.h"
#include "report/html/sections.h"

namespace apf {

namespace {

const char* style_of(Tone tone) {
  switch (tone) {
    case Tone::faint:
      return "zero";
    case Tone::caution:
      return "caution";
    case Tone::bad:
      return "bad";
    case Tone::plain:
    case Tone::strong:
    case Tone::good:
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

std::string table_of(const Table& table) {
  const auto& columns = table.columns();
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  for (const Table::Column& column : columns) {
    if (column.title.empty()) out += "<td></td>";
    else
      out += fmt::format("<th{} scope=\"col\">{}</th>", class_of(column.right, Tone::plain),
                         html_text(sentence_case(column.title)));
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows()) {
    out += "<tr>";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string text = html_text(row[c].text);
      const char* const style = style_of(row[c].tone);
      if (c == 0)
        out += fmt::format("<th scope=\"row\"{}>{}</th>", *style ? fmt::format(" class=\"{}\"", style) : "", text);
      else out += fmt::format("<td{}>{}</td>", class_of(columns[c].right, row[c].tone), text);
    }
    out += "</tr>\n";
  }
  return stacking(out + "</tbody></table></div>\n");
}

}  // namespace

std::string html_passage(const Passage& passage) {
  if (passage.empty()) return {};
  std::string out = "<h2>" + html_text(passage.title()) + "</h2>\n";
  using Form = Passage::Block::Form;
  Form before = Form::sentence;
  const auto end_list = [&] { out += before == Form::item ? "</ul>\n" : ""; };
  for (const Passage::Block& block : passage.blocks()) {
    const Form form = block.table.empty() ? block.form : Form::sentence;
    if (form != Form::item) end_list();
    else if (before != Form::item) out += "<ul class=\"says\">";
    if (!block.table.empty()) out += table_of(block.table);
    else if (form == Form::item) out += "<li>" + html_text(block.sentence) + "</li>";
    else if (form == Form::command) out += "<pre>" + html_text(block.sentence) + "</pre>\n";
    else if (form == Form::chart) out += block.sentence;
    else out += "<p" + std::string(block.faint ? " class=\"soft\"" : "") + ">" + html_text(block.sentence) + "</p>\n";
    before = form;
  }
  end_list();
  return out;
}

}  // namespace apf
