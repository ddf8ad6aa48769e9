// Token buckets and max-in-flight against models that are plain and slow.
#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"
#include "replay/stages/client_limiter.h"
#include "replay/stages/max_in_flight.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

// Requests with lifetimes chosen beforehand; every one that is served is remembered for good.
class NaiveFilter final : public ControllerListener {
 public:
  struct Request {
    Nanos time = 0, lasts = 0;
    bool mutating = false, masters = false;
    enum class Fate { none, served, refused } fate = Fate::none;  // as the listener saw it
    Nanos ended = -1;
  };
  std::vector<Request> requests;

  Nanos on_dispatch(std::uint64_t tag, Nanos now) override {
    REQUIRE(now == requests[tag].time);
    requests[tag].fate = Request::Fate::served;
    return now + requests[tag].lasts;
  }
  void on_refuse(std::uint64_t tag, Nanos now, apf::Outcome outcome, int retry_after) override {
    REQUIRE(now == requests[tag].time);
    REQUIRE(outcome == apf::Outcome::max_in_flight);
    REQUIRE(retry_after == 1);
    requests[tag].fate = Request::Fate::refused;
  }
  void on_release(std::uint64_t tag, Nanos now) override {
    REQUIRE(requests[tag].ended == -1);
    requests[tag].ended = now;
  }
};

}  // namespace

TEST_CASE("a token bucket sends when a conforming stream would", "[property][stages]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  for (int round = 0; round < test::rounds(300); ++round) {
    const float qps = static_cast<float>(0.01 * std::pow(10.0, static_cast<double>(below(random, 50)) / 10));
    const int burst = 1 + static_cast<int>(below(random, 30));
    INFO("qps " << qps << " burst " << burst);
    const TokenRate rate{qps, static_cast<double>(burst)};
    TokenBucket bucket(rate);
    // The generic cell rate algorithm: the time at which the bucket would be full again.
    const long double between = 1e9L / static_cast<long double>(qps);
    long double full_at = 0;
    Nanos now = below(random, 1'000'000) * kSecond, last_sent = 0;
    std::vector<Nanos> sent;
    for (int i = 0; i < 200; ++i) {
      if (random() % 3 == 0)
        now += below(random, static_cast<std::int64_t>(between * (random() % 20 == 0 ? 50 : 2)) + 1);
      full_at = std::max(full_at, static_cast<long double>(now)) + between;
      const long double at = std::max<long double>(static_cast<long double>(now), full_at - between * burst);
      const Nanos time = now + bucket.reserve(rate, now);
      REQUIRE(std::abs(static_cast<double>(static_cast<long double>(time) - at)) <
              2000 + 1e-9 * static_cast<double>(at - static_cast<long double>(now)));
      REQUIRE(time >= last_sent);  // first come, first served
      last_sent = time;
      sent.push_back(time);
    }
    for (std::size_t i = static_cast<std::size_t>(burst); i < sent.size(); ++i)
      REQUIRE(static_cast<double>(sent[i] - sent[i - static_cast<std::size_t>(burst)]) >
              static_cast<double>(between) - 4000);
  }
}

TEST_CASE("max-in-flight serves as many as a count of all requests allows", "[property][stages]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  for (int round = 0; round < test::rounds(200); ++round) {
    const InFlightLimits limits{static_cast<int>(below(random, 6)), static_cast<int>(below(random, 4))};
    INFO("round " << round << " limits " << limits.read_only << ", " << limits.mutating);
    NaiveFilter naive;
    Nanos time = 0;
    for (int i = 0; i < 150; ++i) {
      time += below(random, 4);
      naive.requests.push_back({time, below(random, 15), random() % 3 == 0, random() % 8 == 0});
    }
    MaxInFlight filter(limits, naive, 0, INT64_MIN, INT64_MAX);
    for (std::size_t i = 0; i < naive.requests.size(); ++i) {
      if (random() % 4 == 0) filter.run_until(naive.requests[i].time);
      filter.arrive(naive.requests[i].time, {i, naive.requests[i].mutating, naive.requests[i].masters, true});
    }
    filter.drain();
    InFlightReport report;
    filter.fill(report, time);

    std::vector<bool> counted(naive.requests.size());
    std::uint64_t refused[2] = {}, uncounted[2] = {};
    int peak[2] = {};
    for (std::size_t i = 0; i < naive.requests.size(); ++i) {
      const auto& r = naive.requests[i];
      const int limit = r.mutating ? limits.mutating : limits.read_only;
      int in_flight = 0;
      for (std::size_t j = 0; j < i; ++j) {
        const auto& other = naive.requests[j];
        if (counted[j] && other.mutating == r.mutating && other.time + other.lasts > r.time) ++in_flight;
      }
      const bool full = limit > 0 && in_flight >= limit;
      counted[i] = limit > 0 && !full;
      if (full) ++(r.masters ? uncounted : refused)[r.mutating];
      if (counted[i]) peak[r.mutating] = std::max(peak[r.mutating], in_flight + 1);
      using Fate = NaiveFilter::Request::Fate;
      REQUIRE(r.fate == (full && !r.masters ? Fate::refused : Fate::served));
      REQUIRE(r.ended == (r.fate == Fate::served ? r.time + r.lasts : -1));
    }
    REQUIRE(report.read_only.refused == refused[0]);
    REQUIRE(report.mutating.refused == refused[1]);
    REQUIRE(report.read_only.uncounted == uncounted[0]);
    REQUIRE(report.mutating.uncounted == uncounted[1]);
    REQUIRE(report.read_only.peak == peak[0]);
    REQUIRE(report.mutating.peak == peak[1]);
  }
}
