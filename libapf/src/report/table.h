// Aligned columns of text, with colour where it is wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <apf/report.h>

namespace apf {

// What a piece of text is, for its colour.
enum class Tone { plain, faint, strong, good, caution, bad };
std::string toned(std::string_view text, Tone tone, const TextStyle& style);

// Columns that a terminal takes for the text: its code points.
std::size_t text_width(std::string_view text);
// At most `width` columns: the middle is left out ("kube-sys…accounts"), or all but the end ("…account:ci:builder").
enum class Keep { ends, tail };
std::string shortened(std::string_view text, std::size_t width, Keep keep = Keep::ends);
// Lines of at most `width` columns, broken at blanks; the ones after the first start with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

class Table {
 public:
  struct Cell {
    std::string text;
    Tone tone = Tone::plain;
    std::string drawn;  // already coloured form of `text`, of the same width; empty = text in its tone
    bool name = false;  // from a log or a configuration: what makes markup takes care of it
  };
  struct Column {
    std::string title;
    bool right = false;
    std::size_t least = 0;  // 0 = rigid
    Keep keep = Keep::ends;
  };
  // An elastic column is shortened when the table is wider than the terminal, but not below `least` columns.
  Table& left(std::string title, std::size_t least = 0, Keep keep = Keep::ends);
  Table& right(std::string title);
  void row(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  std::string render(const TextStyle& style) const;  // every line ends with a newline

 private:
  std::vector<std::size_t> widths(const TextStyle& style) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace apf
