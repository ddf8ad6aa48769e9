#include "lsp/line_table.h"

#include <algorithm>

#include "base/utf8.h"

namespace apf {

ChangedLines changed_lines(std::string_view before, std::string_view now) {
  const auto apart = std::mismatch(before.begin(), before.end(), now.begin(), now.end()).first;
  std::size_t begin = static_cast<std::size_t>(apart - before.begin()), tail = 0;
  begin = begin == 0 ? 0 : before.rfind('\n', begin - 1) + 1;
  const std::size_t most = std::min(before.size(), now.size()) - begin;
  while (tail < most && before[before.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
  const auto begins_line = [](std::string_view text, std::size_t at) { return at == 0 || text[at - 1] == '\n'; };
  while (tail > 0 && !(begins_line(before, before.size() - tail) && begins_line(now, now.size() - tail))) --tail;
  return {begin, before.size() - tail, now.size() - tail};
}

std::size_t ChangedLines::offset_before(std::size_t now) const {
  return now < begin ? now : now >= new_end ? now - new_end + end : std::string_view::npos;
}

TextRange ChangedLines::range_now(TextRange before) const {
  const auto now = [&](std::size_t offset, std::size_t inside) {
    return offset < begin ? offset : offset < end ? inside : offset - end + new_end;
  };
  const std::size_t first = now(before.begin, begin);
  // What ends where these lines begin is not in them.
  return {first, std::max(first, before.end == begin ? begin : now(before.end, new_end))};
}

LineTable::LineTable(std::string_view text, bool utf8) : text_(text), utf8_(utf8) {
  starts_.push_back(0);
  for (std::size_t i = text.find('\n'); i != text.npos; i = text.find('\n', i + 1)) starts_.push_back(i + 1);
}

std::string_view LineTable::text_of(std::size_t line) const {
  if (line >= starts_.size()) return {};
  std::string_view out = text_.substr(starts_[line], begin_of(line + 1) - starts_[line]);
  while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.remove_suffix(1);
  return out;
}

std::pair<std::size_t, std::size_t> LineTable::document_around(std::size_t line) const {
  const auto is_marker = [&](std::size_t at) { return text_of(at).starts_with("---"); };
  std::size_t end = line + 1;
  while (line > 0 && !is_marker(line)) --line;
  while (end < count() && !is_marker(end)) ++end;
  return {line, end};
}

std::size_t LineTable::line_of(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
}

std::size_t LineTable::offset_of(TextPosition position) const {
  if (position.line >= starts_.size()) return text_.size();
  const std::string_view line = text_of(position.line);
  if (utf8_) return starts_[position.line] + std::min(position.character, line.size());
  std::size_t at = 0;
  for (std::size_t units = 0; at < line.size() && units < position.character;) {
    const CodePoint c = decode_utf8(line, at);
    units += c.valid && c.value > 0xFFFF ? 2 : 1;
    if (units > position.character) break;  // within a pair
    at += c.length;
  }
  return starts_[position.line] + at;
}

TextPosition LineTable::position_of(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const std::size_t line = line_of(offset);
  const std::string_view before = text_.substr(starts_[line], offset - starts_[line]);
  if (utf8_) return {line, before.size()};
  std::size_t units = 0;
  for (std::size_t at = 0; at < before.size();) {
    const CodePoint c = decode_utf8(before, at);
    units += c.valid && c.value > 0xFFFF ? 2 : 1;
    at += c.length;
  }
  return {line, units};
}

TextRange LineTable::range_of(const Span& span) const {
  const auto offset = [&](int line, int column) {
    const auto number = static_cast<std::size_t>(std::max(line, 1) - 1);
    const std::size_t bytes = static_cast<std::size_t>(std::max(column, 1) - 1);
    return std::min(begin_of(number) + std::min(bytes, text_of(number).size()), text_.size());
  };
  if (!span.known()) return {};
  const std::size_t begin = offset(span.line, span.column);
  const bool ends = span.end_line >= span.line && span.end_column > 0;
  return {begin, std::max(begin, ends ? offset(span.end_line, span.end_column) : begin)};
}

void LineTable::write(JsonWriter& json, const char* key, std::size_t offset) const {
  const TextPosition at = position_of(offset);
  json.key(key).begin_object().field("line", static_cast<std::uint64_t>(at.line));
  json.field("character", static_cast<std::uint64_t>(at.character)).end_object();
}

void LineTable::write(JsonWriter& json, TextRange range) const {
  json.begin_object();
  write(json, "start", range.begin);
  write(json, "end", range.end);
  json.end_object();
}

}  // namespace apf
