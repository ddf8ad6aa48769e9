#include "logs/formats/audit_event.h"

namespace apf {
namespace {

// The raw text of the object, without what follows the groups: uid comes before them, but `extra` is new with every
// token of a service account, and the text serves as a key.
JsonToken read_user(JsonText json, JsonToken user, RawAuditEvent& event, AuditField field) {
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

JsonToken read_code(JsonText json, JsonToken value, RawAuditEvent& event) {
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

JsonToken read_status(JsonText json, JsonToken status, RawAuditEvent& event) {
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

JsonToken read_annotations(JsonText json, JsonToken annotations, RawAuditEvent& event) {
  event.unset(kWait);
  if (json.first(annotations) != '{') return json.skip(annotations);
  event.latencies = event.decided = false;
  const JsonToken next = walk_object(json, annotations, [&](std::string_view key, JsonToken value) -> JsonToken {
    if (key.starts_with(kLatencies)) event.latencies = true;
    event.decided |= key == kDecision;
    return is_key(key, "apiserver.latency.k8s.io/apf-queue-wait") ? event.take(json, value, kWait, false) : kUnknownKey;
  });
  if (next != nullptr && event.latencies) event.set(kAnnotations, json.between(annotations, next));
  return next;
}

JsonToken read_metadata(JsonText json, JsonToken metadata, RawAuditEvent& event) {
  event.unset(kCreated);
  if (json.first(metadata) != '{') return json.skip(metadata);
  return walk_object(json, metadata, [&](std::string_view key, JsonToken value) -> JsonToken {
    return is_key(key, "creationTimestamp") ? event.take(json, value, kCreated, false) : kUnknownKey;
  });
}

// The first is the client, the others are proxies. Some shippers make a single string of them.
JsonToken read_source_ips(JsonText json, JsonToken ips, RawAuditEvent& event) {
  if (json.first(ips) != '[') return event.take(json, ips, kSourceIp, false);
  event.unset(kSourceIp);
  bool first = true;
  return walk_array(json, ips, [&](JsonToken value) {
    if (!first) return json.skip(value);
    first = false;
    return event.take(json, value, kSourceIp, false);
  });
}

// An object as written there.
JsonToken read_object(JsonText json, JsonToken value, RawAuditEvent& event, AuditField field) {
  event.unset(field);
  const JsonToken next = json.skip(value);
  if (next != nullptr && json.first(value) == '{') event.set(field, json.between(value, next));
  return next;
}

JsonToken read_kind(JsonText json, JsonToken value, RawAuditEvent& event) {
  const char c = json.first(value);
  event.kind_is_text = c == '"' || c == 'n';
  return event.take(json, value, kKind, false);
}

JsonToken read_items(JsonText json, JsonToken value, RawAuditEvent& event) {
  event.items = json.first(value) == '[' ? value : nullptr;
  return json.skip(value);
}

// The length distinguishes most names.
inline JsonToken read_member(JsonText json, std::string_view key, JsonToken value, RawAuditEvent& event) {
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
    case 13:
      return is_key(key, "requestObject") ? read_object(json, value, event, kRequestObject) : kUnknownKey;
    case 14:
      if (is_key(key, "responseObject")) return read_object(json, value, event, kResponseObject);
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

}  // namespace

JsonToken read_audit_event(JsonText json, JsonToken object, RawAuditEvent& event) {
  event.clear();
  return walk_object(json, object,
                     [&](std::string_view key, JsonToken value) { return read_member(json, key, value, event); });
}

bool AuditEventReader::is_foreign(const RawAuditEvent& event) {
  if (event.text(kKind) == "Event" && event.text(kApiVersion).starts_with("audit.k8s.io/")) return false;
  if (!event.kind_is_text) return true;
  std::string_view kind, version;
  if (!text(event, kKind, kind) || !text(event, kApiVersion, version)) return true;
  if (event.has(kKind) && kind != "Event") return true;
  if (event.has(kApiVersion)) return !version.starts_with("audit.k8s.io/");
  return !event.has(kRequestUri) && !event.has(kAuditId) && !event.has(kStage);
}

bool AuditEventReader::read_time_text(const RawAuditEvent& event, AuditField field, Nanos& out) {
  if (!event.has(field)) return false;
  if (time_.read(event.texts[field], out)) return true;
  std::string_view plain;
  return has_escape(event.texts[field]) && text(event, field, plain) && time_.read(plain, out);
}

// Without a stage it counts as complete.
bool AuditEventReader::read_stage(const RawAuditEvent& event, Stage& out) {
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

Unusable AuditEventReader::finish(const RawAuditEvent& event, LogEvent& out) {
  scratch_.clear();
  out.user_memo = nullptr;
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
  // Few letters of a user are a g: that takes hardly any time.
  out.implied_groups =
      out.user_json.find("groups\"") == out.user_json.npos && out.user_json.find("username\"") != out.user_json.npos;
  out.authenticated_json = out.impersonated ? event.text(kUser) : std::string_view();
  out.queue_wait = kNoTime;
  if (event.has(kWait)) {
    std::string_view wait;
    if (!text(event, kWait, wait)) return Unusable::not_json;
    out.queue_wait = parse_go_duration(wait).value_or(kNoTime);
  }
  out.other_latencies = event.latencies && !event.has(kWait);
  out.object = event.text(kRequestObject);
  out.response_object = event.text(kResponseObject);
  out.code = event.code;
  out.latencies = event.latencies ? event.text(kAnnotations) : std::string_view();
  out.cause = AnswerCause::none;
  out.webhook = {};
  out.decided = event.decided;
  if (event.code >= 400) {
    std::string_view message, reason;
    if (!text(event, kMessage, message) || !text(event, kReason, reason)) return Unusable::not_json;
    out.cause = answer_cause(event.code, reason, message);
    out.webhook = webhook_of(out.cause, message);
  }
  return Unusable::kCount;
}

}  // namespace apf
