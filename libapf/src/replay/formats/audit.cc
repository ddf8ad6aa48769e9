#include "replay/formats/audit.h"

#include "replay/formats/json_lines.h"
#include "replay/formats/log_time.h"

namespace apf {
namespace {

constexpr std::string_view kQueueWait = "apiserver.latency.k8s.io/apf-queue-wait";
// What the priority-and-fairness filter and the max-in-flight filter answer.
constexpr std::string_view kRefusalText = "Too many requests, please try again later";

enum class Field : std::uint8_t {
  other,
  verb,
  user,
  kind,
  items,
  stage,
  audit_id,
  metadata,
  source_ips,
  timestamp,
  user_agent,
  request_uri,
  api_version,
  annotations,
  response_status,
  stage_timestamp,
  impersonated_user,
  request_received_timestamp,
};

struct FieldName {
  std::string_view name;
  Field field;
};

constexpr FieldName kFields[] = {
    {"verb", Field::verb},
    {"user", Field::user},
    {"kind", Field::kind},
    {"items", Field::items},
    {"stage", Field::stage},
    {"auditID", Field::audit_id},
    {"metadata", Field::metadata},
    {"sourceIPs", Field::source_ips},
    {"timestamp", Field::timestamp},
    {"userAgent", Field::user_agent},
    {"requestURI", Field::request_uri},
    {"apiVersion", Field::api_version},
    {"annotations", Field::annotations},
    {"responseStatus", Field::response_status},
    {"stageTimestamp", Field::stage_timestamp},
    {"impersonatedUser", Field::impersonated_user},
    {"requestReceivedTimestamp", Field::request_received_timestamp},
};

// For keys of which any could be written with escapes: never by kube-apiserver.
Field find_escaped_field(std::string_view key) {
  if (key.find('\\') == std::string_view::npos) return Field::other;
  for (const FieldName& f : kFields) {
    if (is_escaped_key(key, f.name)) return f.field;
  }
  return Field::other;
}

// By length and first letter, which between them tell all names apart.
Field find_field(std::string_view key) {
  const auto is = [&](std::string_view name, Field field) { return key == name ? field : find_escaped_field(key); };
  switch (key.size()) {
    case 4:
      if (key[0] == 'v') return is("verb", Field::verb);
      if (key[0] == 'u') return is("user", Field::user);
      return is("kind", Field::kind);
    case 5:
      if (key[0] == 's') return is("stage", Field::stage);
      return is("items", Field::items);
    case 7:
      return is("auditID", Field::audit_id);
    case 8:
      return is("metadata", Field::metadata);
    case 9:
      if (key[0] == 's') return is("sourceIPs", Field::source_ips);
      if (key[0] == 'u') return is("userAgent", Field::user_agent);
      return is("timestamp", Field::timestamp);
    case 10:
      if (key[0] == 'r') return is("requestURI", Field::request_uri);
      return is("apiVersion", Field::api_version);
    case 11:
      return is("annotations", Field::annotations);
    case 14:
      if (key[0] == 'r') return is("responseStatus", Field::response_status);
      return is("stageTimestamp", Field::stage_timestamp);
    case 16:
      return is("impersonatedUser", Field::impersonated_user);
    case 24:
      return is("requestReceivedTimestamp", Field::request_received_timestamp);
    default:
      return find_escaped_field(key);
  }
}

// A string that is absent (or null) is distinct from an empty one: data() is null.
using RawText = std::string_view;

struct RawEvent {
  RawText kind, api_version, stage, id, uri, verb, user_agent, source_ip;
  RawText received, stage_time, timestamp, created;
  RawText queue_wait, message, reason;
  RawText user, impersonated;              // whole JSON
  const std::uint32_t* items = nullptr;    // an EventList's array
  std::int64_t code = 0;
  bool kind_is_text = true;
  bool bad = false;  // a field of the wrong type
};

}  // namespace

class AuditParser final : public JsonLinesParser {
 protected:
  bool read(JsonCursor& cursor) override {
    scratch_.clear();
    root_ = cursor;
    if (cursor.peek() == '{') return read_event(cursor, event_);
    event_ = RawEvent();
    return cursor.skip_value();
  }

  void emit(LogEventSink& sink, LineCounter& lines) override {
    if (root_.peek() == '{') {
      emit_object(event_, sink, lines, 0);
    } else if (root_.peek() == '[') {
      emit_items(root_, sink, lines, 0);
    } else {
      sink.on_unusable(Unusable::not_event, lines.line());
    }
  }

 private:
  static bool read_event(JsonCursor& cursor, RawEvent& event);
  static bool read_text(JsonCursor& cursor, RawText& out, bool& bad);
  static bool read_user(JsonCursor& cursor, RawText& out, bool& bad);
  static bool read_status(JsonCursor& cursor, RawEvent& event);
  static bool read_annotations(JsonCursor& cursor, RawEvent& event);
  static bool read_source_ips(JsonCursor& cursor, RawEvent& event);
  static bool read_metadata(JsonCursor& cursor, RawEvent& event);
  bool is_foreign(const RawEvent& event);

  void emit_object(const RawEvent& event, LogEventSink& sink, LineCounter& lines, int depth);
  void emit_items(JsonCursor array, LogEventSink& sink, LineCounter& lines, int depth);
  Unusable finish(const RawEvent& event, LogEvent& out);
  bool read_time(RawText raw, Nanos& out);
  bool read_duration(RawText raw, Nanos& out);
  bool text(RawText raw, std::string_view& out) { return json_text(raw, scratch_, out); }

  RawEvent event_;
  JsonCursor root_;
  JsonScratch scratch_;
  LogTimeReader time_;
};

bool AuditParser::read_text(JsonCursor& cursor, RawText& out, bool& bad) {
  if (cursor.peek() == '"') {
    out = cursor.take_string();
    return true;
  }
  out = {};
  if (cursor.peek() != 'n') bad = true;
  return cursor.skip_value();
}

// The raw text of the object, without what follows the groups: uid stands before them, but `extra` is new with every
// token of a service account, and the text serves as a key.
bool AuditParser::read_user(JsonCursor& cursor, RawText& out, bool& bad) {
  out = {};
  if (cursor.peek() != '{') {
    if (cursor.peek() != 'n') bad = true;
    return cursor.skip_value();
  }
  const char* begin = cursor.here();
  const char* end = begin + 1;
  const bool ok = walk_object(cursor, [&](std::string_view key) {
    const bool name = is_escaped_key(key, "username"), groups = !name && is_escaped_key(key, "groups");
    const char c = cursor.peek();
    if (name && c != '"' && c != 'n') bad = true;
    if (groups && c != '[' && c != 'n') bad = true;
    if (!cursor.skip_value()) return false;
    if (name || groups) end = cursor.value_end();
    return true;
  });
  out = {begin, static_cast<std::size_t>(end - begin)};
  return ok;
}

bool AuditParser::read_status(JsonCursor& cursor, RawEvent& event) {
  event.code = 0;
  event.message = event.reason = {};
  if (cursor.peek() != '{') {
    if (cursor.peek() != 'n') event.bad = true;
    return cursor.skip_value();
  }
  return walk_object(cursor, [&](std::string_view key) {
    if (is_escaped_key(key, "code")) {
      if (cursor.peek() == '"' || cursor.peek() == '{' || cursor.peek() == '[') {
        event.bad = true;
        return cursor.skip_value();
      }
      std::string_view scalar;
      if (!cursor.take_scalar(scalar)) return false;
      event.code = 0;
      if (scalar != "null" && (!parse_json_integer(scalar, event.code) || event.code < 0 || event.code > 999)) event.bad = true;
      return true;
    }
    bool ignored = false;
    if (is_escaped_key(key, "message")) return read_text(cursor, event.message, ignored);
    if (is_escaped_key(key, "reason")) return read_text(cursor, event.reason, ignored);
    return cursor.skip_value();
  });
}

bool AuditParser::read_annotations(JsonCursor& cursor, RawEvent& event) {
  event.queue_wait = {};
  if (cursor.peek() != '{') return cursor.skip_value();
  return walk_object(cursor, [&](std::string_view key) {
    bool ignored = false;
    if (is_escaped_key(key, kQueueWait)) return read_text(cursor, event.queue_wait, ignored);
    return cursor.skip_value();
  });
}

// The first is the client, the others are proxies. Some shippers make a single string of them.
bool AuditParser::read_source_ips(JsonCursor& cursor, RawEvent& event) {
  bool ignored = false;
  if (cursor.peek() != '[') return read_text(cursor, event.source_ip, ignored);
  bool first = true;
  event.source_ip = {};
  return walk_array(cursor, [&] {
    if (!first) return cursor.skip_value();
    first = false;
    return read_text(cursor, event.source_ip, ignored);
  });
}

bool AuditParser::read_metadata(JsonCursor& cursor, RawEvent& event) {
  event.created = {};
  if (cursor.peek() != '{') return cursor.skip_value();
  return walk_object(cursor, [&](std::string_view key) {
    bool ignored = false;
    if (is_escaped_key(key, "creationTimestamp")) return read_text(cursor, event.created, ignored);
    return cursor.skip_value();
  });
}

bool AuditParser::read_event(JsonCursor& cursor, RawEvent& event) {
  event = RawEvent();
  bool ignored = false;
  return walk_object(cursor, [&](std::string_view key) {
    switch (find_field(key)) {
      case Field::other:
        return cursor.skip_value();
      case Field::verb:
        return read_text(cursor, event.verb, event.bad);
      case Field::user:
        return read_user(cursor, event.user, event.bad);
      case Field::kind:
        event.kind_is_text = cursor.peek() == '"' || cursor.peek() == 'n';
        return read_text(cursor, event.kind, ignored);
      case Field::items:
        event.items = cursor.peek() == '[' ? cursor.at : nullptr;
        return cursor.skip_value();
      case Field::stage:
        return read_text(cursor, event.stage, event.bad);
      case Field::audit_id:
        return read_text(cursor, event.id, event.bad);
      case Field::metadata:
        return read_metadata(cursor, event);
      case Field::source_ips:
        return read_source_ips(cursor, event);
      case Field::timestamp:
        return read_text(cursor, event.timestamp, ignored);
      case Field::user_agent:
        return read_text(cursor, event.user_agent, ignored);
      case Field::request_uri:
        return read_text(cursor, event.uri, event.bad);
      case Field::api_version:
        return read_text(cursor, event.api_version, ignored);
      case Field::annotations:
        return read_annotations(cursor, event);
      case Field::response_status:
        return read_status(cursor, event);
      case Field::stage_timestamp:
        return read_text(cursor, event.stage_time, event.bad);
      case Field::impersonated_user:
        return read_user(cursor, event.impersonated, event.bad);
      case Field::request_received_timestamp:
        return read_text(cursor, event.received, event.bad);
    }
    return false;
  });
}

// Elements of an EventList and events that a shipper re-wrote may lack kind and apiVersion; then other fields must tell.
bool AuditParser::is_foreign(const RawEvent& event) {
  std::string_view kind, api_version;
  if (!event.kind_is_text || !text(event.kind, kind) || !text(event.api_version, api_version)) return true;
  if (kind.data() != nullptr && kind != "Event") return true;
  if (api_version.data() != nullptr && api_version.substr(0, 13) != "audit.k8s.io/") return true;
  return api_version.data() == nullptr && event.uri.data() == nullptr && event.id.data() == nullptr && event.stage.data() == nullptr;
}

bool AuditParser::read_time(RawText raw, Nanos& out) {
  if (raw.empty()) return false;
  if (time_.read(raw, out)) return true;
  std::string_view plain;
  return raw.find('\\') != std::string_view::npos && text(raw, plain) && time_.read(plain, out);
}

bool AuditParser::read_duration(RawText raw, Nanos& out) {
  std::string_view plain;
  if (!text(raw, plain)) return false;
  const auto duration = parse_go_duration(plain);
  if (!duration) return false;
  out = *duration;
  return true;
}

// kCount = it is an event.
Unusable AuditParser::finish(const RawEvent& event, LogEvent& out) {
  if (is_foreign(event)) return Unusable::not_event;
  if (event.bad) return Unusable::bad_field;
  std::string_view stage;
  if (!text(event.id, out.id) || !text(event.verb, out.verb) || !text(event.uri, out.uri) || !text(event.stage, stage) ||
      !text(event.user_agent, out.user_agent) || !text(event.source_ip, out.source_ip)) {
    return Unusable::not_json;
  }
  if (stage == "ResponseComplete" || stage.empty()) {
    out.stage = Stage::response_complete;
  } else if (stage == "RequestReceived") {
    out.stage = Stage::received;
  } else if (stage == "ResponseStarted") {
    out.stage = Stage::response_started;
  } else if (stage == "Panic") {
    out.stage = Stage::panic;
  } else {
    return Unusable::bad_field;
  }
  read_time(event.stage_time, out.stage_time);
  // v1alpha1 and early v1beta1 have whole seconds in `timestamp`, and before that in the metadata.
  if (!read_time(event.received, out.received) && !read_time(event.timestamp, out.received) && !read_time(event.created, out.received)) {
    out.received = out.stage_time;
  }
  if (out.received == kNoTime) return Unusable::no_timestamp;
  if (out.verb.empty() || out.uri.empty()) return Unusable::no_verb_or_uri;
  out.impersonated = event.impersonated.data() != nullptr;
  out.user_json = out.impersonated ? event.impersonated : event.user;
  if (event.queue_wait.data() != nullptr) read_duration(event.queue_wait, out.queue_wait);
  out.code = static_cast<int>(event.code);
  // The filters answer with plain text, which the audit event does not hold; refusals from further inside are Status
  // objects with a reason and a message.
  if (event.code == 429) {
    std::string_view message;
    if (!text(event.message, message)) return Unusable::not_json;
    out.apf_refusal_text = (message.empty() && event.reason.empty()) || message.find(kRefusalText) != std::string_view::npos;
  }
  return Unusable::kCount;
}

void AuditParser::emit_object(const RawEvent& event, LogEventSink& sink, LineCounter& lines, int depth) {
  const bool list = event.kind == "EventList" || event.kind == "List" || (event.kind.data() == nullptr && event.items != nullptr);
  if (list && event.items != nullptr) {
    JsonCursor items = root_;
    items.at = event.items;
    emit_items(items, sink, lines, depth);
    return;
  }
  if (event.kind == "EventList") return;  // an empty one: no items, or null
  LogEvent out;
  const Unusable reason = finish(event, out);
  if (reason == Unusable::kCount) {
    sink.on_event(out, lines.line());
  } else {
    sink.on_unusable(reason, lines.line());
  }
}

void AuditParser::emit_items(JsonCursor array, LogEventSink& sink, LineCounter& lines, int depth) {
  constexpr int kMaxDepth = 2;  // an array of EventLists; more is nonsense
  if (depth == kMaxDepth) return sink.on_unusable(Unusable::not_event, lines.line());
  walk_array(array, [&] {
    lines.line_at(array.here());
    if (array.peek() != '{') {
      sink.on_unusable(Unusable::not_event, lines.line());
      return array.skip_value();
    }
    RawEvent event;
    const bool ok = read_event(array, event);
    scratch_.clear();
    if (ok) emit_object(event, sink, lines, depth + 1);
    return ok;
  });
}

std::unique_ptr<LogParser> make_audit_parser() { return std::make_unique<AuditParser>(); }

User parse_user_json(std::string_view raw) {
  User user;
  if (raw.empty() || raw.front() != '{') return user;
  // A text that was cut off behind the groups gets its brace back; one more at the end is never reached.
  const std::string whole = std::string(raw) + '}';
  JsonIndex index;
  if (index.build(whole.data(), whole.size()) != JsonIndex::Result::ok) return user;
  JsonCursor cursor;
  cursor.text = whole.data();
  cursor.at = index.begin();
  cursor.limit = static_cast<std::uint32_t>(whole.size());
  JsonScratch scratch;
  const auto take_text = [&](std::string& out) {
    std::string_view text;
    if (cursor.peek() != '"') return cursor.skip_value();
    if (!json_text(cursor.take_string(), scratch, text)) return false;
    out = text;
    return true;
  };
  walk_object(cursor, [&](std::string_view key) {
    if (is_escaped_key(key, "username") || is_escaped_key(key, "user")) {
      user.name.clear();
      return take_text(user.name);
    }
    if (!is_escaped_key(key, "groups") || cursor.peek() != '[') return cursor.skip_value();
    user.groups.clear();
    return walk_array(cursor, [&] {
      if (cursor.peek() != '"') return cursor.skip_value();
      user.groups.emplace_back();
      return take_text(user.groups.back());
    });
  });
  return user;
}

}  // namespace apf
