// What a log says of what happened, from logs that are written here.
#include <algorithm>
#include <cmath>

#include <apf/config.h>
#include <apf/log_summary.h>
#include <fmt/core.h>

#include "catch.h"
#include "support/written_log.h"

using namespace apf;

using test::codes;
using test::Line;
using test::Written;

TEST_CASE("who was refused, and when", "[summary]") {
  Written log;
  log.repeat({.user = "system:serviceaccount:ops:amok", .verb = "list", .uri = "/api/v1/pods", .code = 429}, 14, 1);
  log.repeat({.user = "system:serviceaccount:ops:amok", .verb = "list", .uri = "/api/v1/pods?limit=500"}, 22, 1);
  log.repeat({.at = 100, .user = "system:serviceaccount:shop:web", .code = 429}, 3, 0.1);
  log.repeat({.at = 120, .user = "system:serviceaccount:shop:web"}, 11, 7);
  const LogSummary s = log.summary();
  CHECK(s.total.requests == 50);
  CHECK(s.total.refused == 17);
  REQUIRE(s.users.size() == 2);
  CHECK(s.users[0].names[0] == "system:serviceaccount:ops:amok");
  CHECK(s.users[0].tally.refused == 14);
  CHECK(s.users[0].tally.requests == 36);
  REQUIRE(!s.schemas.empty());
  CHECK(s.schemas[0].names == std::vector<std::string>{"service-accounts", "workload-low"});
  CHECK(s.schemas[0].tally.refused == 17);
  CHECK(s.resources[0].names == std::vector<std::string>{"list", "pods"});
  CHECK(*s.last_refused - *s.first_refused == 100 * kSecond + 200 * kMillisecond);
  REQUIRE(s.worst_minute);
  CHECK(s.worst_minute->tally.refused == 14);
  CHECK(s.classified == 50);
  CHECK(codes(s).empty());
}

TEST_CASE("answers by their causes", "[summary]") {
  struct Case {
    int code;
    const char* status;
    AnswerCause cause;
  };
  const Case cases[] = {
      {429, "", AnswerCause::apf_or_max_in_flight},
      {429,
       R"("message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests",)",
       AnswerCause::disruption_budget},
      {429, R"("message":"storage is (re)initializing","reason":"TooManyRequests",)",
       AnswerCause::storage_initializing},
      {429, R"("message":"Too large resource version: 123, current: 100","reason":"TooManyRequests",)",
       AnswerCause::resource_version_too_large},
      {429, R"("message":"Too many requests: limit reached on type Namespace for key x","reason":"TooManyRequests",)",
       AnswerCause::event_rate_limit},
      {429, R"("message":"Too many requests, please try again later.","reason":"TooManyRequests",)",
       AnswerCause::apf_or_max_in_flight},
      {429,
       R"("message":"admission webhook \"w\" denied the request: the disruption budget is initializing","reason":"x",)",
       AnswerCause::webhook_denied},
      {500, R"("message":"db-initializing failed",)", AnswerCause::internal_error},
      {429, R"("message":"something else","reason":"TooManyRequests",)", AnswerCause::other},
      {429, R"("message":"Timeout: Too large resource version: 123, current: 100","reason":"TooManyRequests",)",
       AnswerCause::consistent_list_fallback},
      {429, R"("message":"admission webhook \"w\" denied the request: later","reason":"TooManyRequests",)",
       AnswerCause::webhook_denied},
      {403, R"("reason":"Forbidden",)", AnswerCause::forbidden},
      {403, R"("message":"pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\"",)",
       AnswerCause::forbidden},
      {403, R"("message":"forbidden: User \"u\" cannot get path \"/metrics\"",)", AnswerCause::forbidden},
      {403,
       R"("message":"roles is forbidden: user \"u\" is attempting to grant RBAC permissions not currently held:",)",
       AnswerCause::forbidden},
      {403,
       R"("message":"pods \"a\" is forbidden: unable to create new content in namespace x because it is being)"
       R"( terminated",)",
       AnswerCause::admission_denied},
      {403, R"("message":"pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\"",)",
       AnswerCause::admission_denied},
      {422, R"("message":"ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no","reason":"Invalid",)",
       AnswerCause::admission_denied},
      {403, R"("message":"pods \"a\" is forbidden: exceeded quota: q, requested: pods=1","reason":"Forbidden",)",
       AnswerCause::resource_quota},
      {403, R"("message":"admission webhook \"w\" denied the request: no","reason":"Forbidden",)",
       AnswerCause::webhook_denied},
      {500, R"("message":"Internal error occurred: failed calling webhook \"w\": timeout","reason":"InternalError",)",
       AnswerCause::webhook_failed},
      {409, R"("reason":"AlreadyExists",)", AnswerCause::already_exists},
      {409, R"("reason":"Conflict",)", AnswerCause::conflict},
      {410, R"("reason":"Expired",)", AnswerCause::expired},
      {422, R"("reason":"Invalid",)", AnswerCause::invalid},
      {503, R"("message":"apiserver is shutting down","reason":"ServiceUnavailable",)", AnswerCause::shutting_down},
      {503, R"("reason":"ServiceUnavailable",)", AnswerCause::unavailable},
      {504, R"("message":"Timeout: Too large resource version: 9, current: 1","reason":"Timeout",)",
       AnswerCause::resource_version_too_large},
      {504, R"("reason":"Timeout",)", AnswerCause::time_out},
  };
  for (const Case& c : cases) {
    Written log;
    log.add({.code = c.code, .status = c.status});
    const LogSummary s = log.summary();
    INFO(c.code << " " << c.status);
    REQUIRE(s.answers.size() == 1);
    CHECK(s.answers[0].code == c.code);
    CHECK(std::string(to_string(s.answers[0].cause)) == to_string(c.cause));
    const bool open = c.cause == AnswerCause::apf_or_max_in_flight;
    CHECK(s.total.refused == (open ? 1u : 0u));
    CHECK(s.total.errors == (open ? 0u : 1u));
  }
}

TEST_CASE("where the time of slow requests went", "[summary]") {
  Written log;
  log.add({.verb = "create",
           .uri = "/api/v1/namespaces/x/pods",
           .code = 201,
           .takes = 2,
           .annotations = R"("apiserver.latency.k8s.io/total":"2s","apiserver.latency.k8s.io/mutating-webhook":"1.9s",)"
                          R"("apiserver.latency.k8s.io/apf-queue-wait":"900ns")"});
  log.add({.verb = "list",
           .uri = "/api/v1/pods",
           .takes = 4.8,
           .annotations = R"("apiserver.latency.k8s.io/total":"4.8s","apiserver.latency.k8s.io/etcd":"4.6s")"});
  log.add({.verb = "list", .uri = "/api/v1/nodes", .takes = 1});  // the server wrote no annotations: not zero
  log.add({.takes = 0.4});
  const LogSummary s = log.summary();
  CHECK(s.slow_total.requests == 3);
  CHECK(s.slow_total.with_parts == 2);
  CHECK(s.slow_total.total == 7800 * kMillisecond);
  const auto part = [&](LatencyPart p) { return s.slow_total.parts[static_cast<std::size_t>(p)]; };
  CHECK(part(LatencyPart::total) == 6800 * kMillisecond);
  CHECK(part(LatencyPart::mutating_webhook) == 1900 * kMillisecond);
  CHECK(part(LatencyPart::etcd) == 4600 * kMillisecond);
  CHECK(part(LatencyPart::queue) == 900);
}

TEST_CASE("refusals by the clock", "[summary]") {
  const auto written = [](int minutes, int each, double within, double offset = 0) {
    Written log;
    for (int m = 0; m < minutes; ++m)
      for (int i = 0; i < each; ++i)
        log.add({.at = offset + m * 60 + i * within / each,
                 .user = fmt::format("user-{}-{}", m, i),
                 .uri = fmt::format("/api/v1/namespaces/x/pods/p-{}", i),
                 .code = 429});
    return log.summary().bursts;
  };
  const auto bursts = written(4, 30, 1.5);
  REQUIRE(bursts);
  CHECK(bursts->from == 0);
  CHECK(bursts->to == 1);
  CHECK(bursts->refused == 120);
  CHECK(bursts->minutes == 4);
  const auto across = written(4, 30, 3.9, 58);
  REQUIRE(across);
  CHECK(across->from == 58);
  CHECK(across->to == 1);
  CHECK(across->minutes == 4);
  CHECK(!written(2, 30, 1.5));
  CHECK(!written(4, 4, 1.5));
  CHECK(!written(4, 60, 30));
}

TEST_CASE("refusals by the clock count each minute once, whatever its second", "[summary]") {
  Written log;
  for (int m = 0; m < 12; ++m)
    for (int i = 0; i < 30; ++i)
      log.add({.at = m * 60 + m % 3 + i * 0.02, .user = fmt::format("user-{}-{}", m, i), .code = 429});
  const auto bursts = log.summary().bursts;
  REQUIRE(bursts);
  CHECK(bursts->from == 0);
  CHECK(bursts->to == 2);
  CHECK(bursts->refused == 360);
  CHECK(bursts->minutes == 12);
}

TEST_CASE("of how many requests the answers are known", "[summary]") {
  Written log;
  log.repeat({.code = 429}, 5, 1);
  log.repeat({.code = 0}, 10, 1);  // as of exports without the answer
  log.repeat({}, 5, 1);
  const LogSummary s = log.summary();
  CHECK(s.total.requests == 20);
  CHECK(s.total.answered == 10);
  CHECK(s.total.refused == 5);
  // The part that is looked at alone counts.
  const LogSummary early = log.summary([&](LogSummaryOptions& o) { o.to = *s.first + 500 * kMillisecond; });
  CHECK(early.total.requests == 3);
  CHECK(early.total.answered == 2);
}

TEST_CASE("requests by what was asked for", "[summary]") {
  Written log;
  log.repeat({}, 3, 30);
  log.repeat({.verb = "list", .uri = "/api/v1/pods", .code = 429}, 2, 1);
  const LogSummary s = log.summary([](LogSummaryOptions& o) { o.by = {LogDimension::verb, LogDimension::code}; });
  REQUIRE(s.by.size() == 2);
  CHECK(s.by[0].names == std::vector<std::string>{"list", "429"});
  CHECK(s.by[0].tally.refused == 2);
  CHECK(s.by[1].names == std::vector<std::string>{"get", "200"});
  CHECK(s.by[1].tally.requests == 3);
  const LogSummary minutes = log.summary([](LogSummaryOptions& o) { o.by = {LogDimension::minute}; });
  CHECK(minutes.by.size() == 2);
  const LogSummary window = log.summary([&](LogSummaryOptions& o) { o.from = *s.first + 30 * kSecond; });
  CHECK(window.total.requests == 2);
}

TEST_CASE("lines of client-go's rate limiter, in its three wordings", "[summary]") {
  const std::string text =
      "I0908 14:15:00.100000   11404 request.go:668] Waited for 1.15s due to client-side throttling, not priority and "
      "fairness, request: GET:https://10.0.0.1:6443/apis/g0.example.com/v1?timeout=32s\n"
      "I0908 14:16:00.100000   11404 request.go:752] \"Waited before sending request\" delay=\"1.194s\" "
      "reason=\"client-side throttling, not priority and fairness\" verb=\"GET\" "
      "URL=\"https://10.0.0.1:443/api/v1/pods\"\n"
      "I0908 14:16:01.100000   11404 request.go:590] Throttling request took 2.5s, request: "
      "GET:https://10.0.0.1:443/api/v1/nodes\n"
      "I0908 14:16:02.100000   11404 request.go:590] Throttling is nothing here\n";
  LogSummaryOptions options;
  options.log.logs = {"controller.log"};
  options.log.texts["controller.log"] = text;
  const LogSummary s = summarize_logs(options);
  CHECK(s.throttling.lines == 3);
  CHECK(s.throttling.longest == 2500 * kMillisecond);
  CHECK(s.throttling.sum == 1150 * kMillisecond + 1194 * kMillisecond + 2500 * kMillisecond);
  REQUIRE(s.throttling.targets.size() == 3);
  CHECK(s.throttling.targets[0].names[0] == "GET 10.0.0.1:443 /api/v1/nodes");
}

TEST_CASE("waits in client-go's rate limiter that are too long for a sum", "[summary]") {
  LogSummaryOptions options;
  options.log.logs = {"controller.log"};
  std::string text;
  for (int i = 0; i < 3; ++i)
    text +=
        "I0908 14:15:00.100000   11404 request.go:668] Waited for 2562047h0m0s due to client-side throttling, not "
        "priority and fairness, request: GET:https://10.0.0.1:6443/api/v1/pods\n";
  options.log.texts["controller.log"] = text;
  const LogSummary s = summarize_logs(options);
  CHECK(s.throttling.lines == 3);
  CHECK(s.throttling.sum == INT64_MAX);
  REQUIRE(s.throttling.targets.size() == 1);
  CHECK(s.throttling.targets[0].tally.wait == INT64_MAX);
}

TEST_CASE("lines of client-go's rate limiter within JSON", "[summary]") {
  const char* const lines[] = {
      R"({"log":"I0908 14:16:00.100000   11 request.go:752] \"Waited before sending request\" delay=\"1.194s\" )"
      R"(reason=\"client-side throttling, not priority and fairness\" verb=\"GET\" )"
      R"(URL=\"https://10.0.0.1:443/api/v1/pods\"\n","stream":"stderr"})",
      R"({"level":"info","msg":"Waited before sending request","delay":"1.194s","reason":"client-side throttling, not )"
      R"(priority and fairness","verb":"GET","URL":"https://10.0.0.1:443/api/v1/pods"})",
      R"({"URL": "https://10.0.0.1:443/api/v1/pods", "verb": "GET", "reason": "client-side throttling, not priority )"
      R"(and fairness", "msg": "Waited before sending request", "delay": "1.194s"})"};
  for (const std::string line : lines) {
    LogSummaryOptions options;
    options.log.logs = {"controller.log"};
    options.log.texts["controller.log"] = line;
    const LogSummary s = summarize_logs(options);
    INFO(line);
    REQUIRE(s.throttling.lines == 1);
    CHECK(s.throttling.sum == 1194 * kMillisecond);
    CHECK(s.throttling.targets[0].names[0] == "GET 10.0.0.1:443 /api/v1/pods");
  }
}

TEST_CASE("an export of some columns says what it has", "[summary]") {
  const auto summary_of = [](const std::string& text) {
    LogSummaryOptions options;
    options.log.logs = {"export.csv"};
    options.log.texts["export.csv"] = text;
    static const Config config = bootstrap_config(kNewestKubeVersion);
    options.config = &config;
    return summarize_logs(options);
  };
  // Names as in events, and as people give them in queries; the groups follow from the user.
  const char* const headers[] = {"@timestamp,verb,requestURI,responseStatus.code,user.username",
                                 "TimeGenerated,Verb,RequestUri,Code,Username",
                                 "time,verb,requestURI,statusCode,username"};
  for (const std::string header : headers) {
    const LogSummary s = summary_of(header +
                                    "\n2026-09-08T14:15:00Z,list,/api/v1/pods,429,system:serviceaccount:a:b\n"
                                    "2026-09-08T14:15:01Z,get,/api/v1/nodes/n,200,system:serviceaccount:a:b\n");
    INFO(header);
    CHECK(s.total.requests == 2);
    CHECK(s.total.refused == 1);
    REQUIRE(s.users.size() == 1);
    CHECK(s.users[0].names[0] == "system:serviceaccount:a:b");
    REQUIRE(s.schemas.size() == 1);
    CHECK(s.schemas[0].names == std::vector<std::string>{"service-accounts", "workload-low"});
    CHECK(s.stat.with_implied_groups == 2);
  }
  // A column that is named as in events wins.
  CHECK(summary_of("time,verb,requestURI,code,responseStatus.code\n2026-09-08T14:15:00Z,list,/api/v1/pods,17,429\n")
            .total.refused == 1);
}

TEST_CASE("seat-seconds: as recorded, else estimated", "[summary]") {
  const std::string http =
      "I0908 14:15:08.000000       1 httplog.go:134] \"HTTP\" verb=\"LIST\" URI=\"/api/v1/pods?limit=500\" "
      "latency=\"1.500s\" userAgent=\"kubelet/v1.34.2\" audit-ID=\"k-2\" srcIP=\"10.0.0.2:4242\" apf_pl=\"system\" "
      "apf_fs=\"system-nodes\" apf_iseats=10 apf_fseats=0 apf_additionalLatency=\"0s\" apf_execution_time=\"1.500s\" "
      "resp=200\n";
  LogSummaryOptions options;
  options.log.logs = {"kube-apiserver.log"};
  options.log.texts["kube-apiserver.log"] = http;
  const LogSummary s = summarize_logs(options);
  CHECK(s.total.seat_seconds == Approx(15));
  CHECK(s.total.with_seats == 1);
  CHECK(s.with_level == 1);
  CHECK(s.with_user == 0);
  REQUIRE(s.load.size() == 1);
  CHECK(s.load[0].names == std::vector<std::string>{"list", "pods"});
  Written audit;
  audit.add({.takes = 2});
  CHECK(audit.summary().total.seat_seconds == Approx(2));
  CHECK(audit.summary().total.with_seats == 0);
}

TEST_CASE("a watch that waited counts until its end, which the log has later", "[summary]") {
  const auto line = [](const char* stage, const char* end) {
    return fmt::format(
        R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"a","stage":"{}","requestURI":"/api/v1/pods?watch=true",)"
        R"("verb":"watch","user":{{"username":"jane","groups":["system:authenticated"]}},"sourceIPs":["10.0.0.1"],)"
        R"("userAgent":"app/v1","responseStatus":{{"code":200}},"requestReceivedTimestamp":"2026-11-20T10:00:00.000000Z",)"
        R"("stageTimestamp":"2026-11-20T10:0{}Z","annotations":{{"apiserver.latency.k8s.io/apf-queue-wait":"5ms"}}}})"
        "\n",
        stage, end);
  };
  const std::string begin = line("ResponseStarted", "0:00.005000"), end = line("ResponseComplete", "1:40.000000");
  for (const bool whole : {true, false}) {
    const std::string text = whole ? begin + end : begin;
    LogSummaryOptions options;
    options.log.logs = {"audit.log"};
    options.log.texts["audit.log"] = text;
    const LogSummary s = summarize_logs(options);
    CHECK(s.total.requests == 1);
    CHECK(s.total.waited == 1);
    CHECK(s.total.wait_and_run == (whole ? 100 * kSecond : 5 * kMillisecond));
    CHECK(s.users.at(0).tally.wait_and_run == s.total.wait_and_run);
  }
}
