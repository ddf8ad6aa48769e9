// How many workers a loop has, where they are never all in flight at once; and what that does to a slower server.
#include "replay/clients/loop_places.h"

#include <apf/replay.h>

#include <algorithm>
#include <queue>
#include <random>

#include "catch.h"
#include "support/recorded_server.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

struct LoopRequest {
  Nanos arrival = 0, end = 0;
  bool operator<(const LoopRequest& o) const { return arrival < o.arrival; }
};

Nanos about(std::mt19937_64& random, Nanos mean, bool even) {
  return even ? mean
              : static_cast<Nanos>(std::exponential_distribution<double>(1.0 / static_cast<double>(mean))(random)) + 1;
}

// `even`: all think for the same time.
std::vector<LoopRequest> loop(std::mt19937_64& random, int workers, Nanos execution, Nanos think, Nanos span,
                              bool even) {
  std::vector<LoopRequest> out;
  for (int i = 0; i < workers; ++i)
    for (Nanos now = kTraceStart + i * 2 * kSecond / workers; now < kTraceStart + span;) {
      const Nanos end = now + about(random, execution, false);
      out.push_back({now, end});
      now = end + about(random, think, even);
    }
  std::sort(out.begin(), out.end());
  return out;
}

int most_in_flight(const std::vector<LoopRequest>& requests) {
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> ends;
  std::size_t most = 0;
  for (const LoopRequest& request : requests) {
    while (!ends.empty() && ends.top() <= request.arrival) ends.pop();
    ends.push(request.end);
    most = std::max(most, ends.size());
  }
  return static_cast<int>(most);
}

int estimate(const std::vector<LoopRequest>& requests, Nanos from) {
  LoopPlaces places(kTraceStart + from);
  for (const LoopRequest& request : requests) places.add(request.arrival, request.end, true);
  return places.estimate(most_in_flight(requests));
}

std::string worker_line(const LoopRequest& request, std::size_t number) {
  return fmt::format(
             R"({{"time":{},"id":"{}","user":"ci","groups":["system:authenticated"],"verb":"get","uri":"/api/v1/nodes","userAgent":"ci/1","code":200,"execution":{}}})",
             request.arrival, number, request.end - request.arrival) +
         "\n";
}

}  // namespace

TEST_CASE("the workers of a loop are counted though they are never all in flight", "[replay][clients]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const bool even = seed % 2 == 0;
    const auto requests = loop(random, 28, kSecond / 3, kSecond / 2, 100 * kSecond, even);
    CHECK(most_in_flight(requests) <= 23);
    const int workers = estimate(requests, 10 * kSecond);
    CHECK(workers >= 24);
    CHECK(workers <= 35);

    // Where all of them were in flight at once, that is their number.
    const auto busy = loop(random, 6, kSecond, kSecond / 10, 100 * kSecond, even);
    CHECK(most_in_flight(busy) == 6);
    CHECK(estimate(busy, 10 * kSecond) == 6);
  }
}

TEST_CASE("pauses of a loop, and a client that does not wait, add no workers", "[replay][clients]") {
  std::mt19937_64 random(1);
  auto requests = loop(random, 6, kSecond, kSecond / 10, 50 * kSecond, false);
  for (const LoopRequest& request : std::vector<LoopRequest>(requests))
    requests.push_back({request.arrival + 200 * kSecond, request.end + 200 * kSecond});
  CHECK(estimate(requests, 5 * kSecond) == 6);

  std::vector<LoopRequest> open;
  for (Nanos now = kTraceStart; now < kTraceStart + 100 * kSecond; now += about(random, kSecond / 10, false))
    open.push_back({now, now + about(random, kSecond / 2, false)});
  CHECK(estimate(open, 10 * kSecond) == most_in_flight(open));
  CHECK(LoopPlaces(kTraceStart).estimate(3) == 3);
}

TEST_CASE("a loop waits for its server with all of its workers", "[replay][clients]") {
  std::mt19937_64 random(3);
  const auto requests = loop(random, 28, kSecond / 3, kSecond / 2, 100 * kSecond, false);
  std::string log;
  for (std::size_t i = 0; i < requests.size(); ++i) log += worker_line(requests[i], i);
  const Folder folder("apf-loop-places-");
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.recorded.emplace().config = options.config;
  options.logs = {folder.write("log", log)};
  options.server_concurrency_limit = 8;
  options.client_models = {{"ci", ClientModel::loop, 0}};
  const ReplayReport report = replay(options);
  REQUIRE(report.clients.size() == 1);
  const ClientReport& client = report.clients.front();
  CHECK(client.places >= 25);
  CHECK(client.places <= 32);
  CHECK(std::abs(client.mean_think - kSecond / 2) < kSecond / 8);

  // With a number, the first requests begin so many chains, and all else is the same.
  options.client_models.front().places = client.places;
  const ReplayReport given = replay(options);
  CHECK(given.clients.front().places == client.places);
  CHECK(given.clients.front().mean_think == client.mean_think);
  CHECK(given.total.requests == report.total.requests);
  CHECK(given.total.wait.mean() == report.total.wait.mean());
}
