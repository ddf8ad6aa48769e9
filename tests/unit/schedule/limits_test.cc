// Limits of levels: releases, absent fields, odd shares.
#include "catch.h"

#include <apf/limits.h>

#include "support/levels.h"

using apf::KubeVersion;
using apf::LevelLimits;
using apf::test::exempt_level;
using apf::test::queue_level;
using apf::test::reject_level;

namespace {

const LevelLimits& named(const apf::LimitsTable& table, const std::string& name) {
  for (const LevelLimits& level : table.levels) {
    if (level.name == name) return level;
  }
  FAIL("no level " << name);
  return table.levels.front();
}

}  // namespace

TEST_CASE("widest request of a level", "[schedule][limits]") {
  CHECK(apf::max_seats_of(0, 6) == 1);
  CHECK(apf::max_seats_of(1, 6) == 1);
  CHECK(apf::max_seats_of(20, 1) == 3);
  CHECK(apf::max_seats_of(21, 1) == 4);  // ceil of 3.15
  CHECK(apf::max_seats_of(245, 6) == 37);
  CHECK(apf::max_seats_of(245, 8) == 30);  // by hand size
}

TEST_CASE("a fresh server's limits", "[schedule][limits]") {
  apf::Config config;
  config.priority_levels = {queue_level("a", 30, {64, 6, 50}, 50, 10), reject_level("b", 60), exempt_level(5, 100)};
  const apf::LimitsTable table = apf::compute_limits(config, 600);
  REQUIRE(table.levels.size() == 4);
  CHECK(table.share_sum == 100);
  CHECK(table.nominal_sum == 600);
  CHECK(table.levels[0].name == "a");
  CHECK(table.levels[1].name == "b");
  CHECK(table.levels[2].name == "catch-all");
  CHECK(table.levels[3].name == "exempt");

  const LevelLimits& a = named(table, "a");
  CHECK(a.nominal_cl == 180);
  CHECK(a.lendable_cl == 90);
  CHECK(a.borrowing_cl == 18);
  CHECK(a.min_cl == 90);
  CHECK(a.max_cl == 198);
  CHECK(a.max_seats == 27);
  CHECK_FALSE(a.reject);
  CHECK(a.queues == 64);
  CHECK(a.hand_size == 6);
  CHECK(a.queue_length_limit == 50);

  const LevelLimits& b = named(table, "b");
  CHECK(b.reject);
  CHECK(b.max_seats == 0);
  CHECK(b.max_cl == 360 + 600);

  const LevelLimits& exempt = named(table, "exempt");
  CHECK(exempt.exempt);
  CHECK_FALSE(exempt.reject);
  CHECK(exempt.nominal_cl == 30);
  CHECK(exempt.min_cl == 0);
  CHECK(exempt.initial_cl == 0);
}

TEST_CASE("exempt levels have seats since 1.28, and levels borrow since 1.26", "[schedule][limits]") {
  apf::Config config;
  config.priority_levels = {queue_level("a", 45, {64, 6, 50}, 50), exempt_level(50)};
  SECTION("1.28") {
    const apf::LimitsTable table = apf::compute_limits(config, 100, KubeVersion{28});
    CHECK(table.share_sum == 100);
    CHECK(named(table, "exempt").nominal_cl == 50);
    CHECK(named(table, "a").nominal_cl == 45);
  }
  SECTION("1.27") {
    const apf::LimitsTable table = apf::compute_limits(config, 100, KubeVersion{27});
    CHECK(table.share_sum == 50);
    CHECK(table.nominal_sum == 100);
    CHECK(named(table, "exempt").nominal_cl == 0);
    CHECK(named(table, "exempt").max_cl == 0);
    CHECK(named(table, "a").nominal_cl == 90);
    CHECK(named(table, "a").min_cl == 45);
    // Both grow alike from their minima: 45 and 10 make 55, so 100/55 of each.
    CHECK(named(table, "a").initial_cl == 82);
    CHECK(named(table, "catch-all").initial_cl == 18);
  }
  SECTION("1.25") {
    const apf::LimitsTable table = apf::compute_limits(config, 100, KubeVersion{25});
    const LevelLimits& a = named(table, "a");
    CHECK(a.nominal_cl == 90);
    CHECK(a.lendable_cl == 0);
    CHECK(a.borrowing_cl == 0);
    CHECK(a.min_cl == 90);
    CHECK(a.max_cl == 90);
    CHECK(a.initial_cl == 90);
    CHECK(table.fair_frac == -1);
  }
}

TEST_CASE("what is absent is not defaulted", "[schedule][limits]") {
  apf::Config config;
  apf::PriorityLevel level = queue_level("a", 30, {64, 6, 50});
  level.limited->nominal_concurrency_shares.reset();
  level.limited->lendable_percent.reset();
  config.priority_levels = {level};
  const apf::LimitsTable table = apf::compute_limits(config, 600);
  CHECK(named(table, "a").nominal_concurrency_shares == 0);
  CHECK(named(table, "a").nominal_cl == 0);
  CHECK(named(table, "a").max_cl == 600);
  CHECK(named(table, "catch-all").nominal_cl == 600);
}

TEST_CASE("malformed levels are ignored, the last of one name counts", "[schedule][limits]") {
  apf::Config config;
  apf::PriorityLevel broken = queue_level("broken", 30, {64, 6, 50});
  broken.limited.reset();
  config.priority_levels = {broken, queue_level("a", 5, {64, 6, 50}), queue_level("a", 15, {16, 4, 50})};
  const apf::LimitsTable table = apf::compute_limits(config, 100);
  CHECK(table.levels.size() == 3);
  CHECK(table.share_sum == 20);
  CHECK(named(table, "a").nominal_cl == 75);
  CHECK(named(table, "a").queues == 16);
}

TEST_CASE("nobody has shares", "[schedule][limits]") {
  apf::Config config;
  config.priority_levels = {reject_level("catch-all", 0), exempt_level(0)};
  const apf::LimitsTable table = apf::compute_limits(config, 600);
  CHECK(table.share_sum == 0);
  CHECK(table.nominal_sum == 0);
  CHECK(named(table, "catch-all").nominal_cl == 0);
  CHECK(named(table, "catch-all").initial_cl == 0);
}

TEST_CASE("seats beyond an int are cut off", "[schedule][limits]") {
  apf::Config config;
  config.priority_levels = {queue_level("a", 30, {64, 6, 50}, 0, 2000000000)};
  const apf::LimitsTable table = apf::compute_limits(config, 2000000000);
  CHECK(named(table, "a").borrowing_cl == 2147483647);
  CHECK(named(table, "a").max_cl == 2147483647);
}
