#include "report/html/markup.h"

#include <cmath>
#include <vector>

#include <fmt/core.h>

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

namespace {

// The text of an element that begins at `at`, which is behind its '>'.
std::string text_at(const std::string& html, std::size_t at) { return html.substr(at, html.find('<', at) - at); }

// The titles of the last row of the head, one for each column.
std::vector<std::string> titles_of(const std::string& table, std::size_t end) {
  std::vector<std::string> titles;
  const std::size_t head = table.rfind("<tr>", end);
  if (head == std::string::npos) return titles;
  for (std::size_t at = table.find("<t", head + 1); at < end; at = table.find("<t", at + 1)) {
    if (table[at + 2] != 'h' && table[at + 2] != 'd') continue;
    const std::size_t close = table.find('>', at);
    titles.push_back(text_at(table, close + 1));
    if (table.substr(at, close - at).find("colspan=\"2\"") != std::string::npos) titles.emplace_back();
  }
  return titles;
}

}  // namespace

std::string stacking(const std::string& table) {
  const std::size_t body = table.find("<tbody>");
  if (body == std::string::npos) return table;
  const std::vector<std::string> titles = titles_of(table, body);
  std::string out = table.substr(0, body);
  const std::size_t open = out.find("<table");
  out.insert(open + 6, " class=\"stack\"");
  std::size_t column = 0, copied = body;
  for (std::size_t at = table.find("<t", body + 1); at != std::string::npos; at = table.find("<t", at + 1)) {
    if (table.compare(at, 3, "<tr") == 0) column = 0;
    if (table.compare(at, 3, "<th") == 0) ++column;
    if (table.compare(at, 3, "<td") != 0) continue;
    const std::string title = column < titles.size() ? titles[column] : std::string();
    ++column;
    if (title.empty()) continue;
    out += table.substr(copied, at + 3 - copied) + " data-l=\"" + title + "\"";
    copied = at + 3;
  }
  return out + table.substr(copied);
}

}  // namespace apf
