// The borrowing step: what is taken in, and what differs between releases.
#include "catch.h"

#include <cmath>
#include <limits>
#include <vector>

#include "schedule/borrow.h"

using apf::Borrowing;
using apf::BorrowRule;
using apf::BorrowState;
using apf::KubeVersion;

namespace {

BorrowState level(int nominal, int min, int max, int watermark, double smoothed = 0) {
  BorrowState state;
  state.nominal_cl = nominal;
  state.min_cl = min;
  state.max_cl = max;
  state.current_cl = nominal;
  state.high_watermark = watermark;
  state.smoothed = smoothed;
  return state;
}

BorrowState exempt(int nominal, int watermark) {
  BorrowState state = level(nominal, nominal, nominal + 100, watermark);
  state.exempt = true;
  return state;
}

}  // namespace

TEST_CASE("demand is smoothed upwards at once and downwards slowly", "[schedule][borrow]") {
  BorrowState state;
  state.observe({.duration = 10, .avg = 6, .stdev = 2, .max = 9.4});
  CHECK(state.high_watermark == 9);
  CHECK(state.smoothed == 8);
  state.observe({.duration = 10, .avg = 1, .stdev = 0, .max = 1});
  CHECK(state.smoothed == 0.977 * 8 + 0.023 * 1.0);
}

TEST_CASE("an empty period leaves everything but the watermark", "[schedule][borrow]") {
  BorrowState state;
  state.observe({.duration = 10, .avg = 6, .stdev = 2, .max = 9});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  state.observe({.duration = 0, .avg = nan, .stdev = nan, .max = 3});
  CHECK(state.high_watermark == 3);
  CHECK(state.avg == 6);
  CHECK(state.stdev == 2);
  CHECK(state.smoothed == 8);
}

TEST_CASE("a deviation that is no number counts as none", "[schedule][borrow]") {
  BorrowState state;
  state.observe({.duration = 10, .avg = 6, .stdev = std::nan(""), .max = 6});
  CHECK(state.stdev == 0);
  CHECK(state.smoothed == 6);
}

TEST_CASE("each release has its rule", "[schedule][borrow]") {
  CHECK(apf::borrow_rule(KubeVersion{25}, Borrowing::server) == BorrowRule::none);
  CHECK(apf::borrow_rule(KubeVersion{25}, Borrowing::kep) == BorrowRule::none);
  CHECK(apf::borrow_rule(KubeVersion{26}, Borrowing::server) == BorrowRule::limited_only);
  CHECK(apf::borrow_rule(KubeVersion{27}, Borrowing::kep) == BorrowRule::kep_limited_only);
  CHECK(apf::borrow_rule(KubeVersion{28}, Borrowing::server) == BorrowRule::exempt_alike);
  CHECK(apf::borrow_rule(KubeVersion{30}, Borrowing::server) == BorrowRule::exempt_alike);
  CHECK(apf::borrow_rule(KubeVersion{31}, Borrowing::server) == BorrowRule::exempt_first);
  CHECK(apf::borrow_rule(KubeVersion{36}, Borrowing::server) == BorrowRule::exempt_first);
  CHECK(apf::borrow_rule(KubeVersion{36}, Borrowing::kep) == BorrowRule::kep);
  CHECK(apf::borrow_rule(KubeVersion{36}, Borrowing::off) == BorrowRule::none);
}

TEST_CASE("without borrowing every level keeps its nominal limit", "[schedule][borrow]") {
  BorrowState levels[] = {level(60, 30, 200, 90, 90), level(40, 4, 200, 0), exempt(0, 50)};
  CHECK(apf::borrow_step(levels, {100, 100}, BorrowRule::none) == -1);
  CHECK(levels[0].current_cl == 60);
  CHECK(levels[1].current_cl == 40);
  CHECK(levels[2].current_cl == 0);
}

TEST_CASE("in 1.26 exempt demand is not seen", "[schedule][borrow]") {
  BorrowState levels[] = {level(60, 30, 200, 90, 90), level(40, 10, 200, 0), exempt(0, 99)};
  CHECK(apf::borrow_step(levels, {100, 100}, BorrowRule::limited_only) > 0);
  CHECK(levels[0].current_cl == 90);  // takes all that the other lends
  CHECK(levels[1].current_cl == 10);
  CHECK(levels[2].current_cl == 0);
}

TEST_CASE("from 1.28 to 1.30 an exempt level borrows like any other", "[schedule][borrow]") {
  BorrowState levels[] = {level(60, 30, 200, 60, 60), level(40, 10, 200, 0), exempt(0, 20)};
  levels[2].smoothed = 20;
  CHECK(apf::borrow_step(levels, {100, 100}, BorrowRule::exempt_alike) == Approx(100.0 / 90));
  CHECK(levels[0].current_cl == 67);
  CHECK(levels[1].current_cl == 11);
  CHECK(levels[2].current_cl == 22);
  CHECK(levels[2].min_current_cl == 0);  // its watermark is cut at its nominal limit
  CHECK(levels[2].target == 20);
}

TEST_CASE("the KEP shares out what exempt demand leaves of ServerCL", "[schedule][borrow]") {
  BorrowState levels[] = {level(60, 30, 200, 40, 40), level(42, 10, 200, 0), exempt(0, 20)};
  SECTION("room for all") {
    CHECK(apf::borrow_step(levels, {102, 100}, BorrowRule::kep) == Approx(1.6));
    CHECK(levels[0].current_cl == 64);
    CHECK(levels[1].current_cl == 16);
    CHECK(levels[2].current_cl == 20);
  }
  SECTION("less than the lower bounds: all are reduced alike, below MinCL") {
    levels[2].high_watermark = 75;  // 25 are left for 40 and 10
    CHECK(apf::borrow_step(levels, {102, 100}, BorrowRule::kep) == 0);
    CHECK(levels[0].current_cl == 20);
    CHECK(levels[1].current_cl == 5);
  }
  SECTION("exactly the lower bounds") {
    levels[2].high_watermark = 50;
    CHECK(apf::borrow_step(levels, {102, 100}, BorrowRule::kep) == 0);
    CHECK(levels[0].current_cl == 40);
    CHECK(levels[1].current_cl == 10);
  }
  SECTION("nothing is left") {
    levels[2].high_watermark = 100;
    CHECK(apf::borrow_step(levels, {102, 100}, BorrowRule::kep) == 0);
    CHECK(levels[0].current_cl == 0);
    CHECK(levels[1].current_cl == 0);
    CHECK(levels[2].current_cl == 100);
  }
  SECTION("every level asks for its nominal seats") {
    levels[0].high_watermark = 90;
    levels[1].high_watermark = 42;
    levels[2].high_watermark = 0;
    CHECK(apf::borrow_step(levels, {102, 100}, BorrowRule::kep) == 0);
    CHECK(levels[0].current_cl == 60);  // 102 in all: the sum of the rounded-up limits
    CHECK(levels[1].current_cl == 42);
  }
  SECTION("borrowing limits leave seats over") {
    levels[0].max_cl = 45;
    levels[1].max_cl = 12;
    apf::borrow_step(levels, {102, 100}, BorrowRule::kep);
    CHECK(levels[0].current_cl == 45);
    CHECK(levels[1].current_cl == 12);
  }
  SECTION("before 1.28 exempt levels take no part") {
    CHECK(apf::borrow_step(levels, {102, 100}, BorrowRule::kep_limited_only) == Approx(2));
    CHECK(levels[0].current_cl == 80);
    CHECK(levels[1].current_cl == 20);
    CHECK(levels[2].current_cl == 0);
  }
}

TEST_CASE("the KEP's numbers for the server's own levels, by hand", "[schedule][borrow]") {
  // catch-all, global-default, leader-election, node-high, system, workload-high, workload-low: 602 of 600 seats.
  constexpr int kNominal[] = {13, 49, 25, 98, 74, 98, 245}, kMin[] = {13, 24, 25, 73, 50, 49, 24};
  std::vector<BorrowState> levels;
  for (std::size_t i = 0; i < 7; ++i) levels.push_back(level(kNominal[i], kMin[i], kNominal[i] + 600, 0));
  levels.push_back(exempt(0, 134));
  levels[6].high_watermark = 300;
  levels[6].smoothed = 300;
  const auto limits = [&] {
    CHECK(apf::borrow_step(levels, {602, 600}, BorrowRule::kep) == 0);
    std::vector<int> out;
    for (const BorrowState& of : levels) out.push_back(of.current_cl);
    return out;
  };
  // The lower bounds are those of kMin but 245 for workload-low: 479. 466 remain of ServerCL: each times 466/479.
  CHECK(limits() == std::vector<int>{13, 23, 24, 71, 49, 48, 238, 134});
  levels[7].high_watermark = 600;
  CHECK(limits() == std::vector<int>{0, 0, 0, 0, 0, 0, 0, 600});
  levels[7].high_watermark = 601;
  CHECK(limits() == std::vector<int>{0, 0, 0, 0, 0, 0, 0, 601});
}

TEST_CASE("since 1.31 exempt demand chooses the case only", "[schedule][borrow]") {
  SECTION("room for all: the whole nominal sum is shared out") {
    BorrowState levels[] = {level(60, 30, 200, 40, 40), level(40, 10, 200, 0), exempt(0, 20)};
    CHECK(apf::borrow_step(levels, {100, 100}, BorrowRule::exempt_first) == Approx(2));
    CHECK(levels[0].current_cl == 80);
    CHECK(levels[1].current_cl == 20);
    CHECK(levels[2].current_cl == 20);
  }
  SECTION("room for the minima and part of the demand") {
    BorrowState levels[] = {level(60, 30, 200, 60, 60), level(40, 10, 200, 40, 40), exempt(0, 30)};
    CHECK(apf::borrow_step(levels, {100, 100}, BorrowRule::exempt_first) == 0);
    CHECK(levels[0].current_cl == 45);  // 30 + 30 * 30/60
    CHECK(levels[1].current_cl == 25);
    CHECK(levels[0].target == 60);
  }
  SECTION("not even the minima") {
    BorrowState levels[] = {level(60, 30, 200, 60, 60), level(40, 10, 200, 40, 40), exempt(0, 70)};
    CHECK(apf::borrow_step(levels, {100, 100}, BorrowRule::exempt_first) == 0);
    CHECK(levels[0].current_cl == 30);
    CHECK(levels[1].current_cl == 10);
    CHECK(levels[2].current_cl == 70);
  }
}

TEST_CASE("without a solution limits stay", "[schedule][borrow]") {
  BorrowState levels[] = {level(60, 30, 40, 0), level(40, 10, 40, 0)};  // at most 80 of 100
  levels[0].current_cl = 37;
  levels[1].current_cl = 12;
  CHECK(apf::borrow_step(levels, {100, 100}, BorrowRule::exempt_first) == 0);
  CHECK(levels[0].current_cl == 37);
  CHECK(levels[1].current_cl == 12);
}

TEST_CASE("doubles become ints without overflow", "[schedule][borrow]") {
  CHECK(apf::saturated_int(std::nan("")) == 0);
  CHECK(apf::saturated_int(1e300) == std::numeric_limits<int>::max());
  CHECK(apf::saturated_int(-1e300) == std::numeric_limits<int>::min());
  CHECK(apf::saturated_int(41) == 41);
}
