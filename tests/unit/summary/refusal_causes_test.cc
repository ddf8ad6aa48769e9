// Whose an answer 429 is, by what the log has of it; and what clients say of their own limiters and of servers.
#include <apf/log_summary.h>

#include <string>

#include "catch.h"
#include "support/written_log.h"

using namespace apf;

using test::Line;
using test::Written;

namespace {

const char* const kDecided = R"("authorization.k8s.io/decision":"allow")";

AnswerCause cause_of(const LogSummary& summary) {
  REQUIRE(summary.answers.size() == 1);
  return summary.answers[0].cause;
}

LogSummary summary_of(const std::string& name, const std::string& text) {
  LogSummaryOptions options;
  options.log.logs = {name};
  options.log.texts[name] = text;
  return summarize_logs(options);
}

}  // namespace

TEST_CASE("the cause of an answer 429 without a message", "[summary][refusals]") {
  struct Case {
    Line line;
    AnswerCause cause;
    bool refused;
  };
  const std::string eviction = "/api/v1/namespaces/x/pods/p/eviction", metrics = "/apis/metrics.k8s.io/v1beta1/pods";
  const Case cases[] = {
      {{.takes = 0.0004}, AnswerCause::apf_or_max_in_flight, true},
      {{.takes = 0.0004, .annotations = kDecided}, AnswerCause::apf_or_max_in_flight, true},
      {{.takes = 0.03}, AnswerCause::unknown, true},
      {{.takes = 5}, AnswerCause::unknown, true},
      {{.takes = 15.0003}, AnswerCause::apf, true},
      {{.uri = "/api/v1/pods?timeout=10s", .takes = 2.5}, AnswerCause::apf, true},
      {{.takes = 5, .annotations = R"("apiserver.latency.k8s.io/apf-queue-wait":"4.9s")"}, AnswerCause::hung_up, true},
      {{.verb = "create", .uri = eviction, .takes = 0.03}, AnswerCause::disruption_budget, false},
      {{.verb = "create", .uri = eviction, .takes = 0}, AnswerCause::disruption_budget, false},
      {{.verb = "create", .uri = eviction, .takes = 0.0004}, AnswerCause::apf_or_max_in_flight, true},
      {{.verb = "list", .uri = metrics, .takes = 0.03, .annotations = kDecided}, AnswerCause::aggregated_server, false},
      {{.verb = "list", .uri = metrics, .takes = 0.03}, AnswerCause::unknown, true},
      {{.verb = "create", .uri = "/api/v1/namespaces/x/events", .takes = 0.03, .annotations = kDecided},
       AnswerCause::event_rate_limit,
       false},
      {{.takes = 0.03, .annotations = kDecided}, AnswerCause::other, false},
  };
  for (Case c : cases) {
    INFO(c.line.uri << " " << c.line.takes << " " << c.line.annotations);
    c.line.code = 429;
    Written log;
    log.add(c.line);
    const LogSummary s = log.summary();
    CHECK(std::string(to_string(cause_of(s))) == to_string(c.cause));
    CHECK(s.total.refused == (c.refused ? 1u : 0u));
  }
}

TEST_CASE("the rest of the log tells the two filters apart", "[summary][refusals]") {
  const Line refused{.code = 429, .takes = 0.0004};
  Written log;
  log.repeat(refused, 5, 1);
  CHECK(cause_of(log.summary()) == AnswerCause::apf_or_max_in_flight);
  CHECK(cause_of(log.summary([](LogSummaryOptions& o) { o.apf_on = false; })) == AnswerCause::max_in_flight);
  CHECK(cause_of(log.summary([](LogSummaryOptions& o) { o.apf_on = true; })) == AnswerCause::apf);
  // Something waited.
  log.add({.at = 9, .takes = 1, .annotations = R"("apiserver.latency.k8s.io/apf-queue-wait":"900ms")"});
  CHECK(cause_of(log.summary()) == AnswerCause::apf);
}

TEST_CASE("exempt levels refuse nobody", "[summary][refusals]") {
  Written log;
  log.repeat({.user = "system:anonymous", .uri = "/livez", .code = 429, .takes = 0.0004}, 3, 1);
  log.repeat({.code = 429, .takes = 0.0004}, 4, 1);
  const LogSummary s = log.summary();
  CHECK(cause_of(s) == AnswerCause::unknown);
  CHECK(s.evidence.at_exempt == 3);
  CHECK(s.evidence.exempt_level == "exempt");
  CHECK(s.answers[0].requests == 7);
}

TEST_CASE("API Priority and Fairness refuses at some levels, max-in-flight at all", "[summary][refusals]") {
  Written some, all, apart;  // apart: in bursts of refusals, between which max-in-flight serves, too
  for (int i = 0; i < 40; ++i) {
    const double at = i;
    const auto refuse = [&](Written& log, double later, const char* user) {
      log.add({.at = at + later, .user = user, .code = 429, .takes = 0.0004});
    };
    const auto serve = [&](Written& log, double later) {
      log.add({.at = at + later, .user = "system:kube-controller-manager"});
    };
    for (Written* const log : {&some, &all}) {
      refuse(*log, 0, Line().user.c_str());
      for (const double later : {0.01, 0.02}) serve(*log, later);
      refuse(*log, 0.03, Line().user.c_str());
    }
    refuse(all, 0.04, "system:kube-controller-manager");
    for (const double later : {0.0, 0.001}) refuse(apart, later, Line().user.c_str());
    for (const double later : {0.04, 0.1, 0.2}) serve(apart, later);
  }
  CHECK(cause_of(apart.summary()) == AnswerCause::apf_or_max_in_flight);
  const LogSummary s = some.summary();
  CHECK(cause_of(s) == AnswerCause::apf);
  CHECK(s.evidence.by_levels);
  const LogSummary t = all.summary();
  CHECK(cause_of(t) == AnswerCause::apf_or_max_in_flight);
  CHECK(t.evidence.levels == 2);
  CHECK(t.evidence.refusing_levels == 2);
}

TEST_CASE("what has no decision of authorization was refused before it", "[summary][refusals]") {
  Written log;
  log.add({.code = 429, .takes = 0.03});
  CHECK(cause_of(log.summary()) == AnswerCause::unknown);
  log.add({.at = 1, .annotations = kDecided});
  const LogSummary s = log.summary();
  CHECK(cause_of(s) == AnswerCause::apf_or_max_in_flight);
  CHECK(s.evidence.by_authorization);
}

TEST_CASE("the server's own log names the level of what API Priority and Fairness refuses", "[summary][refusals]") {
  const auto line = [](const std::string& id, const std::string& rest) {
    return "I0908 14:15:08.000000       1 httplog.go:134] \"HTTP\" verb=\"GET\" URI=\"/api/v1/pods\" "
           "latency=\"400µs\" userAgent=\"a\" audit-ID=\"" +
           id + "\" srcIP=\"10.0.0.2:4242\" " + rest + "\n";
  };
  const std::string none = line("1", "resp=429"),
                    ran = line("2", "apf_pl=\"p\" apf_fs=\"f\" apf_execution_time=\"1ms\" resp=200"),
                    refused = line("3", "apf_pl=\"p\" apf_fs=\"f\" resp=429"),
                    inside = line("4", "apf_pl=\"p\" apf_fs=\"f\" apf_execution_time=\"1ms\" resp=429");
  CHECK(cause_of(summary_of("a.log", none)) == AnswerCause::max_in_flight);
  CHECK(cause_of(summary_of("a.log", none + ran)) == AnswerCause::unknown);
  CHECK(cause_of(summary_of("a.log", refused)) == AnswerCause::apf);
  CHECK(cause_of(summary_of("a.log", inside)) == AnswerCause::other);
}

TEST_CASE("what clients say of servers that refused them", "[summary][refusals]") {
  const std::string uid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
  const LogSummary waits = summary_of(
      "operator.log",
      "I1005 09:00:00.033684       1 request.go:752] Waited for 1.0000s, retries: 1, retry-after: 1s - retry-reason: "
      "due "
      "to server-side throttling, FlowSchema UID: \"" +
          uid +
          "\" - request: GET:https://10.96.0.1:443/api/v1/pods\n"
          "I1005 09:00:01.033684       1 request.go:752] \"Waited before sending request\" delay=\"1.1s\" "
          "reason=\"retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: \\\"" +
          uid + "\\\"\" verb=\"GET\" URL=\"https://10.96.0.1:443/api/v1/pods\"\n");
  CHECK(waits.throttling.lines == 0);
  CHECK(waits.throttling.refused == 2);
  REQUIRE(waits.throttling.schemas.size() == 1);
  CHECK(waits.throttling.schemas[0].names[0] == uid);
  REQUIRE(waits.throttling.refused_targets.size() == 1);
  CHECK(waits.throttling.refused_targets[0].names[0] == "GET 10.96.0.1:443 /api/v1/pods");

  // As kubectl -v=8 writes it: of the two answers one was a refusal.
  const std::string at = "I1005 09:00:00.000000    4242 round_trippers.go:";
  const auto answer = [&](const std::string& status, const std::string& schema) {
    return at + "463] GET https://10.96.0.1:443/api/v1/pods?limit=500\n" + at + "574] Response Status: " + status +
           " in 3 milliseconds\n" + at + "577] Response Headers:\n" + at +
           "580]     X-Kubernetes-Pf-Flowschema-Uid: " + schema + "\n";
  };
  const LogSummary kubectl = summary_of(
      "kubectl.log", answer("429 Too Many Requests", uid) + answer("200 OK", "11111111-4b5a-6978-8796-a5b4c3d2e1f0") +
                         "Error from server (TooManyRequests): the server has received too many requests and has asked "
                         "us to try again later (get pods)\n");
  CHECK(kubectl.throttling.refused == 1);
  REQUIRE(kubectl.throttling.refused_targets.size() == 1);
  CHECK(kubectl.throttling.refused_targets[0].names[0] == "GET 10.96.0.1:443 /api/v1/pods");
  REQUIRE(kubectl.throttling.schemas.size() == 1);
  CHECK(kubectl.throttling.schemas[0].names[0] == uid);

  const LogSummary zap = summary_of(
      "manager.log",
      "2026-04-16T10:00:01.000Z\tERROR\tleaderelection\tclient rate limiter Wait returned an error: context deadline "
      "exceeded\n"
      "{\"level\":\"error\",\"ts\":\"2026-04-16T10:00:02Z\",\"msg\":\"cannot list\",\"error\":\"the server has "
      "received "
      "too many requests and has asked us to try again later (get pods)\"}\n");
  CHECK(zap.throttling.gave_up == 1);
  CHECK(zap.throttling.refused == 1);
  CHECK(zap.stat.unusable.empty());
}

TEST_CASE("a request that was answered 504 without an execution time holds no seats", "[summary][refusals]") {
  const LogSummary s = summary_of(
      "a.log",
      "I1005 09:01:00.000000      11 httplog.go:134] \"HTTP\" verb=\"LIST\" URI=\"/api/v1/pods\" latency=\"1m0.03s\" "
      "userAgent=\"a\" audit-ID=\"1\" srcIP=\"10.0.0.0:4\" apf_pl=\"p\" apf_fs=\"f\" apf_iseats=10 apf_fseats=0 "
      "apf_additionalLatency=\"0s\" resp=504\n");
  CHECK(s.total.requests == 1);
  CHECK(s.total.seat_seconds == 0);
  CHECK(s.runs_unknown == 1);
}
