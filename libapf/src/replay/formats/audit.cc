#include "replay/formats/audit.h"

#include "replay/formats/json_lines.h"
#include "replay/formats/log_time.h"

namespace apf {
namespace {

// What the priority-and-fairness filter and the max-in-flight filter answer.
constexpr std::string_view kRefusalText = "Too many requests, please try again later";

enum Field : std::uint8_t {
  kKind,
  kApiVersion,
  kStage,
  kAuditId,
  kRequestUri,
  kVerb,
  kUserAgent,
  kSourceIp,
  kReceived,
  kStageTime,
  kTimestamp,
  kCreated,
  kWait,
  kMessage,
  kReason,
  kUser,  // whole JSON, as is the next
  kImpersonated,
  kFieldCount,
};

// The texts of one event as they stand there, without their quotes. Which of them are there is a bit each, so that a
// new event need not clear them all.
struct RawEvent {
  std::string_view texts[kFieldCount];
  std::uint32_t present;
  int code;
  bool kind_is_text;
  bool bad;         // a field of the wrong type
  JsonToken items;  // an EventList's array, or null

  void clear() {
    present = 0;
    code = 0;
    kind_is_text = true;
    bad = false;
    items = nullptr;
  }
  bool has(Field field) const { return (present >> field & 1) != 0; }
  std::string_view text(Field field) const { return has(field) ? texts[field] : std::string_view(); }
  void set(Field field, std::string_view text) {
    texts[field] = text;
    present |= std::uint32_t{1} << field;
  }
  void unset(Field field) { present &= ~(std::uint32_t{1} << field); }

  // Takes a string; null counts as absent. Anything else is skipped, and a fault if the field is one that is needed.
  JsonToken take(JsonText json, JsonToken value, Field field, bool needed) {
    const char c = json.first(value);
    if (c == '"') {
      set(field, json.string(value));
      return value + 1;
    }
    unset(field);
    if (needed && c != 'n') bad = true;
    return json.skip(value);
  }
};

// The raw text of the object, without what follows the groups: uid stands before them, but `extra` is new with every
// token of a service account, and the text serves as a key.
JsonToken read_user(JsonText json, JsonToken user, RawEvent& event, Field field) {
  event.unset(field);
  if (json.first(user) != '{') {
    if (json.first(user) != 'n') event.bad = true;
    return json.skip(user);
  }
  const char* const begin = json.place(user);
  const char* end = begin + 1;
  const JsonToken next = walk_object(json, user, [&](std::string_view key, JsonToken value) -> JsonToken {
    const bool name = is_key(key, "username");
    if (!name && !is_key(key, "groups")) return kUnknownKey;
    const char c = json.first(value);
    if (c != (name ? '"' : '[') && c != 'n') event.bad = true;
    const JsonToken after = json.skip(value);
    if (after != nullptr) end = json.end_before(after);
    return after;
  });
  event.set(field, {begin, static_cast<std::size_t>(end - begin)});
  return next;
}

JsonToken read_code(JsonText json, JsonToken value, RawEvent& event) {
  event.code = 0;
  const JsonToken next = json.skip(value);
  if (next == nullptr || json.first(value) == 'n') return next;
  std::int64_t code = 0;
  if (parse_json_integer(json.between(value, next), code) && code >= 0 && code <= 999) {
    event.code = static_cast<int>(code);
  } else {
    event.bad = true;
  }
  return next;
}

JsonToken read_status(JsonText json, JsonToken status, RawEvent& event) {
  event.code = 0;
  event.unset(kMessage);
  event.unset(kReason);
  if (json.first(status) != '{') {
    if (json.first(status) != 'n') event.bad = true;
    return json.skip(status);
  }
  return walk_object(json, status, [&](std::string_view key, JsonToken value) -> JsonToken {
    if (is_key(key, "code")) return read_code(json, value, event);
    if (is_key(key, "message")) return event.take(json, value, kMessage, false);
    if (is_key(key, "reason")) return event.take(json, value, kReason, false);
    return kUnknownKey;
  });
}

JsonToken read_annotations(JsonText json, JsonToken annotations, RawEvent& event) {
  event.unset(kWait);
  if (json.first(annotations) != '{') return json.skip(annotations);
  return walk_object(json, annotations, [&](std::string_view key, JsonToken value) -> JsonToken {
    return is_key(key, "apiserver.latency.k8s.io/apf-queue-wait") ? event.take(json, value, kWait, false) : kUnknownKey;
  });
}

JsonToken read_metadata(JsonText json, JsonToken metadata, RawEvent& event) {
  event.unset(kCreated);
  if (json.first(metadata) != '{') return json.skip(metadata);
  return walk_object(json, metadata, [&](std::string_view key, JsonToken value) -> JsonToken {
    return is_key(key, "creationTimestamp") ? event.take(json, value, kCreated, false) : kUnknownKey;
  });
}

// The first is the client, the others are proxies. Some shippers make a single string of them.
JsonToken read_source_ips(JsonText json, JsonToken ips, RawEvent& event) {
  if (json.first(ips) != '[') return event.take(json, ips, kSourceIp, false);
  event.unset(kSourceIp);
  bool first = true;
  return walk_array(json, ips, [&](JsonToken value) {
    if (!first) return json.skip(value);
    first = false;
    return event.take(json, value, kSourceIp, false);
  });
}

JsonToken read_kind(JsonText json, JsonToken value, RawEvent& event) {
  const char c = json.first(value);
  event.kind_is_text = c == '"' || c == 'n';
  return event.take(json, value, kKind, false);
}

JsonToken read_items(JsonText json, JsonToken value, RawEvent& event) {
  event.items = json.first(value) == '[' ? value : nullptr;
  return json.skip(value);
}

// The length tells most names apart.
inline JsonToken read_member(JsonText json, std::string_view key, JsonToken value, RawEvent& event) {
  switch (key.size()) {
    case 4:
      if (is_key(key, "verb")) return event.take(json, value, kVerb, true);
      if (is_key(key, "user")) return read_user(json, value, event, kUser);
      return is_key(key, "kind") ? read_kind(json, value, event) : kUnknownKey;
    case 5:
      if (is_key(key, "level")) return json.skip(value);
      if (is_key(key, "stage")) return event.take(json, value, kStage, true);
      return is_key(key, "items") ? read_items(json, value, event) : kUnknownKey;
    case 7:
      return is_key(key, "auditID") ? event.take(json, value, kAuditId, true) : kUnknownKey;
    case 8:
      return is_key(key, "metadata") ? read_metadata(json, value, event) : kUnknownKey;
    case 9:
      if (is_key(key, "userAgent")) return event.take(json, value, kUserAgent, false);
      if (is_key(key, "objectRef")) return json.skip(value);
      if (is_key(key, "sourceIPs")) return read_source_ips(json, value, event);
      return is_key(key, "timestamp") ? event.take(json, value, kTimestamp, false) : kUnknownKey;
    case 10:
      if (is_key(key, "requestURI")) return event.take(json, value, kRequestUri, true);
      return is_key(key, "apiVersion") ? event.take(json, value, kApiVersion, false) : kUnknownKey;
    case 11:
      return is_key(key, "annotations") ? read_annotations(json, value, event) : kUnknownKey;
    case 14:
      if (is_key(key, "responseStatus")) return read_status(json, value, event);
      return is_key(key, "stageTimestamp") ? event.take(json, value, kStageTime, true) : kUnknownKey;
    case 16:
      return is_key(key, "impersonatedUser") ? read_user(json, value, event, kImpersonated) : kUnknownKey;
    case 24:
      return is_key(key, "requestReceivedTimestamp") ? event.take(json, value, kReceived, true) : kUnknownKey;
    default:
      return kUnknownKey;
  }
}

JsonToken read_event(JsonText json, JsonToken object, RawEvent& event) {
  event.clear();
  return walk_object(json, object,
                     [&](std::string_view key, JsonToken value) { return read_member(json, key, value, event); });
}

class AuditParser final : public JsonLinesParser {
 protected:
  JsonToken read(JsonText json, JsonToken token) override {
    json_ = json;
    root_ = token;
    if (json.first(token) == '{') return read_event(json, token, event_);
    return json.skip(token);
  }

  void emit(LogEventSink& sink, LineCounter& lines) override {
    if (json_.first(root_) == '{') {
      emit_object(event_, sink, lines, 0);
    } else if (json_.first(root_) == '[') {
      emit_items(root_, sink, lines, 0);
    } else {
      sink.on_unusable(Unusable::not_event, lines.line());
    }
  }

 private:
  void emit_object(const RawEvent& event, LogEventSink& sink, LineCounter& lines, int depth);
  void emit_items(JsonToken array, LogEventSink& sink, LineCounter& lines, int depth);
  bool is_foreign(const RawEvent& event);
  Unusable finish(const RawEvent& event, LogEvent& out);
  bool read_time(const RawEvent& event, Field field, Nanos& out);
  bool read_stage(const RawEvent& event, Stage& out);
  bool text(const RawEvent& event, Field field, std::string_view& out) {
    return json_text(event.text(field), scratch_, out);
  }

  JsonText json_;
  JsonToken root_ = nullptr;
  RawEvent event_;
  LogEvent out_;  // members that audit events do not have stay as they are
  JsonScratch scratch_;
  LogTimeReader time_;
};

// Elements of EventLists and events that a shipper re-wrote may lack kind and apiVersion; then other fields must tell.
bool AuditParser::is_foreign(const RawEvent& event) {
  if (event.text(kKind) == "Event" && event.text(kApiVersion).starts_with("audit.k8s.io/")) return false;
  if (!event.kind_is_text) return true;
  std::string_view kind, version;
  if (!text(event, kKind, kind) || !text(event, kApiVersion, version)) return true;
  if (event.has(kKind) && kind != "Event") return true;
  if (event.has(kApiVersion)) return !version.starts_with("audit.k8s.io/");
  return !event.has(kRequestUri) && !event.has(kAuditId) && !event.has(kStage);
}

bool AuditParser::read_time(const RawEvent& event, Field field, Nanos& out) {
  if (!event.has(field)) return false;
  if (time_.read(event.texts[field], out)) return true;
  std::string_view plain;
  return has_escape(event.texts[field]) && text(event, field, plain) && time_.read(plain, out);
}

// Without a stage it counts as complete.
bool AuditParser::read_stage(const RawEvent& event, Stage& out) {
  std::string_view stage = event.text(kStage);
  out = Stage::response_complete;
  if (is_key(stage, "ResponseComplete")) return true;
  if (!text(event, kStage, stage)) return false;
  if (stage == "RequestReceived") {
    out = Stage::received;
  } else if (stage == "ResponseStarted") {
    out = Stage::response_started;
  } else if (stage == "Panic") {
    out = Stage::panic;
  } else {
    return stage.empty() || stage == "ResponseComplete";
  }
  return true;
}

// kCount = it is an event.
Unusable AuditParser::finish(const RawEvent& event, LogEvent& out) {
  scratch_.clear();
  if (is_foreign(event)) return Unusable::not_event;
  if (event.bad || !read_stage(event, out.stage)) return Unusable::bad_field;
  if (!text(event, kAuditId, out.id) || !text(event, kVerb, out.verb) || !text(event, kRequestUri, out.uri) ||
      !text(event, kUserAgent, out.user_agent) || !text(event, kSourceIp, out.source_ip)) {
    return Unusable::not_json;
  }
  if (!read_time(event, kStageTime, out.stage_time)) out.stage_time = kNoTime;
  // v1alpha1 and early v1beta1 have whole seconds in `timestamp`, and before that in the metadata.
  if (!read_time(event, kReceived, out.received) && !read_time(event, kTimestamp, out.received) &&
      !read_time(event, kCreated, out.received)) {
    if (out.stage_time == kNoTime) return Unusable::no_timestamp;
    out.received = out.stage_time;
  }
  if (out.verb.empty() || out.uri.empty()) return Unusable::no_verb_or_uri;
  out.impersonated = event.has(kImpersonated);
  out.user_json = event.text(out.impersonated ? kImpersonated : kUser);
  out.queue_wait = kNoTime;
  if (event.has(kWait)) {
    std::string_view wait;
    if (!text(event, kWait, wait)) return Unusable::not_json;
    out.queue_wait = parse_go_duration(wait).value_or(kNoTime);
  }
  out.code = event.code;
  out.apf_refusal_text = false;
  // The filters answer with plain text, which the audit event does not hold; refusals from further inside are Status
  // objects with a reason and a message.
  if (event.code == 429) {
    std::string_view message;
    if (!text(event, kMessage, message)) return Unusable::not_json;
    out.apf_refusal_text =
        (message.empty() && event.text(kReason).empty()) || message.find(kRefusalText) != std::string_view::npos;
  }
  return Unusable::kCount;
}

void AuditParser::emit_object(const RawEvent& event, LogEventSink& sink, LineCounter& lines, int depth) {
  const std::string_view kind = event.text(kKind);
  const bool list = kind == "EventList" || (event.items != nullptr && (kind == "List" || !event.has(kKind)));
  if (list) {  // without items it is empty
    if (event.items != nullptr) emit_items(event.items, sink, lines, depth);
    return;
  }
  const Unusable reason = finish(event, out_);
  if (reason == Unusable::kCount) {
    sink.on_event(out_, lines.line());
  } else {
    sink.on_unusable(reason, lines.line());
  }
}

void AuditParser::emit_items(JsonToken array, LogEventSink& sink, LineCounter& lines, int depth) {
  constexpr int kMaxDepth = 2;  // an array of EventLists; more is nonsense
  if (depth == kMaxDepth) return sink.on_unusable(Unusable::not_event, lines.line());
  walk_array(json_, array, [&](JsonToken item) {
    lines.line_at(json_.place(item));
    if (json_.first(item) != '{') {
      sink.on_unusable(Unusable::not_event, lines.line());
      return json_.skip(item);
    }
    RawEvent event;
    const JsonToken next = read_event(json_, item, event);
    if (next != nullptr) emit_object(event, sink, lines, depth + 1);
    return next;
  });
}

}  // namespace

std::unique_ptr<LogParser> make_audit_parser() { return std::make_unique<AuditParser>(); }

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
