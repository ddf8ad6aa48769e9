// Trace lines (apf/logs.h): one JSON object a request, the normal form of all logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <apf/classify.h>
#include <apf/time.h>

#include "logs/formats/json_walk.h"
#include "logs/formats/log_time.h"
#include "logs/log_event.h"

namespace apf {

// The members of one trace line, unescaped; nothing is copied that needs no unescaping. Absent strings have no data().
struct TraceFields {
  Nanos time = 0;
  bool time_is_integer = false;
  std::string_view id, user, impersonator, verb, method, uri, user_agent, source_ip, server;
  std::string_view user_raw, impersonator_raw, groups_raw;  // JSON
  std::string_view request_info_raw, object_raw;
  std::optional<Nanos> execution, recorded_end, init, end, wait_limit, queue_wait;
  std::string_view flow_schema, priority_level, webhook;
  std::optional<AnswerCause> cause;
  std::string_view latencies_raw;  // JSON
  bool has_seats = false;
  WorkEstimate seats;
  int code = 0;
};

class TraceReader {
 public:
  // Takes the JSON value at the token. Null: it is not JSON. Otherwise ok() says whether it is a trace line.
  JsonToken read(JsonText json, JsonToken token);
  const TraceFields& fields() const { return fields_; }
  JsonScratch& scratch() { return scratch_; }

  bool ok() const { return reason_ == Unusable::kCount; }
  Unusable reason() const { return reason_; }
  std::string message() const;  // one sentence

 private:
  // Each takes the value of one member and returns the token behind it, null if it is not JSON.
  JsonToken member(std::string_view key, JsonToken value);
  JsonToken text(JsonToken value, const char* field, std::string_view& out);
  JsonToken instant(JsonToken value, const char* field, std::optional<Nanos>& out, bool* is_integer);
  JsonToken duration(JsonToken value, const char* field, std::optional<Nanos>& out);
  JsonToken integer(JsonToken value, const char* field, std::int64_t most, std::int64_t& out);
  JsonToken user(JsonToken value, const char* field, std::string_view& out, std::string_view& raw);
  JsonToken groups(JsonToken value);
  JsonToken seats(JsonToken value);
  JsonToken code(JsonToken value);
  JsonToken recorded(JsonToken value);
  JsonToken cause(JsonToken value);
  JsonToken latencies(JsonToken value);
  JsonToken object(JsonToken value);
  JsonToken request_info(JsonToken value);
  template <class Member>
  JsonToken nested(JsonToken value, const char* field, Member&& member);

  void wrong(const char* field, const char* expected, Unusable reason = Unusable::bad_field);
  void check();

  JsonText json_;
  TraceFields fields_;
  std::optional<Nanos> time_;
  JsonScratch scratch_;
  LogTimeReader times_;
  Unusable reason_ = Unusable::kCount;
  const char* field_ = nullptr;
  const char* expected_ = nullptr;
};

// The "requestInfo" object of a trace line (LogEvent::request_info_json). False: it is none.
bool parse_request_info_json(std::string_view raw, RequestInfo& out);

}  // namespace apf
