// Trace lines as values: rendering and parsing one (apf/logs.h).
#include <apf/logs.h>

#include <algorithm>
#include <array>

#include <apf/output.h>

#include "base/rfc3339.h"
#include "logs/answer_cause.h"
#include "logs/formats/audit.h"
#include "logs/formats/json_index.h"
#include "logs/formats/trace.h"

namespace apf {
namespace {

void render_instant(JsonWriter& out, const char* key, Nanos time, bool as_integer) {
  out.key(key);
  if (as_integer) {
    out.value(time);
  } else {
    std::array<char, kMostOfRfc3339 + 2> text;
    text.front() = '"';
    char* const end = write_rfc3339(text.data() + 1, time);
    *end = '"';
    out.raw({text.data(), static_cast<std::size_t>(end + 1 - text.data())});
  }
}

void render_text(JsonWriter& out, const char* key, const std::string& text) {
  if (!text.empty()) out.field(key, text);
}

void render_duration(JsonWriter& out, const char* key, const std::optional<Nanos>& duration) {
  if (duration) out.field(key, *duration);
}

void render_request_info(JsonWriter& out, const RequestInfo& info) {
  out.key("requestInfo").begin_object();
  out.field("isResourceRequest", info.is_resource_request);
  out.field("path", info.path);
  out.field("verb", info.verb);
  out.field("apiPrefix", info.api_prefix);
  out.field("apiGroup", info.api_group);
  out.field("apiVersion", info.api_version);
  out.field("namespace", info.ns);
  out.field("resource", info.resource);
  out.field("subresource", info.subresource);
  out.field("name", info.name);
  out.key("parts");
  if (info.has_parts) {
    out.begin_array();
    for (const std::string& part : info.parts) out.value(part);
    out.end_array();
  } else {
    out.null();
  }
  out.field("fieldSelector", info.field_selector);
  out.field("labelSelector", info.label_selector);
  out.end_object();
}

// What follows from the rest of the line, as set_course() has it of events.
AnswerCause implied_cause(const TraceRequest& request) {
  const TraceRequest::Recorded& recorded = request.recorded;
  const bool of_apf = !recorded.flow_schema.empty() || !recorded.priority_level.empty() || recorded.queue_wait;
  return request.code == kTooManyRequests && !request.execution && of_apf ? AnswerCause::apf
                                                                          : answer_cause(request.code, {}, {});
}

// That a client left is in the wait limit.
bool says_cause(const TraceRequest& request) {
  const AnswerCause cause = request.recorded.cause;
  return cause != AnswerCause::none && cause != AnswerCause::hung_up && cause != implied_cause(request);
}

void render_recorded(JsonWriter& out, const TraceRequest& request) {
  const TraceRequest::Recorded& recorded = request.recorded;
  const bool has_latencies = std::any_of(recorded.latencies.begin(), recorded.latencies.end(),
                                         [](const std::optional<Nanos>& part) { return part.has_value(); });
  const bool has_cause = says_cause(request);
  if (recorded.flow_schema.empty() && recorded.priority_level.empty() && !recorded.queue_wait && !has_cause &&
      !has_latencies)
    return;
  out.key("recorded").begin_object();
  render_text(out, "flowSchema", recorded.flow_schema);
  render_text(out, "priorityLevel", recorded.priority_level);
  render_duration(out, "queueWait", recorded.queue_wait);
  if (has_cause) out.field("cause", to_string(recorded.cause));
  render_text(out, "webhook", recorded.webhook);
  if (has_latencies) {
    out.key("latencies").begin_object();
    for (std::size_t i = 0; i < kLatencyParts; ++i)
      render_duration(out, to_string(static_cast<LatencyPart>(i)), recorded.latencies[i]);
    out.end_object();
  }
  out.end_object();
}

}  // namespace

std::string render_trace_line(const TraceRequest& request) {
  constexpr std::size_t kUsualSize = 768;
  JsonWriter out(kUsualSize);
  out.begin_object();
  render_instant(out, "time", request.time, request.time_is_integer);
  render_text(out, "id", request.id);
  out.field("user", request.user.name);
  out.key("groups").begin_array();
  for (const std::string& group : request.user.groups) out.value(group);
  out.end_array();
  render_text(out, "impersonator", request.impersonator);
  if (request.request_info) render_request_info(out, *request.request_info);
  render_text(out, "method", request.method);
  render_text(out, "verb", request.verb);
  render_text(out, "uri", request.uri);
  render_duration(out, "execution", request.execution);
  if (request.recorded_end) render_instant(out, "recordedEnd", *request.recorded_end, request.time_is_integer);
  render_duration(out, "init", request.init);
  if (request.end) render_instant(out, "end", *request.end, request.time_is_integer);
  render_duration(out, "waitLimit", request.wait_limit);
  if (request.seats) {
    out.key("seats").begin_object();
    out.field("initial", request.seats->initial_seats);
    out.field("final", request.seats->final_seats);
    out.field("additionalLatencyNs", request.seats->additional_latency);
    out.end_object();
  }
  render_text(out, "userAgent", request.user_agent);
  render_text(out, "sourceIP", request.source_ip);
  if (request.code != 0) out.field("code", request.code);
  render_recorded(out, request);
  if (!request.object.empty()) out.key("object").raw(request.object);
  render_text(out, "server", request.server);
  out.end_object();
  return out.take();
}

std::optional<TraceRequest> parse_trace_line(std::string_view line, std::string& error) {
  const std::string text(line);  // the index wants to read one byte more
  JsonIndex index;
  TraceReader reader;
  const JsonIndex::Result indexed = index.build(text.data(), text.size());
  const JsonText json{text.data(), static_cast<std::uint32_t>(text.size())};
  const bool sound = indexed == JsonIndex::Result::ok && index.begin() != index.end() &&
                     reader.read(json, index.begin()) == index.end();
  if (!sound) {
    error = indexed == JsonIndex::Result::not_utf8 ? "the line is not UTF-8" : "the line is not JSON";
    return std::nullopt;
  }
  if (!reader.ok()) {
    error = reader.message();
    return std::nullopt;
  }
  const TraceFields& f = reader.fields();
  TraceRequest request;
  request.time = f.time;
  request.time_is_integer = f.time_is_integer;
  request.id = f.id;
  request.user.name = f.user;
  if (!f.groups_raw.empty())
    request.user.groups = parse_user_json("{\"groups\":" + std::string(f.groups_raw) + "}").groups;
  request.impersonator = f.impersonator;
  request.verb = f.verb;
  request.method = f.method;
  request.uri = f.uri;
  if (!f.request_info_raw.empty()) parse_request_info_json(f.request_info_raw, request.request_info.emplace());
  request.execution = f.execution;
  request.recorded_end = f.recorded_end;
  request.init = f.init;
  request.end = f.end;
  request.wait_limit = f.wait_limit;
  if (f.has_seats) request.seats = f.seats;
  request.user_agent = f.user_agent;
  request.source_ip = f.source_ip;
  request.code = f.code;
  request.recorded.flow_schema = f.flow_schema;
  request.recorded.priority_level = f.priority_level;
  request.recorded.queue_wait = f.queue_wait;
  request.recorded.cause = f.cause.value_or(implied_cause(request));
  request.recorded.webhook = f.webhook;
  if (!f.latencies_raw.empty()) request.recorded.latencies = read_latencies(f.latencies_raw);
  request.object = f.object_raw;
  request.server = f.server;
  error.clear();
  return request;
}

}  // namespace apf
