#include "logs/formats/klog.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/text.h"
#include "logs/chunk_source.h"
#include "logs/formats/format.h"
#include "logs/formats/line_prefix.h"
#include "logs/formats/server_notes.h"
#include "logs/formats/sniff.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

// Who wrote the line: the process, and what comes before the line without its times: a journal's host, a pod's name.
std::uint32_t origin_of(const KlogLine& line, std::uint32_t outer) {
  return static_cast<std::uint32_t>(hash_bytes(line.process, outer + origin_of_words(line.prefix))) | 1;
}

class KlogParser final : public LogParser {
 public:
  void parse(const LogChunk& chunk, LogEventSink& sink) override {
    record_.begin(chunk.calendar);
    calendar_ = chunk.calendar;
    forced_ = chunk.forced;
    if (any_) any_->begin(calendar_);
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
    // A wrapped line of klog has its header, too.
    if (text.starts_with("{\"") || text.starts_with("[{")) return read_other(text, line, sink);
    const KlogRecord::Result result = record_.read(text, {}, line, sink);
    if (result == KlogRecord::Result::taken) return;
    if (result == KlogRecord::Result::json) return read_other(record_.message(), line, sink);
    if (text.find('\0') != std::string_view::npos) {
      // A crash leaves NUL bytes where data was not written yet; the server goes on behind them.
      sink.on_unusable(Unusable::nul_bytes, line);
      text.remove_prefix(text.rfind('\0') + 1);
      if (record_.read(text, {}, line, sink) == KlogRecord::Result::taken) return;
    }
    text = trimmed(text);
    if (!text.empty()) read_other(text, line, sink);
  }

  void read_other(std::string_view text, std::uint64_t line, LogEventSink& sink) {
    // Of goroutine dumps and the like most lines hold no brace at all.
    if (forced_ || text.find("{\"") == std::string_view::npos || is_of_client(text)) return sink.on_other(line);
    if (!any_) {
      any_ = make_any_line_parser();
      any_->begin(calendar_);
    }
    any_->parse_line(text, {line}, sink);
  }

  KlogRecord record_;
  std::unique_ptr<AnyLineParser> any_;  // audit events among the lines of the log
  KlogCalendar calendar_;
  bool forced_ = false;
};

}  // namespace

bool KlogRecord::take_http(const KlogLine& parts, std::uint32_t origin, std::uint64_t line, LogEventSink& sink) {
  LogEvent* event = &http_.event();
  Unusable reason;
  if (is_http_message(parts.message)) {
    reason = read_http_message(parts.message, parts.time, scratch_, http_);
  } else if (is_old_http_message(parts.message)) {
    event = &old_;
    reason = read_old_http_message(parts.message, parts.time, old_);
  } else {
    return false;
  }
  event->origin = origin_of(parts, origin);
  if (reason == Unusable::kCount) sink.on_event(*event, line);
  else sink.on_unusable(reason, line);
  return true;
}

bool KlogRecord::read_message(std::string_view message, const LineContext& context, LogEventSink& sink) {
  if (context.stamped == kNoTime) return false;
  scratch_.clear();
  KlogLine parts;
  parts.time = context.stamped;
  parts.message = message;
  return take_http(parts, context.origin, context.line, sink);
}

KlogRecord::Result KlogRecord::read(std::string_view text, const LineContext& context, std::uint64_t line,
                                    LogEventSink& sink) {
  scratch_.clear();
  KlogLine parts;
  if (!lines_.read(text, context.written, parts, scratch_)) return Result::none;
  if (take_http(parts, context.origin, line, sink)) return Result::taken;
  if (parts.message.starts_with("{\"")) {
    message_ = parts.message;
    return Result::json;
  }
  ServerNote note;
  if (may_hold_note(parts.place) && (read_note(parts.message, scratch_, note) ||
                                     read_trouble(parts.place, parts.severity != 'I', parts.message, note))) {
    note.time = parts.time;
    sink.on_note(note, line);
  }
  sink.on_other(line);
  return Result::taken;
}

std::unique_ptr<LogParser> make_klog_parser() { return std::make_unique<KlogParser>(); }

namespace {

bool recognises_httplog(std::string_view line, const JsonOutline& record) {
  return !record.is_json && find_klog_header(line) != std::string_view::npos;
}

}  // namespace

constinit const FormatRow kHttplogFormat{"httplog", recognises_httplog, make_klog_parser};

}  // namespace apf
