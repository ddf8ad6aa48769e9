// KEP-1040's borrowing step against its formulas computed in another way: FairProp by bisection.
#include "catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "schedule/borrow.h"
#include "support/vectors.h"

using apf::BorrowRule;
using apf::BorrowState;

namespace {

using Random = std::mt19937_64;

int number(Random& random, int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); }

std::vector<BorrowState> some_levels(Random& random) {
  std::vector<BorrowState> levels(2 + random() % 8);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    BorrowState& level = levels[i];
    level.exempt = i == 0 && random() % 4 != 0;
    level.nominal_cl = level.exempt ? number(random, 20) : number(random, 100);
    level.min_cl = level.nominal_cl - number(random, level.nominal_cl);
    level.max_cl = level.nominal_cl + (random() % 3 == 0 ? number(random, 50) : 10'000);
    level.high_watermark = random() % 8 == 0 ? level.nominal_cl : number(random, 200);
    level.smoothed = static_cast<double>(number(random, 20'000)) / 100;
  }
  return levels;
}

double clipped(const BorrowState& level, double fair_prop, int min_current) {
  const double target = std::max<double>(min_current, level.smoothed);
  return std::min<double>(level.max_cl, std::max<double>(min_current, fair_prop * std::max(target, 0.001)));
}

// What "Dispatching" says, in floating point: one CurrentCL a level.
std::vector<double> by_the_document(const std::vector<BorrowState>& levels, int server_cl) {
  std::vector<int> min_current;
  bool nominal = true;
  double remaining = server_cl, lower_sum = 0, upper_sum = 0;
  for (const BorrowState& level : levels) {
    const int high = level.exempt ? level.high_watermark : std::min(level.nominal_cl, level.high_watermark);
    min_current.push_back(std::max(level.min_cl, high));
    nominal = nominal && min_current.back() == level.nominal_cl;
    if (level.exempt) {
      remaining -= min_current.back();
    } else {
      lower_sum += min_current.back();
      upper_sum += level.max_cl;
    }
  }
  double least = 0, most = 1e9;
  const auto sum_at = [&](double fair_prop) {
    double sum = 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (!levels[i].exempt) sum += clipped(levels[i], fair_prop, min_current[i]);
    return sum;
  };
  for (int i = 0; i < 200; ++i) {
    const double middle = (least + most) / 2;
    (sum_at(middle) < std::min(remaining, upper_sum) ? least : most) = middle;
  }
  std::vector<double> out;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (nominal) out.push_back(levels[i].nominal_cl);
    else if (levels[i].exempt) out.push_back(min_current[i]);
    else if (remaining <= 0) out.push_back(0);
    else if (lower_sum >= remaining) out.push_back(min_current[i] * remaining / lower_sum);
    else out.push_back(clipped(levels[i], most, min_current[i]));
  }
  return out;
}

}  // namespace

TEST_CASE("borrowing by KEP-1040 is what its formulas come to", "[property][schedule][borrow]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  int reduced = 0, nothing_left = 0, shared = 0;
  for (int i = 0; i < apf::test::rounds(20'000); ++i) {
    INFO("case " << i);
    std::vector<BorrowState> levels = some_levels(random);
    const int server_cl = 20 + number(random, 400);
    const std::vector<double> expected = by_the_document(levels, server_cl);
    const double fair_prop = apf::borrow_step(levels, {server_cl + 3, server_cl}, BorrowRule::kep);
    for (std::size_t n = 0; n < levels.size(); ++n) {
      INFO("level " << n);
      REQUIRE(std::abs(levels[n].current_cl - expected[n]) <= 0.5 + 1e-6);
    }
    const bool none = std::all_of(levels.begin(), levels.end(),
                                  [](const BorrowState& level) { return level.exempt || level.current_cl == 0; });
    ++(fair_prop > 0 ? shared : none ? nothing_left : reduced);
  }
  CHECK(shared > apf::test::rounds(1000));
  CHECK(reduced > apf::test::rounds(1000));
  CHECK(nothing_left > apf::test::rounds(100));
}
