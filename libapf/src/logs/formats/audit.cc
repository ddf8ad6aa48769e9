#include "logs/formats/audit.h"

#include <algorithm>

#include "logs/formats/audit_event.h"
#include "logs/formats/format.h"
#include "logs/formats/gcp.h"
#include "logs/formats/json_lines.h"
#include "logs/formats/klog.h"
#include "logs/formats/line_prefix.h"
#include "logs/formats/sniff.h"
#include "logs/formats/usual_audit_line.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr int kMostLayers = 4;  // lists in arrays, records in records: more is nonsense

// Audit events, as they are or wrapped, alone or among other lines of the server. What each record is shows in its
// members, so that files may be mixed.
class AuditParser final : public JsonLinesParser, public AnyLineParser {
 public:
  explicit AuditParser(LogFormat wanted) : wanted_(wanted) {}

  void parse_line(std::string_view text, const LineContext& context, LogEventSink& sink) override;
  void begin(const KlogCalendar& calendar) override {
    calendar_ = calendar;
    klog_.begin(calendar);
    if (inner_) inner_->begin(calendar);
  }

 protected:
  void begin_chunk(const LogChunk& chunk) override {
    forced_ = chunk.forced;
    context_ = {};
    out_.origin = 0;
    begin(chunk.calendar);
  }

  JsonToken read(JsonText json, JsonToken token) override {
    json_ = json;
    root_ = token;
    if (json.first(token) == '{') return read_audit_event(json, token, event_);
    return json.skip(token);
  }

  const char* take_usual(const char* begin, const char* end, std::uint64_t line, LogEventSink& sink) override {
    std::uint32_t* memo = nullptr;
    const char* const stop = usual_.read(begin, end, event_, memo, sink);
    if (stop == nullptr) return nullptr;
    const Unusable reason = events_.finish(event_, out_);
    out_.user_memo = memo;
    hand_over(reason, sink, line);
    return stop;
  }

  void emit(LogEventSink& sink, LineCounter& lines) override {
    if (json_.first(root_) == '{') {
      emit_object(event_, root_, sink, lines, 0);
    } else if (json_.first(root_) == '[') {
      emit_items(root_, sink, lines, 0);
    } else {
      sink.on_unusable(Unusable::not_event, lines.line());
    }
  }

  bool take_other(std::string_view text, std::uint64_t line, LogEventSink& sink) override;

 private:
  void hand_over(Unusable reason, LogEventSink& sink, std::uint64_t line) {
    if (reason == Unusable::kCount) sink.on_event(out_, line);
    else sink.on_unusable(reason, line);
  }
  void emit_object(const RawAuditEvent& event, JsonToken object, LogEventSink& sink, LineCounter& lines, int depth);
  void emit_items(JsonToken array, LogEventSink& sink, LineCounter& lines, int depth);
  void emit_foreign(JsonToken object, LogEventSink& sink, LineCounter& lines, int depth);
  bool emit_wrapped(JsonToken object, LogEventSink& sink, LineCounter& lines, int depth);
  void emit_payload(const WrappedRecord& record, LogEventSink& sink, LineCounter& lines, int depth);
  // Whether records of this format are wanted at all.
  bool wants(LogFormat format) const { return !forced_ || wanted_ == format; }
  AuditParser& inner();

  const LogFormat wanted_;
  bool forced_ = false;
  LineContext context_;
  JsonText json_;
  JsonToken root_ = nullptr;
  RawAuditEvent event_;
  LogEvent out_;
  AuditEventReader events_;
  UsualAuditLines usual_;
  // What is not an audit event.
  KlogCalendar calendar_;
  KlogRecord klog_;
  KlogJsonRecord klog_json_;
  GcpRecord gcp_;
  std::vector<WrappedRecord> wrapped_;
  JsonScratch scratch_;
  std::unique_ptr<AuditParser> inner_;  // for texts within texts
};

void AuditParser::emit_object(const RawAuditEvent& event, JsonToken object, LogEventSink& sink, LineCounter& lines,
                              int depth) {
  const std::string_view kind = event.text(kKind);
  const bool list = kind == "EventList" || (event.items != nullptr && (kind == "List" || !event.has(kKind)));
  if (list) {  // without items it is empty
    if (event.items != nullptr) emit_items(event.items, sink, lines, depth);
    return;
  }
  if (events_.is_foreign(event)) return emit_foreign(object, sink, lines, depth);
  hand_over(events_.finish(event, out_), sink, lines.line());
}

void AuditParser::emit_items(JsonToken array, LogEventSink& sink, LineCounter& lines, int depth) {
  if (depth == kMostLayers) return sink.on_unusable(Unusable::not_event, lines.line());
  walk_array(json_, array, [&](JsonToken item) {
    lines.line_at(json_.place(item));
    if (json_.first(item) != '{') {
      sink.on_unusable(Unusable::not_event, lines.line());
      return json_.skip(item);
    }
    RawAuditEvent event;
    const JsonToken next = read_audit_event(json_, item, event);
    if (next != nullptr) emit_object(event, item, sink, lines, depth + 1);
    return next;
  });
}

void AuditParser::emit_foreign(JsonToken object, LogEventSink& sink, LineCounter& lines, int depth) {
  if (wants(&kGcpFormat) && gcp_.read(json_, object)) {
    const Unusable reason = gcp_.finish(out_);
    if (reason == Unusable::kCount) {
      sink.on_event(out_, lines.line());
    } else {
      sink.on_unusable(reason, lines.line());
    }
    out_ = LogEvent();
    out_.origin = context_.origin;
    return;
  }
  if (!forced_ && klog_json_.read(json_, object) != nullptr && klog_json_.is_klog())
    return klog_json_.emit(lines.line(), context_.origin, sink);
  if (depth >= kMostLayers || !emit_wrapped(object, sink, lines, depth))
    sink.on_unusable(Unusable::not_event, lines.line());
}

bool AuditParser::emit_wrapped(JsonToken object, LogEventSink& sink, LineCounter& lines, int depth) {
  if (forced_ && wanted_ == &kAuditFormat) return false;
  const std::size_t from = wrapped_.size();
  // A form within another one may be of another kind.
  if (!unwrap(json_, object, forced_ && depth == 0 ? wanted_ : kAnyFormat, wrapped_)) return false;
  for (std::size_t i = from; i < wrapped_.size(); ++i) {
    const WrappedRecord record = wrapped_[i];  // the list may grow meanwhile
    lines.line_at(json_.place(record.payload));
    emit_payload(record, sink, lines, depth + 1);
  }
  wrapped_.resize(from);
  return true;
}

void AuditParser::emit_payload(const WrappedRecord& record, LogEventSink& sink, LineCounter& lines, int depth) {
  LineContext context = context_;
  context.line = lines.line();
  if (record.origin != 0) context.origin = record.origin;
  if (record.written != kNoTime) context.written = record.written;
  if (json_.first(record.payload) == '{') {
    RawAuditEvent event;
    read_audit_event(json_, record.payload, event);
    std::swap(context_, context);
    out_.origin = context_.origin;
    emit_object(event, record.payload, sink, lines, depth);
    std::swap(context_, context);
    out_.origin = context_.origin;
    return;
  }
  scratch_.clear();
  std::string_view text;
  if (!json_text(json_.string(record.payload), scratch_, text))
    return sink.on_unusable(Unusable::not_json, lines.line());
  context.depth = context_.depth + depth;
  if (context.depth >= kMostLayers) return sink.on_unusable(Unusable::not_event, lines.line());
  inner().parse_line(text, context, sink);
}

AuditParser& AuditParser::inner() {
  if (!inner_) {
    inner_ = std::make_unique<AuditParser>(kAnyFormat);
    inner_->begin(calendar_);
  }
  return *inner_;
}

// A line of any kind, within a wrapping or among lines of klog.
void AuditParser::parse_line(std::string_view text, const LineContext& context, LogEventSink& sink) {
  context_ = context;
  out_.origin = context.origin;
  text = trim_blanks(text);
  if (text.empty()) return;
  if (text.front() == '{' || text.front() == '[') {
    parse_text(text, context.line, sink);
  } else if (!take_other(text, context.line, sink)) {
    sink.on_other(context.line);
  }
}

// Lines that are no JSON: those of klog, and JSON behind what a runtime or klog puts before it.
bool AuditParser::take_other(std::string_view text, std::uint64_t line, LogEventSink& sink) {
  const LinePrefix prefix = find_line_prefix(text);
  if (prefix.size > 0 || prefix.csv) {
    scratch_.clear();
    std::string_view rest = text.substr(prefix.size);
    if (prefix.csv) rest = read_csv_cell(rest, scratch_);
    LineContext context = context_;
    context.line = line;
    if (prefix.written != kNoTime) context.written = prefix.written;
    if (context.depth++ == kMostLayers) return false;
    inner().parse_line(rest, context, sink);
    return true;
  }
  return !forced_ && klog_.read(text, context_, line, sink) == KlogRecord::Result::taken;
}

// Elements of EventLists lack kind and apiVersion, and shippers leave out more; but no other log has these names.
bool is_event(const JsonOutline& record) {
  const std::string_view version = record.value("apiVersion"), kind = record.value("kind");
  if (version.starts_with("\"audit.k8s.io/")) return true;
  if (version.empty() && (kind.starts_with("\"Event\"") || kind.starts_with("\"EventList\""))) return true;
  if (record.has("auditID") && (record.has("stage") || record.has("requestURI"))) return true;
  return (record.has("requestURI") && record.has("verb")) || record.has("requestReceivedTimestamp");
}

// Also behind what a container runtime or klog puts before it.
bool recognises_audit(std::string_view line, const JsonOutline& record) {
  if (record.is_json) return is_event(record);
  const LinePrefix prefix = find_line_prefix(line);
  if (prefix.csv) return line.substr(prefix.size).starts_with("{\"\"kind\"\":\"\"Event");
  return prefix.size > 0 && is_event(outline_json(line.substr(prefix.size)));
}

}  // namespace

std::unique_ptr<LogParser> make_audit_parser() { return std::make_unique<AuditParser>(&kAuditFormat); }
std::unique_ptr<AnyLineParser> make_any_line_parser() { return std::make_unique<AuditParser>(kAnyFormat); }

std::unique_ptr<LogParser> make_record_parser(LogFormat format) { return std::make_unique<AuditParser>(format); }

constinit const FormatRow kAuditFormat{"audit", recognises_audit, make_audit_parser};

User parse_user_json(std::string_view raw) {
  User user;
  if (raw.empty() || raw.front() != '{') return user;
  // A text that was cut off behind the groups gets its brace back; one more at the end is never reached.
  const std::string whole = std::string(raw) + '}';
  JsonIndex index;
  if (index.build(whole.data(), whole.size()) != JsonIndex::Result::ok) return user;
  const JsonText json{whole.data(), static_cast<std::uint32_t>(whole.size())};
  JsonScratch scratch;
  const auto take = [&](JsonToken value, std::string& out) -> JsonToken {
    std::string_view text;
    if (json.first(value) != '"') return json.skip(value);
    if (!json_text(json.string(value), scratch, text)) return nullptr;
    out = text;
    return value + 1;
  };
  walk_object(json, index.begin(), [&](std::string_view key, JsonToken value) -> JsonToken {
    if (is_key(key, "username") || is_key(key, "user")) {
      user.name.clear();
      return take(value, user.name);
    }
    if (!is_key(key, "groups")) return kUnknownKey;
    user.groups.clear();
    if (json.first(value) != '[') return json.skip(value);
    return walk_array(json, value, [&](JsonToken group) {
      if (json.first(group) != '"') return json.skip(group);
      return take(group, user.groups.emplace_back());
    });
  });
  return user;
}

}  // namespace apf
