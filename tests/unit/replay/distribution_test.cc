#include <apf/replay.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "replay/books/tally.h"
#include "support/vectors.h"

using namespace apf;

TEST_CASE("quantiles are within 0.8 % of the exact ones", "[replay]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 30; ++round) {
    DurationDistribution whole, left, right;
    std::vector<Nanos> values;
    const int n = static_cast<int>(1 + random() % 3000);
    for (int i = 0; i < n; ++i) {
      const Nanos value = random() % 3 == 0 ? 0 : static_cast<Nanos>(random() >> (random() % 60 + 4));
      values.push_back(value);
      whole.add(value);
      (random() % 2 ? left : right).add(value);
    }
    left.merge(right);
    std::sort(values.begin(), values.end());
    for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * n)));
      const auto exact = static_cast<double>(values[rank - 1]);
      const auto got = static_cast<double>(whole.quantile(q));
      REQUIRE(std::abs(got - exact) <= exact * 0.008 + 1);
      REQUIRE(left.quantile(q) == whole.quantile(q));
    }
    CHECK(whole.count() == values.size());
    CHECK(whole.max() == values.back());
    long double sum = 0;
    for (const Nanos value : values) sum += static_cast<long double>(value);
    CHECK(whole.mean() == Approx(static_cast<double>(sum / n)));
    CHECK(left.mean() == Approx(whole.mean()));
  }
}

TEST_CASE("how many durations are not longer than another one", "[replay]") {
  DurationDistribution durations;
  for (const Nanos value : {0, 5, 10, 10, 20, 1000}) durations.add(value);
  CHECK(durations.count_up_to(-1) == 0);
  CHECK(durations.count_up_to(0) == 1);
  CHECK(durations.count_up_to(9) == 2);
  CHECK(durations.count_up_to(10) == 4);
  CHECK(durations.count_up_to(11) == 4);
  CHECK(durations.count_up_to(999) == 5);
  CHECK(durations.count_up_to(1000) == 6);
}

TEST_CASE("an empty distribution answers 0", "[replay]") {
  const DurationDistribution none;
  CHECK(none.quantile(0.5) == 0);
  CHECK(none.mean() == 0);
  CHECK(none.max() == 0);
}

TEST_CASE("time averages count only what lies in the report's span", "[replay]") {
  TimeAverage average;
  average.limit(100, 200);
  average.set(0, 50);
  average.set(150, 2);
  average.set(180, 4);
  average.set(500, 100);
  CHECK(average.average() == Approx((50 * 50 + 2 * 30 + 4 * 20) / 100.0));
  CHECK(average.max() == 50);
  CHECK(average.min() == 2);
}

TEST_CASE("the top flows are those with the largest sum, ties by name", "[replay]") {
  std::vector<FlowReport> flows(4);
  const char* names[] = {"d", "c", "b", "a"};
  for (std::size_t i = 0; i < 4; ++i) {
    flows[i].distinguisher = names[i];
    add(flows[i].tally, {Outcome::executed, true, 10, 0});
  }
  add(flows[3].tally, {Outcome::time_out, true, 5, 0});
  flows[1].tally = {};
  const auto waited = waited_most(flows, 2);
  REQUIRE(waited.size() == 2);
  CHECK(waited[0].distinguisher == "a");
  CHECK(waited[1].distinguisher == "b");
  const auto refused = refused_most(flows, 10);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].tally.outcomes[Outcome::time_out] == 1);
}

TEST_CASE("instants of the command line", "[replay]") {
  CHECK(ReplayTime::parse("1500")->value == 1500);
  CHECK_FALSE(ReplayTime::parse("1500")->relative);
  CHECK(ReplayTime::parse("90s")->relative);
  CHECK(ReplayTime::parse("90s")->value == 90 * kSecond);
  CHECK(ReplayTime::parse("2026-11-20T12:00:00Z")->value == *parse_rfc3339("2026-11-20T12:00:00Z"));
  CHECK_FALSE(ReplayTime::parse("noon"));
  CHECK_FALSE(ReplayTime::parse(""));
}
