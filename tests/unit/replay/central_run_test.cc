// The replay that is in the middle of several.
#include "replay/engine/central_run.h"

#include "catch.h"

using namespace apf;

namespace {

struct Level {
  std::uint64_t refused = 0;
  Nanos wait = 0;
};

ReplayReport report_of(const std::vector<Level>& levels) {
  ReplayReport report;
  for (const Level& level : levels) {
    LevelReport& out = report.levels.emplace_back();
    out.name = "level-" + std::to_string(report.levels.size());
    out.tally.outcomes[Outcome::queue_full] = level.refused;
    for (int i = 0; i < 100; ++i) out.tally.wait.add(level.wait);
  }
  return report;
}

std::size_t middle_of(const std::vector<std::vector<Level>>& runs) {
  CentralRun central;
  for (const auto& run : runs) central.add(report_of(run));
  return central.number();
}

}  // namespace

TEST_CASE("of replays that are alike the first is the central one", "[replay][central]") {
  CHECK(middle_of({{}}) == 0);
  CHECK(middle_of({{{0, 0}}, {{0, 0}}, {{0, 0}}}) == 0);
}

TEST_CASE("an unusual replay is not the central one", "[replay][central]") {
  // The first is the one that came to the other of two ends.
  CHECK(middle_of(
            {{{120, 5 * kSecond}}, {{5, 4 * kSecond}}, {{3, 4 * kSecond}}, {{118, 5 * kSecond}}, {{4, 4 * kSecond}}}) ==
        4);
  // In the middle of what spreads evenly.
  CHECK(middle_of({{{100, 0}}, {{140, 0}}, {{110, 0}}, {{120, 0}}, {{130, 0}}}) == 3);
}

TEST_CASE("one level does not outweigh the others, however far it is off", "[replay][central]") {
  const Level usual{10, kSecond}, other{60, 3 * kSecond}, far{100'000, 3 * kSecond};
  CHECK(middle_of({{far, usual, usual}, {usual, usual, other}, {usual, other, other}, {far, usual, usual}}) == 0);
}

TEST_CASE("what differs by less than matters does not count more than what matters", "[replay][central]") {
  // A millisecond more or less here, and there half of the refusals.
  CHECK(middle_of(
            {{{0, kMillisecond}, {50, 0}}, {{0, 2 * kMillisecond}, {100, 0}}, {{0, 3 * kMillisecond}, {100, 0}}}) != 0);
}
