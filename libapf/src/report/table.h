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
// Lines of at most `width` columns, broken at blanks; the ones after the first start with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

// In a terminal that is too narrow, columns that may go are left out; what is still too wide has its names on lines of
// their own. No name is cut.
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
    std::size_t least = 0;  // 0 = rigid; else a column of names, at least that wide where it shares a line
    int drop = 0;           // 0 = stays; else may be left out, the highest number first
  };
  Table& left(std::string title, std::size_t least = 0);
  Table& right(std::string title);
  // The column last added may be left out.
  Table& drop(int order);
  void row(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  std::string render(const TextStyle& style) const;              // every line ends with a newline
  std::vector<std::string> shown(const TextStyle& style) const;  // the titles of the columns that are not left out

 private:
  struct Layout {
    std::vector<std::size_t> columns;  // those that are shown
    std::vector<std::size_t> width;    // by shown column
    std::size_t allowed = 0;
    bool stacked_titles = false;  // two words of a title above each other
  };
  Layout layout(const TextStyle& style) const;
  std::string line(const Layout& layout, const std::vector<Cell>& cells, const TextStyle& style) const;
  // A row whose names do not fit into their columns: those names, then the rest of the row, then the last column.
  std::string stacked(const Layout& layout, std::vector<Cell> cells, const TextStyle& style) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Of a name from a log or a configuration.
Table::Cell name_cell(const std::string& name, Tone tone = Tone::plain);

}  // namespace apf
