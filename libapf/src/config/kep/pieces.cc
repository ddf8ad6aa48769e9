#include "config/kep/pieces.h"

namespace apf {

namespace {

std::string_view without_end(std::string_view line) {
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line;
}

// One line of a piece, without its line break.
struct Line {
  std::size_t begin = 0, next = 0;
  std::string_view text;
  bool blank() const { return text.empty(); }
  bool has_key(std::string_view key) const { return text.starts_with(key) && text.substr(key.size()).starts_with(":"); }
  bool is_kind() const { return has_key("kind"); }
};

std::vector<Line> lines_of(std::string_view text, const Piece& piece) {
  std::vector<Line> lines;
  for (std::size_t at = piece.begin; at < piece.end;) {
    const std::size_t end = std::min(line_end(text, at), piece.end);
    lines.push_back({at, std::min(end + 1, piece.end), without_end(text.substr(at, end - at))});
    at = lines.back().next;
  }
  return lines;
}

// A RequestPriority, or a FlowSchema with `meta` for `metadata`, and no apiVersion anywhere.
bool holds_kep_objects(const std::vector<Line>& lines) {
  bool priority = false, schema = false, meta = false;
  for (const Line& line : lines) {
    if (line.has_key("apiVersion")) return false;
    priority = priority || (line.is_kind() && line.text.ends_with(" RequestPriority"));
    schema = schema || (line.is_kind() && line.text.ends_with(" FlowSchema"));
    meta = meta || line.has_key("meta");
  }
  return (priority || schema) && meta;
}

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Could be a line of a sentence: neither indented nor a key, an entry of a list, a comment or a marker.
bool is_words(const Line& line) {
  if (line.blank() || is_blank(line.text[0]) ||
      std::string_view("-#{[}]\"'|>&*!%@`").find(line.text[0]) != std::string_view::npos)
    return false;
  const std::size_t colon = line.text.find(':');
  const std::size_t blank = line.text.find(' ');
  const bool key = colon != std::string_view::npos && (blank == std::string_view::npos || colon < blank) &&
                   (colon + 1 == line.text.size() || line.text[colon + 1] == ' ');
  return !key && blank != std::string_view::npos;
}

// The lines of the paragraph that begins at `first` if that is text: it begins with a capital and ends with a blank
// line.
std::size_t sentence_length(const std::vector<Line>& lines, std::size_t first) {
  if (lines[first].blank() || !is_capital(lines[first].text[0])) return 0;
  std::size_t end = first;
  while (end < lines.size() && is_words(lines[end])) ++end;
  return end == lines.size() || lines[end].blank() ? end - first : 0;
}

class Cutter {
 public:
  Cutter(std::size_t begin, std::vector<Piece>& out) : out_(out), begin_(begin) {}

  // [begin_, at) is an object; the next one begins at `next`.
  void cut(std::size_t at, std::size_t next) {
    if (at > begin_) out_.push_back({begin_, at, 0});
    begin_ = next;
    has_kind_ = false;
  }
  void take(const Line& line) {
    if (line.is_kind() && has_kind_) cut(line.begin, line.begin);
    has_kind_ = has_kind_ || line.is_kind();
  }

 private:
  std::vector<Piece>& out_;
  std::size_t begin_;
  bool has_kind_ = false;
};

}  // namespace

std::vector<Piece> cut_kep_objects(std::string_view text, std::vector<Piece> pieces) {
  // Nothing else has such a line: other files aren't searched further.
  if (!text.starts_with("meta:") && text.find("\nmeta:") == text.npos) return pieces;
  std::vector<Piece> out;
  for (const Piece& piece : pieces) {
    const std::vector<Line> lines = lines_of(text, piece);
    if (piece.stray != 0 || !holds_kep_objects(lines)) {
      out.push_back(piece);
      continue;
    }
    Cutter cutter(piece.begin, out);
    for (std::size_t i = 0; i < lines.size();) {
      const std::size_t sentence = sentence_length(lines, i);
      if (sentence == 0) {
        cutter.take(lines[i++]);
        continue;
      }
      cutter.cut(lines[i].begin, lines[i + sentence - 1].next);
      i += sentence;
    }
    cutter.cut(piece.end, piece.end);
  }
  return out;
}

}  // namespace apf
