#include "replay/formats/klog.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "replay/chunk_source.h"
#include "replay/formats/server_notes.h"

namespace apf {
namespace {

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

// Who wrote the line: the process, and what stands before the line without its times: a journal's host, a pod's name.
std::uint32_t origin_of(const KlogLine& line) {
  std::uint64_t hash = hash_bytes(line.process);
  std::string_view rest = line.prefix;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    const bool time = !word.empty() && (word.front() < '/' || (word.front() >= '0' && word.front() <= 'Z'));
    if (!word.empty() && !time) hash = hash_bytes(word, hash);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return static_cast<std::uint32_t>(hash) | 1;
}

class KlogParser final : public LogParser {
 public:
  void parse(const LogChunk& chunk, LogEventSink& sink) override {
    record_.begin(chunk.calendar);
    std::uint64_t line = chunk.first_line;
    const char* const text = chunk.buffer.data();
    for (std::size_t at = 0; at < chunk.size; ++line) {
      const char* newline = static_cast<const char*>(std::memchr(text + at, '\n', chunk.size - at));
      const std::size_t end = newline != nullptr ? static_cast<std::size_t>(newline - text) : chunk.size;
      read_line({text + at, end - at}, line, sink);
      at = end + 1;
    }
  }

 private:
  void read_line(std::string_view text, std::uint64_t line, LogEventSink& sink) {
    if (record_.read(text, kNoTime, line, sink) || is_blank(text)) return;
    if (text.find('\0') == std::string_view::npos) return sink.on_other(line);
    // A crash leaves NUL bytes where data was not written yet; the server goes on behind them.
    sink.on_unusable(Unusable::nul_bytes, line);
    const std::size_t rest = text.rfind('\0') + 1;
    if (!is_blank(text.substr(rest))) record_.read(text.substr(rest), kNoTime, line, sink);
  }

  KlogRecord record_;
};

}  // namespace

bool KlogRecord::read(std::string_view text, Nanos written, std::uint64_t line, LogEventSink& sink) {
  scratch_.clear();
  KlogLine parts;
  if (!lines_.read(text, written, parts, scratch_)) return false;
  LogEvent event;
  Unusable reason;
  if (is_http_message(parts.message)) {
    reason = read_http_message(parts.message, parts.time, scratch_, event);
  } else if (is_old_http_message(parts.message)) {
    reason = read_old_http_message(parts.message, parts.time, event);
  } else {
    ServerNote note;
    if (may_hold_note(parts.place) && read_note(parts.message, scratch_, note)) {
      note.time = parts.time;
      sink.on_note(note, line);
    }
    sink.on_other(line);
    return true;
  }
  if (reason == Unusable::kCount) {
    event.origin = origin_of(parts);
    sink.on_event(event, line);
  } else {
    sink.on_unusable(reason, line);
  }
  return true;
}

std::unique_ptr<LogParser> make_klog_parser() { return std::make_unique<KlogParser>(); }

}  // namespace apf
