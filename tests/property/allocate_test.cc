// What every solution of the allocation has: the right sum, bounds kept, one proportion for all, no order of levels.
#include "catch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <apf/limits.h>

#include "support/vectors.h"

using apf::AllocationClass;

namespace {

using Random = std::mt19937_64;

double unit(Random& random) { return std::uniform_real_distribution<double>(0, 1)(random); }

// Seats as levels have them (whole, some zero, some equal) or any numbers.
std::vector<AllocationClass> some_classes(Random& random) {
  const bool whole = random() % 2 == 0;
  std::vector<AllocationClass> classes(1 + random() % 12);
  for (AllocationClass& c : classes) {
    const auto amount = [&](double most) { return whole ? std::floor(unit(random) * most) : unit(random) * most; };
    c.lower = random() % 4 == 0 ? 0 : amount(20);
    c.target = random() % 4 == 0 ? c.lower : c.lower + unit(random) * 30;
    c.upper = random() % 4 == 0 ? c.lower : c.lower + amount(60);
  }
  return classes;
}

double sum_of(const std::vector<AllocationClass>& classes, double AllocationClass::*member) {
  return std::accumulate(classes.begin(), classes.end(), 0.0,
                         [&](double sum, const AllocationClass& c) { return sum + c.*member; });
}

}  // namespace

TEST_CASE("allocations sum up, keep bounds and share one proportion", "[property][schedule][allocate]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  int solved = 0;
  for (int i = 0; i < apf::test::rounds(30000); ++i) {
    INFO("case " << i);
    std::vector<AllocationClass> classes = some_classes(random);
    const double low = sum_of(classes, &AllocationClass::lower), high = sum_of(classes, &AllocationClass::upper);
    const auto required = static_cast<std::int64_t>(std::floor(low + (high - low) * (unit(random) * 1.2 - 0.1)));
    std::string error;
    const auto result = apf::allocate(required, classes, &error);
    const double r = static_cast<double>(required);
    if (r < low - 1e-7 || r > high + 1e-7 || required < 0) {
      REQUIRE_FALSE(result);
      REQUIRE_FALSE(error.empty());
      continue;
    }
    INFO(error);
    REQUIRE(result);
    ++solved;
    double sum = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const AllocationClass& c = classes[k];
      const double a = result->allocs[k], wanted = result->fair_prop * std::max(c.target, 0.001);
      sum += a;
      if (required == 0) continue;  // then all are 0
      REQUIRE(a >= c.lower - 1e-9);
      REQUIRE(a <= c.upper + 1e-9);
      REQUIRE(a == Approx(std::max(c.lower, std::min(c.upper, wanted))).margin(1e-6));
    }
    REQUIRE(sum == Approx(r).margin(1e-6));

    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::vector<AllocationClass> shuffled;
    for (const std::size_t k : order) shuffled.push_back(classes[k]);
    const auto again = apf::allocate(required, shuffled);
    REQUIRE(again);
    for (std::size_t k = 0; k < order.size(); ++k)
      REQUIRE(again->allocs[k] == Approx(result->allocs[order[k]]).margin(1e-6));
  }
  CHECK(solved > apf::test::rounds(10000));
}

TEST_CASE("allocations that cannot be are refused", "[property][schedule][allocate]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  for (int i = 0; i < apf::test::rounds(3000); ++i) {
    std::vector<AllocationClass> classes = some_classes(random);
    AllocationClass& victim = classes[random() % classes.size()];
    switch (random() % 3) {
      case 0:
        victim.lower = -1;
        break;
      case 1:
        victim.target = victim.lower - 0.5;
        break;
      default:
        victim.upper = victim.lower - 0.5;
        break;
    }
    std::string error;
    REQUIRE_FALSE(apf::allocate(100, classes, &error));
    REQUIRE_FALSE(error.empty());
  }
}

TEST_CASE("no seats at all can be allocated, fewer cannot", "[schedule]") {
  const std::vector<apf::AllocationClass> classes = {{0, 5, 1}, {0, 0, 0}};
  const auto none = apf::allocate(0, classes);
  REQUIRE(none);
  CHECK(none->allocs == std::vector<double>{0, 0});
  std::string error;
  CHECK_FALSE(apf::allocate(-1, classes, &error));
  CHECK(error == "negative sums are not supported");
}
