// apf::JsonWriter, and JSON strings and numbers.
#include <apf/output.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/decimal.h"
#include "base/utf8.h"

namespace apf {

namespace {

void append_unit(std::string& out, char32_t unit) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 15];
}

// As UTF-16, which is what JSON's escapes count in.
void append_escape(std::string& out, char32_t c) {
  if (c < 0x10000) return append_unit(out, c);
  append_unit(out, 0xD800 + ((c - 0x10000) >> 10));
  append_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
}

// A # may begin a mark of a CI system, see append_json_string().
bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '#'; }

// The bytes of two words, which may be the same ones.
template <class Word>
inline bool are_plain(const char* first, const char* second) {
  typedef signed char Bytes __attribute__((vector_size(2 * sizeof(Word))));
  Bytes bytes;
  Word words[2];
  std::memcpy(&words[0], first, sizeof(Word));
  std::memcpy(&words[1], second, sizeof(Word));
  std::memcpy(&bytes, words, sizeof words);
  // Others are below 0.
  const Bytes plain = (bytes >= 0x20) & (bytes != 0x7f) & (bytes != '"') & (bytes != '\\') & (bytes != '#');
  std::memcpy(words, &plain, sizeof words);
  return (words[0] & words[1]) == std::numeric_limits<Word>::max();
}

// How many bytes of the text are plain, up to the first that is not.
std::size_t plain_size(std::string_view text) {
  std::size_t at = 0;
  const char* const p = text.data();
  const char* const end = p + text.size();
  while (text.size() - at >= 16 && are_plain<std::uint64_t>(p + at, p + at + 8)) at += 16;
  // The last bytes, with some that are known to be plain.
  const std::size_t rest = text.size() - at;
  if (rest < 16 && text.size() >= 8) {
    if (are_plain<std::uint64_t>(rest > 8 ? p + at : end - 8, end - 8)) return text.size();
  } else if (rest < 8 && rest >= 4) {
    if (are_plain<std::uint32_t>(p, end - 4)) return text.size();
  }
  while (at < text.size() && is_plain(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

// Room for so many bytes at the end, which the caller writes: one call where appending them by parts takes several.
char* grow(std::string& out, std::size_t size) {
  const std::size_t at = out.size();
  out.resize(at + size);
  return out.data() + at;
}

}  // namespace

// Of two #, the first is escaped: ##vso[…] and ##teamcity[…] are commands of CI systems wherever they stand in a line.
void append_json_string(std::string& out, std::string_view text) {
  if (plain_size(text) == text.size()) {
    char* const to = grow(out, text.size() + 2);
    to[0] = '"';
    text.copy(to + 1, text.size());
    to[text.size() + 1] = '"';
    return;
  }
  out += '"';
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = at + plain_size(text.substr(at));
    out.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const CodePoint c = decode_utf8(text, at);
    if (!c.valid) out += "\xef\xbf\xbd";
    else if (c.value == '"') out += "\\\"";
    else if (c.value == '\\') out += "\\\\";
    else if (c.value == '\n') out += "\\n";
    else if (c.value == '\t') out += "\\t";
    else if (c.value == '\r') out += "\\r";
    else if (is_invisible(c.value) || text.substr(at, 2) == "##") append_escape(out, c.value);
    else out.append(text, at, c.length);
    at += c.length;
  }
  out += '"';
}

void append_json_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  constexpr double kLeastWithoutExponent = 1e-6, kMostWithoutExponent = 1e21;  // as in JavaScript
  append_decimal(out, value, kLeastWithoutExponent, kMostWithoutExponent);
}

void JsonWriter::separate() {
  if (need_comma_) out_ += ',';
  need_comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  if (plain_size(name) == name.size()) {
    char* to = grow(out_, name.size() + (need_comma_ ? 4 : 3));
    if (need_comma_) *to++ = ',';
    *to++ = '"';
    to += name.copy(to, name.size());
    *to++ = '"';
    *to = ':';
  } else {
    separate();
    append_json_string(out_, name);
    out_ += ':';
  }
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  std::array<char, 24> buffer;
  out_.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  std::array<char, 24> buffer;
  out_.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  append_json_double(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  separate();
  out_ += flag ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::decimal_string(std::uint64_t number) {
  separate();
  out_ += '"';
  std::array<char, 24> buffer;
  out_.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::members(std::string_view json) {
  if (json.empty()) return *this;
  separate();
  out_ += json;
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

std::string JsonWriter::take() {
  need_comma_ = false;
  return std::move(out_);
}

}  // namespace apf
