// Logs as requests in the normal form that every log reader produces: the trace line (apfctl-trace(5)).
#include "logs/formats/trace.h"

#include <climits>
#include <cstring>

#include "logs/answer_cause.h"
#include "logs/formats/format.h"
#include "logs/formats/json_lines.h"
#include "logs/formats/sniff.h"

namespace apf {
namespace {

constexpr const char* kText = "a string";
constexpr const char* kTexts = "an array of strings";
constexpr const char* kInstant = "an integer number of nanoseconds or an RFC 3339 time";
constexpr const char* kDuration =
    "an integer number of nanoseconds or a Go duration such as \"12.3ms\", and not negative";
constexpr const char* kSaneInstant = "between the years 1970 and 2200";
constexpr const char* kSaneDuration = "at most ten years";
constexpr const char* kInteger = "an integer that is not negative (nor too large)";
constexpr const char* kObject = "an object";

struct InfoText {
  std::string_view key;
  std::string RequestInfo::*member;
};

constexpr InfoText kInfoTexts[] = {
    {"path", &RequestInfo::path},
    {"verb", &RequestInfo::verb},
    {"apiPrefix", &RequestInfo::api_prefix},
    {"apiGroup", &RequestInfo::api_group},
    {"apiVersion", &RequestInfo::api_version},
    {"namespace", &RequestInfo::ns},
    {"resource", &RequestInfo::resource},
    {"subresource", &RequestInfo::subresource},
    {"name", &RequestInfo::name},
    {"fieldSelector", &RequestInfo::field_selector},
    {"labelSelector", &RequestInfo::label_selector},
};

// Takes a member of requestInfo; null counts as absent. `out` may be null: then the types are checked only.
// `fit` becomes false on a wrong type.
JsonToken take_info_member(JsonText json, std::string_view key, JsonToken value, RequestInfo* out, JsonScratch& scratch,
                           bool& fit) {
  const char c = json.first(value);
  const auto take = [&](JsonToken at, std::string* to) -> JsonToken {
    std::string_view text;
    if (!json_text(json.string(at), scratch, text)) return nullptr;
    if (to != nullptr) *to = text;
    return at + 1;
  };
  if (is_key(key, "isResourceRequest")) {
    if (c != 't' && c != 'f' && c != 'n') fit = false;
    if (out != nullptr) out->is_resource_request = c == 't';
    return json.skip(value);
  }
  if (is_key(key, "parts")) {
    if (c != '[') {
      fit = fit && c == 'n';
      return json.skip(value);
    }
    if (out != nullptr) {
      out->has_parts = true;
      out->parts.clear();
    }
    return walk_array(json, value, [&](JsonToken part) {
      if (json.first(part) == '"') return take(part, out != nullptr ? &out->parts.emplace_back() : nullptr);
      fit = false;
      return json.skip(part);
    });
  }
  for (const InfoText& t : kInfoTexts) {
    if (key != t.key) continue;
    if (c == '"') return take(value, out != nullptr ? &(out->*t.member) : nullptr);
    fit = fit && c == 'n';
    return json.skip(value);
  }
  return kUnknownKey;
}

}  // namespace

void TraceReader::wrong(const char* field, const char* expected, Unusable reason) {
  if (!ok()) return;  // the first fault is reported
  reason_ = reason;
  field_ = field;
  expected_ = expected;
}

std::string TraceReader::message() const {
  if (reason_ == Unusable::not_event) return "a trace line is one JSON object";
  return std::string("\"") + field_ + "\" must be " + expected_;
}

JsonToken TraceReader::text(JsonToken value, const char* field, std::string_view& out) {
  out = {};
  const char c = json_.first(value);
  if (c == '"') return json_text(json_.string(value), scratch_, out) ? value + 1 : nullptr;
  if (c != 'n') wrong(field, kText);
  return json_.skip(value);
}

JsonToken TraceReader::instant(JsonToken value, const char* field, std::optional<Nanos>& out, bool* is_integer) {
  out.reset();
  Nanos nanos = 0;
  const char c = json_.first(value);
  const JsonToken next = json_.skip(value);
  if (next == nullptr || c == 'n') return next;
  if (c == '"') {
    std::string_view text;
    if (!json_text(json_.string(value), scratch_, text)) return nullptr;
    if (times_.read(text, nanos)) {
      out = nanos;
    } else {
      wrong(field, kInstant, Unusable::no_timestamp);
    }
  } else if (parse_json_integer(json_.between(value, next), nanos)) {
    out = nanos;
  } else {
    wrong(field, kInstant);
  }
  if (out && !is_time_in_range(*out)) wrong(field, kSaneInstant, Unusable::out_of_range);
  if (is_integer != nullptr) *is_integer = c != '"';
  return next;
}

JsonToken TraceReader::duration(JsonToken value, const char* field, std::optional<Nanos>& out) {
  out.reset();
  const char c = json_.first(value);
  const JsonToken next = json_.skip(value);
  if (next == nullptr || c == 'n') return next;
  if (c == '"') {
    std::string_view text;
    if (!json_text(json_.string(value), scratch_, text)) return nullptr;
    out = parse_go_duration(text);
  } else {
    Nanos nanos = 0;
    if (parse_json_integer(json_.between(value, next), nanos)) out = nanos;
  }
  if (!out || *out < 0) wrong(field, kDuration);
  else if (!is_duration_in_range(*out)) wrong(field, kSaneDuration, Unusable::out_of_range);
  return next;
}

JsonToken TraceReader::integer(JsonToken value, const char* field, std::int64_t most, std::int64_t& out) {
  out = 0;
  const JsonToken next = json_.skip(value);
  if (next == nullptr || json_.first(value) == 'n') return next;
  if (!parse_json_integer(json_.between(value, next), out) || out < 0 || out > most) {
    wrong(field, kInteger);
    out = 0;
  }
  return next;
}

// As raw text too: that goes into LogEvent::user_json.
JsonToken TraceReader::user(JsonToken value, const char* field, std::string_view& out, std::string_view& raw) {
  const JsonToken next = text(value, field, out);
  raw = next != nullptr && json_.first(value) == '"' ? json_.between(value, next) : std::string_view();
  return next;
}

JsonToken TraceReader::groups(JsonToken value) {
  fields_.groups_raw = {};
  if (json_.first(value) != '[') {
    if (json_.first(value) != 'n') wrong("groups", kTexts);
    return json_.skip(value);
  }
  const JsonToken next = walk_array(json_, value, [&](JsonToken group) {
    if (json_.first(group) != '"') wrong("groups", kTexts);
    return json_.skip(group);
  });
  if (next != nullptr) fields_.groups_raw = json_.between(value, next);
  return next;
}

template <class Member>
JsonToken TraceReader::nested(JsonToken value, const char* field, Member&& member) {
  if (json_.first(value) == '{') return walk_object(json_, value, member);
  if (json_.first(value) != 'n') wrong(field, kObject);
  return json_.skip(value);
}

JsonToken TraceReader::seats(JsonToken value) {
  fields_.seats = WorkEstimate();
  fields_.has_seats = json_.first(value) == '{';
  const auto number = [&](JsonToken at, const char* field, int& out) {
    std::int64_t wide = 0;
    const JsonToken next = integer(at, field, INT_MAX, wide);
    out = static_cast<int>(wide);
    return next;
  };
  return nested(value, "seats", [&](std::string_view key, JsonToken at) -> JsonToken {
    if (is_key(key, "initial")) return number(at, "seats.initial", fields_.seats.initial_seats);
    if (is_key(key, "final")) return number(at, "seats.final", fields_.seats.final_seats);
    if (is_key(key, "additionalLatencyNs"))
      return integer(at, "seats.additionalLatencyNs", kLongestDuration, fields_.seats.additional_latency);
    return kUnknownKey;
  });
}

JsonToken TraceReader::recorded(JsonToken value) {
  fields_.flow_schema = fields_.priority_level = fields_.webhook = {};
  fields_.queue_wait.reset();
  fields_.cause.reset();
  fields_.latencies_raw = {};
  return nested(value, "recorded", [&](std::string_view key, JsonToken at) -> JsonToken {
    if (is_key(key, "flowSchema")) return text(at, "recorded.flowSchema", fields_.flow_schema);
    if (is_key(key, "priorityLevel")) return text(at, "recorded.priorityLevel", fields_.priority_level);
    if (is_key(key, "queueWait")) return duration(at, "recorded.queueWait", fields_.queue_wait);
    if (is_key(key, "cause")) return cause(at);
    if (is_key(key, "webhook")) return text(at, "recorded.webhook", fields_.webhook);
    if (is_key(key, "latencies")) return latencies(at);
    return kUnknownKey;
  });
}

JsonToken TraceReader::cause(JsonToken value) {
  std::string_view name;
  const JsonToken next = text(value, "recorded.cause", name);
  if (!name.empty() && !(fields_.cause = find_answer_cause(name))) wrong("recorded.cause", "one of apfctl-trace(5)");
  return next;
}

JsonToken TraceReader::latencies(JsonToken value) {
  const JsonToken next = json_.skip(value);
  if (json_.first(value) != '{') wrong("recorded.latencies", "an object");
  else if (next != nullptr) fields_.latencies_raw = json_.between(value, next);
  return next;
}

JsonToken TraceReader::request_info(JsonToken value) {
  bool fit = true;
  const JsonToken next = nested(value, "requestInfo", [&](std::string_view key, JsonToken at) {
    return take_info_member(json_, key, at, nullptr, scratch_, fit);
  });
  if (!fit)
    wrong("requestInfo",
          "an object whose members are strings, but for isResourceRequest (true or false) and parts (an array of "
          "strings)");
  fields_.request_info_raw =
      next != nullptr && json_.first(value) == '{' ? json_.between(value, next) : std::string_view();
  return next;
}

JsonToken TraceReader::object(JsonToken value) {
  const JsonToken next = json_.skip(value);
  fields_.object_raw = next != nullptr && json_.first(value) != 'n' ? json_.between(value, next) : std::string_view();
  return next;
}

JsonToken TraceReader::code(JsonToken value) {
  std::int64_t code = 0;
  const JsonToken next = integer(value, "code", 999, code);
  fields_.code = static_cast<int>(code);
  return next;
}

JsonToken TraceReader::member(std::string_view key, JsonToken value) {
  TraceFields& f = fields_;
  switch (key.size()) {
    case 2:
      return is_key(key, "id") ? text(value, "id", f.id) : kUnknownKey;
    case 3:
      if (is_key(key, "uri")) return text(value, "uri", f.uri);
      return is_key(key, "end") ? instant(value, "end", f.end, nullptr) : kUnknownKey;
    case 4:
      if (is_key(key, "time")) return instant(value, "time", time_, &f.time_is_integer);
      if (is_key(key, "user")) return user(value, "user", f.user, f.user_raw);
      if (is_key(key, "verb")) return text(value, "verb", f.verb);
      if (is_key(key, "code")) return code(value);
      return is_key(key, "init") ? duration(value, "init", f.init) : kUnknownKey;
    case 5:
      return is_key(key, "seats") ? seats(value) : kUnknownKey;
    case 6:
      if (is_key(key, "groups")) return groups(value);
      if (is_key(key, "method")) return text(value, "method", f.method);
      if (is_key(key, "server")) return text(value, "server", f.server);
      return is_key(key, "object") ? object(value) : kUnknownKey;
    case 8:
      if (is_key(key, "sourceIP")) return text(value, "sourceIP", f.source_ip);
      return is_key(key, "recorded") ? recorded(value) : kUnknownKey;
    case 9:
      if (is_key(key, "execution")) return duration(value, "execution", f.execution);
      if (is_key(key, "userAgent")) return text(value, "userAgent", f.user_agent);
      return is_key(key, "waitLimit") ? duration(value, "waitLimit", f.wait_limit) : kUnknownKey;
    case 11:
      if (is_key(key, "recordedEnd")) return instant(value, "recordedEnd", f.recorded_end, nullptr);
      return is_key(key, "requestInfo") ? request_info(value) : kUnknownKey;
    case 12:
      return is_key(key, "impersonator") ? user(value, "impersonator", f.impersonator, f.impersonator_raw)
                                         : kUnknownKey;
    default:
      return kUnknownKey;
  }
}

JsonToken TraceReader::read(JsonText json, JsonToken token) {
  json_ = json;
  scratch_.clear();
  fields_ = TraceFields();
  time_.reset();
  reason_ = Unusable::kCount;
  if (json.first(token) != '{') {
    reason_ = Unusable::not_event;
    return json.skip(token);
  }
  token = walk_object(json, token, [&](std::string_view key, JsonToken value) { return member(key, value); });
  if (token != nullptr) check();
  return token;
}

void TraceReader::check() {
  if (!ok()) return;
  if (!time_) return wrong("time", "there: the request's arrival", Unusable::no_timestamp);
  fields_.time = *time_;
  if (!fields_.request_info_raw.empty()) return;
  if (fields_.uri.empty()) return wrong("uri", "there, or requestInfo", Unusable::no_verb_or_uri);
  if (fields_.verb.empty() && fields_.method.empty())
    wrong("verb", "there, or method, or requestInfo", Unusable::no_verb_or_uri);
}

namespace {

class TraceParser final : public JsonLinesParser {
 protected:
  JsonToken read(JsonText json, JsonToken token) override { return reader_.read(json, token); }

  void emit(LogEventSink& sink, LineCounter& lines) override {
    if (!reader_.ok()) return sink.on_unusable(reader_.reason(), lines.line());
    const TraceFields& f = reader_.fields();
    LogEvent event;
    event.trace = true;
    event.id = f.id;
    if (!f.request_info_raw.empty()) {
      event.request_info_json = f.request_info_raw;
    } else {
      event.uri = f.uri;
      if (f.method.empty()) {
        event.verb = f.verb;
      } else {
        event.method = upper_case(f.method);
      }
    }
    event.user_json = user_json(f);
    if (f.impersonator_raw.size() > 2)  // not ""
      event.authenticated_json = join({R"({"user":)", f.impersonator_raw, "}"});
    event.received = f.time;
    event.stage_time = f.recorded_end.value_or(kNoTime);
    event.queue_wait = f.queue_wait.value_or(kNoTime);
    event.execution = f.execution.value_or(kNoTime);
    event.init = f.init.value_or(kNoTime);
    event.watch_end = f.end.value_or(kNoTime);
    event.wait_limit = f.wait_limit.value_or(kNoTime);
    event.has_seats = f.has_seats;
    event.seats = f.seats;
    event.code = f.code;
    event.cause = f.cause.value_or(answer_cause(f.code, {}, {}));
    event.webhook = f.webhook;
    event.latencies = f.latencies_raw;
    event.object = f.object_raw;
    event.user_agent = f.user_agent;
    event.source_ip = f.source_ip;
    event.recorded_flow_schema = f.flow_schema;
    event.recorded_priority_level = f.priority_level;
    sink.on_event(event, lines.line());
  }

 private:
  std::string_view join(std::initializer_list<std::string_view> parts) {
    std::size_t size = 0;
    for (const std::string_view part : parts) size += part.size();
    char* const begin = reader_.scratch().room(size);
    char* to = begin;
    for (const std::string_view part : parts) {
      if (!part.empty()) std::memcpy(to, part.data(), part.size());
      to += part.size();
    }
    reader_.scratch().take(size);
    return {begin, size};
  }

  std::string_view user_json(const TraceFields& f) {
    return join({R"({"user":)", f.user_raw.empty() ? std::string_view(R"("")") : f.user_raw, R"(,"groups":)",
                 f.groups_raw.empty() ? std::string_view("[]") : f.groups_raw, "}"});
  }

  std::string_view upper_case(std::string_view method) {
    char* const begin = reader_.scratch().room(method.size());
    for (std::size_t i = 0; i < method.size(); ++i) {
      const char c = method[i];
      begin[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    reader_.scratch().take(method.size());
    return {begin, method.size()};
  }

  TraceReader reader_;
};

}  // namespace

std::unique_ptr<LogParser> make_trace_parser() { return std::make_unique<TraceParser>(); }

namespace {

bool recognises_trace(std::string_view, const JsonOutline& record) {
  return record.has("time") &&
         (record.has("requestInfo") || (record.has("uri") && (record.has("verb") || record.has("method"))));
}

}  // namespace

constinit const FormatRow kTraceFormat{"trace", recognises_trace, make_trace_parser};

bool parse_request_info_json(std::string_view raw, RequestInfo& out) {
  out = RequestInfo();
  const std::string text(raw);  // the index wants to read one byte more
  JsonIndex index;
  if (text.empty() || text.front() != '{' || index.build(text.data(), text.size()) != JsonIndex::Result::ok)
    return false;
  const JsonText json{text.data(), static_cast<std::uint32_t>(text.size())};
  JsonScratch scratch;
  bool fit = true;
  const JsonToken end = walk_object(json, index.begin(), [&](std::string_view key, JsonToken value) {
    return take_info_member(json, key, value, &out, scratch, fit);
  });
  return end == index.end() && fit;
}

}  // namespace apf
