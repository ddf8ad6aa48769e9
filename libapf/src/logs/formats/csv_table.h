// Tables as exports write them: a line of names, then rows; cells between commas, semicolons, tabs or bars, quoted
// where they need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "logs/formats/json_walk.h"

namespace apf {

// The line of names that a text begins with; empty: it is no such table.
std::string_view table_header(std::string_view text);

class TableRows {
 public:
  // `header`: of table_header().
  explicit TableRows(std::string_view header = {});
  const std::vector<std::string_view>& names() const { return names_; }

  // The size of the row that the text begins with, with its newline: quoted cells may hold some.
  std::size_t row_size(std::string_view text) const;
  // The cells of a row, valid until the next call.
  const std::vector<std::string_view>& cells(std::string_view row);

 private:
  void split(std::string_view row, std::vector<std::string_view>& out);

  char separator_ = ',';
  JsonScratch kept_, scratch_;
  std::vector<std::string_view> names_, cells_;
};

// The text of a quoted cell, `text` begins behind its first quote.
std::string_view read_csv_cell(std::string_view text, JsonScratch& scratch);

}  // namespace apf
