// One audit event (audit.k8s.io/v1, v1beta1, v1alpha1) out of its JSON: first the texts that matter as written,
// then, if it is one, what they say.
#pragma once

#include <cstdint>
#include <string_view>

#include "logs/answer_cause.h"
#include "logs/formats/json_walk.h"
#include "logs/formats/log_time.h"
#include "logs/log_event.h"

namespace apf {

enum AuditField : std::uint8_t {
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
  kUser,  // whole JSON, as are the next
  kImpersonated,
  kRequestObject,
  kResponseObject,
  kAnnotations,  // where some of them are latencies
  kFieldCount,
};

// The texts of one event as written there, without their quotes. Which of them are there is a bit each, so that a
// new event need not clear them all.
struct RawAuditEvent {
  std::string_view texts[kFieldCount];
  std::uint32_t present;
  std::uint32_t plain;  // which of them are known to have no escapes
  // Instants that were read already, so that their texts are not needed; kNoTime: they were not.
  Nanos received, stage_time;
  int code;
  bool kind_is_text;
  bool latencies;   // annotations with latencies
  bool decided;     // annotated with what authorization decided
  bool bad;         // a field of the wrong type
  JsonToken items;  // an EventList's array, or null

  void clear() {
    present = plain = 0;
    received = stage_time = kNoTime;
    code = 0;
    kind_is_text = true;
    bad = latencies = decided = false;
    items = nullptr;
  }
  bool has(AuditField field) const { return (present >> field & 1) != 0; }
  std::string_view text(AuditField field) const { return has(field) ? texts[field] : std::string_view(); }
  void set(AuditField field, std::string_view text) {
    texts[field] = text;
    present |= std::uint32_t{1} << field;
  }
  void unset(AuditField field) { present &= ~(std::uint32_t{1} << field); }

  // Takes a string; null counts as absent. Anything else is skipped, and a fault if the field is one that is needed.
  JsonToken take(JsonText json, JsonToken value, AuditField field, bool needed) {
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

// Takes the object at the token. Null: it is not JSON.
JsonToken read_audit_event(JsonText json, JsonToken object, RawAuditEvent& event);

class AuditEventReader {
 public:
  // Elements of EventLists and events that a shipper re-wrote may lack kind and apiVersion; then other fields must
  // tell.
  bool is_foreign(const RawAuditEvent& event);
  // Of what is not foreign. kCount: `out` is the event; its views last until the next call. Members that audit events
  // do not have stay as they are.
  Unusable finish(const RawAuditEvent& event, LogEvent& out);

 private:
  bool read_time(const RawAuditEvent& event, AuditField field, Nanos& out) {
    out = field == kReceived ? event.received : field == kStageTime ? event.stage_time : kNoTime;
    return out != kNoTime || read_time_text(event, field, out);
  }
  bool read_time_text(const RawAuditEvent& event, AuditField field, Nanos& out);
  bool read_stage(const RawAuditEvent& event, Stage& out);
  bool text(const RawAuditEvent& event, AuditField field, std::string_view& out) {
    if ((event.plain >> field & 1) == 0) return json_text(event.text(field), scratch_, out);
    out = event.texts[field];
    return true;
  }

  JsonScratch scratch_;
  LogTimeReader time_;
};

}  // namespace apf
