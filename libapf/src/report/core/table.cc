// Lays out a table: which columns there is room for, widths, padding, colour.

#include <algorithm>

#include <apf/report_words.h>

#include "base/utf8.h"
#include "report/core/writers.h"

namespace apf {

namespace {

constexpr std::size_t kGap = 2;

const char* escape(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::faint:
      return "\x1b[2m";
    case Tone::strong:
      return "\x1b[1m";
    case Tone::good:
      return "\x1b[32m";
    case Tone::caution:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[31m";
  }
  return "";
}

// The words of a title of numbers above the last one: "REFUSED" of "REFUSED OTHERS".
std::string_view words_above(const Table::Column& column) {
  const std::size_t blank = column.right ? column.title.rfind(' ') : std::string::npos;
  return blank == std::string::npos ? std::string_view() : std::string_view(column.title).substr(0, blank);
}
std::string_view last_word(const Table::Column& column) {
  const std::size_t above = words_above(column).size();
  return std::string_view(column.title).substr(above == 0 ? 0 : above + 1);
}

}  // namespace

std::string toned(std::string_view text, Tone tone, const TextStyle& style) {
  if (!style.color || tone == Tone::plain || text.empty()) return std::string(text);
  return escape(tone) + std::string(text) + "\x1b[0m";
}

std::size_t text_width(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t at = 0; at < text.size(); ++n) at += decode_utf8(text, at).length;
  return n;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t begin) {
  std::string out;
  std::size_t column = begin == std::string::npos ? indent : begin;
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t columns = text_width(word);
    if (!first && column + 1 + columns > width) {
      // A word that fits into a line of its own may begin further to the left.
      column = indent + columns > width && columns <= width ? width - columns : indent;
      out += "\n" + std::string(column, ' ');
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns;
    first = false;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return out;
}

bool has_titles(const Table& table) {
  return std::any_of(table.columns().begin(), table.columns().end(),
                     [](const Table::Column& column) { return !column.title.empty(); });
}

Table& Table::left(std::string title, std::size_t least) {
  columns_.push_back({std::move(title), false, least, 0});
  return *this;
}

Table& Table::right(std::string title) {
  columns_.push_back({std::move(title), true, 0, 0});
  return *this;
}

Table& Table::drop(int order) {
  columns_.back().drop = order;
  return *this;
}

Table& Table::wraps() {
  columns_.back().wraps = true;
  columns_.back().least = 20;
  return *this;
}

void Table::row(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = printable(cell.text);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

Table::Layout Table::layout(const TextStyle& style) const {
  Layout out;
  out.allowed = style.full ? static_cast<std::size_t>(-1) : static_cast<std::size_t>(std::max(style.width, 0));
  std::vector<std::size_t> stacked;  // widths with titles in two lines
  std::size_t total = 0, total_stacked = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t cells = 0;
    for (const auto& row : rows_) cells = std::max(cells, text_width(row[c].text));
    const std::string_view above = words_above(columns_[c]), below = last_word(columns_[c]);
    out.columns.push_back(c);
    out.width.push_back(std::max(cells, text_width(columns_[c].title)));
    stacked.push_back(std::max({cells, text_width(above), text_width(below)}));
    total += out.width.back() + (c > 0 ? kGap : 0);
    total_stacked += stacked.back() + (c > 0 ? kGap : 0);
  }
  // Titles take a second line before a column is left out.
  out.stacked_titles = total > out.allowed && total_stacked < total;
  if (out.stacked_titles) {
    out.width = std::move(stacked);
    total = total_stacked;
  }
  while (total > out.allowed) {
    const auto last = std::max_element(out.columns.begin(), out.columns.end(), [&](std::size_t a, std::size_t b) {
      return columns_[a].drop < columns_[b].drop;
    });
    if (last == out.columns.end() || columns_[*last].drop == 0) break;
    const auto at = last - out.columns.begin();
    total -= out.width[static_cast<std::size_t>(at)] + kGap;
    out.columns.erase(last);
    out.width.erase(out.width.begin() + at);
  }
  while (total > out.allowed) {  // take from the widest names
    std::size_t widest = out.columns.size();
    for (std::size_t i = 0; i < out.columns.size(); ++i) {
      const Column& column = columns_[out.columns[i]];
      const bool gives = column.least > 0 && out.width[i] > std::max(column.least, text_width(column.title));
      if (gives && (widest == out.columns.size() || out.width[i] > out.width[widest])) widest = i;
    }
    if (widest == out.columns.size()) break;
    --out.width[widest];
    --total;
  }
  return out;
}

std::vector<std::string> Table::shown(const TextStyle& style) const {
  std::vector<std::string> out;
  for (const std::size_t column : layout(style).columns) out.push_back(columns_[column].title);
  return out;
}

std::string Table::line(const Layout& layout, const std::vector<Cell>& cells, const TextStyle& style) const {
  std::string text;
  std::size_t owed = 0;   // blanks are written only when something follows
  std::size_t begin = 0;  // of the column
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const Cell& cell = cells[layout.columns[i]];
    const Column& column = columns_[layout.columns[i]];
    const std::size_t used = text_width(cell.text);
    const std::size_t pad = layout.width[i] > used ? layout.width[i] - used : 0;
    if (column.right) owed += pad;
    if (!cell.text.empty()) {
      const std::string shown =
          column.wraps ? wrapped(cell.text, begin + layout.width[i], begin) : cell.text;  // as far as there is room
      text +=
          std::string(owed, ' ') + (style.color && !cell.drawn.empty() ? cell.drawn : toned(shown, cell.tone, style));
      owed = 0;
    }
    owed += (column.right ? 0 : pad) + kGap;
    begin += layout.width[i] + kGap;
  }
  return text + "\n";
}

std::string Table::stacked(const Layout& layout, std::vector<Cell> cells, const TextStyle& style) const {
  std::string out, below;
  std::size_t used = 0;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    Cell& cell = cells[layout.columns[i]];
    const std::size_t width = text_width(cell.text);
    const Column& column = columns_[layout.columns[i]];
    if (column.least == 0 || column.wraps || width <= layout.width[i]) continue;
    if (i > 0 && i + 1 == layout.columns.size()) {
      const std::size_t indent = layout.width[0] + kGap;
      below = std::string(indent, ' ') + toned(wrapped(cell.text, layout.allowed, indent), cell.tone, style) + "\n";
      cell = {};
      continue;
    }
    if (used > 0 && used + kGap + width <= layout.allowed) {
      out += std::string(kGap, ' ');
      used += kGap;
    } else if (used > 0) {
      out += "\n";
      used = 0;
    }
    out += toned(cell.text, cell.tone, style);
    used += width;
    cell = {};
  }
  return (out.empty() ? out : out + "\n") + line(layout, cells, style) + below;
}

std::string Table::render(const TextStyle& style) const {
  const Layout layout = this->layout(style);
  std::vector<Cell> titles, above;
  for (const Column& column : columns_) {
    above.push_back({std::string(words_above(column)), Tone::strong, {}, false});
    titles.push_back({layout.stacked_titles ? std::string(last_word(column)) : column.title, Tone::strong, {}, false});
  }
  std::string out = layout.stacked_titles ? line(layout, above, style) : "";
  if (has_titles(*this)) out += line(layout, titles, style);
  for (const auto& row : rows_) {
    bool fits = true;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const std::size_t c = layout.columns[i];
      fits = fits && (columns_[c].least == 0 || columns_[c].wraps || text_width(row[c].text) <= layout.width[i]);
    }
    out += fits ? line(layout, row, style) : stacked(layout, row, style);
  }
  return out;
}

Table::Cell name_cell(const std::string& name, Tone tone) { return {name, tone, {}, true}; }

}  // namespace apf
