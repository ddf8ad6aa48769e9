#include "logs/partial_lines.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "logs/formats/json_outline.h"
#include "logs/formats/klog_line.h"
#include "logs/formats/text_scan.h"
#include "logs/log_event.h"

namespace apf {

namespace {

// A line without an end would grow without limit, and so would many.
constexpr std::size_t kLongest = std::size_t{64} << 20, kMostOpen = 64;

struct RuntimeLine {
  std::string_view stream;           // empty: it is no such line
  bool partial = false;              // P
  std::size_t tag = 0, content = 0;  // where they begin
};

RuntimeLine split_runtime_line(std::string_view line) {
  RuntimeLine out;
  const std::size_t time = line.substr(0, 40).find(' ');
  if (time == std::string_view::npos) return out;
  const std::string_view rest = line.substr(time + 1);
  const bool known = (rest.starts_with("stdout ") || rest.starts_with("stderr ")) && rest.size() > 7 &&
                     (rest[7] == 'P' || rest[7] == 'F');
  if (!known || leading_time(line) == kNoTime) return out;
  const std::size_t end = rest.find(' ', 8);  // tags may follow, behind colons
  if (rest.size() > 8 && rest[8] != ' ' && rest[8] != ':') return out;
  out.stream = rest.substr(0, 6);
  out.partial = rest[7] == 'P';
  out.tag = time + 8;
  out.content = end == std::string_view::npos ? line.size() : time + 1 + end + 1;
  return out;
}

// Of a record of Docker: whether what it holds ends with a newline, as its last bytes show.
bool ends_a_line(std::string_view record) {
  constexpr std::size_t kTail = 512;
  return holds(record.substr(record.size() - std::min(record.size(), kTail)), R"(\n")");
}

bool ends_lines(std::string_view text) {
  for (std::size_t size = 0; !text.empty(); text.remove_prefix(size)) {
    size = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!ends_a_line(text.substr(0, size))) return false;
  }
  return true;
}

constexpr std::string_view kContents[] = {"log", "message", "MESSAGE"};

// Members whose value "P" says that the line goes on: of those who part CRI's lines into members.
constexpr std::string_view kMarks[] = {"logtag", "_p"};

// Members of records whose pieces have numbers: of Docker's drivers for fluentd and journald.
struct Numbers {
  std::string_view id, number, last;
};
constexpr Numbers kNumbers[] = {{"partial_id", "partial_ordinal", "partial_last"},
                                {"CONTAINER_PARTIAL_ID", "CONTAINER_PARTIAL_ORDINAL", "CONTAINER_PARTIAL_LAST"}};

std::string_view without_quotes(std::string_view value) {
  return value.size() >= 2 && value.front() == '"' && value.back() == '"' ? value.substr(1, value.size() - 2)
                                                                          : std::string_view();
}

// Numbers and booleans stand there as such or as texts.
std::string_view text_of(std::string_view value) {
  const std::string_view text = without_quotes(value);
  return text.empty() ? value : text;
}

std::string_view content_of(const JsonOutline& record) {
  for (const std::string_view key : kContents)
    if (const std::string_view value = without_quotes(record.value(key)); !value.empty()) return value;
  return {};
}

}  // namespace

RuntimeLog runtime_of_log(std::string_view head) {
  const std::string_view first = head.substr(0, head.find('\n'));
  if (!split_runtime_line(first).stream.empty()) return RuntimeLog::cri;
  const JsonOutline record = outline_json(first);
  if (!record.is_json || content_of(record).empty()) return RuntimeLog::none;
  for (const std::string_view mark : kMarks)
    if (record.has(mark)) return RuntimeLog::marked;
  // Some who ship Docker's records take the newlines off all of them.
  const bool has_newlines = holds(head, R"(\n",)") || holds(head, R"(\n"})");
  return record.has("log") && record.has("stream") && has_newlines ? RuntimeLog::docker : RuntimeLog::numbered;
}

// kNoTime: the line has none.
Nanos PartialLines::time_of(std::string_view line) const {
  if (runtime_ == RuntimeLog::cri) return leading_time(line);
  const JsonOutline record = outline_json(line);
  for (const std::string_view key : {"time", "@timestamp", "date"})
    if (const std::string_view value = without_quotes(record.value(key)); !value.empty()) return leading_time(value);
  return kNoTime;
}

PartialLines PartialLines::of(std::string_view head) {
  constexpr int kLookedAt = 200;
  PartialLines out(runtime_of_log(head));
  if (out.runtime_ == RuntimeLog::none || out.runtime_ == RuntimeLog::numbered) return out;
  Nanos before = kNoTime;
  int rising = 0, falling = 0;
  for (int i = 0; i < kLookedAt && !head.empty(); ++i) {
    const std::size_t size = std::min(head.find('\n'), head.size() - 1) + 1;
    const Nanos time = out.time_of(head.substr(0, size));
    if (time == kNoTime) break;
    rising += before != kNoTime && time > before;
    falling += before != kNoTime && time < before;
    before = time;
    head.remove_prefix(size);
  }
  out.is_newest_first_ = falling > rising;
  return out;
}

PartialLines::Piece PartialLines::split(std::string_view line) const {
  Piece out;
  if (runtime_ == RuntimeLog::cri) {
    const RuntimeLine parts = split_runtime_line(line.substr(0, line.find('\n')));
    out = {std::string(parts.stream), parts.partial, parts.tag, std::min(parts.content, line.size()), line.size()};
    return out;
  }
  const JsonOutline record = outline_json(line);
  const std::string_view content = content_of(record);
  if (!record.is_json || content.empty()) return out;
  out.begin = static_cast<std::size_t>(content.data() - line.data());
  out.end = out.begin + content.size();
  if (runtime_ == RuntimeLog::numbered) {
    for (const Numbers& keys : kNumbers) {
      if (!record.has(keys.id)) continue;
      const std::string_view number = text_of(record.value(keys.number));
      std::from_chars(number.data(), number.data() + number.size(), out.number);
      out.is_partial = text_of(record.value(keys.last)) != "true";
      if (out.number > 0) out.source.append("numbered ").append(record.value(keys.id));
    }
    return out;
  }
  out.source.append("json ").append(record.value("stream")).append(record.value("kubernetes"));
  out.is_partial = runtime_ == RuntimeLog::docker
                       ? !content.ends_with("\\n")
                       : std::any_of(std::begin(kMarks), std::end(kMarks),
                                     [&](std::string_view mark) { return record.value(mark) == "\"P\""; });
  return out;
}

// Where the newest line comes first, so does the end of each: what goes before it is yet to come.
void PartialLines::add_before(std::string_view line, const Piece& piece, std::string& out) {
  Open& open = open_[piece.source];
  if (piece.is_partial && open.newlines > 0 && open.text.size() <= kLongest) {
    open.text.insert(open.begin, line.substr(piece.begin, piece.end - piece.begin));
    ++open.newlines;
    return;
  }
  if (open.newlines > 0) flush(open, out);
  open = {std::string(line), 1, piece.begin, piece.end};
}

// In whatever order they come.
void PartialLines::add_numbered(std::string_view line, const Piece& piece, std::string& out) {
  Open& open = open_[piece.source];
  if (open.newlines++ == 0) {
    open.text = line;
    open.begin = piece.begin;
    open.end = piece.end;
  }
  open.numbered[piece.number] = line.substr(piece.begin, piece.end - piece.begin);
  if (!piece.is_partial) open.last = piece.number;
  constexpr std::size_t kMostPieces = kLongest >> 14;  // of 16 KiB
  if (open.numbered.size() != open.last && open.newlines < kMostPieces) return;
  flush(open, out);
  open_.erase(piece.source);
}

void PartialLines::flush(Open& open, std::string& out) {
  if (!open.numbered.empty()) {
    std::string whole;
    for (const auto& [number, part] : open.numbered) whole += part;
    open.text.replace(open.begin, open.end - open.begin, whole);
  }
  out.append(open.text).append(open.newlines, '\n');
}

void PartialLines::add(std::string_view line, std::string& out) {
  const bool ends = line.ends_with('\n');
  std::string_view text = ends ? line.substr(0, line.size() - 1) : line;
  if (text.ends_with('\r')) text.remove_suffix(1);
  const bool is_whole = runtime_ == RuntimeLog::docker && open_.empty() && ends_a_line(text);
  const Piece piece = is_whole && !is_newest_first_ ? Piece() : split(text);
  if (piece.number > 0 && (open_.contains(piece.source) || open_.size() < kMostOpen))
    return add_numbered(text, piece, out);
  if (is_newest_first_ && !piece.source.empty() && (open_.contains(piece.source) || open_.size() < kMostOpen))
    return add_before(text, piece, out);
  const auto at = piece.source.empty() ? open_.end() : open_.find(piece.source);
  if (piece.source.empty() || (!piece.is_partial && at == open_.end())) {
    out += line;
    return;
  }
  if (at == open_.end() && open_.size() == kMostOpen) {
    out += line;
    return;
  }
  Open& open = at == open_.end() ? open_[piece.source] : at->second;
  if (open.newlines++ == 0) {
    open.text = text;
    open.end = piece.end;
    if (runtime_ == RuntimeLog::cri) open.text[piece.tag] = 'F';
  } else {
    open.text.insert(open.end, text.substr(piece.begin, piece.end - piece.begin));
    open.end += piece.end - piece.begin;
  }
  if (piece.is_partial && open.text.size() <= kLongest) return;
  flush(open, out);
  open_.erase(piece.source);
}

bool PartialLines::may_hold_pieces(std::string_view text) const {
  if (!open_.empty() || is_newest_first_) return true;
  const auto is_in = [&](std::string_view what) { return holds(text, what); };
  switch (runtime_) {
    case RuntimeLog::none:
      return false;
    case RuntimeLog::cri:
      return holds(text, " stdout P") || holds(text, " stderr P");
    case RuntimeLog::docker:
      return !ends_lines(text);
    case RuntimeLog::marked:
      return std::any_of(std::begin(kMarks), std::end(kMarks), is_in) && (is_in(R"(":"P")") || is_in(R"(": "P")"));
    case RuntimeLog::numbered:
      return std::any_of(std::begin(kNumbers), std::end(kNumbers), [&](const Numbers& keys) { return is_in(keys.id); });
  }
  return false;
}

bool PartialLines::join(std::string_view text, bool last, std::string& out) {
  if (!may_hold_pieces(text)) return false;
  out.clear();
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    add(text.substr(0, size), out);
    text.remove_prefix(size);
  }
  if (!last) return true;
  for (auto& [source, open] : open_) flush(open, out);
  open_.clear();
  return true;
}

}  // namespace apf
