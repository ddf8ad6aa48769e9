// What heavy flows leave to a small one: against sums and small cases counted by hand.
#include "catch.h"

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <apf/hand.h>

using namespace apf;

namespace {

// All ways in which two heavy flows and a small one have hands of 2 of 4 queues.
std::vector<double> counted_free() {
  std::vector<std::set<int>> hands;
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) hands.push_back({a, b});
  std::vector<double> free(3);
  for (const auto& one : hands)
    for (const auto& two : hands)
      for (const auto& mouse : hands) {
        int left = 0;
        for (const int queue : mouse) left += one.count(queue) + two.count(queue) == 0;
        ++free[static_cast<std::size_t>(left)];
      }
  for (double& f : free) f /= static_cast<double>(hands.size() * hands.size() * hands.size());
  return free;
}

}  // namespace

TEST_CASE("free queues of a small flow, counted", "[schedule]") {
  const std::vector<double> counted = counted_free();
  const CollisionDetail detail = collision_detail(4, 2, 2);
  REQUIRE(detail.free.size() == 3);
  for (std::size_t n = 0; n < 3; ++n) CHECK(detail.free[n] == Approx(counted[n]).epsilon(1e-12));
  CHECK(detail.taken == Approx(4 * (1 - 0.25)));
}

TEST_CASE("the parts add up, and the first is the odds of a collision", "[schedule]") {
  for (const auto& [queues, hand] : {std::pair{128, 6}, {64, 8}, {512, 6}, {10, 10}, {1, 1}}) {
    for (const int elephants : {0, 1, 4, 16, 100, 100'000}) {
      INFO(queues << "/" << hand << " " << elephants);
      const CollisionDetail detail = collision_detail(queues, hand, elephants);
      CHECK(std::accumulate(detail.free.begin(), detail.free.end(), 0.0) == Approx(1).epsilon(1e-9));
      CHECK(detail.free.front() == collision_probability(queues, hand, elephants));
      double left = 0;
      for (std::size_t n = 0; n < detail.free.size(); ++n) left += static_cast<double>(n) * detail.free[n];
      CHECK(left == Approx(hand * (1 - detail.taken / queues)).margin(1e-9));
    }
  }
  CHECK(collision_detail(128, 6, 1).taken == Approx(6));
}

TEST_CASE("where the odds of a collision reach a percent", "[schedule]") {
  for (const auto& [queues, hand] : {std::pair{256, 7}, {128, 6}, {32, 12}, {64, 8}}) {
    const int at = elephants_until(queues, hand, 0.01).value();
    INFO(queues << "/" << hand << " " << at);
    CHECK(collision_probability(queues, hand, at) >= 0.01);
    CHECK(collision_probability(queues, hand, at - 1) < 0.01);
  }
  CHECK(elephants_until(256, 7, 0.01) == 27);  // where the program of KEP-1040 ends
  CHECK(elephants_until(5, 5, 0.01) == 1);
  CHECK_FALSE(elephants_until(4097, 2, 0.01).has_value());
}
