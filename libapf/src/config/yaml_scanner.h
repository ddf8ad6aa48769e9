// A YAML document as tokens, by the rules of YAML 1.1 as kubectl's reader (go-yaml) has them; apfctl-yaml(7) lists
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree.h"
#include "config/tree_builder.h"

namespace apf {

enum class TokenKind : std::uint8_t {
  end,           // of the text
  document_end,  // "..."
  block_sequence,
  block_mapping,
  block_end,
  flow_sequence,
  flow_sequence_end,
  flow_mapping,
  flow_mapping_end,
  block_entry,
  flow_entry,
  key,
  value,
  alias,
  anchor,
  tag,
  scalar
};

struct YamlToken {
  TokenKind kind = TokenKind::end;
  NodeStyle style = NodeStyle::plain;  // of a scalar
  std::size_t begin = 0, end = 0;
  std::string_view text;  // a scalar's value, the name of an alias or anchor, a tag as written
};

// Where the scanner is. Columns count bytes, which is enough: indentation is ASCII.
class YamlCursor {
 public:
  YamlCursor(std::string_view text, std::size_t begin) : text_(text), at_(begin), line_(begin) {}

  bool at_end(std::size_t ahead = 0) const { return at_ + ahead >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_end(ahead) ? '\0' : text_[at_ + ahead]; }
  bool is_break(std::size_t ahead = 0) const { return !at_end(ahead) && (peek(ahead) == '\n' || peek(ahead) == '\r'); }
  bool is_blank(std::size_t ahead = 0) const { return !at_end(ahead) && (peek(ahead) == ' ' || peek(ahead) == '\t'); }
  // White space, a line break or the end.
  bool is_gap(std::size_t ahead = 0) const { return at_end(ahead) || is_blank(ahead) || is_break(ahead); }
  // "..." on its own at the beginning of a line.
  bool at_document_end() const { return column() == 0 && text_.substr(at_, 3) == "..." && is_gap(3); }

  std::size_t at() const { return at_; }
  std::size_t line() const { return line_; }
  int column() const { return static_cast<int>(at_ - line_); }
  std::string_view text() const { return text_; }

  void skip(std::size_t bytes = 1) { at_ += bytes; }
  // Over LF or CR LF. Other line breaks of YAML 1.1 are refused before a document is scanned.
  void skip_break() {
    at_ += peek() == '\r' && peek(1) == '\n' ? 2 : 1;
    line_ = at_;
  }
  void skip_to_break() {
    while (!at_end() && !is_break()) ++at_;
  }

 private:
  std::string_view text_;
  std::size_t at_, line_;
};

// The scalars of several lines, read from the cursor on; it stands behind them afterwards.
class YamlScalars {
 public:
  YamlScalars(YamlCursor& cursor, TreeBuilder& builder) : cursor_(cursor), builder_(builder) {}

  // `indent` is that of the block around it, -1 at the top.
  YamlToken block(int indent);
  YamlToken quoted();
  // Sets `ended_line` if line breaks follow.
  YamlToken plain(int indent, bool in_flow, bool& ended_line);

 private:
  struct BlockHeader {
    char chomping = ' ';
    int indent = 0;  // beyond that of the block around it; 0 = that of the first line
  };

  YamlToken finish(NodeStyle style, std::size_t begin, std::size_t end, std::size_t from);
  void take_run(std::size_t from) { value_.append(cursor_.text().substr(from, cursor_.at() - from)); }
  unsigned take_hex(int digits, std::size_t begin);
  void take_escape();
  bool take_quoted_words(char quote, std::size_t begin);
  // White space and line breaks between two words. Returns whether there were line breaks.
  bool take_gap(bool joined, int least_column);
  BlockHeader take_block_header();
  std::size_t take_block_breaks(int around, int& indent);

  YamlCursor& cursor_;
  TreeBuilder& builder_;
  std::string value_;
  std::string gap_;  // what is between the last word and the next one, folded
};

class YamlScanner {
 public:
  // Scans text[begin, …); values that differ from the text are stored in the builder's tree.
  YamlScanner(std::string_view text, std::size_t begin, TreeBuilder& builder)
      : cursor_(text, begin), scalars_(cursor_, builder) {}

  const YamlToken& peek();
  YamlToken next();

 private:
  // The beginning of what turns out to be a key if a ':' follows it on the same line.
  struct PossibleKey {
    bool possible = false;
    bool required = false;  // nothing else can stand there
    std::size_t token = 0;  // its number
    std::size_t begin = 0;
    std::size_t line = 0;
  };

  bool in_flow() const { return keys_.size() > 1; }
  bool needs_more();
  void fetch();
  void skip_to_token();
  void add(TokenKind kind, std::size_t bytes);
  void insert(std::size_t number, TokenKind kind, std::size_t at);
  void indent_to(int column, std::size_t number, TokenKind kind, std::size_t at);
  void unindent_to(int column);
  bool is_valid(PossibleKey& key) const;
  void save_key();
  void drop_key();
  void fetch_end();
  void fetch_flow_begin(TokenKind kind);
  void fetch_flow_end(TokenKind kind);
  void fetch_block_entry();
  void fetch_key();
  void fetch_value();
  void fetch_name(TokenKind kind);
  void fetch_tag();
  [[noreturn]] void fail_character() const;
  [[noreturn]] void fail_colon() const;

  YamlCursor cursor_;
  YamlScalars scalars_;
  std::deque<YamlToken> tokens_;
  std::size_t taken_ = 0;  // tokens that were handed out
  int indent_ = -1;
  std::vector<int> indents_;
  std::vector<PossibleKey> keys_ = {{}};  // one for the block context and one for each open bracket
  bool key_allowed_ = true;
  std::size_t last_scalar_ = std::string_view::npos;  // where it began
  bool ended_ = false;
};

}  // namespace apf
