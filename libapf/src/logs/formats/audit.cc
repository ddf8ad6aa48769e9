#include "logs/formats/audit.h"

#include <apf/classify.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "logs/formats/audit_event.h"
#include "logs/formats/base64_text.h"
#include "logs/formats/csv_table.h"
#include "logs/formats/flat_event.h"
#include "logs/formats/format.h"
#include "logs/formats/gcp.h"
#include "logs/formats/json_lines.h"
#include "logs/formats/klog.h"
#include "logs/formats/line_prefix.h"
#include "logs/formats/otlp_values.h"
#include "logs/formats/sniff.h"
#include "logs/formats/text_scan.h"
#include "logs/formats/usual_audit_line.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr int kMostLayers = 4;  // lists in arrays, records in records: more is nonsense

// A text with an event or a line of klog in it.
bool holds_line(JsonText json, JsonToken value) {
  if (json.first(value) != '"') return false;
  const std::string_view text = json.string(value);
  return has_audit_names(text) || find_klog_header(text) != std::string_view::npos;
}

// Whether a record names what each event has.
bool names_event(const JsonText& json, JsonToken object) {
  const JsonToken next = json.skip(object);
  const std::string_view text = next == nullptr ? std::string_view() : json.between(object, next);
  return holds(text, "auditID") && holds(text, "requestURI");
}

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
    set_context({});
    begin(chunk.calendar);
  }

  JsonToken read(JsonText json, JsonToken token) override {
    json_ = json;
    root_ = token;
    if (json.first(token) == '{') return read_audit_event(json, token, event_);
    return json.skip(token);
  }

  const char* take_usual(const char* begin, const char* end, std::uint64_t line, LogEventSink& sink) override {
    if (*begin != '{') return take_usual_behind(begin, end, line, sink);
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
    } else if (holds_line(json_, root_)) {
      emit_payload({.payload = root_}, sink, lines, 0);
    } else {
      sink.on_unusable(Unusable::not_event, lines.line());
    }
  }

  bool take_table(const LogChunk& chunk, LogEventSink& sink) override;
  bool take_other(std::string_view text, std::uint64_t line, LogEventSink& sink) override;

 private:
  const char* take_usual_behind(const char* begin, const char* end, std::uint64_t line, LogEventSink& sink);
  // Events that bear a mark of their server, and lines of klog that do, are told apart (Origins).
  void set_context(const LineContext& context) {
    context_ = context;
    out_.origin = context.origin == 0 ? 0 : std::max(context.origin & ~1u, 2u);
  }
  void hand_over(Unusable reason, LogEventSink& sink, std::uint64_t line) {
    if (reason == Unusable::kCount) sink.on_event(out_, line);
    else sink.on_unusable(reason, line);
  }
  void emit_object(const RawAuditEvent& event, JsonToken object, LogEventSink& sink, LineCounter& lines, int depth);
  void emit_items(JsonToken array, LogEventSink& sink, LineCounter& lines, int depth);
  // `own`: it is an object of Kubernetes, whose texts are its own.
  void emit_foreign(JsonToken object, bool own, LogEventSink& sink, LineCounter& lines, int depth);
  bool emit_flat(JsonToken object, LogEventSink& sink, std::uint64_t line);
  bool emit_wrapped(JsonToken object, bool own, LogEventSink& sink, LineCounter& lines, int depth);
  using Texts = std::vector<std::string_view>;
  bool emit_cells(const Texts& names, const Texts& cells, std::uint64_t line, LogEventSink& sink);
  void emit_row(TableRows& rows, std::string_view row, std::uint64_t line, LogEventSink& sink);
  void emit_table(JsonToken table, LogEventSink& sink, LineCounter& lines);
  bool read_cell(JsonToken value, Texts& out);
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
  FlatEvent flat_;
  std::string prefix_;  // of the last usual line behind one
  std::uint32_t origin_behind_ = 0;
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
  if (events_.is_foreign(event))
    return emit_foreign(object, event.has(kKind) || event.has(kApiVersion), sink, lines, depth);
  if ((event.bad || !event.has(kUser) || !event.has(kVerb)) && emit_flat(object, sink, lines.line())) return;
  hand_over(events_.finish(event, out_), sink, lines.line());
}

void AuditParser::emit_items(JsonToken array, LogEventSink& sink, LineCounter& lines, int depth) {
  if (depth == kMostLayers) return sink.on_unusable(Unusable::not_event, lines.line());
  walk_array(json_, array, [&](JsonToken item) {
    lines.line_at(json_.place(item));
    if (holds_line(json_, item)) {
      emit_payload({.payload = item}, sink, lines, depth + 1);
      return item + 1;
    }
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

void AuditParser::emit_foreign(JsonToken object, bool own, LogEventSink& sink, LineCounter& lines, int depth) {
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
  if (depth >= kMostLayers || !emit_wrapped(object, own, sink, lines, depth))
    sink.on_unusable(Unusable::not_event, lines.line());
}

// What the members say is written as an event, and read as one.
bool AuditParser::emit_flat(JsonToken object, LogEventSink& sink, std::uint64_t line) {
  LineContext context = context_;
  context.line = line;
  if (++context.depth > kMostLayers || !flat_.read(json_, object)) return false;
  if (context.origin == 0) context.origin = server_of_record(json_, object);
  inner().parse_line(flat_.json(), context, sink);
  return true;
}

bool AuditParser::emit_wrapped(JsonToken object, bool own, LogEventSink& sink, LineCounter& lines, int depth) {
  if (forced_ && wanted_ == &kAuditFormat) return false;
  // A form within another one may be of another kind.
  if (forced_ && depth == 0 && name_wrapping(outline_json(json_.between(object, json_.skip(object)))).format != wanted_)
    return false;
  if (const std::string plain = without_otlp_values(json_, object); !plain.empty()) {
    LineContext context = context_;
    context.line = lines.line();
    if (++context.depth > kMostLayers) return false;
    inner().parse_line(plain, context, sink);
    return true;
  }
  const std::size_t from = wrapped_.size();
  const Wrapped found = unwrap(json_, object, wrapped_);
  if (found != Wrapped::of_server && emit_flat(object, sink, lines.line())) {
    wrapped_.resize(from);
    return true;
  }
  if (found == Wrapped::any_text && (own || names_event(json_, object))) {
    wrapped_.resize(from);
    return false;
  }
  for (std::size_t i = from; i < wrapped_.size(); ++i) {
    const WrappedRecord record = wrapped_[i];  // the list may grow meanwhile
    lines.line_at(json_.place(record.payload));
    emit_payload(record, sink, lines, depth + 1);
  }
  wrapped_.resize(from);
  return found != Wrapped::nothing;
}

void AuditParser::emit_payload(const WrappedRecord& record, LogEventSink& sink, LineCounter& lines, int depth) {
  const LineContext outer = context_;
  LineContext context = context_;
  context.line = lines.line();
  if (record.origin != 0) context.origin = record.origin;
  if (record.written != kNoTime) context.written = record.written;
  if (record.stamped != kNoTime) context.stamped = record.stamped;
  if (record.table) {
    set_context(context);
    emit_table(record.payload, sink, lines);
    set_context(outer);
    return;
  }
  if (json_.first(record.payload) == '{') {
    RawAuditEvent event;
    read_audit_event(json_, record.payload, event);
    set_context(context);
    emit_object(event, record.payload, sink, lines, depth);
    set_context(outer);
    return;
  }
  scratch_.clear();
  std::string_view text;
  const bool is_bytes = json_.first(record.payload) == '[';
  const std::string bytes =
      is_bytes ? text_of_bytes(json_.between(record.payload, json_.skip(record.payload))) : std::string();
  if (is_bytes) text = bytes;
  else if (!json_text(json_.string(record.payload), scratch_, text))
    return sink.on_unusable(Unusable::not_json, lines.line());
  context.depth = context_.depth + 1;
  if (context.depth >= kMostLayers) return sink.on_unusable(Unusable::not_event, lines.line());
  const std::optional<DecodedText> decoded = decoded_text(text);
  if (decoded && decoded->is_damaged) return sink.on_unusable(Unusable::not_decoded, lines.line());
  inner().parse_line(decoded ? decoded->text : text, context, sink);
}

bool AuditParser::take_table(const LogChunk& chunk, LogEventSink& sink) {
  if (chunk.header.empty()) return false;
  TableRows rows(chunk.header);
  flat_.set_columns(rows.names());
  std::string_view text(chunk.buffer.data(), chunk.size);
  std::uint64_t line = chunk.first_line;
  while (!text.empty()) {
    std::string_view row = text.substr(0, rows.row_size(text));
    const std::string_view first = row.substr(0, row.find('\n') + 1);
    // Quotes of an event that is not quoted itself may go beyond its line.
    if (first.size() < row.size() && rows.cells(first).size() > rows.names().size()) row = first;
    text.remove_prefix(row.size());
    if (row.starts_with(chunk.header)) sink.on_other(line);  // once more where tables were joined
    else if (!trimmed(row).empty()) emit_row(rows, row, line, sink);
    line += count_newlines(row.data(), row.size());
  }
  return true;
}

void AuditParser::emit_row(TableRows& rows, std::string_view row, std::uint64_t line, LogEventSink& sink) {
  const Texts& cells = rows.cells(row);
  if (cells.size() > rows.names().size()) return inner().parse_line(row, {line}, sink);
  if (!emit_cells(rows.names(), cells, line, sink)) sink.on_other(line);
}

// The cells are the members of an event, or one of them is a line of the server.
bool AuditParser::emit_cells(const Texts& names, const Texts& cells, std::uint64_t line, LogEventSink& sink) {
  LineContext context = context_;
  context.line = line;
  if (++context.depth > kMostLayers) return false;
  std::string_view text;
  for (std::size_t i = 0; i < std::min(cells.size(), names.size()); ++i) {
    if (names_server(names[i])) context.origin = static_cast<std::uint32_t>(hash_bytes(cells[i]));
    const bool of_server =
        has_audit_names(cells[i]) || find_klog_header(cells[i]) != std::string_view::npos || is_klog_json(cells[i]);
    if (of_server && text.empty()) text = cells[i];
  }
  std::string entry;
  if (flat_.has_columns()) {
    flat_.read_row(cells);
    text = flat_.json();
  } else if (text.empty() && is_gcp_table(names)) {
    text = entry = gcp_entry_of(names, cells);
  }
  if (!text.empty()) inner().parse_line(text, context, sink);
  return !text.empty();
}

bool AuditParser::read_cell(JsonToken value, Texts& out) {
  std::string_view text = json_.between(value, json_.skip(value));
  if (json_.first(value) == '"' && !json_text(json_.string(value), scratch_, text)) return false;
  out.push_back(text);
  return true;
}

// An answer to a query: columns and rows, or a row as an array of fields with their values.
void AuditParser::emit_table(JsonToken table, LogEventSink& sink, LineCounter& lines) {
  Texts names, cells;
  const auto member = [&](JsonToken object, std::initializer_list<std::string_view> keys, Texts& out) {
    walk_object(json_, object, [&](std::string_view key, JsonToken value) {
      if (is_one_of(keys, key)) read_cell(value, out);
      return json_.skip(value);
    });
  };
  scratch_.clear();
  if (json_.first(table) == '[') {
    walk_array(json_, table, [&](JsonToken pair) {
      if (json_.first(pair) == '{') {
        member(pair, {"field"}, names);
        member(pair, {"value"}, cells);
      }
      return json_.skip(pair);
    });
    flat_.set_columns(names);
    if (!emit_cells(names, cells, lines.line(), sink)) sink.on_other(lines.line());
    return;
  }
  const TableTokens tokens = find_table(json_, table);
  walk_array(json_, tokens.columns, [&](JsonToken column) {
    if (json_.first(column) == '{') member(column, {"name", "ColumnName"}, names);
    else read_cell(column, names);
    return json_.skip(column);
  });
  flat_.set_columns(names);
  walk_array(json_, tokens.rows, [&](JsonToken row) {
    cells.clear();
    lines.line_at(json_.place(row));
    if (json_.first(row) == '[') {
      walk_array(json_, row, [&](JsonToken cell) {
        read_cell(cell, cells);
        return json_.skip(cell);
      });
    }
    if (!emit_cells(names, cells, lines.line(), sink)) sink.on_other(lines.line());
    return json_.skip(row);
  });
}

// A usual line behind a prefix, which is the same for many.
const char* AuditParser::take_usual_behind(const char* begin, const char* end, std::uint64_t line, LogEventSink& sink) {
  constexpr std::size_t kLongest = 256;
  const std::string_view head(begin, std::min(kLongest, static_cast<std::size_t>(end - begin)));
  const std::size_t brace = head.find(R"({"kind":"Event",)");
  if (brace == std::string_view::npos || head.substr(0, brace).find('\n') != std::string_view::npos) return nullptr;
  const std::string_view prefix = head.substr(0, brace);
  if (prefix != prefix_) {
    if (find_klog_header(prefix) != std::string_view::npos || prefix.find('\0') != std::string_view::npos)
      return nullptr;
    prefix_ = prefix;
    LineContext context = context_;
    context.origin = origin_of_words(prefix);
    const LineContext outer = context_;
    set_context(context);
    origin_behind_ = out_.origin;
    set_context(outer);
  }
  const std::uint32_t outer = std::exchange(out_.origin, origin_behind_ != 0 ? origin_behind_ : out_.origin);
  const char* const stop = take_usual(begin + brace, end, line, sink);
  out_.origin = outer;
  return stop;
}

AuditParser& AuditParser::inner() {
  if (!inner_) {
    inner_ = std::make_unique<AuditParser>(kAnyFormat);
    inner_->begin(calendar_);
  }
  return *inner_;
}

// What people write around lines that they paste: a comment, the fence of a block of code.
bool is_around(std::string_view line) { return line.starts_with('#') || line.starts_with("```"); }

// A line of any kind, within a wrapping or among lines of klog.
void AuditParser::parse_line(std::string_view text, const LineContext& context, LogEventSink& sink) {
  set_context(context);
  text = trimmed(text);
  if (text.empty()) return;
  if (begins_records(text)) {
    parse_text(text, context.line, sink);
  } else if (!take_other(text, context.line, sink)) {
    sink.on_other(context.line);
  }
}

// Lines that are no JSON: those of klog, and JSON behind what stands before it.
bool AuditParser::take_other(std::string_view text, std::uint64_t line, LogEventSink& sink) {
  const LinePrefix prefix = find_line_prefix(text);
  if (prefix.size == 0 && is_around(text)) {
    sink.on_other(line);
    return true;
  }
  if (prefix.size == 0)
    return !forced_ && (klog_.read(text, context_, line, sink) == KlogRecord::Result::taken ||
                        klog_.read_message(text, context_, sink));
  LineContext context = context_;
  context.line = line;
  if (prefix.written != kNoTime) context.written = prefix.written;
  if (prefix.origin != 0) context.origin = prefix.origin;
  if (context.depth++ == kMostLayers) return false;
  scratch_.clear();
  inner().parse_line(text_behind(text, prefix, scratch_), context, sink);
  return true;
}

// Elements of EventLists lack kind and apiVersion, and shippers leave out more; but no other log has these names.
bool is_event(const JsonOutline& record) {
  const std::string_view version = record.value("apiVersion"), kind = record.value("kind");
  if (version.starts_with("\"audit.k8s.io/")) return true;
  if (version.empty() && (kind.starts_with("\"Event\"") || kind.starts_with("\"EventList\""))) return true;
  if (record.has("auditID") && (record.has("stage") || record.has("requestURI"))) return true;
  return (record.has("requestURI") && record.has("verb")) || record.has("requestReceivedTimestamp");
}

// Also behind what stands before it.
bool recognises_audit(std::string_view line, const JsonOutline& record) {
  if (record.is_json) return is_event(record);
  const LinePrefix prefix = find_line_prefix(line);
  JsonScratch scratch;
  return prefix.size > 0 && is_event(outline_json(text_behind(line, prefix, scratch)));
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
  bool is_event = false, has_groups = false;  // user: of a trace line, which has the groups that it has
  walk_object(json, index.begin(), [&](std::string_view key, JsonToken value) -> JsonToken {
    if (is_key(key, "username") || is_key(key, "user")) {
      is_event |= is_key(key, "username");
      user.name.clear();
      return take(value, user.name);
    }
    if (!is_key(key, "groups")) return kUnknownKey;
    has_groups = true;
    user.groups.clear();
    if (json.first(value) != '[') return json.skip(value);
    return walk_array(json, value, [&](JsonToken group) {
      if (json.first(group) != '"') return json.skip(group);
      return take(group, user.groups.emplace_back());
    });
  });
  if (is_event && !has_groups && !user.name.empty()) add_implied_groups(user);  // an export of some fields
  return user;
}

}  // namespace apf
