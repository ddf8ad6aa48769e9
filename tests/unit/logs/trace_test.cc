// Trace lines: what they may hold, what is wrong with those that are none, and that rendering and parsing agree.
#include <random>

#include <apf/logs.h>

#include "catch.h"
#include "logs/formats/trace.h"
#include "support/times.h"
#include "support/vectors.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string parse_error_of(const std::string& line) {
  std::string error;
  const auto request = parse_trace_line(line, error);
  CHECK(request.has_value() == error.empty());
  return error;
}

TraceRequest parsed(const std::string& line) {
  std::string error;
  const auto request = parse_trace_line(line, error);
  INFO(error);
  REQUIRE(request);
  return *request;
}

bool operator_equal(const std::optional<WorkEstimate>& a, const std::optional<WorkEstimate>& b) {
  return a.has_value() == b.has_value() &&
         (!a || (a->initial_seats == b->initial_seats && a->final_seats == b->final_seats &&
                 a->additional_latency == b->additional_latency));
}

void check_same(const TraceRequest& a, const TraceRequest& b) {
  CHECK(a.time == b.time);
  CHECK(a.time_is_integer == b.time_is_integer);
  CHECK(a.id == b.id);
  CHECK(a.user.name == b.user.name);
  CHECK(a.user.groups == b.user.groups);
  CHECK(a.verb == b.verb);
  CHECK(a.method == b.method);
  CHECK(a.uri == b.uri);
  CHECK(a.request_info.has_value() == b.request_info.has_value());
  if (a.request_info && b.request_info) {
    const RequestInfo &x = *a.request_info, &y = *b.request_info;
    CHECK(x.is_resource_request == y.is_resource_request);
    CHECK(x.has_parts == y.has_parts);
    CHECK(x.parts == y.parts);
    CHECK(std::vector<std::string>{x.path, x.verb, x.api_prefix, x.api_group, x.api_version, x.ns, x.resource,
                                   x.subresource, x.name, x.field_selector, x.label_selector} ==
          std::vector<std::string>{y.path, y.verb, y.api_prefix, y.api_group, y.api_version, y.ns, y.resource,
                                   y.subresource, y.name, y.field_selector, y.label_selector});
  }
  CHECK(a.execution == b.execution);
  CHECK(a.recorded_end == b.recorded_end);
  CHECK(a.init == b.init);
  CHECK(a.end == b.end);
  CHECK(a.wait_limit == b.wait_limit);
  CHECK(operator_equal(a.seats, b.seats));
  CHECK(a.user_agent == b.user_agent);
  CHECK(a.source_ip == b.source_ip);
  CHECK(a.code == b.code);
  CHECK(a.recorded.flow_schema == b.recorded.flow_schema);
  CHECK(a.recorded.priority_level == b.recorded.priority_level);
  CHECK(a.recorded.queue_wait == b.recorded.queue_wait);
  CHECK(a.object == b.object);
  CHECK(a.server == b.server);
}

const char* const kFull =
    R"({"time":"2026-11-20T12:00:00.5Z","id":"i-1","user":"ja\"ne","groups":["a","b\u0026"],"method":"get","uri":"/api/v1/pods?watch=1","execution":"1.5s",)"
    R"("recordedEnd":"2026-11-20T12:00:02Z","init":1000,"end":"2026-11-20T12:05:00Z","waitLimit":"15s","seats":{"initial":3,"final":2,"additionalLatencyNs":5000000},)"
    R"("userAgent":"k","sourceIP":"10.0.0.1","code":200,"recorded":{"flowSchema":"fs","priorityLevel":"pl","queueWait":"2ms"},"object":{"a":[1, 2]},"server":"s",)"
    R"("comment":{"unknown":[true]}})";

}  // namespace

TEST_CASE("all members of a trace line", "[logs][trace]") {
  const TraceRequest r = parsed(kFull);
  CHECK(r.time == kNoon + 500 * kMillisecond);
  CHECK_FALSE(r.time_is_integer);
  CHECK(r.id == "i-1");
  CHECK(r.user.name == "ja\"ne");
  CHECK(r.user.groups == std::vector<std::string>{"a", "b&"});
  CHECK(r.method == "get");
  CHECK(r.verb.empty());
  CHECK(r.uri == "/api/v1/pods?watch=1");
  CHECK(r.execution == 1500 * kMillisecond);
  CHECK(r.recorded_end == kNoon + 2 * kSecond);
  CHECK(r.init == 1000);
  CHECK(r.end == kNoon + 300 * kSecond);
  CHECK(r.wait_limit == 15 * kSecond);
  REQUIRE(r.seats);
  CHECK(r.seats->initial_seats == 3);
  CHECK(r.seats->final_seats == 2);
  CHECK(r.seats->additional_latency == 5 * kMillisecond);
  CHECK(r.code == 200);
  CHECK(r.recorded.flow_schema == "fs");
  CHECK(r.recorded.priority_level == "pl");
  CHECK(r.recorded.queue_wait == 2 * kMillisecond);
  CHECK(r.object == "{\"a\":[1, 2]}");
  CHECK(r.server == "s");

  const KeepingSink sink = parse_trace(std::string(kFull) + "\n");
  REQUIRE(sink.events.size() == 1);
  const KeptEvent& e = sink.events[0];
  CHECK(e.event.trace);
  CHECK(e.event.stage == Stage::response_complete);
  CHECK(e.event.received == r.time);
  CHECK(e.event.stage_time == *r.recorded_end);
  CHECK(e.event.execution == *r.execution);
  CHECK(e.event.init == 1000);
  CHECK(e.event.watch_end == *r.end);
  CHECK(e.event.wait_limit == 15 * kSecond);
  CHECK(e.event.queue_wait == 2 * kMillisecond);
  CHECK(e.event.has_seats);
  CHECK(e.event.seats.initial_seats == 3);
  CHECK(e.event.code == 200);
  CHECK(e.method == "GET");
  CHECK(e.verb.empty());
  CHECK(e.uri == r.uri);
  CHECK(e.id == "i-1");
  CHECK(e.user_agent == "k");
  CHECK(e.source_ip == "10.0.0.1");
  CHECK(e.flow_schema == "fs");
  CHECK(e.priority_level == "pl");
  CHECK(e.user == R"({"user":"ja\"ne","groups":["a","b\u0026"]})");
  CHECK(parse_user_json(e.user).name == r.user.name);
  CHECK(parse_user_json(e.user).groups == r.user.groups);
}

TEST_CASE("the least that a trace line holds", "[logs][trace]") {
  const TraceRequest r = parsed(R"({"time":5,"verb":"list","uri":"/api/v1/pods"})");
  CHECK(r.time == 5);
  CHECK(r.time_is_integer);
  CHECK_FALSE(r.execution);
  CHECK_FALSE(r.seats);
  const KeepingSink sink = parse_trace(R"({"time":5,"verb":"list","uri":"/api/v1/pods"})");
  const KeptEvent& e = sink.events.at(0);
  CHECK(e.verb == "list");
  CHECK(e.event.stage_time == kNoTime);
  CHECK(e.event.execution == kNoTime);
  CHECK(e.event.queue_wait == kNoTime);
  CHECK_FALSE(e.event.has_seats);
  CHECK(e.user == R"({"user":"","groups":[]})");
  CHECK(parsed(R"({"time":1,"requestInfo":{}})").request_info.has_value());
  // null counts as absent.
  const TraceRequest n = parsed(
      R"({"time":1,"verb":"get","uri":"/","user":null,"groups":null,"execution":null,"seats":null,"recorded":null,"object":null,"code":null,"end":null})");
  CHECK_FALSE(n.seats);
  CHECK(n.object.empty());
}

TEST_CASE("a request given as RequestInfo", "[logs][trace]") {
  const std::string line =
      R"({"time":1,"user":"u","requestInfo":{"isResourceRequest":true,"path":"/api/v1/pods","verb":"list","apiPrefix":"api","apiVersion":"v1",)"
      R"("namespace":"n","resource":"pods","subresource":"log","name":"x","parts":["pods"],"fieldSelector":"a=b","labelSelector":"c","other":1}})";
  const RequestInfo info = parsed(line).request_info.value();
  CHECK(info.is_resource_request);
  CHECK(info.path == "/api/v1/pods");
  CHECK(info.verb == "list");
  CHECK(info.ns == "n");
  CHECK(info.subresource == "log");
  CHECK(info.has_parts);
  CHECK(info.parts == std::vector<std::string>{"pods"});
  CHECK(info.label_selector == "c");
  const KeepingSink sink = parse_trace(line);
  const KeptEvent& e = sink.events.at(0);
  CHECK(e.uri.empty());
  RequestInfo again;
  REQUIRE(parse_request_info_json(e.request_info, again));
  CHECK(again.field_selector == "a=b");
  CHECK_FALSE(parsed(R"({"time":1,"requestInfo":{"parts":null}})").request_info->has_parts);
  CHECK_FALSE(parse_request_info_json(R"({"verb":5})", again));
  CHECK_FALSE(parse_request_info_json("", again));
  CHECK_FALSE(parse_request_info_json("{} x", again));
}

TEST_CASE("what is wrong with a trace line", "[logs][trace]") {
  struct Case {
    const char* line;
    const char* error;
    Unusable reason;
  };
  const Case cases[] = {
      {"", "not JSON", Unusable::kCount},
      {"hello", "not JSON", Unusable::not_json},
      {R"({"time":1,"verb":"get","uri":"/"} x)", "not JSON", Unusable::not_json},
      {R"({"time":1,"verb":"get","uri":"/")", "not JSON", Unusable::truncated},
      {"[]", "one JSON object", Unusable::not_event},
      {"7", "one JSON object", Unusable::not_event},
      {R"({"verb":"get","uri":"/"})", "\"time\"", Unusable::no_timestamp},
      {R"({"time":"noon","verb":"get","uri":"/"})", "\"time\"", Unusable::no_timestamp},
      {R"({"time":1.5,"verb":"get","uri":"/"})", "\"time\"", Unusable::bad_field},
      {R"({"time":true,"verb":"get","uri":"/"})", "\"time\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get"})", "\"uri\"", Unusable::no_verb_or_uri},
      {R"({"time":1,"uri":"/"})", "\"verb\"", Unusable::no_verb_or_uri},
      {R"({"time":1,"verb":1,"uri":"/"})", "\"verb\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","user":{}})", "\"user\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","groups":"g"})", "\"groups\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","groups":[1]})", "\"groups\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","execution":"long"})", "\"execution\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","execution":-1})", "\"execution\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","execution":{}})", "\"execution\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","end":"x"})", "\"end\"", Unusable::no_timestamp},
      {R"({"time":-1,"verb":"get","uri":"/"})", "1970 and 2200", Unusable::out_of_range},
      {R"({"time":9223372036854775807,"verb":"get","uri":"/"})", "1970 and 2200", Unusable::out_of_range},
      {R"({"time":7258118400000000001,"verb":"get","uri":"/"})", "1970 and 2200", Unusable::out_of_range},
      {R"({"time":"1700-01-01T00:00:00Z","verb":"get","uri":"/"})", "1970 and 2200", Unusable::out_of_range},
      {R"({"time":1,"verb":"get","uri":"/","end":9223372036854775807})", "1970 and 2200", Unusable::out_of_range},
      {R"({"time":1,"verb":"get","uri":"/","execution":9223372036854775807})", "ten years", Unusable::out_of_range},
      {R"({"time":1,"verb":"get","uri":"/","execution":"2562047h"})", "ten years", Unusable::out_of_range},
      {R"({"time":1,"verb":"get","uri":"/","recorded":{"queueWait":"87673h"}})", "ten years", Unusable::out_of_range},
      {R"({"time":1,"verb":"get","uri":"/","seats":{"additionalLatencyNs":315619200000000001}})",
       "\"seats.additionalLatencyNs\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","seats":3})", "\"seats\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","seats":{"initial":-1}})", "\"seats.initial\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","seats":{"final":3000000000}})", "\"seats.final\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","code":"200"})", "\"code\"", Unusable::bad_field},
      {R"({"time":1,"verb":"get","uri":"/","recorded":{"queueWait":[]}})", "\"recorded.queueWait\"",
       Unusable::bad_field},
      {R"({"time":1,"requestInfo":[]})", "\"requestInfo\"", Unusable::bad_field},
      {R"({"time":1,"requestInfo":{"verb":7}})", "\"requestInfo\"", Unusable::bad_field},
      {R"({"time":1,"requestInfo":{"parts":[7]}})", "\"requestInfo\"", Unusable::bad_field},
      {R"({"time":1,"requestInfo":{"isResourceRequest":"yes"}})", "\"requestInfo\"", Unusable::bad_field},
  };
  for (const Case& c : cases) {
    INFO(c.line);
    CHECK(contains(parse_error_of(c.line), c.error));
    const KeepingSink sink = parse_trace(c.line);
    CHECK(sink.events.empty());
    if (c.reason != Unusable::kCount) CHECK(sink.unusable == Lost{{c.reason, 1}});
  }
  CHECK(contains(parse_error_of("{\"time\":1,\"verb\":\"get\",\"uri\":\"\xff\"}"), "not UTF-8"));
}

TEST_CASE("rendering and parsing agree", "[logs][trace][property]") {
  check_same(parsed(kFull), parsed(render_trace_line(parsed(kFull))));
  const std::uint64_t first_seed = seed();
  INFO("APF_TEST_SEED=" << first_seed);
  std::mt19937_64 random(first_seed);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const auto chance = [&] { return below(2) == 0; };
  const auto text = [&]() -> std::string {
    static const char* const kTexts[] = {"",          "plain",      "qu\"ote\\", "\xC3\xA9\xF0\x9F\x98\x80",
                                         "tab\t\x01", "a&b<c>\x7f", "{\"x\":[",  "system:serviceaccount:a:b"};
    return kTexts[below(8)];
  };
  const auto some = [&] { return static_cast<Nanos>((random() >> (1 + below(40))) % kLongestDuration); };
  std::string all;
  std::vector<TraceRequest> requests;
  for (int i = 0; i < 2000; ++i) {
    TraceRequest r;
    r.time = some();
    r.time_is_integer = chance();
    r.id = text();
    r.user.name = text();
    for (std::size_t k = below(4); k > 0; --k) r.user.groups.push_back(text());
    if (chance()) {
      r.verb = "list";
      r.uri = "/api/v1/pods?x=" + text();
    } else if (chance()) {
      r.method = "POST";
      r.uri = "/" + text();
    } else {
      RequestInfo info;
      info.is_resource_request = chance();
      info.path = text();
      info.verb = text();
      info.api_group = text();
      info.ns = text();
      info.resource = text();
      info.name = text();
      info.field_selector = text();
      info.has_parts = chance();
      if (info.has_parts) info.parts = {text(), text()};
      r.request_info = info;
    }
    if (chance()) r.execution = some();
    if (chance()) r.recorded_end = some();
    if (chance()) r.init = some();
    if (chance()) r.end = some();
    if (chance()) r.wait_limit = some();
    if (chance()) r.seats = WorkEstimate{static_cast<int>(below(1000)), static_cast<int>(below(10)), some()};
    r.user_agent = text();
    r.source_ip = text();
    r.code = static_cast<int>(below(600));
    r.recorded.flow_schema = text();
    r.recorded.priority_level = text();
    if (chance()) r.recorded.queue_wait = some();
    if (chance()) r.object = R"({"kind":"Pod","x":[1,"\"]"]})";
    r.server = text();
    const std::string line = render_trace_line(r);
    INFO(line);
    CHECK(line.find('\n') == std::string::npos);
    check_same(r, parsed(line));
    requests.push_back(r);
    all += line + "\n";
  }
  const KeepingSink sink = parse_trace(all);
  CHECK(sink.unusable.empty());
  REQUIRE(sink.events.size() == requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const TraceRequest& r = requests[i];
    const KeptEvent& e = sink.events[i];
    CHECK(e.event.received == r.time);
    CHECK(e.event.execution == r.execution.value_or(kNoTime));
    CHECK(e.uri == r.uri);
    CHECK(e.id == r.id);
    CHECK(parse_user_json(e.user).name == r.user.name);
    CHECK(parse_user_json(e.user).groups == r.user.groups);
    CHECK(e.event.stage_time == r.recorded_end.value_or(kNoTime));
  }
}
