// What rose in a log, and what a log says by itself of why.
#include <algorithm>
#include <random>

#include <apf/log_summary.h>
#include <fmt/core.h>

#include "catch.h"
#include "support/written_log.h"

using namespace apf;
using test::Line;
using test::Written;

namespace {

constexpr Nanos kMinute = 60 * kSecond;

// 30 minutes of a few clients that do the same all the time.
Written calm() {
  Written log;
  for (int i = 0; i < 8; ++i)
    log.repeat({.at = i * 0.1, .user = fmt::format("system:serviceaccount:team-{}:app", i)}, 180, 10);
  return log;
}

Nanos minutes_of(const LogSummary& summary, Nanos time) {
  return (time - *summary.first / kMinute * kMinute) / kMinute;
}

}  // namespace

TEST_CASE("what rose: a client, a kind of requests, a namespace, seconds", "[summary]") {
  CHECK(calm().summary().why.changes.empty());

  Written loop = calm();
  loop.repeat({.at = 600,
               .user = "system:serviceaccount:fleet:importer",
               .verb = "update",
               .uri = "/apis/fleet.example/v1/namespaces/fleet/clusters/c/status",
               .code = 409},
              6000, 0.1);
  const LogSummary s = loop.summary();
  CHECK(s.why.basis == WhyBasis::log);
  CHECK(s.why.verdict == WhyVerdict::none);
  REQUIRE(!s.why.changes.empty());
  CHECK(std::any_of(s.why.changes.begin(), s.why.changes.end(),
                    [](const WhyChange& change) { return change.by == WhyBy::answer && change.name == "409"; }));
  const auto client = s.why.changes.begin();
  CHECK(client->by == WhyBy::user);
  CHECK(client->name == "system:serviceaccount:fleet:importer");
  CHECK(minutes_of(s, client->from) == 10);
  CHECK(minutes_of(s, client->to) == 20);
  CHECK(client->then > 590);
  CHECK(client->before < 1);
  CHECK(client->share > 0.9);

  Written nodes = calm();  // one row for all of them
  for (int i = 0; i < 20; ++i)
    nodes.repeat({.at = 300 + 0.01 * i,
                  .user = fmt::format("system:node:n{}", i),
                  .verb = "patch",
                  .uri = "/api/v1/namespaces/config/pods/p/status"},
                 60, 5);
  const LogSummary n = nodes.summary();
  CHECK(std::any_of(n.why.changes.begin(), n.why.changes.end(), [](const WhyChange& change) {
    return change.by == WhyBy::fleet && change.name == "system:node:*" && change.request == "patch pods/status";
  }));
  CHECK(std::any_of(n.why.changes.begin(), n.why.changes.end(),
                    [](const WhyChange& change) { return change.by == WhyBy::ns && change.name == "config"; }));

  Written slow = calm();
  slow.repeat({.at = 900, .verb = "list", .uri = "/api/v1/pods", .takes = 4}, 120, 2.5);
  const LogSummary t = slow.summary();
  REQUIRE(t.slow_rise);
  CHECK(minutes_of(t, t.slow_rise->from) == 15);
  CHECK(minutes_of(t, t.slow_rise->to) == 20);
  CHECK(
      std::any_of(t.why.changes.begin(), t.why.changes.end(), [](const WhyChange& change) { return change.seconds; }));
}

// The generator knows who rises, and when; order, and others that come and go by chance, change nothing.
TEST_CASE("what rose is found among others", "[summary]") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    const int from = std::uniform_int_distribution(3, 18)(random), lasts = std::uniform_int_distribution(4, 10)(random);
    const int factor = std::uniform_int_distribution(3, 8)(random);
    std::vector<Line> lines;
    std::uniform_real_distribution<> when(0, 1800), within(from * 60, (from + lasts) * 60);
    for (int i = 0; i < 6000; ++i)
      lines.push_back({.at = when(random), .user = fmt::format("system:serviceaccount:team-{}:app", i % 12)});
    for (int i = 0; i < 200 * lasts * factor; ++i)
      lines.push_back({.at = within(random), .user = "system:serviceaccount:ops:loud"});
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.at < b.at; });
    Written log;
    for (const Line& line : lines) log.add(line);
    const LogSummary s = log.summary();
    REQUIRE(!s.why.changes.empty());
    CHECK(s.why.changes.front().name == "system:serviceaccount:ops:loud");
    CHECK(minutes_of(s, s.why.changes.front().from) == from);
    CHECK(minutes_of(s, s.why.changes.front().to) == from + lasts);
  }
}

TEST_CASE("what failed is named", "[summary]") {
  Written log = calm();
  log.repeat({.at = 300,
              .verb = "create",
              .uri = "/api/v1/namespaces/x/pods",
              .code = 500,
              .takes = 10,
              .status = R"("message":"Internal error occurred: failed calling webhook \"deny.policy.example\": )"
                        R"(failed to call webhook: context deadline exceeded",)"},
             100, 1);
  log.repeat({.at = 400, .verb = "list", .uri = "/apis/metrics.k8s.io/v1beta1/pods", .code = 503}, 100, 1);
  log.repeat({.at = 500, .code = 500, .status = R"("message":"etcdserver: request timed out",)"}, 100, 1);
  const LogSummary s = log.summary();
  const auto row = [&](AnswerCause cause) {
    const auto at = std::find_if(s.answers.begin(), s.answers.end(),
                                 [&](const LogAnswers& answers) { return answers.cause == cause; });
    REQUIRE(at != s.answers.end());
    return *at;
  };
  CHECK(row(AnswerCause::webhook_failed).about == "deny.policy.example");
  CHECK(row(AnswerCause::unavailable).about == "metrics.k8s.io");
  CHECK(row(AnswerCause::etcd_failed).requests == 100);
}

TEST_CASE("why, by a log alone", "[summary]") {
  Written log = calm();
  CHECK(log.summary().why.verdict == WhyVerdict::none);
  log.repeat({.at = 10, .code = 429}, 20, 1);
  const LogSummary refused = log.summary();
  CHECK(refused.why.verdict == WhyVerdict::undecided);
  CHECK(!refused.why.open.empty());
  CHECK(refused.why.culprits.empty());
}
