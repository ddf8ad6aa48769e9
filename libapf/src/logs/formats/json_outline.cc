#include "logs/formats/json_outline.h"

#include <algorithm>

namespace apf {

namespace {

// The end of the string whose first quote is at `begin`: after its last quote, or the text's end.
std::size_t json_string_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// After the value at `begin`: at the comma or bracket behind it, or the text's end.
std::size_t value_end(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = json_string_end(text, i) - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth < 0) return i;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

bool JsonOutline::has(std::string_view key) const { return !value(key).empty(); }

std::string_view JsonOutline::value(std::string_view key) const {
  for (const Member& m : members) {
    if (m.key == key) return m.value;
  }
  return {};
}

JsonOutline outline_json(std::string_view text) {
  JsonOutline outline;
  std::size_t at = text.find_first_not_of(kBlankSpace);
  if (at != std::string_view::npos && text[at] == '[') at = text.find_first_not_of(kBlankSpace, at + 1);
  if (at == std::string_view::npos || text[at] != '{') return outline;
  outline.is_json = true;
  for (;;) {
    at = text.find_first_not_of(kBlankSpace, at + 1);
    if (at == std::string_view::npos || text[at] != '"') break;
    const std::size_t key_end = json_string_end(text, at);
    const std::size_t colon = text.find_first_not_of(kBlankSpace, key_end);
    if (colon == std::string_view::npos || text[colon] != ':') break;
    const std::size_t begin = text.find_first_not_of(kBlankSpace, colon + 1);
    if (begin == std::string_view::npos) break;
    const std::size_t end = value_end(text, begin);
    outline.members.push_back({text.substr(at + 1, key_end - at - 2), text.substr(begin, end - begin)});
    if (end == text.size() || text[end] != ',') break;
    at = end;
  }
  return outline;
}

}  // namespace apf
