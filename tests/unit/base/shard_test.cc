// Hands that the vectors do not hold, and the odds of collisions against other ways to compute them.
#include <apf/hand.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "catch.h"
#include "support/vectors.h"

namespace apf::test {
namespace {

bool near(double got, double expected, double relative) {
  return std::fabs(got - expected) <= relative * std::fabs(expected);
}

// Dealing as KEP-1040 describes it: take the n-th of the cards that are left.
std::vector<std::uint32_t> deal_slowly(std::uint64_t hash, int deck_size, int hand_size) {
  std::vector<std::uint32_t> left(static_cast<std::size_t>(deck_size)), hand;
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::uint32_t>(i);
  for (int i = 0; i < hand_size; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(hash % left.size());
    hash /= left.size();
    hand.push_back(left[static_cast<std::size_t>(at)]);
    left.erase(left.begin() + at);
  }
  return hand;
}

// By inclusion and exclusion over the mouse's queues that no elephant holds. Exact where the odds are not tiny.
double odds_by_exclusion(int queues, int hand_size, int elephants) {
  long double sum = 0, ways = 1;  // ways = (-1)^j C(hand, j)
  for (int j = 0; j <= hand_size; ++j) {
    long double missed = 1;  // C(queues - j, hand) / C(queues, hand)
    for (int i = 0; i < hand_size; ++i) {
      missed *= static_cast<long double>(std::max(0, queues - j - i)) / static_cast<long double>(queues - i);
    }
    sum += ways * std::pow(missed, static_cast<long double>(elephants));
    ways *= -static_cast<long double>(hand_size - j) / static_cast<long double>(j + 1);
  }
  return static_cast<double>(sum);
}

TEST_CASE("hands deal the cards that are left", "[schedule]") {
  INFO("APF_TEST_SEED=" << seed());
  std::mt19937_64 random(seed());
  int dealt = 0;
  for (int deck = 1; deck <= 1400; deck += deck < 40 ? 1 : 37) {
    for (int size = 1; size <= deck && dealer_error(deck, size).empty(); ++size) {
      for (int i = 0; i < 20; ++i, ++dealt) {
        const std::uint64_t hash = i == 0 ? UINT64_MAX : random();
        INFO(hash << " " << deck << "/" << size);
        const auto hand = deal_hand(hash, deck, size);
        REQUIRE(hand == deal_slowly(hash, deck, size));
      }
    }
  }
  CHECK(dealt > 5000);
}

TEST_CASE("hands from the largest deck", "[schedule]") {
  constexpr int kDeck = 1 << 26;
  REQUIRE(dealer_error(kDeck, 2).empty());
  std::vector<std::uint32_t> hand(2);
  deal_hand(UINT64_MAX, kDeck, hand);
  CHECK(hand == std::vector<std::uint32_t>{kDeck - 1, (UINT64_MAX >> 26) % (kDeck - 1)});
}

TEST_CASE("flows hash the same on every thread", "[schedule]") {
  const std::uint64_t expected = flow_hash("service-accounts", "system:serviceaccount:ci:runner");
  std::vector<std::uint64_t> got(4);
  std::vector<std::thread> threads;
  for (auto& hash : got) {
    threads.emplace_back([&hash] {
      for (int i = 0; i < 200; ++i) {
        flow_hash("global-default", std::string(static_cast<std::size_t>(i), 'x'));
        hash = flow_hash("service-accounts", "system:serviceaccount:ci:runner");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const std::uint64_t hash : got) CHECK(hash == expected);
  // The zero byte between keeps these apart.
  CHECK(flow_hash("ab", "c") != flow_hash("a", "bc"));
}

TEST_CASE("odds of a collision are those of the published table, digit for digit", "[schedule]") {
  // Kubernetes documentation, "API Priority and Fairness", table of shuffle sharding configurations.
  struct Row {
    int hand, queues;
    double odds[3];  // 1, 4, 16 elephants
  };
  const Row rows[] = {
      {12, 32, {4.428838398950118e-09, 0.11431348830099144, 0.9935089607656024}},
      {10, 32, {1.550093439632541e-08, 0.0626479840223545, 0.9753101519027554}},
      {10, 64, {6.601827268370426e-12, 0.00045571320990370776, 0.49999929150089345}},
      {9, 64, {3.6310049976037345e-11, 0.00045501212304112273, 0.4282314876454858}},
      {8, 64, {2.25929199850899e-10, 0.0004886697053040446, 0.35935114681123076}},
      {8, 128, {6.994461389026097e-13, 3.4055790161620863e-06, 0.02746173137155063}},
      {7, 128, {1.0579122850901972e-11, 6.960839379258192e-06, 0.02406157386340147}},
      {7, 256, {7.597695465552631e-14, 6.728547142019406e-08, 0.0006709661542533682}},
      {6, 256, {2.7134626662687968e-12, 2.9516464018476436e-07, 0.0008895654642000348}},
      {6, 512, {4.116062922897309e-14, 4.982983350480894e-09, 2.26025764343413e-05}},
      {6, 1024, {6.337324016514285e-16, 8.09060164312957e-11, 4.517408062903668e-07}},
  };
  for (const Row& row : rows) {
    INFO(row.hand << " of " << row.queues);
    CHECK(collision_probability(row.queues, row.hand, 1) == row.odds[0]);
    CHECK(collision_probability(row.queues, row.hand, 4) == row.odds[1]);
    CHECK(collision_probability(row.queues, row.hand, 16) == row.odds[2]);
  }
}

TEST_CASE("odds of a collision in simple and in large cases", "[schedule]") {
  CHECK(collision_probability(64, 8, 0) == 0);
  CHECK(collision_probability(1, 1, 1) == 1);
  CHECK(near(collision_probability(15, 15, 3), 1, 1e-14));
  // One card: all elephants must miss the mouse's queue for it to be safe.
  CHECK(near(collision_probability(100, 1, 7), 1 - std::pow(0.99, 7), 1e-13));
  CHECK(near(collision_probability(1024, 6, 64), odds_by_exclusion(1024, 6, 64), 1e-11));
  CHECK(near(collision_probability(1024, 6, 1000), odds_by_exclusion(1024, 6, 1000), 1e-11));
  CHECK(near(collision_probability(512, 6, 64), odds_by_exclusion(512, 6, 64), 1e-11));
  CHECK(near(collision_probability(1 << 26, 2, 64), 64. / 67108864 * (63. / 67108864) * 4, 0.02));
  CHECK(collision_probability(1024, 6, 1'000'000'000) == 1);
  CHECK(near(collision_probability(128, 6, 1000), odds_by_exclusion(128, 6, 1000), 1e-13));
  // Far from any hand that the server deals, still a probability.
  const double wide = collision_probability(1024, 300, 3);
  CHECK((wide > 0 && wide < 1));
  double before = 0;
  for (int elephants = 1; elephants <= 64; ++elephants) {
    const double odds = collision_probability(1024, 6, elephants);
    CHECK(odds > before);
    before = odds;
  }
}

// Summed over all queues these take minutes.
TEST_CASE("odds of a collision with very many elephants and queues", "[schedule]") {
  for (const auto& [queues, hand, elephants] :
       {std::tuple(10'000, 4, 100'000), std::tuple(10'000'000, 2, 100'000), std::tuple(1 << 26, 2, 100'000),
        std::tuple(1 << 20, 3, 100'000), std::tuple(1 << 15, 4, 9'000), std::tuple(4096, 5, 3'000)}) {
    CAPTURE(queues, hand, elephants);
    CHECK(near(collision_probability(queues, hand, elephants), odds_by_exclusion(queues, hand, elephants), 1e-9));
  }
  // One elephant more or less, on both sides of the place where the sum changes.
  double before = 0;
  for (int elephants = 1'350; elephants < 1'450; ++elephants) {
    const double odds = collision_probability(1024, 6, elephants);
    CHECK((odds > before && odds <= 1));
    CHECK(near(odds, odds_by_exclusion(1024, 6, elephants), 1e-11));
    before = odds;
  }
  CHECK(collision_probability(1 << 26, 1, 100'000) > 0);
}

TEST_CASE("odds of a collision by dealing all hands", "[schedule]") {
  // 3 elephants, hands of 2 out of 5 queues: 10 hands each; the mouse holds queues 0 and 1.
  std::vector<std::set<int>> hands;
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 5; ++b) hands.push_back({a, b});
  }
  int squashed = 0;
  for (const auto& x : hands) {
    for (const auto& y : hands) {
      for (const auto& z : hands) {
        std::set<int> taken = x;
        taken.insert(y.begin(), y.end());
        taken.insert(z.begin(), z.end());
        squashed += taken.count(0) != 0 && taken.count(1) != 0;
      }
    }
  }
  CHECK(near(collision_probability(5, 2, 3), squashed / 1000.0, 1e-14));
}

}  // namespace
}  // namespace apf::test
