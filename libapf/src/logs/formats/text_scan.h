// Plain scans over log text: newlines, and where JSON documents end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace apf {

std::uint64_t count_newlines(const char* text, std::size_t size);

// Faster than find() of a view.
bool holds(std::string_view text, std::string_view word);

// Whether a client's library says there that a request waited for its own limiter, or that a server answered 429.
bool is_of_client(std::string_view line);

// Whether a record of the server's own log begins here as --logging-format=json writes it, {"ts":…; its quotes may be
// those of a text within JSON, or of a cell of a table.
bool is_klog_json(std::string_view text);

// Whether a text holds what only audit events do, in whatever way its quotes are written.
bool has_audit_names(std::string_view text);

// Follows JSON values over a text given piece by piece: brackets outside of strings are counted, nothing is checked.
class DocumentScanner {
 public:
  // Goes on over `text`; returns the number of bytes up to where the last value that ended within it ended (0 = none
  // did).
  std::size_t scan_all(std::string_view text);
  // Goes on over `text` up to the end of the first value that ends; the number of bytes, or npos if none does.
  std::size_t scan_one(std::string_view text);

  bool inside() const { return depth_ > 0; }
  bool in_string() const { return in_string_; }
  // The innermost bracket still open, '\0' if that is not known any more or there is none.
  char innermost() const { return depth_ > 0 && depth_ <= 64 ? ((kinds_ >> (depth_ - 1)) & 1 ? '{' : '[') : '\0'; }
  char last() const { return last_; }  // the last byte seen that is neither blank space nor within a string

 private:
  template <bool kAll>
  std::size_t scan(std::string_view text);

  std::uint64_t depth_ = 0;
  std::uint64_t kinds_ = 0;  // of the first 64 levels: 1 = object
  bool in_string_ = false, escaped_ = false;
  char last_ = 0;
};

}  // namespace apf
