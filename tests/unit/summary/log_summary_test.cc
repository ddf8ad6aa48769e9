// What a log says of what happened, from logs that are written here.
#include <algorithm>
#include <cmath>

#include <apf/config.h>
#include <apf/log_summary.h>
#include <fmt/core.h>

#include "catch.h"

using namespace apf;

namespace {

struct Line {
  double at = 0;  // seconds
  std::string user = "system:serviceaccount:a:app";
  std::string verb = "get", uri = "/api/v1/namespaces/x/pods/p";
  int code = 200;
  double takes = 0.001;          // seconds
  std::string status = {};       // further members of responseStatus, ending with a comma
  std::string annotations = {};  // whole members
  std::string agent = "app/v1";
  std::string address = "10.0.0.1";
};

class Written {
 public:
  void add(const Line& line) {
    const Nanos begin = kBegin + std::llround(line.at * 1e9), end = begin + std::llround(line.takes * 1e9);
    const bool account = line.user.starts_with("system:serviceaccount:");
    text_ += fmt::format(
        R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-{}","stage":"ResponseComplete",)"
        R"("requestURI":"{}","verb":"{}","user":{{"username":"{}","groups":[{}"system:authenticated"]}},"sourceIPs":["{}"],)"
        R"("userAgent":"{}","responseStatus":{{{}"code":{}}},"requestReceivedTimestamp":"{}","stageTimestamp":"{}",)"
        R"("annotations":{{{}}}}})"
        "\n",
        ++id_, line.uri, line.verb, line.user, account ? R"("system:serviceaccounts",)" : "", line.address, line.agent,
        line.status, line.code, format_rfc3339(begin), format_rfc3339(end), line.annotations);
  }
  // `count` times the line, every `gap` seconds.
  void repeat(Line line, int count, double gap) {
    for (int i = 0; i < count; ++i, line.at += gap) add(line);
  }

  LogSummary summary(const std::function<void(LogSummaryOptions&)>& change = {}) const {
    LogSummaryOptions options;
    options.log.logs = {"audit.log"};
    options.log.texts["audit.log"] = text_;
    static const Config config = bootstrap_config(kNewestKubeVersion);
    options.config = &config;
    if (change) change(options);
    return summarize_logs(options);
  }

 private:
  static constexpr Nanos kBegin = 1'800'000'000 * kSecond;
  std::string text_;
  int id_ = 0;
};

std::vector<std::string> codes(const LogSummary& summary) {
  std::vector<std::string> out;
  for (const ClientFinding& f : summary.clients) out.push_back(row_of(f.fault).code);
  return out;
}

}  // namespace

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
      {429, "", AnswerCause::apf},
      {429,
       R"("message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests",)",
       AnswerCause::disruption_budget},
      {429, R"("message":"storage is (re)initializing","reason":"TooManyRequests",)",
       AnswerCause::storage_initializing},
      {429, R"("message":"Too large resource version: 123, current: 100","reason":"TooManyRequests",)",
       AnswerCause::resource_version_too_large},
      {429, R"("message":"Too many requests: limit reached on type Namespace for key x","reason":"TooManyRequests",)",
       AnswerCause::event_rate_limit},
      {429, R"("message":"Too many requests, please try again later.","reason":"TooManyRequests",)", AnswerCause::apf},
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
    CHECK(s.total.refused == (c.cause == AnswerCause::apf ? 1u : 0u));
    CHECK(s.total.errors == (c.cause == AnswerCause::apf ? 0u : 1u));
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

TEST_CASE("each misuse is found where it is, and just below its threshold it is not", "[summary]") {
  struct Case {
    const char* code;
    Line line;
    int least;  // requests
    double gap, too_rare;
  };
  const Line forbidden{.uri = "/api/v1/namespaces/x/secrets/s", .code = 403, .status = R"("reason":"Forbidden",)"};
  const Case cases[] = {
      {"CLIENT-LIST-LOOP", {.verb = "list", .uri = "/api/v1/namespaces/x/pods"}, 60, 1, 60},
      {"CLIENT-RETRIES-FORBIDDEN", forbidden, 20, 1, 30},
      {"CLIENT-RETRIES-NOT-FOUND", {.code = 404, .status = R"("reason":"NotFound",)"}, 60, 1, 20},
      {"CLIENT-RETRIES-CONFLICT", {.verb = "update", .code = 409, .status = R"("reason":"Conflict",)"}, 20, 1, 30},
      {"CLIENT-RETRIES-INVALID", {.verb = "update", .code = 422, .status = R"("reason":"Invalid",)"}, 20, 1, 30},
      {"CLIENT-RETRIES-DENIED",
       {.verb = "create",
        .uri = "/api/v1/namespaces/x/pods",
        .code = 403,
        .status = R"("message":"pods \"a\" is forbidden: exceeded quota: q, requested: pods=1",)"},
       20,
       1,
       30},
      {"CLIENT-RETRIES-DENIED",
       {.verb = "create",
        .uri = "/api/v1/namespaces/x/pods",
        .code = 403,
        .status = R"("message":"pods \"a\" is forbidden: violates PodSecurity \"baseline:latest\"",)"},
       20,
       1,
       30},
      {"CLIENT-EXPIRED-VERSIONS",
       {.verb = "watch",
        .uri = "/api/v1/pods?watch=true&resourceVersion=5",
        .code = 410,
        .status = R"("reason":"Gone",)"},
       20,
       1,
       60},
      {"CLIENT-CREATES-EXISTING",
       {.verb = "create",
        .uri = "/api/v1/namespaces/x/configmaps",
        .code = 409,
        .status = R"("reason":"AlreadyExists",)"},
       20,
       1,
       30},
      {"CLIENT-CREATES-EXISTING",  // the reason is not in the log
       {.verb = "create", .uri = "/api/v1/namespaces/x/configmaps", .code = 409},
       20,
       1,
       30},
      {"CLIENT-REWRITES", {.verb = "update", .uri = "/api/v1/namespaces/x/configmaps/c"}, 60, 0.2, 5},
      {"CLIENT-POLLS-OBJECT", {.uri = "/api/v1/namespaces/x/configmaps/c"}, 60, 1, 20},
      {"CLIENT-UNPAGED-LISTS", {.verb = "list", .uri = "/api/v1/pods?resourceVersion=7", .takes = 2}, 10, 100, 0},
      {"CLIENT-REVIEWS",
       {.verb = "create", .uri = "/apis/authentication.k8s.io/v1/tokenreviews", .code = 201},
       300,
       0.1,
       1},
  };
  for (const Case& c : cases) {
    INFO(c.code);
    Written log, few, rare;
    log.repeat(c.line, c.least, c.gap);
    CHECK(codes(log.summary()) == std::vector<std::string>{c.code});
    CHECK(codes(log.summary([&](LogSummaryOptions& o) { o.ignored = {*find_client_fault(c.code)}; })) !=
          std::vector<std::string>{c.code});
    few.repeat(c.line, c.least - 1, c.gap);
    CHECK(codes(few.summary()).empty());
    if (c.too_rare == 0) continue;
    rare.repeat(c.line, c.least, c.too_rare);
    CHECK(codes(rare.summary()).empty());
  }
}

TEST_CASE("a client that is always refused is accused of what is certain", "[summary]") {
  const Line list{.verb = "list", .uri = "/api/v1/pods", .code = 429};
  const auto found = [](const auto& write) {
    Written log;
    write(log);
    return codes(log.summary());
  };
  using Codes = std::vector<std::string>;
  const Codes early{"CLIENT-EARLY-RETRY"}, loop{"CLIENT-LIST-LOOP"}, none;
  // One loop that does not wait.
  for (const double gap : {0.005, 0.05, 0.2, 0.5, 0.8})
    CHECK(found([&](Written& log) { log.repeat(list, 80, gap); }) == early);
  CHECK(found([&](Written& log) { log.repeat({.verb = "create", .code = 429}, 80, 0.2); }) == early);
  CHECK(found([&](Written& log) { log.repeat(list, 20, 0.2); }) == early);
  CHECK(found([&](Written& log) { log.repeat(list, 19, 0.2); }) == none);
  // As Retry-After says, or later; nothing says that more than one list was wanted.
  for (const double gap : {1.0, 5.0}) CHECK(found([&](Written& log) { log.repeat(list, 500, gap); }) == none);
  // Four workers, each a second after its own refusal.
  const auto workers = [&](std::initializer_list<double> begins, const std::function<Line(int)>& line) {
    return found([&](Written& log) {
      int i = 0;
      for (const double begin : begins) {
        Line at = line(i++);
        for (at.at = begin; at.at < 60; at.at += 1.003) log.add(at);
      }
    });
  };
  CHECK(workers({0, 0.1, 0.4, 0.75}, [&](int) { return list; }) == none);
  CHECK(workers({0, 0.42}, [&](int) { return list; }) == none);
  // Four machines, or four things to ask for.
  const auto machine = [&](int i) {
    Line line = list;
    line.address = fmt::format("10.2.0.{}", i);
    return line;
  };
  CHECK(workers({0, 0.25, 0.5, 0.75}, machine) == none);
  CHECK(workers({0, 0.25, 0.5, 0.75}, [&](int i) {
          Line line = list;
          line.uri += fmt::format("?labelSelector=app%3D{}", i);
          return line;
        }) == none);
  // Refused after a time in the queue: who lists again meanwhile does not retry.
  Line queued = list;
  queued.takes = 15;
  CHECK(found([&](Written& log) { log.repeat(queued, 200, 0.2); }) == loop);
  CHECK(found([&](Written& log) { log.repeat(queued, 200, 16); }) == none);
  // A list every minute, with ten retries each; so many lists on 60 machines, each once, with a retry.
  CHECK(found([&](Written& log) {
          for (int i = 0; i < 60; ++i)
            for (int k = 0; k < 11; ++k) {
              Line line = list;
              line.at = i * 60 + k * 1.01;
              if (k == 10) line.code = 200;
              log.add(line);
            }
        }) == none);
  CHECK(found([&](Written& log) {
          for (int i = 0; i < 60; ++i)
            for (int k = 0; k < 2; ++k) {
              Line line = machine(i);
              line.at = i * 3 + k * 1.01;
              if (k == 1) line.code = 200;
              log.add(line);
            }
        }) == none);
}

TEST_CASE("many instances of a client are not one that does a thing again and again", "[summary]") {
  const auto written = [](int machines, int each, double gap, Line line) {
    Written log;
    for (int k = 0; k < each; ++k)
      for (int i = 0; i < machines; ++i) {
        line.at = k * gap + i * 0.9;
        line.address = fmt::format("10.2.0.{}", i);
        log.add(line);
      }
    return codes(log.summary());
  };
  const Line list{.verb = "list", .uri = "/api/v1/pods"}, forbidden{.code = 403}, poll{};
  for (const Line& line : {list, forbidden, poll}) {
    INFO(line.verb << " " << line.code);
    CHECK(written(100, 1, 1, line).empty());  // at its start
    CHECK(written(4, 20, 4, line).size() == 1);
    CHECK(written(40, 20, 60, line).empty());
  }
}

TEST_CASE("what a client does on many paths is one finding", "[summary]") {
  // Each path alone has enough.
  Written log;
  for (int i = 0; i < 80; ++i)
    for (int k = 0; k < 3; ++k)
      log.add({.at = i * 2.0 + k * 0.1, .verb = "list", .uri = fmt::format("/api/v1/namespaces/n-{}/pods", k)});
  const LogSummary loops = log.summary();
  REQUIRE(codes(loops) == std::vector<std::string>{"CLIENT-LIST-LOOP"});
  CHECK(loops.clients[0].paths == 3);
  CHECK(loops.clients[0].requests == 240);
  CHECK(loops.clients[0].no_retries == 240);
  // None has.
  const auto spread = [](Line line, int paths, double gap, int instances = 1) {
    Written out;
    for (int i = 0; i < paths; ++i) {
      line.at = i * gap;
      line.uri = fmt::format("/api/v1/namespaces/n-{}/secrets/s", i);
      line.address = fmt::format("10.2.0.{}", i % instances);
      out.add(line);
    }
    return codes(out.summary());
  };
  const Line forbidden{.code = 403, .status = R"("reason":"Forbidden",)"};
  CHECK(spread(forbidden, 60, 1) == std::vector<std::string>{"CLIENT-RETRIES-FORBIDDEN"});
  CHECK(spread(forbidden, 59, 1).empty());
  CHECK(spread(forbidden, 60, 11).empty());
  CHECK(spread(forbidden, 60, 1, 10).empty());
  CHECK(spread({.code = 404, .status = R"("reason":"NotFound",)"}, 400, 0.1).empty());  // looks before it creates
  // Each object is asked for again and again until it comes, however long the pauses are.
  const auto insists = [](double pause, bool named) {
    Written out;
    for (int i = 0; i < 20; ++i)
      for (int k = 0; k < 4; ++k)
        out.add({.at = i * 5 + k * pause + (k % 2) * 0.1,
                 .uri = fmt::format("/api/v1/namespaces/x/pods{}{}", named ? "/p-" : "?labelSelector=", i),
                 .code = k == 3 ? 200 : 429});
    return codes(out.summary());
  };
  CHECK(insists(0.3, true) == std::vector<std::string>{"CLIENT-EARLY-RETRY"});
  CHECK(insists(1.1, true).empty());
  CHECK(insists(0.3, false).empty());
}

TEST_CASE("what is no misuse is not accused", "[summary]") {
  const auto found = [](const Line& line, int count, double gap) {
    Written log;
    log.repeat(line, count, gap);
    return codes(log.summary());
  };
  // Adapters of metrics have no watches.
  for (const char* group :
       {"metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2", "external.metrics.k8s.io/v1beta1"})
    CHECK(found({.verb = "list", .uri = fmt::format("/apis/{}/namespaces/x/pods", group)}, 200, 5).empty());
  CHECK(found({.verb = "list", .uri = "/apis/metrics.k8s.io/v1beta1/pods", .takes = 1}, 200, 5).empty());
  CHECK(found({.uri = "/apis/metrics.k8s.io/v1beta1/namespaces/x/pods/p"}, 200, 2).empty());
  CHECK(found({.verb = "list", .uri = "/apis/mymetrics.example.com/v1/pods"}, 200, 5).size() == 1);
  // Locks of leader election before there were Leases: who does not lead only reads.
  for (const char* lock : {"endpoints/kube-scheduler", "configmaps/ingress-controller-leader", "configmaps/my-op-lock"})
    CHECK(found({.uri = fmt::format("/api/v1/namespaces/kube-system/{}", lock)}, 200, 2).empty());
  // The server itself, and its controllers, which write a status whenever it changes.
  CHECK(found({.user = "system:apiserver", .uri = "/api/v1/namespaces/default"}, 200, 2).empty());
  CHECK(found({.user = "system:serviceaccount:kube-system:replicaset-controller",
               .verb = "update",
               .uri = "/apis/apps/v1/namespaces/x/replicasets/r/status",
               .agent = "kube-controller-manager/v1.34.2 (linux/amd64)"},
              200, 0.2)
            .empty());
  // A binding of a Pod that has a node conflicts; it does not exist already.
  CHECK(found({.verb = "create",
               .uri = "/api/v1/namespaces/x/pods/p/binding",
               .code = 409,
               .status = R"("reason":"Conflict",)"},
              100, 1)
            .empty());
  // A kubelet watches what Pods mount that live for seconds.
  CHECK(found({.user = "system:node:n",
               .verb = "watch",
               .uri = "/api/v1/namespaces/ci/configmaps?fieldSelector=metadata.name%3Dc&watch=true",
               .takes = 3,
               .agent = "kubelet/v1.34.2 (linux/amd64)"},
              200, 5)
            .empty());
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
  CHECK(!written(2, 30, 1.5));
  CHECK(!written(4, 4, 1.5));
  CHECK(!written(4, 60, 30));
}

TEST_CASE("clients that behave are not accused", "[summary]") {
  Written log;
  // Leader election, heartbeats, pages, lists from the watch cache, rare lists, several clients that share what one
  // alone would do too often, reads of an object that the client writes.
  log.repeat({.verb = "update", .uri = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler"}, 100, 2);
  log.repeat({.verb = "get", .uri = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler"}, 100, 2);
  log.repeat({.verb = "list", .uri = "/api/v1/nodes?limit=500"}, 100, 1);
  log.repeat({.verb = "list", .uri = "/api/v1/services?resourceVersion=0"}, 100, 1);
  log.repeat({.verb = "list", .uri = "/api/v1/endpoints"}, 100, 60);
  log.repeat({.verb = "get", .uri = "/api/v1/namespaces/x/configmaps/own"}, 100, 2);
  log.repeat({.verb = "patch", .uri = "/api/v1/namespaces/x/configmaps/own"}, 50, 4);
  for (int i = 0; i < 40; ++i)
    log.repeat({.user = fmt::format("user-{}", i), .verb = "list", .uri = "/api/v1/namespaces/y/pods"}, 2, 5);
  CHECK(codes(log.summary()).empty());
}

TEST_CASE("an identity is shared where several programs have it, each at its own place", "[summary]") {
  const auto written = [](int programs, int requests, bool apart, const char* user) {
    Written log;
    for (int i = 0; i < programs; ++i)
      for (int k = 0; k < requests; ++k)
        log.add({.at = k * 10.0 + i,
                 .user = user,
                 .uri = fmt::format("/api/v1/namespaces/x/pods/p{}", k),
                 .agent = fmt::format("program-{}/v{}", i, k % 2),  // two releases of one program
                 .address = apart ? fmt::format("10.1.0.{}", i) : "10.1.0.1"});
    return codes(log.summary());
  };
  const char* const account = "system:serviceaccount:ops:shared";
  CHECK(written(3, 60, true, account) == std::vector<std::string>{"CLIENT-SHARED-IDENTITY"});
  CHECK(written(2, 60, true, account).empty());
  CHECK(written(3, 59, true, account).empty());
  CHECK(written(3, 60, false, account).empty());  // one Pod that runs kubectl and helm
  CHECK(written(3, 60, true, "jane").empty());    // people have several programs
}

TEST_CASE("half of a client's requests take what its finding says", "[summary]") {
  // All alike: exactly that long. Else a bound that holds.
  struct Case {
    const char* verb;
    const char* uri;
    std::vector<double> take;  // seconds
  };
  const Case cases[] = {{"list", "/api/v1/pods?resourceVersion=7", {4.8}},
                        {"list", "/api/v1/pods?resourceVersion=7", {1.1, 1.3, 9, 0.6, 2.5}},
                        {"watch", "/api/v1/pods?watch=true&resourceVersion=5", {0.9}},
                        {"watch", "/api/v1/pods?watch=true&resourceVersion=5", {0.9, 0.1, 3.9, 0.00001, 1.2}}};
  for (const Case& c : cases) {
    Written log;
    std::vector<Nanos> took;
    for (int i = 0; i < 40; ++i) {
      const double takes = c.take[static_cast<std::size_t>(i) % c.take.size()];
      took.push_back(std::llround(takes * 1e9));
      log.add({.at = i * 10.0, .verb = c.verb, .uri = c.uri, .takes = takes});
    }
    const LogSummary s = log.summary();
    REQUIRE(s.clients.size() == 1);
    REQUIRE(s.clients[0].median);
    const Nanos said = *s.clients[0].median;
    if (c.take.size() == 1) CHECK(said == took.front());
    const bool watch = std::string_view(c.verb) == "watch";
    const auto hold = std::count_if(took.begin(), took.end(), [&](Nanos t) { return watch ? t <= said : t >= said; });
    CHECK(hold * 2 >= static_cast<std::ptrdiff_t>(took.size()));
  }
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

TEST_CASE("a herd is found by its addresses", "[summary]") {
  const auto written = [](int machines, double gap) {
    Written log;
    log.repeat({.user = "jane"}, 2, 300);
    for (int i = 0; i < machines; ++i)
      log.add({.at = 100 + i * gap,
               .verb = "list",
               .uri = "/api/v1/pods?limit=500",
               .agent = "shipper/v1",
               .address = fmt::format("10.1.0.{}", i)});
    return codes(log.summary());
  };
  CHECK(written(20, 0.01) == std::vector<std::string>{"CLIENT-HERD"});
  CHECK(written(19, 0.01).empty());
  CHECK(written(40, 1).empty());
}

TEST_CASE("a herd is one in any second, with any request, in a log that shows more than it", "[summary]") {
  const auto written = [](const char* verb, const char* uri, double begin, double until, int times = 1) {
    Written log;
    log.add({.user = "jane"});
    for (int k = 0; k < times; ++k)
      for (int i = 0; i < 30; ++i)
        log.add({.at = begin + i * 0.03 + k * 0.001,
                 .verb = verb,
                 .uri = fmt::format(fmt::runtime(uri), i),
                 .agent = "agent/v1",
                 .address = fmt::format("10.1.0.{}", i)});
    log.add({.at = until, .user = "jane"});
    return log.summary();
  };
  for (const double begin : {10.0, 10.3, 10.6, 10.95}) {
    const LogSummary s = written("get", "/api/v1/nodes/n-{}", begin, 30, 2);
    INFO(begin);
    REQUIRE(codes(s) == std::vector<std::string>{"CLIENT-HERD"});
    CHECK(s.clients[0].addresses == 30);
    CHECK(s.clients[0].requests == 60);
  }
  CHECK(codes(written("watch", "/api/v1/pods?watch=true&n={}", 1, 30)).size() == 1);
  CHECK(codes(written("update", "/apis/coordination.k8s.io/v1/namespaces/k/leases/n-{}", 1, 30)).empty());
  CHECK(codes(written("get", "/api/v1/nodes/n-{}", 1, 2.5)).empty());  // all that the log has is that second
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
