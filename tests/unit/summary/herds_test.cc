// Clients that ask from many machines in the same second, and steady traffic of many machines, which is none of it.
#include <algorithm>
#include <random>

#include <apf/log_summary.h>
#include <fmt/core.h>

#include "catch.h"
#include "support/written_log.h"

using namespace apf;

using test::codes;
using test::Line;
using test::Written;

namespace {

using Codes = std::vector<std::string>;
const Codes kHerd{"CLIENT-HERD"};

// A request of a machine, at a time in seconds.
struct Asked {
  double at;
  int machine;
};

Codes found_in(std::vector<Asked> asked, int code = 200) {
  std::sort(asked.begin(), asked.end(), [](const Asked& a, const Asked& b) { return a.at < b.at; });
  Written log;
  for (const Asked& one : asked)
    log.add({.at = one.at,
             .verb = "create",
             .uri = "/apis/authentication.k8s.io/v1/tokenreviews",
             .code = code,
             .agent = "gateway/v1",
             .address = fmt::format("10.1.{}.{}", one.machine / 200, one.machine % 200)});
  Codes out = codes(log.summary());
  std::erase(out, "CLIENT-REVIEWS");
  std::erase(out, "CLIENT-EARLY-RETRY");
  return out;
}

}  // namespace

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

TEST_CASE("steady traffic of many machines is no herd", "[summary]") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> fraction(0, 1);
  for (const int machines : {20, 25, 100}) {
    for (const double each : {0.3, 0.9, 2.0, 5.0}) {  // seconds from one request to the next
      INFO(machines << " machines, each every " << each << " s");
      std::vector<Asked> at_random, in_turn, loaded;
      for (int machine = 0; machine < machines; ++machine) {
        const double phase = fraction(random) * each;
        for (double at = 0; at < 60; at += each) {
          at_random.push_back({at + fraction(random) * each, machine});
          in_turn.push_back({at + phase, machine});
          loaded.push_back({300 + at + fraction(random) * each * 0.9, machine});
        }
      }
      loaded.push_back({0, 0});  // most of the time nothing comes
      loaded.push_back({3600, 0});
      CHECK(found_in(at_random).empty());
      CHECK(found_in(in_turn).empty());
      if (each < 2) CHECK(found_in(loaded).empty());
      if (each < 1) CHECK(found_in(loaded, 429).empty());
    }
  }
}

TEST_CASE("a herd stands out of the half minutes before and after", "[summary]") {
  const auto herd = [](std::vector<Asked>& asked, double begin) {
    for (int machine = 0; machine < 30; ++machine) asked.push_back({begin + machine * 0.02, machine});
  };
  std::vector<Asked> every_minute, retried, in_step, at_begin, in_traffic;
  for (int i = 0; i < 10; ++i) herd(every_minute, i * 60);
  CHECK(found_in(every_minute) == kHerd);
  for (int i = 0; i < 6; ++i) herd(retried, 40 + i * 1.05);
  retried.push_back({0, 0});
  retried.push_back({100, 0});
  CHECK(found_in(retried, 429) == kHerd);
  for (int i = 0; i < 60; ++i) herd(in_step, i);
  CHECK(found_in(in_step).empty());
  herd(at_begin, 0);
  at_begin.push_back({10, 0});
  CHECK(found_in(at_begin) == kHerd);
  // A few requests a second, of the same machines, before and after.
  for (int i = 0; i < 300; ++i) in_traffic.push_back({i * 0.2, i % 30});
  herd(in_traffic, 30.01);
  CHECK(found_in(in_traffic) == kHerd);
  for (int i = 0; i < 300; ++i) in_traffic.push_back({i * 0.2 + 0.1, i % 30});
  CHECK(found_in(in_traffic).empty());
}
