// YAML as text: where documents and values begin and end, and the characters that none may have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace apf {

struct SyntaxFault;

inline constexpr const char* kOpenQuote =
    "YAML: expected the closing quote of this string, found the end of the document";
inline constexpr const char* kIndentingTab = "YAML: expected spaces as indentation, found a tab";
inline constexpr const char* kStrayDirective =
    "YAML: did not expect a directive here; a text that begins with '%' needs quotes";
inline constexpr const char* kNoColon = "YAML: expected ':' after this key";
inline constexpr const char* kStrayColon =
    "YAML: did not expect ':' here: a mapping begins on a line of its own, and text with ': ' in it needs quotes";

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

// Where the parts of a text end.
class EndFinder {
 public:
  explicit EndFinder(std::string_view text) : text_(text) {}

  // From the first of &anchor and !tag properties to the node itself.
  std::size_t skip_properties(std::size_t at) const;
  // Over white space, line breaks and comments.
  std::size_t skip_space(std::size_t at) const;

  // The ends of what begins at `at`: a word, a string in quotes, a plain scalar that reads as `value`, a block scalar.
  std::size_t word(std::size_t at) const;
  std::size_t single_quoted(std::size_t at) const;
  std::size_t double_quoted(std::size_t at) const;
  std::size_t plain(std::size_t at, std::string_view value) const;
  std::size_t block_scalar(std::size_t at) const;
  // After the bracket that closes a flow container whose last item ends at `at`.
  std::size_t flow_end(std::size_t at, char close) const;

 private:
  std::string_view text_;
};

struct Piece {
  std::size_t begin = 0, end = 0;  // without the "---" before it
  std::size_t stray = 0;           // what stands behind that "---" on its line, if anything does
};

// The text cut at its "---", as kubectl cuts it.
std::vector<Piece> cut_documents(std::string_view text, std::size_t begin);

// Throws a SyntaxFault at what is refused wherever it stands: what kubectl does not read behind "---", control
// characters, and line breaks that are not seen as such.
void check_characters(std::string_view text, const Piece& piece);

// A key without its ':'.
SyntaxFault no_colon(std::size_t begin, std::size_t end);

}  // namespace apf
