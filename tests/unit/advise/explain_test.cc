// Why by experiments: one log for each verdict, of which it is known what was at fault.
#include <apf/advise.h>

#include <list>

#include <fmt/format.h>

#include "catch.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

struct Client {
  std::string user, verb = "get", uri = "/api/v1/nodes/n1", agent = {};
  int seats = 1;
};

std::string account(const std::string& ns, const std::string& name) {
  return "system:serviceaccount:" + ns + ":" + name;
}

std::string line(Nanos at, const Client& client, Nanos takes) {
  const bool master = client.user == "admin";
  const bool node = client.user.starts_with("system:node:");
  return fmt::format(
      "{{\"time\":\"{}\",\"user\":\"{}\",\"groups\":[\"{}\",\"system:authenticated\"],\"verb\":\"{}\",\"uri\":\"{}\","
      "\"userAgent\":\"{}\",\"execution\":{},\"seats\":{{\"initial\":{},\"final\":0,\"additionalLatencyNs\":0}}}}\n",
      format_rfc3339(kNoon + at), client.user,
      master ? "system:masters"
      : node ? "system:nodes"
             : "system:serviceaccounts",
      client.verb, client.uri, client.agent, takes, client.seats);
}

// `count` requests from `at` on, one every `step`.
std::string lines(Nanos at, int count, Nanos step, const Client& client, Nanos takes) {
  std::string out;
  for (int i = 0; i < count; ++i) out += line(at + i * step, client, takes);
  return out;
}

// A minute of five clients that are served at once when they are alone.
std::string calm(int minutes = 1) {
  std::string out;
  for (const char* name : {"cart", "search", "risk", "mail", "feed"})
    out += lines(0, 600 * minutes, 100 * kMillisecond, {account("shop", name)}, 20 * kMillisecond);
  return out;
}

ReplayOptions options_of(const std::string& text, int seats = 20) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = seats;
  options.logs = {"trace.jsonl"};
  static std::list<std::string> kept;  // options have a view of it
  options.texts["trace.jsonl"] = kept.emplace_back(text);
  return options;
}

WhyReport why(const ReplayOptions& options, std::uint64_t most = 100'000) {
  const std::optional<WhyReport> out = explain_by_replay({options, most}, replay(options));
  REQUIRE(out);
  return *out;
}

PriorityLevel& level(ReplayOptions& options, const std::string& name) {
  for (PriorityLevel& one : options.config.priority_levels)
    if (one.meta.name == name) return one;
  throw std::runtime_error("no such level");
}

std::string in_words(const WhyReport& why) {
  std::string out = to_string(why.verdict);
  for (const WhyCulprit& culprit : why.culprits) out += " " + culprit.name;
  return out;
}

}  // namespace

TEST_CASE("Where nothing is refused, nothing is looked for", "[why]") {
  const WhyReport found = why(options_of(calm()));
  CHECK(in_words(found) == "none");
  CHECK(found.replays == 0);
}

TEST_CASE("One client that takes the seats of its level is named, with what is refused without it", "[why]") {
  const WhyReport found = why(options_of(calm() + lines(10 * kSecond, 2000, 10 * kMillisecond,
                                                        {account("ops", "sync"), "list", "/api/v1/pods"}, kSecond)));
  CHECK(in_words(found) == "client " + account("ops", "sync"));
  CHECK(found.refused > 100);
  CHECK(found.culprits.front().refused_without.value == 0);
  CHECK(found.culprits.front().requests == 2000);
  CHECK(found.culprits.front().does == "2,000 lists of pods");
}

TEST_CASE("So is one of the exempt level, which takes seats from all others", "[why]") {
  std::string log = calm();
  for (const char* name : {"cart", "search", "risk"})
    log += lines(0, 1200, 50 * kMillisecond, {account("shop", name)}, 170 * kMillisecond);
  for (int i = 0; i < 5; ++i)
    log += line(10 * kSecond + i * 9 * kSecond, {"admin", "list", "/api/v1/nodes", "cli/v1", 18}, 9 * kSecond);
  ReplayOptions options = options_of(log, 24);
  const WhyReport found = why(options);
  CHECK(in_words(found).starts_with("client admin"));
  CHECK(found.culprits.front().does == "5 lists of nodes, up to 18 seats each");
  CHECK(found.culprits.front().refused_without.value == 0);
  REQUIRE(!found.cures.empty());
  CHECK(found.cures.front().kind == WhyCureKind::client);
}

TEST_CASE("Nodes that do the same are one culprit", "[why]") {
  std::string log = calm();
  for (int node = 0; node < 60; ++node)
    log += lines(20 * kSecond + node, 40, 100 * kMillisecond,
                 {fmt::format("system:node:n{}", node), "list", "/api/v1/pods", "kubelet/v1"}, kSecond);
  const WhyReport found = why(options_of(log));
  CHECK(in_words(found) == "fleet system:node:*");
}

TEST_CASE("A level that rejects while seats are idle is the configuration's fault", "[why]") {
  std::string log = calm();
  for (const char* name : {"a", "b", "c", "d"})
    log += lines(0, 200, 300 * kMillisecond, {account("jobs", name)}, 400 * kMillisecond);
  ReplayOptions options = options_of(log);
  level(options, "workload-low").limited->limit_response = "Reject";
  level(options, "workload-low").limited->queuing.reset();
  const WhyReport found = why(options);
  CHECK(found.verdict == WhyVerdict::configuration);
  REQUIRE(!found.cures.empty());
  CHECK(found.cures.front().object == "workload-low");
  CHECK(found.cures.front().field == "spec.limited.limitResponse.type");
  CHECK(found.cures.front().to == "Queue");
  CHECK(found.cures.front().refused_with.value == 0);
  CHECK(found.cures.front().patch.find(R"("limitResponse":{"type":"Queue","queuing":)") != std::string::npos);
}

TEST_CASE("More than there are seats for is overload, and the seats that would do are said", "[why]") {
  std::string log;
  for (int i = 0; i < 20; ++i)
    log += lines(i, 600, 100 * kMillisecond, {account("shop", fmt::format("c{}", i))}, 120 * kMillisecond);
  const WhyReport found = why(options_of(log, 20));
  CHECK(in_words(found) == "overload");
  CHECK(found.seats_needed == Approx(24).margin(0.5));
  REQUIRE(!found.cures.empty());
  CHECK(found.cures.front().kind == WhyCureKind::server);
}

TEST_CASE("Executions that grow at all levels are the server's", "[why]") {
  const auto log = [](Nanos begin, Nanos end) {
    std::string out;
    for (int i = 0; i < 1200; ++i) {
      const Nanos at = i * 50 * kMillisecond;
      const Nanos times = at >= begin && at < end ? 20 : 1;
      for (const char* name : {"cart", "search", "risk", "mail", "feed"})
        out += line(at, {account("shop", name)}, times * 30 * kMillisecond);
      out += line(at, {"system:node:n1", "update", "/api/v1/nodes/n1/status"}, times * 10 * kMillisecond);
    }
    return out;
  };
  const WhyReport found = why(options_of(log(20 * kSecond, 40 * kSecond)));
  CHECK(found.verdict == WhyVerdict::server);
  CHECK(found.slower == Approx(20).epsilon(0.05));
  REQUIRE(found.from);
  CHECK(std::abs(*found.from - kNoon - 20 * kSecond) <= 2 * kSecond);
  CHECK(std::abs(*found.to - kNoon - 40 * kSecond) <= 2 * kSecond);
  REQUIRE(!found.cures.empty());
  CHECK(found.cures.front().refused_with.value == 0);
}

TEST_CASE("Clients that come in the same second of each minute are a herd", "[why]") {
  std::string log = calm(3);
  for (int minute = 1; minute < 3; ++minute)
    for (int job = 0; job < 40; ++job)
      log += lines(minute * 60 * kSecond + job, 12, 80 * kMillisecond,
                   {account("reports", fmt::format("job-{:02}", job))}, 500 * kMillisecond);
  const WhyReport found = why(options_of(log, 30));
  CHECK(in_words(found) == "herd system:serviceaccount:reports:job-*");
}

TEST_CASE("Victims of the server itself come first, nodes as one", "[why]") {
  std::string log = calm();
  for (int node = 0; node < 5; ++node)
    log += lines(node, 300, 200 * kMillisecond,
                 {fmt::format("system:node:n{}", node), "update", "/api/v1/nodes/n1/status"}, 20 * kMillisecond);
  log += lines(10 * kSecond, 2000, 10 * kMillisecond, {account("ops", "sync"), "list", "/api/v1/pods"}, kSecond);
  ReplayOptions options = options_of(log);
  for (FlowSchema& schema : options.config.flow_schemas)
    if (schema.meta.name == "system-nodes" || schema.meta.name == "system-node-high")
      schema.priority_level = "workload-low";
  const WhyReport found = why(options);
  REQUIRE(!found.victims.empty());
  CHECK(found.victims.front().name == "system:node:*");
  CHECK(found.victims.front().by == WhyBy::fleet);
}

TEST_CASE("Of a long log the worst part is tried", "[why]") {
  const std::string hog =
      lines(70 * kSecond, 2000, 10 * kMillisecond, {account("ops", "sync"), "list", "/api/v1/pods"}, kSecond);
  const WhyReport found = why(options_of(calm(3) + hog), 6'000);
  CHECK(in_words(found) == "client " + account("ops", "sync"));
  REQUIRE(found.from);
  CHECK(*found.from > kNoon + 20 * kSecond);
  CHECK(*found.to < kNoon + 150 * kSecond);
}

TEST_CASE("Nothing is tried where the stages or the clients of the replay allow none", "[why]") {
  ReplayOptions options = options_of(calm());
  options.in_flight = InFlightLimits{1, 1};
  CHECK(!explain_by_replay({options}, replay(options)));
}

TEST_CASE("Nothing is named where the log contradicts the replay", "[why]") {
  ReplayOptions options = options_of(
      calm() + lines(10 * kSecond, 2000, 10 * kMillisecond, {account("ops", "sync"), "list", "/api/v1/pods"}, kSecond));
  ReplayReport report = replay(options);
  report.warnings.push_back({.kind = RemarkKind::log_contradicts_replay});
  const std::optional<WhyReport> found = explain_by_replay({options}, report);
  REQUIRE(found);
  CHECK(in_words(*found) == "undecided");
  CHECK(found->replays == 0);
}
