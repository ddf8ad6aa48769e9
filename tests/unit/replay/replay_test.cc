// replay() and trace_logs() on small logs written here: what becomes of each kind of request.
#include <apf/config.h>
#include <apf/error.h>
#include <apf/output.h>
#include <apf/replay.h>
#include <simdjson.h>

#include <filesystem>
#include <sstream>

#include "catch.h"
#include "support/folder.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

struct Event {
  std::string id = "x";
  const char* stage = "ResponseComplete";
  const char* verb = "get";
  std::string uri = "/api/v1/namespaces/ci/pods/p";
  std::string user = "system:serviceaccount:ci:builder";
  std::string impersonated;
  int code = 200;
  Nanos received = 0, end = 5 * kMillisecond;
  Nanos queue_wait = -1;
  const char* message = nullptr;
};

void add_user(JsonWriter& json, const char* key, const std::string& name) {
  json.key(key).begin_object().field("username", name).key("groups").begin_array();
  if (name.rfind("system:serviceaccount:", 0) == 0)
    json.value("system:serviceaccounts").value("system:serviceaccounts:ci");
  json.value(name == "root" ? "system:masters" : "system:authenticated").end_array().end_object();
}

std::string event_line(const Event& e) {
  JsonWriter json;
  json.begin_object().field("kind", "Event").field("apiVersion", "audit.k8s.io/v1").field("level", "Metadata");
  json.field("auditID", e.id).field("stage", e.stage).field("requestURI", e.uri).field("verb", e.verb);
  add_user(json, "user", e.user);
  if (!e.impersonated.empty()) add_user(json, "impersonatedUser", e.impersonated);
  if (e.code != 0) {
    json.key("responseStatus").begin_object().field("code", e.code);
    if (e.message) json.field("message", e.message);
    json.end_object();
  }
  json.field("requestReceivedTimestamp", format_rfc3339(kNoon + e.received));
  json.field("stageTimestamp", format_rfc3339(kNoon + e.end));
  if (e.queue_wait >= 0)
    json.key("annotations")
        .begin_object()
        .field("apiserver.latency.k8s.io/apf-queue-wait", format_go_duration(e.queue_wait))
        .end_object();
  json.end_object();
  return json.take() + "\n";
}

std::vector<std::string> decisions_in(const Folder& folder) {
  std::istringstream text(folder.read("decisions"));
  std::vector<std::string> out;
  for (std::string line; std::getline(text, line);) out.push_back(line);
  return out;
}

ReplayOptions options_for(const Folder& folder, const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) text += event_line(event);
  ReplayOptions options;
  options.logs = {folder.write("audit.log", text)};
  options.config = bootstrap_config(kNewestKubeVersion);
  options.decisions_path = folder.path + "/decisions";
  return options;
}

std::string value(const std::string& json, const char* key) {
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.parse(json);
  const auto field = document.at_pointer(key);
  return field.error() ? "absent" : simdjson::to_string(field.value_unsafe());
}

}  // namespace

TEST_CASE("requests that never reach the filter are counted and listed", "[replay]") {
  const Folder folder("apf-replay-unit-");
  const auto options = options_for(
      folder, {{"a", "ResponseComplete", "get", "/api/v1/nodes", "root", ""},
               {"b", "ResponseStarted", "get", "/api/v1/pods", "", "", 401, 10, 20},
               {"c", "ResponseComplete", "create", "/api/v1/namespaces/ci/pods/p/exec?command=sh", "root", "", 101, 30,
                40 * kSecond},
               {"d", "ResponseStarted", "get", "/api/v1/namespaces/ci/pods/p/log?follow=1", "root", "", 200, 40, 50},
               {"e", "ResponseStarted", "get", "/api/v1/nodes?timeout=soon", "root", "", 400, 50, 60}});
  const ReplayReport report = replay(options);
  CHECK(report.requests == 5);
  CHECK(report.total.requests == 1);
  CHECK(report.left_out.at("unauthenticated") == 1);
  CHECK(report.left_out.at("long-running") == 2);
  CHECK(report.left_out.at("invalid-timeout") == 1);
  const auto decisions = decisions_in(folder);
  REQUIRE(decisions.size() == 5);
  CHECK(value(decisions[1], "/outcome") == "\"bypassed\"");
  CHECK(value(decisions[1], "/reason") == "\"unauthenticated\"");
}

TEST_CASE("the impersonated user classifies the request", "[replay]") {
  const Folder folder("apf-replay-unit-");
  const auto report = replay(options_for(
      folder, {{"a", "ResponseComplete", "get", "/api/v1/nodes", "root", "system:serviceaccount:ci:builder"}}));
  const auto decisions = decisions_in(folder);
  CHECK(value(decisions.at(0), "/flowSchema") == "\"service-accounts\"");
  CHECK(value(decisions.at(0), "/flowDistinguisher") == "\"system:serviceaccount:ci:builder\"");
}

TEST_CASE("a write is as wide as the watches that are open make it", "[replay]") {
  const Folder folder("apf-replay-unit-");
  std::vector<Event> events;
  for (int i = 0; i < 30; ++i)
    events.push_back({"w" + std::to_string(i), "ResponseStarted", "watch", "/api/v1/pods?watch=1&resourceVersion=5",
                      "root", "", 200, i, i + 1});
  const char* uri = "/api/v1/namespaces/ci/pods/p";
  events.push_back({"u1", "ResponseComplete", "update", uri, "root", "", 200, kSecond, kSecond + kMillisecond});
  for (int i = 0; i < 25; ++i)
    events.push_back({"w" + std::to_string(i), "ResponseComplete", "watch", "/api/v1/pods?watch=1&resourceVersion=5",
                      "root", "", 200, i, 2 * kSecond});
  events.push_back({"u2", "ResponseComplete", "update", uri, "root", "", 200, 3 * kSecond, 3 * kSecond + kMillisecond});
  const ReplayReport report = replay(options_for(folder, events));
  CHECK(report.requests == 32);
  CHECK(report.watches_peak == 30);
  const auto decisions = decisions_in(folder);
  REQUIRE(decisions.size() == 32);
  CHECK(value(decisions[30], "/id") == "\"u1\"");
  CHECK(value(decisions[30], "/seats/final") == "3");
  CHECK(value(decisions[31], "/seats/final") == "0");
}

TEST_CASE("without ResponseStarted a watch is known from its end on backwards", "[replay]") {
  const Folder folder("apf-replay-unit-");
  std::vector<Event> events;
  events.push_back({"u", "ResponseComplete", "update", "/api/v1/namespaces/ci/pods/p", "root", "", 200, kSecond,
                    kSecond + kMillisecond});
  for (int i = 0; i < 20; ++i)
    events.push_back({"w" + std::to_string(i), "ResponseComplete", "watch", "/api/v1/pods?watch=1&resourceVersion=5",
                      "root", "", 200, i, 30 * kSecond});
  CHECK(replay(options_for(folder, events)).watches_peak == 20);
  CHECK(value(decisions_in(folder).at(20), "/seats/final") == "2");
}

TEST_CASE("executions: from the recorded wait, from the recorded end, or from requests alike", "[replay]") {
  const Folder folder("apf-replay-unit-");
  auto options = options_for(
      folder,
      {{"annotated", "ResponseComplete", "get", "/api/v1/namespaces/ci/pods/a", "root", "", 200, 0, 900 * kMillisecond,
        300 * kMillisecond},
       {"anchored", "ResponseComplete", "get", "/api/v1/namespaces/ci/pods/b", "root", "", 200, 1, 200 * kMillisecond},
       {"refused", "ResponseComplete", "get", "/api/v1/namespaces/ci/pods/c", "root", "", 429, kSecond, kSecond + 1, -1,
        "Too many requests, please try again later."},
       {"evicted", "ResponseComplete", "get", "/api/v1/namespaces/ci/pods/d", "root", "", 429, 2 * kSecond,
        2 * kSecond + 7 * kMillisecond, -1, "Cannot evict pod as it would violate the pod's disruption budget."}});
  const auto lasting = [&](std::size_t i) {
    const auto decisions = decisions_in(folder);
    return std::stoll(value(decisions.at(i), "/finishNs")) - std::stoll(value(decisions.at(i), "/dispatchNs"));
  };
  ReplayReport report = replay(options);
  CHECK(lasting(0) == 600 * kMillisecond);
  CHECK(lasting(1) == 200 * kMillisecond - 1);
  CHECK(lasting(2) / kMicrosecond == 399'999);  // the mean of the two before
  CHECK(lasting(3) == 7 * kMillisecond);
  CHECK(report.recorded.refused_in_log == 1);
  CHECK(report.recorded.refused_only_in_log == 1);
  CHECK(report.recorded.waits_compared == 1);
  CHECK(report.recorded.mean_wait_log == Approx(0.3));
  options.refused_execution = 50 * kMillisecond;
  replay(options);
  CHECK(lasting(2) == 50 * kMillisecond);
}

TEST_CASE("a report may cover a part of the time; everything is replayed", "[replay]") {
  const Folder folder("apf-replay-unit-");
  std::vector<Event> events;
  for (int i = 0; i < 100; ++i) {
    const Nanos t = i * kSecond;
    events.push_back(
        {std::to_string(i), "ResponseComplete", "get", "/api/v1/nodes", "root", "", 200, t, t + kMillisecond});
  }
  auto options = options_for(folder, events);
  options.from = ReplayTime::parse("10s");
  options.to = ReplayTime::parse("2026-11-20T12:00:30Z");
  const ReplayReport report = replay(options);
  CHECK(report.requests == 100);
  CHECK(report.total.requests == 20);
  CHECK(decisions_in(folder).size() == 100);
}

TEST_CASE("a configuration change classifies from its time on", "[replay]") {
  const Folder folder("apf-replay-unit-");
  std::vector<Event> events;
  for (int i = 0; i < 4; ++i) {
    const Nanos t = i * kSecond;
    events.push_back(
        {std::to_string(i), "ResponseComplete", "get", "/api/v1/nodes", "jane", "", 200, t, t + kMillisecond});
  }
  auto options = options_for(folder, events);
  Config changed = options.config;
  FlowSchema schema;
  schema.meta.name = "jane";
  schema.matching_precedence = 50;
  schema.priority_level = "workload-high";
  Subject subject;
  subject.kind = "User";
  subject.user = "jane";
  schema.rules.push_back({{subject}, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {}});
  changed.flow_schemas.push_back(schema);
  options.config_changes.emplace_back(*ReplayTime::parse("2s"), changed);
  replay(options);
  const auto decisions = decisions_in(folder);
  REQUIRE(decisions.size() == 4);
  CHECK(value(decisions[1], "/flowSchema") == "\"global-default\"");
  CHECK(value(decisions[2], "/flowSchema") == "\"jane\"");
  CHECK(value(decisions[3], "/priorityLevel") == "\"workload-high\"");
}

TEST_CASE("a log as trace lines replays to the same decisions", "[replay]") {
  const Folder folder("apf-replay-unit-");
  std::vector<Event> events;
  for (int i = 0; i < 300; ++i) {
    const Nanos t = i * 10 * kMillisecond;
    Event event;
    event.id = "r" + std::to_string(i);
    event.verb = i % 3 ? "get" : "update";
    event.received = t;
    event.end = t + (i % 7) * 100 * kMillisecond;
    if (i % 7 == 6) event.queue_wait = 50 * kMillisecond;
    if (i % 11 == 0) event.code = 429, event.message = "Too many requests, please try again later.";
    events.push_back(event);
    if (i % 10 == 0)
      events.push_back({"w" + std::to_string(i), "ResponseStarted", "watch", "/api/v1/pods?watch=1&resourceVersion=5",
                        "root", "", 200, t, t + 1});
    if (i % 40 == 30)
      events.push_back({"w" + std::to_string(i - 30), "ResponseComplete", "watch",
                        "/api/v1/pods?watch=1&resourceVersion=5", "root", "", 200, t - 300 * kMillisecond, t});
  }
  auto options = options_for(folder, events);
  options.server_concurrency_limit = 12;
  const ReplayReport from_audit = replay(options);
  std::vector<std::string> audit_decisions = decisions_in(folder);

  LogOptions trace;
  trace.logs = options.logs;
  std::string lines;
  Nanos last = 0;
  const LogReport traced = trace_logs(trace, [&](const TraceRequest& request) {
    CHECK(request.time >= last);
    last = request.time;
    lines += render_trace_line(request) + "\n";
  });
  CHECK(traced.requests == from_audit.requests);
  options.logs = {folder.write("trace.jsonl", lines)};
  const ReplayReport from_trace = replay(options);
  CHECK(from_trace.total.queued == from_audit.total.queued);
  CHECK(from_trace.total.queued > 0);
  CHECK(from_trace.recorded.refused_in_log == from_audit.recorded.refused_in_log);
  std::vector<std::string> trace_decisions = decisions_in(folder);
  REQUIRE(trace_decisions.size() == audit_decisions.size());
  for (std::size_t i = 0; i < trace_decisions.size(); ++i) {
    for (auto* decision : {&trace_decisions[i], &audit_decisions[i]})
      *decision = decision->substr(decision->find(",\"id\""));
    REQUIRE(trace_decisions[i] == audit_decisions[i]);
  }
}

TEST_CASE("faults of the call are told", "[replay]") {
  const Folder folder("apf-replay-unit-");
  auto options = options_for(folder, {{}});
  options.start = ReplayTime::parse("2026-11-20T13:00:00Z");
  CHECK_THROWS_AS(replay(options), Error);
  options.start.reset();
  options.log_format = "csv";
  CHECK_THROWS_AS(replay(options), Error);
  options.log_format = "auto";
  options.decisions_path = folder.path + "/no/such/directory/decisions";
  CHECK_THROWS_AS(replay(options), Error);
}

TEST_CASE("an interrupted replay reports what it did and leaves no half file", "[replay]") {
  const Folder folder("apf-replay-unit-");
  auto options = options_for(folder, {{}, {}});
  const std::atomic<bool> interrupted{true};
  options.interrupted = &interrupted;
  const ReplayReport report = replay(options);
  CHECK(report.interrupted);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    INFO(entry.path());
    CHECK(entry.path().filename().string().find("unfinished") == std::string::npos);
  }
}
