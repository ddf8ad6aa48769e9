// Walking over indexed JSON (json_index.h). Everything walked over is checked against the grammar, also what is
// skipped; only the escapes within skipped strings are not looked at.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace apf {

struct JsonCursor {
  const char* text = nullptr;         // what the index was built from
  const std::uint32_t* at = nullptr;  // the current token
  std::uint32_t limit = 0;            // values begin before this offset: the end of the line

  char peek() const { return text[*at]; }
  const char* here() const { return text + *at; }

  // At a string (peek() == '"'): its text between the quotes, escapes as they stand.
  std::string_view take_string() {
    const char* begin = text + *at + 1;
    const char* end = text + *++at - 1;
    while (*end != '"') --end;  // nothing but blank space stands between the quote and the next token
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  // At a member of an object: its key; the cursor is then at its value. False: this is no member.
  bool take_key(std::string_view& key) {
    if (peek() != '"' || text[at[1]] != ':') return false;
    key = take_string();
    ++at;
    return *at < limit;
  }

  // At a number or literal: its text. False: it is neither.
  bool take_scalar(std::string_view& scalar);

  // Over the value at the cursor. False: it is not JSON, or does not end before the limit.
  bool skip_value() {
    switch (peek()) {
      case '"':
        ++at;
        return true;
      case '{':
      case '[':
        return skip_container();
      default: {
        std::string_view scalar;
        return take_scalar(scalar);
      }
    }
  }
  bool skip_container();

  // Over the value; `raw` is its text.
  bool take_raw(std::string_view& raw) {
    const char* begin = here();
    if (!skip_value()) return false;
    raw = {begin, static_cast<std::size_t>(value_end() - begin)};
    return true;
  }

  // Just after the value that ends before the current token.
  const char* value_end() const {
    const char* end = text + *at;
    while (is_space(end[-1])) --end;
    return end;
  }

  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
};

// Calls member(key) at each member of the object at the cursor, with the cursor at the value, which `member` must
// take or skip; it returns false to give up. False: not JSON, or given up.
template <class Member>
inline bool walk_object(JsonCursor& cursor, Member&& member) {
  ++cursor.at;
  if (cursor.peek() == '}') {
    ++cursor.at;
    return true;
  }
  for (;;) {
    std::string_view key;
    if (!cursor.take_key(key) || !member(key)) return false;
    const char c = cursor.peek();
    ++cursor.at;
    if (c == '}') return true;
    if (c != ',') return false;
  }
}

// Likewise element() for each element of the array at the cursor.
template <class Element>
inline bool walk_array(JsonCursor& cursor, Element&& element) {
  ++cursor.at;
  if (cursor.peek() == ']') {
    ++cursor.at;
    return true;
  }
  for (;;) {
    if (*cursor.at >= cursor.limit || !element()) return false;
    const char c = cursor.peek();
    ++cursor.at;
    if (c == ']') return true;
    if (c != ',') return false;
  }
}

// Memory for unescaped strings that stays where it is until clear().
class JsonScratch {
 public:
  char* room(std::size_t size);  // at least `size` bytes, not taken yet
  void take(std::size_t size) { used_ += size; }
  void clear();

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t capacity_ = 0, used_ = 0;  // of the last block
};

// The text of a string between its quotes with its escapes resolved, in `scratch` if there are any. Lone surrogates
// become U+FFFD, as in Go. False: an escape that JSON does not know.
bool unescape_json(std::string_view raw, JsonScratch& scratch, std::string_view& out);

inline bool json_text(std::string_view raw, JsonScratch& scratch, std::string_view& out) {
  if (raw.empty() || std::memchr(raw.data(), '\\', raw.size()) == nullptr) {
    out = raw;
    return true;
  }
  return unescape_json(raw, scratch, out);
}

// Whether a key as it stands in the text means `name`. Nobody escapes letters, but JSON allows it.
bool is_escaped_key(std::string_view raw, std::string_view name);

// An integer in JSON's grammar; false for fractions, exponents and what does not fit.
bool parse_json_integer(std::string_view scalar, std::int64_t& out);

}  // namespace apf
