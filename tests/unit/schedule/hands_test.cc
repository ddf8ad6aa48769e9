// Hands that are looked up are those that are dealt.
#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"
#include "support/vectors.h"

#include "schedule/hands.h"

namespace apf::test {

TEST_CASE("a hand that is known is the one that is dealt", "[schedule][property]") {
  INFO("APF_TEST_SEED=" << seed());
  std::mt19937_64 random(seed());
  // Some flows come often, and some share a place.
  std::vector<std::uint64_t> flows{0, 1, 255, 256, 257, UINT64_MAX};
  for (int i = 0; i < 200; ++i) flows.push_back(random());
  Hands hands;
  for (const auto& [queues, size] : {std::pair{64, 6}, {128, 6}, {128, 8}, {64, 6}, {1, 1}, {15, 15}, {2000, 5}}) {
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t hash = i < 1000 ? flows[random() % flows.size()] : random();
      const auto hand = hands.of(hash, queues, size);
      INFO(hash << " " << queues << "/" << size);
      REQUIRE(std::ranges::equal(hand, deal_hand(hash, queues, size)));
    }
  }
}

TEST_CASE("a hand is visited from one card further on with each deal", "[schedule]") {
  Deals deals;
  for (const std::size_t size : {6, 6, 8, 1, 8, 6}) {
    for (int i = 0; i < 13; ++i) {
      const std::uint64_t before = deals.count();
      CHECK(deals.first_card(size) == before % size);
      CHECK(deals.count() == before + 1);
    }
  }
}

}  // namespace apf::test
