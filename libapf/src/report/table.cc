// Lays out a table: widths, padding, shortening, colour.

#include "report/table.h"

#include <algorithm>
#include <numeric>

#include "base/utf8.h"

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

// Offset of the code point number `n`.
std::size_t offset_of(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  for (; n > 0 && at < text.size(); --n) at += decode_utf8(text, at).length;
  return at;
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

std::string shortened(std::string_view text, std::size_t width, Keep keep) {
  const std::size_t all = text_width(text);
  if (all <= width) return std::string(text);
  if (width <= 1) return width == 1 ? "…" : "";
  const std::size_t tail = keep == Keep::tail ? width - 1 : (width - 1) / 2, head = width - 1 - tail;
  return std::string(text.substr(0, offset_of(text, head))) + "…" +
         std::string(text.substr(offset_of(text, all - tail)));
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t columns = text_width(word);
    if (!first && column + 1 + columns > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
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

Table& Table::left(std::string title, std::size_t least, Keep keep) {
  columns_.push_back({std::move(title), false, least, keep});
  return *this;
}

Table& Table::right(std::string title) {
  columns_.push_back({std::move(title), true, 0, Keep::ends});
  return *this;
}

void Table::row(std::vector<Cell> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(const TextStyle& style) const {
  std::vector<std::size_t> width(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    width[c] = text_width(columns_[c].title);
    for (const auto& row : rows_) width[c] = std::max(width[c], text_width(row[c].text));
  }
  const std::size_t gaps = columns_.empty() ? 0 : kGap * (columns_.size() - 1);
  const auto allowed = static_cast<std::size_t>(std::max(style.width, 0));
  std::size_t total = std::accumulate(width.begin(), width.end(), gaps);
  while (total > allowed) {  // take from the widest that can give
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool gives = columns_[c].least > 0 && width[c] > std::max(columns_[c].least, text_width(columns_[c].title));
      if (gives && (widest == columns_.size() || width[c] > width[widest])) widest = c;
    }
    if (widest == columns_.size()) break;
    --width[widest];
    --total;
  }
  return width;
}

std::string Table::render(const TextStyle& style) const {
  const std::vector<std::size_t> width = widths(style);
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    std::size_t owed = 0;  // blanks are written only when something follows
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Cell cell = cell_of(c);
      const std::string plain = columns_[c].least > 0 ? shortened(cell.text, width[c], columns_[c].keep) : cell.text;
      const std::size_t used = text_width(plain);
      const std::size_t pad = width[c] > used ? width[c] - used : 0;
      if (columns_[c].right) owed += pad;
      if (!plain.empty()) {
        text +=
            std::string(owed, ' ') + (style.color && !cell.drawn.empty() ? cell.drawn : toned(plain, cell.tone, style));
        owed = 0;
      }
      owed += (columns_[c].right ? 0 : pad) + kGap;
    }
    out += text + "\n";
  };
  line([&](std::size_t c) { return Cell{columns_[c].title, Tone::strong, {}}; });
  for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
  return out;
}

}  // namespace apf
