#include "logs/formats/json_lines.h"

#include <algorithm>
#include <cstring>

#include "base/system.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

// Lines are indexed in blocks of about this size (measured: 32 KiB is 10 % slower, 1 MiB no faster).
constexpr std::size_t kBlockSize = 256 * 1024;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// What stands between values; the last is that of JSON text sequences.
constexpr std::string_view kBetween = " \t\r\n,[]\x1E";
constexpr std::string_view kEventBegin = R"({"kind":"Event",)";  // as kube-apiserver writes it

std::string_view trim(std::string_view text, std::string_view what) {
  const std::size_t begin = text.find_first_not_of(what);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(what) - begin + 1);
}

// Behind a byte order mark, which is found where files were joined.
JsonToken skip_byte_order_mark(JsonText json, JsonToken token) {
  if (json.first(token) != kByteOrderMark[0] || *token + kByteOrderMark.size() > json.limit) return token;
  return std::memcmp(json.place(token), kByteOrderMark.data(), kByteOrderMark.size()) == 0 ? token + 1 : token;
}

// Why a text that should be one JSON value is none.
Unusable why_broken(std::string_view text, JsonIndex::Result index) {
  if (text.find('\0') != std::string_view::npos) return Unusable::nul_bytes;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[')) {
    DocumentScanner scanner;
    if (scanner.scan_one(text) == std::string_view::npos) return Unusable::truncated;
  }
  return index == JsonIndex::Result::not_utf8 ? Unusable::not_utf8 : Unusable::not_json;
}

}  // namespace

std::uint64_t LineCounter::line_at(const char* place) {
  line_ += count_newlines(at_, static_cast<std::size_t>(place - at_));
  at_ = place;
  return line_;
}

void JsonLinesParser::parse(const LogChunk& chunk, LogEventSink& sink) {
  begin_chunk(chunk);
  if (take_table(chunk, sink)) return;
  const char* text = chunk.buffer.data();
  if (chunk.whole_documents) {
    parse_documents(text, chunk.size, chunk.first_line, sink);
  } else {
    parse_lines(text, chunk.size, chunk.first_line, sink);
  }
}

void JsonLinesParser::parse_lines(const char* text, std::size_t size, std::uint64_t line, LogEventSink& sink) {
  std::size_t at = 0;
  while (at < size) {
    at += parse_usual(text + at, size - at, line, sink);
    if (at >= size) return;
    const char* end = nullptr;  // the newline that ends the block
    if (usual_ >= kOftenUsual) {
      end = static_cast<const char*>(std::memchr(text + at, '\n', size - at));
    } else if (size - at > kBlockSize) {
      end = last_place_of(text + at, '\n', kBlockSize);
      if (end == nullptr)
        end = static_cast<const char*>(std::memchr(text + at + kBlockSize, '\n', size - at - kBlockSize));
    } else if (text[size - 1] == '\n') {
      end = text + size - 1;
    }
    const std::size_t stop = end != nullptr ? static_cast<std::size_t>(end - text) : size;
    parse_block(text + at, stop - at, line, sink);
    at = stop + 1;
  }
}

// Usual lines, up to the first that is not; their size. An index of this line alone pays where most others are usual.
std::size_t JsonLinesParser::parse_usual(const char* text, std::size_t size, std::uint64_t& line, LogEventSink& sink) {
  const char *at = text, *const end = text + size;
  while (at < end) {
    const char* const stop = take_usual(at, end, line, sink);
    if (stop == nullptr) {
      usual_ /= 2;
      break;
    }
    usual_ = std::min(usual_ + 1, kMostUsual);
    ++line;
    at = stop == end ? end : stop + 1;
  }
  return static_cast<std::size_t>(at - text);
}

// Whole lines, without the last one's newline. `line` is the first one's number, and then that after the last one's.
void JsonLinesParser::parse_block(const char* text, std::size_t size, std::uint64_t& line, LogEventSink& sink) {
  // Stray quotes or bytes spoil the index of all that follows: then each line is indexed alone.
  const bool indexed = index_.build(text, size) == JsonIndex::Result::ok;
  JsonToken token = index_.begin();
  JsonText json;
  json.text = text;
  for (std::size_t at = 0; at <= size; ++line) {
    const char* newline = static_cast<const char*>(std::memchr(text + at, '\n', size - at));
    const std::size_t end = newline != nullptr ? static_cast<std::size_t>(newline - text) : size;
    LineCounter lines(text + at, line);
    if (!indexed) {
      if (parse_alone(text + at, end - at, lines, sink) != JsonIndex::Result::ok)
        parse_broken({text + at, end - at}, line, sink);
    } else if (*token < end) {
      json.limit = static_cast<std::uint32_t>(end);
      token = skip_byte_order_mark(json, token);
      const JsonToken next = json.holds(token) ? read(json, token) : nullptr;
      // Its last token is on this line, and nothing comes behind it.
      if (next != nullptr && json.holds(next - 1) && !json.holds(next)) {
        emit(sink, lines);
        token = next;
      } else {
        parse_broken({text + at, end - at}, line, sink);
        while (*token < end) ++token;
      }
    }
    at = end + 1;
  }
}

// A text that should be one JSON value or blank. Broken also where the index is sound and the value is not.
JsonIndex::Result JsonLinesParser::parse_alone(const char* text, std::size_t size, LineCounter& lines,
                                               LogEventSink& sink) {
  const JsonIndex::Result result = single_.build(text, size);
  if (result != JsonIndex::Result::ok) return result;
  JsonText json;
  json.text = text;
  json.limit = static_cast<std::uint32_t>(size);
  JsonToken token = single_.begin();
  if (!json.holds(token)) return result;
  token = skip_byte_order_mark(json, token);
  token = json.holds(token) ? read(json, token) : nullptr;
  if (token == nullptr || json.holds(token)) return JsonIndex::Result::broken;
  emit(sink, lines);
  return result;
}

// A line that is not JSON: what can be saved of it is used, and the rest reported.
void JsonLinesParser::parse_broken(std::string_view text, std::uint64_t line, LogEventSink& sink) {
  const std::string_view line_text = trim(text, " \t\r");
  if (!begins_records(line_text) && take_other(line_text, line, sink)) return;
  if (text.find('\0') != std::string_view::npos) {
    // A crash leaves NUL bytes where data was not written yet; the server goes on behind them.
    sink.on_unusable(Unusable::nul_bytes, line);
    segment_.assign(trim(text, std::string_view("\0 \t\r", 4)));
    LineCounter lines(segment_.data(), line);
    if (parse_alone(segment_.data(), segment_.size(), lines, sink) != JsonIndex::Result::ok)
      salvage(std::string(segment_), line, sink);
    return;
  }
  if (parse_several(text, line, sink) || salvage(text, line, sink)) return;
  sink.on_unusable(why_broken(text, single_.build(text.data(), text.size())), line);
}

void JsonLinesParser::parse_text(std::string_view text, std::uint64_t line, LogEventSink& sink) {
  for (;;) {  // a text may hold several
    segment_.assign(text).append(kChunkPadding, '\0');
    const char* const stop = take_usual(segment_.data(), segment_.data() + text.size(), line, sink);
    if (stop == nullptr) break;
    text = trim(text.substr(std::min(text.size(), static_cast<std::size_t>(stop - segment_.data()))), kBetween);
    if (text.empty()) return;
  }
  segment_.resize(text.size());
  LineCounter lines(segment_.data(), line);
  const JsonIndex::Result result = parse_alone(segment_.data(), segment_.size(), lines, sink);
  if (result != JsonIndex::Result::ok && !parse_several(std::string(segment_), line, sink))
    sink.on_unusable(why_broken(segment_, result), line);
}

// Values one after the other, or with commas between and behind them, as where an array was cut in lines. False: there
// is more than that, or they are not sound.
bool JsonLinesParser::parse_several(std::string_view text, std::uint64_t line, LogEventSink& sink) {
  std::vector<std::string_view> values;
  std::string_view rest = trim(text, kBetween);
  if (rest.empty()) return text.find('[') == std::string_view::npos;  // the end of an array
  for (; !rest.empty(); rest = trim(rest, kBetween)) {
    DocumentScanner scanner;
    const std::size_t size = rest.front() == '{' ? scanner.scan_one(rest) : std::string_view::npos;
    if (size == std::string_view::npos || !is_sound(rest.substr(0, size))) return false;
    values.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  for (const std::string_view value : values) {
    segment_.assign(value);
    LineCounter lines(segment_.data(), line);
    if (parse_alone(segment_.data(), segment_.size(), lines, sink) != JsonIndex::Result::ok)
      sink.on_unusable(Unusable::not_json, line);
  }
  return true;
}

// One JSON value and nothing else, but for the escapes in it.
bool JsonLinesParser::is_sound(std::string_view text) {
  segment_.assign(text);
  if (single_.build(segment_.data(), segment_.size()) != JsonIndex::Result::ok) return false;
  const JsonText json{segment_.data(), static_cast<std::uint32_t>(segment_.size())};
  const JsonToken next = json.skip(single_.begin());
  return next != nullptr && !json.holds(next);
}

// A line cut off in the middle and the next one behind it without a newline, as when the server was killed and started
// again.
bool JsonLinesParser::salvage(std::string_view text, std::uint64_t line, LogEventSink& sink) {
  std::size_t begin = text.find(kEventBegin);
  if (begin == std::string_view::npos || text.find(R"("kind":"EventList")") != std::string_view::npos) return false;
  if (begin == 0 && text.find(kEventBegin, 1) == std::string_view::npos) return false;
  const std::string_view before = text.substr(0, begin);
  if (!trim(before, kBetween).empty())
    sink.on_unusable(before[0] == '{' ? Unusable::truncated : Unusable::not_json, line);
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find(kEventBegin, begin + 1);
    segment_.assign(trim(text.substr(begin, end - begin), kBetween));
    LineCounter lines(segment_.data(), line);
    const JsonIndex::Result result = parse_alone(segment_.data(), segment_.size(), lines, sink);
    if (result != JsonIndex::Result::ok) sink.on_unusable(why_broken(segment_, result), line);
    begin = end;
  }
  return true;
}

void JsonLinesParser::parse_documents(const char* text, std::size_t size, std::uint64_t line, LogEventSink& sink) {
  LineCounter lines(text, line);
  const std::string_view all(text, size);
  const bool indexed = index_.build(text, size) == JsonIndex::Result::ok;
  JsonText json;
  json.text = text;
  json.limit = static_cast<std::uint32_t>(size);
  JsonToken token = index_.begin();
  std::size_t at = 0;
  while ((at = all.find_first_not_of(" \t\r\n", at)) != std::string_view::npos) {
    const std::uint64_t document_line = lines.line_at(text + at);
    if (text[at] != '{' && text[at] != '[') {  // stray text between documents
      const std::size_t next = all.find_first_of("{[", at);
      const std::size_t end = next == std::string_view::npos ? size : next;
      if (all.substr(at, end - at) != kByteOrderMark)
        sink.on_unusable(why_broken(all.substr(at, end - at), JsonIndex::Result::ok), document_line);
      at = end;
      continue;
    }
    if (indexed) {
      while (*token < at) ++token;
      const JsonToken next = *token == at ? read(json, token) : nullptr;
      if (next != nullptr) {
        emit(sink, lines);
        at = static_cast<std::size_t>(json.end_before(next) - text);
        token = next;
        continue;
      }
    }
    DocumentScanner scanner;
    const std::size_t length = std::min(scanner.scan_one(all.substr(at)), size - at);
    segment_.assign(all, at, length);
    LineCounter segment_lines(segment_.data(), document_line);
    const JsonIndex::Result result = parse_alone(segment_.data(), segment_.size(), segment_lines, sink);
    if (result != JsonIndex::Result::ok) {
      const bool closed = segment_.back() == '}' || segment_.back() == ']';
      const Unusable why = why_broken(segment_, result);
      sink.on_unusable(why == Unusable::not_json && !closed ? Unusable::truncated : why, document_line);
    }
    at += length;
  }
}

}  // namespace apf
