// klog with --logging-format=json:
// {"ts":1795177989606.352,"caller":"httplog/httplog.go:134","msg":"HTTP","verb":"GET",…}
#include <algorithm>
#include <charconv>

#include "logs/formats/format.h"
#include "logs/formats/json_lines.h"
#include "logs/formats/klog.h"
#include "logs/formats/line_prefix.h"
#include "logs/formats/server_notes.h"
#include "logs/formats/sniff.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

constexpr std::string_view kHttp = "HTTP";

// Milliseconds since 1970 with decimals, as `ts` holds them; or, of other encoders, RFC 3339.
bool read_klog_time(std::string_view text, Nanos& out) {
  std::int64_t millis = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, millis);
  if (error == std::errc() && millis >= 0 && (stop == end || *stop == '.')) {
    out = std::min(millis, kLatestTime / kMillisecond + 1) * kMillisecond;  // beyond: out of range
    Nanos unit = kMillisecond / 10;
    const char* p = stop == end ? stop : stop + 1;
    for (; p != end && *p >= '0' && *p <= '9'; ++p, unit /= 10) out += (*p - '0') * unit;
    return p == end;
  }
  const auto instant = parse_rfc3339(text);
  if (instant) out = *instant;
  return instant.has_value();
}

class KlogJsonParser final : public JsonLinesParser {
 protected:
  JsonToken read(JsonText json, JsonToken token) override {
    json_ = json;
    root_ = token;
    is_object_ = json.first(token) == '{';
    return is_object_ ? record_.read(json, token) : json.skip(token);
  }

  void emit(LogEventSink& sink, LineCounter& lines) override {
    if (is_object_ && record_.is_klog()) return record_.emit(lines.line(), 0, sink);
    const std::string_view text = json_.between(root_, json_.skip(root_));
    if (is_of_client(text)) return sink.on_other(lines.line());
    if (forced_) return sink.on_unusable(Unusable::not_event, lines.line());
    any().parse_line(text, {lines.line()}, sink);
  }

  void begin_chunk(const LogChunk& chunk) override {
    forced_ = chunk.forced;
    calendar_ = chunk.calendar;
    if (any_) any_->begin(calendar_);
  }

  // Lines from before logging was set up, and audit events among those of the log.
  bool take_other(std::string_view text, std::uint64_t line, LogEventSink& sink) override {
    if (!forced_) any().parse_line(text, {line}, sink);
    return !forced_;
  }

 private:
  AnyLineParser& any() {
    if (!any_) {
      any_ = make_any_line_parser();
      any_->begin(calendar_);
    }
    return *any_;
  }

  KlogJsonRecord record_;
  std::unique_ptr<AnyLineParser> any_;
  KlogCalendar calendar_;
  JsonText json_;
  JsonToken root_ = nullptr;
  bool is_object_ = false, forced_ = false;
};

}  // namespace

JsonToken KlogJsonRecord::member(JsonText json, std::string_view key, JsonToken value) {
  std::string_view text;
  JsonToken next;
  const char c = json.first(value);
  if (c == '"') {
    if (!json_text(json.string(value), scratch_, text)) return nullptr;
    next = value + 1;
  } else {
    next = json.skip(value);
    if (next == nullptr || c == '{' || c == '[' || c == 'n') return next;
    text = json.between(value, next);
  }
  if (is_key(key, "ts")) {
    has_time_ = true;
    time_ = text;
  } else if (is_key(key, "msg")) {
    has_message_ = true;
    message_ = text;
  } else if (is_key(key, "caller")) {
    place_ = text;
  } else if (is_key(key, "v")) {
    has_verbosity_ = true;
  } else if (is_key(key, "plName")) {
    level_ = text;
  } else if (is_key(key, "currentCL")) {
    current_cl_ = text;
  } else {
    fields_.take(key, text);
  }
  return next;
}

JsonToken KlogJsonRecord::read(JsonText json, JsonToken object) {
  scratch_.clear();
  time_ = message_ = place_ = level_ = current_cl_ = {};
  has_time_ = has_message_ = has_verbosity_ = false;
  fields_.clear();
  return walk_object(json, object, [&](std::string_view key, JsonToken value) { return member(json, key, value); });
}

void KlogJsonRecord::emit(std::uint64_t line, std::uint32_t origin, LogEventSink& sink) {
  Nanos time = 0;
  if (message_ == kHttp) {
    const Unusable reason = read_klog_time(time_, time) ? fields_.finish(time) : Unusable::no_timestamp;
    fields_.event().origin = origin == 0 ? 0 : origin | 1;
    return reason == Unusable::kCount ? sink.on_event(fields_.event(), line) : sink.on_unusable(reason, line);
  }
  ServerNote note;
  if (may_hold_note(place_) && read_klog_time(time_, time) &&
      (read_note(message_, level_, current_cl_, scratch_, note) ||
       read_trouble(place_, !has_verbosity_, message_, note))) {
    note.time = time;
    sink.on_note(note, line);
  }
  sink.on_other(line);
}

std::unique_ptr<LogParser> make_klog_json_parser() { return std::make_unique<KlogJsonParser>(); }

namespace {

// Also behind what stands before it.
bool recognises_httplog_json(std::string_view line, const JsonOutline& record) {
  if (!record.is_json) {
    const LinePrefix prefix = find_line_prefix(line);
    return prefix.size > 0 && is_klog_json(line.substr(prefix.size));
  }
  return record.has("ts") && record.has("msg") && (record.has("caller") || record.has("v"));
}

}  // namespace

constinit const FormatRow kHttplogJsonFormat{"httplog-json", recognises_httplog_json, make_klog_json_parser};

}  // namespace apf
