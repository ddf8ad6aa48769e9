// Positions in a text as the protocol counts them: lines from 0, and UTF-16 units (or bytes of UTF-8, where the client
// has them) in the line. A position beyond the end of a line is at its end.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/findings.h>
#include <apf/output.h>

namespace apf {

struct TextPosition {
  std::size_t line = 0, character = 0;
};

struct TextRange {
  std::size_t begin = 0, end = 0;  // offsets
};

// The lines of two texts that differ: those before and behind them are the same.
struct ChangedLines {
  std::size_t begin = 0, end = 0, new_end = 0;  // offsets of the text before, and in the text now

  std::size_t offset_before(std::size_t now) const;  // npos: in these lines
  TextRange range_now(TextRange before) const;       // what is in these lines: all of them
};
ChangedLines changed_lines(std::string_view before, std::string_view now);

class LineTable {
 public:
  // The text must outlive it.
  LineTable(std::string_view text, bool utf8);

  std::size_t offset_of(TextPosition position) const;
  TextPosition position_of(std::size_t offset) const;
  // Of a finding's place, whose lines and columns count from 1, columns in bytes. What has no place is at the
  // beginning.
  TextRange range_of(const Span& span) const;
  std::size_t count() const { return starts_.size(); }
  std::size_t line_of(std::size_t offset) const;
  std::size_t begin_of(std::size_t line) const { return line < starts_.size() ? starts_[line] : text_.size(); }
  std::string_view text_of(std::size_t line) const;  // without its end
  // The lines of a YAML document, the marker before it included: the first one, and the one behind the last one.
  std::pair<std::size_t, std::size_t> document_around(std::size_t line) const;

  // {"start":{"line":0,"character":0},"end":…}
  void write(JsonWriter& json, TextRange range) const;

 private:
  void write(JsonWriter& json, const char* key, std::size_t offset) const;

  std::string_view text_;
  std::vector<std::size_t> starts_;
  bool utf8_;
};

}  // namespace apf
