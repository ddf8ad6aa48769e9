#include "replay/formats/trace.h"

#include <climits>
#include <cstring>

#include "replay/formats/json_lines.h"

namespace apf {
namespace {

constexpr const char* kText = "a string";
constexpr const char* kInstant = "an integer number of nanoseconds or an RFC 3339 time";
constexpr const char* kDuration = "an integer number of nanoseconds or a Go duration such as \"12.3ms\", and not negative";
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

bool is_null(const JsonCursor& cursor) { return cursor.peek() == 'n'; }

// Takes a member of requestInfo; null counts as absent. `out` may be null: then the types are checked only.
// `fit` becomes false on a wrong type.
bool take_info_member(JsonCursor& cursor, std::string_view key, RequestInfo* out, JsonScratch& scratch, bool& fit) {
  const auto take = [&](std::string* to) {
    if (cursor.peek() != '"') {
      fit = fit && is_null(cursor);
      return cursor.skip_value();
    }
    std::string_view text;
    if (!json_text(cursor.take_string(), scratch, text)) return false;
    if (to != nullptr) *to = text;
    return true;
  };
  if (is_escaped_key(key, "isResourceRequest")) {
    std::string_view scalar;
    const char c = cursor.peek();
    if (c != 't' && c != 'f' && c != 'n') {
      fit = false;
      return cursor.skip_value();
    }
    if (!cursor.take_scalar(scalar)) return false;
    if (out != nullptr) out->is_resource_request = c == 't';
    return true;
  }
  if (is_escaped_key(key, "parts")) {
    if (cursor.peek() != '[') {
      fit = fit && is_null(cursor);
      return cursor.skip_value();
    }
    if (out != nullptr) {
      out->has_parts = true;
      out->parts.clear();
    }
    return walk_array(cursor, [&] {
      fit = fit && cursor.peek() == '"';
      if (out == nullptr) return take(nullptr);
      return take(&out->parts.emplace_back());
    });
  }
  for (const InfoText& t : kInfoTexts) {
    if (is_escaped_key(key, t.key)) return take(out != nullptr ? &(out->*t.member) : nullptr);
  }
  return cursor.skip_value();
}

}  // namespace

void TraceReader::wrong(const char* field, const char* expected, Unusable reason) {
  if (!ok()) return;  // the first fault is told
  reason_ = reason;
  field_ = field;
  expected_ = expected;
}

std::string TraceReader::message() const {
  if (reason_ == Unusable::not_event) return "a trace line is one JSON object";
  return std::string("\"") + field_ + "\" must be " + expected_;
}

bool TraceReader::take_text(JsonCursor& cursor, const char* field, Text& out) {
  out = {};
  if (cursor.peek() == '"') return json_text(cursor.take_string(), scratch_, out);
  if (!is_null(cursor)) wrong(field, kText);
  return cursor.skip_value();
}

bool TraceReader::take_instant(JsonCursor& cursor, const char* field, std::optional<Nanos>& out, bool* is_integer) {
  out.reset();
  Nanos value = 0;
  const char c = cursor.peek();
  if (c == '"') {
    Text text;
    if (!json_text(cursor.take_string(), scratch_, text)) return false;
    if (!times_.read(text, value)) {
      wrong(field, kInstant, Unusable::no_timestamp);
      return true;
    }
  } else {
    Text text;
    if (c == '{' || c == '[' || c == 't' || c == 'f') wrong(field, kInstant);
    if (c == '{' || c == '[') return cursor.skip_value();
    if (!cursor.take_scalar(text)) return false;
    if (c == 'n') return true;
    if (!parse_json_integer(text, value)) {
      wrong(field, kInstant);
      return true;
    }
  }
  out = value;
  if (is_integer != nullptr) *is_integer = c != '"';
  return true;
}

bool TraceReader::take_duration(JsonCursor& cursor, const char* field, std::optional<Nanos>& out) {
  out.reset();
  const char c = cursor.peek();
  if (c == '{' || c == '[') {
    wrong(field, kDuration);
    return cursor.skip_value();
  }
  Text text;
  if (c == '"') {
    if (!json_text(cursor.take_string(), scratch_, text)) return false;
    out = parse_go_duration(text);
  } else {
    if (!cursor.take_scalar(text)) return false;
    if (c == 'n') return true;
    Nanos value = 0;
    if (parse_json_integer(text, value)) out = value;
  }
  if (!out || *out < 0) wrong(field, kDuration);
  return true;
}

bool TraceReader::take_integer(JsonCursor& cursor, const char* field, std::int64_t most, std::int64_t& out) {
  out = 0;
  const char c = cursor.peek();
  if (c == '"' || c == '{' || c == '[') {
    wrong(field, kInteger);
    return cursor.skip_value();
  }
  Text text;
  if (!cursor.take_scalar(text)) return false;
  if (c != 'n' && (!parse_json_integer(text, out) || out < 0 || out > most)) {
    wrong(field, kInteger);
    out = 0;
  }
  return true;
}

bool TraceReader::take_groups(JsonCursor& cursor) {
  fields_.groups_raw = {};
  if (cursor.peek() != '[') {
    if (!is_null(cursor)) wrong("groups", "an array of strings");
    return cursor.skip_value();
  }
  const char* begin = cursor.here();
  const bool sound = walk_array(cursor, [&] {
    if (cursor.peek() != '"') wrong("groups", "an array of strings");
    return cursor.skip_value();
  });
  if (sound) fields_.groups_raw = {begin, static_cast<std::size_t>(cursor.value_end() - begin)};
  return sound;
}

template <class Member>
bool TraceReader::take_object(JsonCursor& cursor, const char* field, Member&& member) {
  if (cursor.peek() == '{') return walk_object(cursor, member);
  if (!is_null(cursor)) wrong(field, kObject);
  return cursor.skip_value();
}

bool TraceReader::take_seats(JsonCursor& cursor) {
  fields_.seats = WorkEstimate();
  fields_.has_seats = cursor.peek() == '{';
  return take_object(cursor, "seats", [&](std::string_view key) {
    std::int64_t value = 0;
    if (is_escaped_key(key, "initial")) {
      if (!take_integer(cursor, "seats.initial", INT_MAX, value)) return false;
      fields_.seats.initial_seats = static_cast<int>(value);
      return true;
    }
    if (is_escaped_key(key, "final")) {
      if (!take_integer(cursor, "seats.final", INT_MAX, value)) return false;
      fields_.seats.final_seats = static_cast<int>(value);
      return true;
    }
    if (is_escaped_key(key, "additionalLatencyNs")) {
      return take_integer(cursor, "seats.additionalLatencyNs", INT64_MAX, fields_.seats.additional_latency);
    }
    return cursor.skip_value();
  });
}

bool TraceReader::take_recorded(JsonCursor& cursor) {
  fields_.flow_schema = fields_.priority_level = {};
  fields_.queue_wait.reset();
  return take_object(cursor, "recorded", [&](std::string_view key) {
    if (is_escaped_key(key, "flowSchema")) return take_text(cursor, "recorded.flowSchema", fields_.flow_schema);
    if (is_escaped_key(key, "priorityLevel")) return take_text(cursor, "recorded.priorityLevel", fields_.priority_level);
    if (is_escaped_key(key, "queueWait")) return take_duration(cursor, "recorded.queueWait", fields_.queue_wait);
    return cursor.skip_value();
  });
}

bool TraceReader::take_request_info(JsonCursor& cursor) {
  fields_.request_info_raw = {};
  const char* begin = cursor.here();
  const bool object = cursor.peek() == '{';
  bool fit = true;
  const bool sound = take_object(cursor, "requestInfo", [&](std::string_view key) { return take_info_member(cursor, key, nullptr, scratch_, fit); });
  if (!fit) wrong("requestInfo", "an object whose members are strings, except isResourceRequest (a boolean) and parts (an array of strings)");
  if (sound && object) fields_.request_info_raw = {begin, static_cast<std::size_t>(cursor.value_end() - begin)};
  return sound;
}

// The user as raw text too: it goes into LogEvent::user_json.
bool TraceReader::take_user(JsonCursor& cursor) {
  fields_.user_raw = {};
  const char* begin = cursor.here();
  if (!take_text(cursor, "user", fields_.user)) return false;
  if (*begin == '"') fields_.user_raw = {begin, static_cast<std::size_t>(cursor.value_end() - begin)};
  return true;
}

bool TraceReader::take_raw_object(JsonCursor& cursor) {
  const char* begin = cursor.here();
  if (!cursor.take_raw(fields_.object_raw)) return false;
  if (*begin == 'n') fields_.object_raw = {};
  return true;
}

bool TraceReader::take_code(JsonCursor& cursor) {
  std::int64_t value = 0;
  if (!take_integer(cursor, "code", 999, value)) return false;
  fields_.code = static_cast<int>(value);
  return true;
}

bool TraceReader::member(JsonCursor& cursor, std::string_view key) {
  struct Row {
    std::string_view key;
    bool (*take)(TraceReader& r, JsonCursor& c);
  };
  static constexpr Row kRows[] = {
      {"time", [](TraceReader& r, JsonCursor& c) { return r.take_instant(c, "time", r.time_, &r.fields_.time_is_integer); }},
      {"user", [](TraceReader& r, JsonCursor& c) { return r.take_user(c); }},
      {"groups", [](TraceReader& r, JsonCursor& c) { return r.take_groups(c); }},
      {"verb", [](TraceReader& r, JsonCursor& c) { return r.take_text(c, "verb", r.fields_.verb); }},
      {"method", [](TraceReader& r, JsonCursor& c) { return r.take_text(c, "method", r.fields_.method); }},
      {"uri", [](TraceReader& r, JsonCursor& c) { return r.take_text(c, "uri", r.fields_.uri); }},
      {"execution", [](TraceReader& r, JsonCursor& c) { return r.take_duration(c, "execution", r.fields_.execution); }},
      {"id", [](TraceReader& r, JsonCursor& c) { return r.take_text(c, "id", r.fields_.id); }},
      {"requestInfo", [](TraceReader& r, JsonCursor& c) { return r.take_request_info(c); }},
      {"recordedEnd", [](TraceReader& r, JsonCursor& c) { return r.take_instant(c, "recordedEnd", r.fields_.recorded_end, nullptr); }},
      {"init", [](TraceReader& r, JsonCursor& c) { return r.take_duration(c, "init", r.fields_.init); }},
      {"end", [](TraceReader& r, JsonCursor& c) { return r.take_instant(c, "end", r.fields_.end, nullptr); }},
      {"waitLimit", [](TraceReader& r, JsonCursor& c) { return r.take_duration(c, "waitLimit", r.fields_.wait_limit); }},
      {"seats", [](TraceReader& r, JsonCursor& c) { return r.take_seats(c); }},
      {"userAgent", [](TraceReader& r, JsonCursor& c) { return r.take_text(c, "userAgent", r.fields_.user_agent); }},
      {"sourceIP", [](TraceReader& r, JsonCursor& c) { return r.take_text(c, "sourceIP", r.fields_.source_ip); }},
      {"code", [](TraceReader& r, JsonCursor& c) { return r.take_code(c); }},
      {"recorded", [](TraceReader& r, JsonCursor& c) { return r.take_recorded(c); }},
      {"object", [](TraceReader& r, JsonCursor& c) { return r.take_raw_object(c); }},
      {"server", [](TraceReader& r, JsonCursor& c) { return r.take_text(c, "server", r.fields_.server); }},
  };
  for (const Row& row : kRows) {
    if (is_escaped_key(key, row.key)) return row.take(*this, cursor);
  }
  return cursor.skip_value();
}

bool TraceReader::read(JsonCursor& cursor) {
  scratch_.clear();
  fields_ = TraceFields();
  time_.reset();
  reason_ = Unusable::kCount;
  if (cursor.peek() != '{') {
    reason_ = Unusable::not_event;
    return cursor.skip_value();
  }
  if (!walk_object(cursor, [&](std::string_view key) { return member(cursor, key); })) return false;
  check();
  return true;
}

void TraceReader::check() {
  if (!ok()) return;
  if (!time_) return wrong("time", "there: the request's arrival", Unusable::no_timestamp);
  fields_.time = *time_;
  if (!fields_.request_info_raw.empty()) return;
  if (fields_.uri.empty()) return wrong("uri", "there, or requestInfo", Unusable::no_verb_or_uri);
  if (fields_.verb.empty() && fields_.method.empty()) wrong("verb", "there, or method, or requestInfo", Unusable::no_verb_or_uri);
}

namespace {

class TraceParser final : public JsonLinesParser {
 protected:
  bool read(JsonCursor& cursor) override { return reader_.read(cursor); }

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
    event.apf_refusal_text = f.code == 429;  // a trace line does not hold the text
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

bool parse_request_info_json(std::string_view raw, RequestInfo& out) {
  out = RequestInfo();
  const std::string text(raw);  // the index wants to read one byte more
  JsonIndex index;
  if (text.empty() || text.front() != '{' || index.build(text.data(), text.size()) != JsonIndex::Result::ok) return false;
  JsonCursor cursor;
  cursor.text = text.data();
  cursor.at = index.begin();
  cursor.limit = static_cast<std::uint32_t>(text.size());
  JsonScratch scratch;
  bool fit = true;
  return walk_object(cursor, [&](std::string_view key) { return take_info_member(cursor, key, &out, scratch, fit); }) && fit;
}

}  // namespace apf
