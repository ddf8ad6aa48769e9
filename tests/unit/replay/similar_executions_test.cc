// Executions that a log does not show follow those of similar requests.
#include "replay/store/similar_executions.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"

using namespace apf;

namespace {

constexpr Nanos kNothing = -1;

// 400 executions of one kind, some of which are much longer than others.
std::vector<Nanos> executions() {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> seconds(2.5);
  std::vector<Nanos> out;
  for (int i = 0; i < 400; ++i) out.push_back(static_cast<Nanos>(seconds(random) * 1e9));
  return out;
}

double mean(const std::vector<Nanos>& values) {
  double sum = 0;
  for (const Nanos value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

double quantile(std::vector<Nanos> values, double q) {
  std::sort(values.begin(), values.end());
  return static_cast<double>(values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))]);
}

std::vector<Nanos> taken(const SimilarExecutions& similar, std::uint64_t seed, int count) {
  SimilarExecutions::Draws draws(similar, seed);
  std::vector<Nanos> out;
  for (int i = 0; i < count; ++i) out.push_back(draws.next(7, 1, 0, kNothing));
  return out;
}

}  // namespace

TEST_CASE("executions of similar requests keep their mean and their distribution", "[replay][what-if]") {
  SimilarExecutions similar;
  const std::vector<Nanos> seen = executions();
  for (const Nanos execution : seen) similar.add(7, 1, execution, 0);
  similar.finish();
  const std::vector<Nanos> some = taken(similar, 0, 300);
  CHECK(mean(some) == Approx(mean(seen)).epsilon(0.02));
  for (const double q : {0.1, 0.5, 0.9, 0.98}) CHECK(quantile(some, q) == Approx(quantile(seen, q)).epsilon(0.15));
  CHECK(taken(similar, 0, 300) == some);
  // A few of them are not all from one end either.
  CHECK(mean(taken(similar, 0, 20)) == Approx(mean(seen)).epsilon(0.2));
}

TEST_CASE("other seeds take other executions, as uncertain as the log leaves them", "[replay][what-if]") {
  SimilarExecutions similar;
  const std::vector<Nanos> seen = executions();
  for (const Nanos execution : seen) similar.add(7, 1, execution, 0);
  similar.finish();
  CHECK(taken(similar, 1, 50) == taken(similar, 1, 50));
  CHECK(taken(similar, 1, 50) != taken(similar, 2, 50));
  // The mean of 400 is known to a twentieth of the deviation, and so is the mean of as many that are drawn.
  const double deviation = mean(seen);  // of an exponential distribution
  double sum = 0, squares = 0;
  constexpr int kSeeds = 200;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const double off = mean(taken(similar, static_cast<std::uint64_t>(seed), 400)) - mean(seen);
    sum += off;
    squares += off * off;
  }
  CHECK(std::abs(sum / kSeeds) < deviation / 20 * 0.4);
  CHECK(std::sqrt(squares / kSeeds) == Approx(deviation / 20 * std::sqrt(2)).epsilon(0.25));
}

TEST_CASE("without requests of the same user, those of other users are similar", "[replay][what-if]") {
  SimilarExecutions none;
  none.finish();
  CHECK(SimilarExecutions::Draws(none, 0).next(7, 1, 0, kNothing) == kNothing);
  SimilarExecutions similar;
  similar.add(7, 1, 10 * kSecond, 0);
  similar.add(8, 2, kSecond, 0);
  similar.add(5, 5, 0, 0);  // not measurable
  similar.finish();
  for (const std::uint64_t seed : {0, 3}) {
    INFO("seed " << seed);
    SimilarExecutions::Draws draws(similar, seed);
    CHECK(draws.next(7, 1, 0, kNothing) == 10 * kSecond);  // a single one says nothing of how far others differ
    CHECK(draws.next(9, 2, 0, kNothing) == kSecond);
    CHECK(draws.next(5, 5, 0, kNothing) == 0);
  }
  const Nanos any = SimilarExecutions::Draws(similar, 0).next(9, 3, 0, kNothing);
  CHECK((any == 0 || any == kSecond || any == 10 * kSecond));
}

TEST_CASE("of what is similar to nothing, each run takes the same", "[replay][what-if]") {
  SimilarExecutions similar;
  for (const Nanos execution : executions()) similar.add(7, 1, execution, 0);
  similar.finish();
  SimilarExecutions::Draws first(similar, 0), second(similar, 0);
  for (int i = 0; i < 20; ++i) CHECK(first.next(9, 9, 0, kNothing) == second.next(9, 9, 0, kNothing));
}

TEST_CASE("where all requests take longer for a while, so do those of which the log does not say it",
          "[replay][what-if]") {
  SimilarExecutions similar;
  // Ten minutes; in the fourth all take 16 times as long.
  const auto takes = [](int second, std::uint32_t service) {
    return (second / 60 == 3 ? 16 : 1) * static_cast<Nanos>(service) * 10 * kMillisecond;
  };
  for (int second = 0; second < 600; ++second)
    for (std::uint32_t service = 1; service <= 3; ++service)
      similar.add(7, service, takes(second, service), second * kSecond);
  similar.finish();
  SimilarExecutions::Draws draws(similar, 0);
  const auto mean_at = [&](int second, std::uint32_t service) {
    double sum = 0;
    for (int i = 0; i < 200; ++i) sum += static_cast<double>(draws.next(7, service, second * kSecond, kNothing));
    return sum / 200;
  };
  for (const std::uint32_t service : {1u, 2u, 3u})
    for (const int second : {100, 210, 500})
      CHECK(mean_at(second, service) == Approx(takes(second, service)).epsilon(0.1));
}
