// How many events a second one core decides: 100,000 keys in turn at limits that keep 4,096 of them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "admission/event_rate_limit.h"

namespace {

constexpr int kRepetitions = 9;
constexpr int kEvents = 4'000'000;
constexpr int kKeys = 100'000;
constexpr double kFloor = 5;

using Limit = apf::EventRateLimitConfiguration::Limit;

volatile std::uint64_t sink = 0;  // so that the work is not optimised away

// Millions a second of processor time, the median of several runs. `skew`: how much more often the first keys come than
// the last ones.
double rate(std::vector<Limit> limits, bool skewed) {
  std::vector<apf::EventKeys> keys(kKeys);
  for (int i = 0; i < kKeys; ++i) {
    const std::string text = "kubelet" + std::to_string(i) + "Podshopweb-" + std::to_string(i);
    for (auto& key : keys[static_cast<std::size_t>(i)].of) key = apf::event_key(text);
  }
  apf::EventRateLimitConfiguration configuration;
  configuration.limits = std::move(limits);
  std::vector<double> rates;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    apf::EventRateLimiter limiter(configuration);
    std::uint64_t state = 1, passed = 0;
    const std::clock_t begin = std::clock();
    for (int i = 0; i < kEvents; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      std::uint64_t key = (state >> 33) % kKeys;
      if (skewed) key = key * ((state >> 7) % kKeys) / kKeys;
      passed += limiter.ask(keys[key], i * apf::Nanos{1000}) ? 1 : 0;
    }
    const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    rates.push_back(kEvents / took / 1e6);
    sink = sink + passed;
  }
  std::nth_element(rates.begin(), rates.begin() + kRepetitions / 2, rates.end());
  return rates[kRepetitions / 2];
}

}  // namespace

int main() {
  const double even = rate({{"SourceAndObject", 1, 25, 4096}}, false);
  std::printf("events: one limit, every key as often %.1f M/s (floor %g M/s)\n", even, kFloor);
  std::printf("events: one limit, some keys more often %.1f M/s\n", rate({{"SourceAndObject", 1, 25, 4096}}, true));
  std::printf("events: one limit, room for all keys %.1f M/s\n", rate({{"SourceAndObject", 1, 25, kKeys}}, false));
  std::printf(
      "events: all four limits %.1f M/s\n",
      rate({{"Server", 1000, 10000, 0}, {"Namespace", 10, 100, 0}, {"User", 10, 100, 0}, {"SourceAndObject", 1, 25, 0}},
           false));
  return even >= kFloor ? 0 : 1;
}
