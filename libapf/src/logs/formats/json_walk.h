// Walking over indexed JSON (json_index.h). Everything walked over is checked against the grammar, also what is
// skipped; only the escapes within skipped strings are not looked at.
//
// A position is passed and returned by value, null for what is not JSON: kept in an object it would go through memory
// at every token, and that is what reading a line would then wait for.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/same_bytes.h"

namespace apf {

using JsonToken = const std::uint32_t*;  // into the index

// What a member function of walk_object returns for a key that it does not know.
inline constexpr std::uint32_t kNoToken = 0;
inline constexpr JsonToken kUnknownKey = &kNoToken;

struct JsonText;
JsonToken skip_json_container(JsonText json, JsonToken token);
JsonToken skip_json_scalar(JsonText json, JsonToken token);

struct JsonText {
  const char* text = nullptr;  // what the index was built from
  std::uint32_t limit = 0;     // values begin before this offset: the end of the line

  char first(JsonToken token) const { return text[*token]; }
  const char* place(JsonToken token) const { return text + *token; }
  bool holds(JsonToken token) const { return *token < limit; }

  // Just after the value that ends before the token.
  const char* end_before(JsonToken token) const {
    const char* end = text + *token;
    while (is_space(end[-1])) --end;
    return end;
  }

  // The text of the value from `begin` up to the token `next`.
  std::string_view between(JsonToken begin, JsonToken next) const {
    return {place(begin), static_cast<std::size_t>(end_before(next) - place(begin))};
  }

  // A string (first() == '"') between its quotes, escapes as written.
  std::string_view string(JsonToken token) const {
    const char* begin = text + token[0] + 1;
    const char* end = text + token[1] - 1;
    while (*end != '"') --end;  // there is only blank space between the quote and the next token
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  // The token behind the value.
  JsonToken skip(JsonToken token) const {
    const char c = first(token);
    if (c == '"') return token + 1;
    return c == '{' || c == '[' ? skip_json_container(*this, token) : skip_json_scalar(*this, token);
  }

  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
};

// Whether there is a backslash: short texts without a loop, long ones sixteen bytes at a time.
inline bool has_escape(std::string_view raw) {
  const char* p = raw.data();
  const std::size_t n = raw.size();
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const auto in_word = [](std::uint64_t word) {
    word ^= kOnes * '\\';
    return (word - kOnes) & ~word & kHighs;
  };
  if (n >= 16) {
    typedef unsigned char Bytes __attribute__((vector_size(16)));
    typedef std::uint64_t Halves __attribute__((vector_size(16)));
    const auto at = [p](std::size_t i) {
      Bytes bytes;
      std::memcpy(&bytes, p + i, 16);
      return reinterpret_cast<Halves>(bytes == '\\');
    };
    Halves any = at(n - 16);
    for (std::size_t i = 0; i + 16 < n; i += 16) any |= at(i);
    return (any[0] | any[1]) != 0;
  }
  if (n >= 8) {
    std::uint64_t first, last;
    std::memcpy(&first, p, 8);
    std::memcpy(&last, p + n - 8, 8);
    return (in_word(first) | in_word(last)) != 0;
  }
  if (n >= 4) {
    std::uint32_t first, last;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + n - 4, 4);
    return in_word(static_cast<std::uint64_t>(last) << 32 | first) != 0;
  }
  return n > 0 && (p[0] == '\\' || p[n / 2] == '\\' || p[n - 1] == '\\');
}

// Memory for unescaped strings that stays where it is until clear().
class JsonScratch {
 public:
  char* room(std::size_t size);  // at least `size` bytes, not taken yet
  void take(std::size_t size) { used_ += size; }
  void clear() {
    if (used_ > 0) reset();
  }

 private:
  void reset();
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t capacity_ = 0, used_ = 0;  // of the last block
};

// The text of a string between its quotes with its escapes resolved, in `scratch` if there are any. Lone surrogates
// become U+FFFD, as in Go. False: an escape that JSON does not know.
bool unescape_json(std::string_view raw, JsonScratch& scratch, std::string_view& out);

inline bool json_text(std::string_view raw, JsonScratch& scratch, std::string_view& out) {
  out = raw;
  return !has_escape(raw) || unescape_json(raw, scratch, out);
}

// Resolves a key's escapes into `buffer`. False: it is longer than any key that is looked for, or no escapes.
inline constexpr std::size_t kLongestKey = 64;
bool unescape_key(std::string_view& key, char (&buffer)[kLongestKey]);

template <std::size_t kSize>
inline bool is_key(std::string_view key, const char (&name)[kSize]) {
  return key.size() == kSize - 1 && same_bytes<kSize - 1>(key.data(), name);
}

// Calls member(key, value) at each member of the object at `token`; it returns the token behind the value, null to give
// up, or kUnknownKey, upon which the value is skipped. Returns the token behind the object.
template <class Member>
inline JsonToken walk_object(JsonText json, JsonToken token, Member&& member) {
  ++token;
  if (json.first(token) == '}') return token + 1;
  for (;;) {
    if (json.first(token) != '"' || json.first(token + 1) != ':' || !json.holds(token + 2)) return nullptr;
    std::string_view key = json.string(token);
    token += 2;
    char plain[kLongestKey];
    JsonToken next;
    while ((next = member(key, token)) == kUnknownKey) {
      // No server escapes its keys, but JSON allows it.
      if (!has_escape(key) || !unescape_key(key, plain)) {
        next = json.skip(token);
        break;
      }
    }
    if (next == nullptr) return nullptr;
    const char c = json.first(next);
    token = next + 1;
    if (c == '}') return token;
    if (c != ',') return nullptr;
  }
}

// The same for an array: element(value) for each element of the array at `token`.
template <class Element>
inline JsonToken walk_array(JsonText json, JsonToken token, Element&& element) {
  ++token;
  if (json.first(token) == ']') return token + 1;
  for (;;) {
    if (!json.holds(token)) return nullptr;
    token = element(token);
    if (token == nullptr) return nullptr;
    const char c = json.first(token++);
    if (c == ']') return token;
    if (c != ',') return nullptr;
  }
}

// An integer in JSON's grammar; false for fractions, exponents and what does not fit.
bool parse_json_integer(std::string_view scalar, std::int64_t& out);

}  // namespace apf
