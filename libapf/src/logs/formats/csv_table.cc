#include "logs/formats/csv_table.h"

#include <algorithm>

#include "base/text.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

constexpr std::string_view kSeparators = ",;\t|";
constexpr std::size_t kLongestHeader = 16 * 1024, kLongestName = 128;

std::string_view first_line(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// As "kubernetes.audit.user.groups", "@timestamp", "TimeGenerated [UTC]", "user.groups{}".
bool is_name(std::string_view cell) {
  if (cell.empty() || cell.size() > kLongestName || is_digit(cell.front())) return false;
  return std::all_of(cell.begin(), cell.end(), [](char c) {
    const char lower = static_cast<char>(c | 0x20);
    return is_digit(c) || (lower >= 'a' && lower <= 'z') ||
           std::string_view("@_.:-/[](){} ").find(c) != std::string::npos;
  });
}

char separator_of(std::string_view header) {
  return *std::max_element(kSeparators.begin(), kSeparators.end(), [&](char a, char b) {
    return std::count(header.begin(), header.end(), a) < std::count(header.begin(), header.end(), b);
  });
}

}  // namespace

std::string_view table_header(std::string_view text) {
  const std::string_view header = first_line(text);
  if (header.empty() || header.size() > kLongestHeader || header.size() == text.size()) return {};
  TableRows rows(header);
  if (!std::all_of(rows.names().begin(), rows.names().end(), is_name)) return {};
  text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  const std::size_t columns = rows.names().size();
  const std::string_view row = text.substr(0, rows.row_size(text));
  // One column alone may be anything: then its cells are quoted.
  if (columns == 1 && !row.starts_with('"')) return {};
  // Where events stand without quotes, their commas make more cells of them.
  const std::size_t cells = rows.cells(row).size();
  return cells == columns || (cells > columns && has_audit_names(row)) ? header : std::string_view();
}

TableRows::TableRows(std::string_view header) : separator_(separator_of(header)) {
  split(header, names_);
  std::swap(kept_, scratch_);
}

std::size_t TableRows::row_size(std::string_view text) const {
  bool quoted = false, begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool was_quoted = quoted;
    if (c == '"' && (quoted || begins)) quoted = !quoted;
    else if (c == '\n' && !quoted) return i + 1;
    begins = c == separator_ || (was_quoted && !quoted);  // of "" the second
  }
  return text.size();
}

void TableRows::split(std::string_view row, std::vector<std::string_view>& out) {
  out.clear();
  scratch_.clear();
  while (row.ends_with('\n') || row.ends_with('\r')) row.remove_suffix(1);
  for (;;) {
    if (!row.starts_with('"')) {
      const std::size_t end = std::min(row.find(separator_), row.size());
      out.push_back(row.substr(0, end));
      if (end == row.size()) return;
      row.remove_prefix(end + 1);
      continue;
    }
    out.push_back(read_csv_cell(row.substr(1), scratch_));
    std::size_t end = 1;
    while (end < row.size() && (row[end] != '"' || (end + 1 < row.size() && row[end + 1] == '"')))
      end += row[end] == '"' ? 2 : 1;
    row.remove_prefix(std::min(end + 1, row.size()));
    if (row.empty()) return;
    row.remove_prefix(1);  // the separator
  }
}

const std::vector<std::string_view>& TableRows::cells(std::string_view row) {
  split(row, cells_);
  return cells_;
}

std::string_view read_csv_cell(std::string_view text, JsonScratch& scratch) {
  char* const begin = scratch.room(text.size());
  char* to = begin;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i + 1 == text.size() || text[++i] != '"')) break;
    *to++ = text[i];
  }
  scratch.take(static_cast<std::size_t>(to - begin));
  return {begin, static_cast<std::size_t>(to - begin)};
}

}  // namespace apf
