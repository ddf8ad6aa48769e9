#include "logs/formats/json_walk.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/utf8.h"

namespace apf {
namespace {

constexpr int kMaxJsonDepth = 1024;  // simdjson's own limit

bool is_json_number(std::string_view s) {
  const char *p = s.data(), *end = p + s.size();
  const auto digits = [&] {
    const char* begin = p;
    while (p < end && is_digit(*p)) ++p;
    return p - begin;
  };
  if (p < end && *p == '-') ++p;
  const char* first = p;
  const auto whole = digits();
  if (whole == 0 || (whole > 1 && *first == '0')) return false;
  if (p < end && *p == '.') {
    ++p;
    if (digits() == 0) return false;
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p < end && (*p == '+' || *p == '-')) ++p;
    if (digits() == 0) return false;
  }
  return p == end;
}

// The four hex digits of \uXXXX; negative if they are none.
int hex4(const char* p, const char* end) {
  if (end - p < 4) return -1;
  const int a = hex_digit(p[0]), b = hex_digit(p[1]), c = hex_digit(p[2]), d = hex_digit(p[3]);
  return (a | b | c | d) < 0 ? -1 : a << 12 | b << 8 | c << 4 | d;
}

// `p` is after "\u". False: no hex digits.
bool unescape_unicode(const char*& p, const char* end, char*& to) {
  const int unit = hex4(p, end);
  if (unit < 0) return false;
  p += 4;
  auto c = static_cast<std::uint32_t>(unit);
  if (c >= 0xD800 && c < 0xE000) {
    const int low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, end) : -1;
    if (c < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
      c = 0x10000 + ((c - 0xD800) << 10 | (static_cast<std::uint32_t>(low) - 0xDC00));
      p += 6;
    } else {
      c = 0xFFFD;
    }
  }
  to = append_utf8(to, c);
  return true;
}

char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

}  // namespace

JsonToken skip_json_scalar(JsonText json, JsonToken token) {
  const char c = json.first(token);
  if (c != '-' && !is_digit(c) && c != 't' && c != 'f' && c != 'n') return nullptr;
  const std::string_view scalar = json.between(token, token + 1);
  const bool sound = c == 't'   ? scalar == "true"
                     : c == 'f' ? scalar == "false"
                     : c == 'n' ? scalar == "null"
                                : is_json_number(scalar);
  return sound ? token + 1 : nullptr;
}

JsonToken skip_json_container(JsonText json, JsonToken token) {
  unsigned char is_object[kMaxJsonDepth];
  int depth = 0;
  const char* const base = json.text;
  const std::uint32_t end = json.limit;
  char c = base[*token];

value:
  if (*token >= end) return nullptr;
  switch (c) {
    case '"':
      ++token;
      break;
    case '{':
      if (depth == kMaxJsonDepth) return nullptr;
      is_object[depth++] = 1;
      c = base[*++token];
      if (c != '}') goto key;
      --depth;
      ++token;
      break;
    case '[':
      if (depth == kMaxJsonDepth) return nullptr;
      is_object[depth++] = 0;
      c = base[*++token];
      if (c != ']') goto value;
      --depth;
      ++token;
      break;
    default:
      token = skip_json_scalar(json, token);
      if (token == nullptr) return nullptr;
  }

after_value:
  if (depth == 0) return token;
  c = base[*token];
  if (is_object[depth - 1]) {
    if (c == ',') {
      c = base[*++token];
      goto key;
    }
    if (c != '}') return nullptr;
  } else {
    if (c == ',') {
      c = base[*++token];
      goto value;
    }
    if (c != ']') return nullptr;
  }
  --depth;
  ++token;
  goto after_value;

key:
  if (c != '"' || base[token[1]] != ':') return nullptr;
  token += 2;
  c = base[*token];
  goto value;
}

char* JsonScratch::room(std::size_t size) {
  if (blocks_.empty() || capacity_ - used_ < size) {
    capacity_ = std::max<std::size_t>(size, 16 * 1024);
    used_ = 0;
    blocks_.push_back(std::make_unique<char[]>(capacity_));
  }
  return blocks_.back().get() + used_;
}

void JsonScratch::reset() {
  used_ = 0;
  // A giant of one line is not kept for all the others.
  constexpr std::size_t kKeep = 1 << 20;
  if (capacity_ > kKeep) {
    blocks_.clear();
    capacity_ = 0;
  } else if (blocks_.size() > 1) {
    blocks_.erase(blocks_.begin(), blocks_.end() - 1);
  }
}

bool unescape_json(std::string_view raw, JsonScratch& scratch, std::string_view& out) {
  char* const begin = scratch.room(raw.size());  // no escape is shorter than what it means
  char* to = begin;
  const char *p = raw.data(), *end = p + raw.size();
  for (;;) {
    const char* escape = static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(end - p)));
    const char* stop = escape != nullptr ? escape : end;
    std::memcpy(to, p, static_cast<std::size_t>(stop - p));
    to += stop - p;
    if (escape == nullptr) break;
    p = escape + 1;
    if (p == end) return false;
    const char c = *p++;
    if (c == 'u') {
      if (!unescape_unicode(p, end, to)) return false;
    } else {
      *to = simple_escape(c);
      if (*to++ == 0) return false;
    }
  }
  out = {begin, static_cast<std::size_t>(to - begin)};
  scratch.take(out.size());
  return true;
}

bool unescape_key(std::string_view& key, char (&buffer)[kLongestKey]) {
  JsonScratch scratch;
  std::string_view plain;
  if (!unescape_json(key, scratch, plain) || plain.size() > kLongestKey) return false;
  key = {buffer, plain.copy(buffer, plain.size())};
  return true;
}

bool parse_json_integer(std::string_view scalar, std::int64_t& out) {
  const char *begin = scalar.data(), *end = begin + scalar.size();
  const auto [stop, error] = std::from_chars(begin, end, out);
  return error == std::errc() && stop == end;
}

}  // namespace apf
