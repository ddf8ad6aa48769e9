// YAML as text: where documents and values begin and end, and the characters that none may have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace apf {

struct SyntaxFault;

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

// Where parts of a text end.
class EndFinder {
 public:
  explicit EndFinder(std::string_view text) : text_(text) {}

  // From the first of &anchor and !tag properties to the node itself.
  std::size_t skip_properties(std::size_t at) const;
  // Over white space, line breaks and comments.
  std::size_t skip_space(std::size_t at) const;

  // The end of the word that begins at `at`.
  std::size_t word(std::size_t at) const;

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

// The white space at text[at] that YAML takes for text, such as U+00A0, in words; empty: there is none. Pages have it
// in place of blanks.
std::string odd_blank(std::string_view text, std::size_t at);

// What looks like a colon and a blank in that line of text, and is none for YAML.
struct OddColon {
  std::size_t begin = 0, end = 0;
  std::string words;        // what it is, and what to write
  const char* meant = " ";  // in its place
};
std::optional<OddColon> find_odd_colon(std::string_view text, std::size_t from);

// A key without its ':', or with one that is none.
SyntaxFault no_colon(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace apf
