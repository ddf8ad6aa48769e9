#include "logs/reorder.h"

#include <random>
#include <vector>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

struct Got {
  Nanos time;
  int item;
};

}  // namespace

TEST_CASE("items at most a window late come out in order of time, ties in order of arrival", "[replay][reorder]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 20; ++round) {
    const Nanos window = static_cast<Nanos>(1 + random() % 100) * kSecond;
    Reorder<int> reorder(window, 1u << 20);
    std::vector<Got> out;
    const auto emit = [&](Nanos time, int item) { out.push_back({time, item}); };
    std::vector<Nanos> times;
    Nanos clock = 1795177585 * kSecond;
    for (int i = 0; i < 5000; ++i) {
      clock += static_cast<Nanos>(random() % static_cast<std::uint64_t>(50 * kMillisecond));
      if (random() % 400 == 0) clock += static_cast<Nanos>(random() % 1000) * kSecond;
      const Nanos late = static_cast<Nanos>(
          random() % static_cast<std::uint64_t>(window - 40 * kMillisecond > 0 ? window - 40 * kMillisecond : 1));
      times.push_back((clock - late) / 1000000 * 1000000);  // whole milliseconds: ties happen
      reorder.advance(clock, emit);
      REQUIRE(reorder.push(times.back(), i, emit));
    }
    reorder.finish(emit);
    REQUIRE(out.size() == times.size());
    CHECK(reorder.held() == 0);
    for (std::size_t i = 0; i < out.size(); ++i) {
      REQUIRE(out[i].time == times[static_cast<std::size_t>(out[i].item)]);
      if (i > 0)
        REQUIRE((out[i - 1].time < out[i].time || (out[i - 1].time == out[i].time && out[i - 1].item < out[i].item)));
    }
  }
}

TEST_CASE("what comes too late is told and comes out at once; time never runs backwards", "[replay][reorder]") {
  Reorder<int> reorder(kSecond, 1000);
  std::vector<Got> out;
  const auto emit = [&](Nanos time, int item) { out.push_back({time, item}); };
  CHECK(reorder.push(100 * kSecond, 0, emit));
  reorder.advance(200 * kSecond, emit);
  REQUIRE(out.size() == 1);
  CHECK_FALSE(reorder.push(50 * kSecond, 1, emit));
  CHECK(reorder.push(200 * kSecond, 2, emit));
  reorder.finish(emit);
  REQUIRE(out.size() == 3);
  CHECK(out[1].item == 1);
  CHECK(out[1].time == 100 * kSecond);
  CHECK(out[2].time == 200 * kSecond);
}

TEST_CASE("no more than the limit is held", "[replay][reorder]") {
  Reorder<int> reorder(60 * kSecond, 100);
  std::size_t out = 0, most = 0;
  const auto emit = [&](Nanos, int) { ++out; };
  for (int i = 0; i < 100000; ++i) {
    reorder.push(kSecond + i * 1000, i, emit);
    most = std::max(most, reorder.held());
  }
  reorder.finish(emit);
  CHECK(out == 100000);
  CHECK(most < 20000);  // a slot is handed out whole
}

TEST_CASE("leaps of the clock by years cost nothing", "[replay][reorder]") {
  Reorder<int> reorder(75 * kSecond, 1000);
  std::vector<Got> out;
  const auto emit = [&](Nanos time, int item) { out.push_back({time, item}); };
  for (int i = 0; i < 200; ++i) {
    const Nanos t = (i % 2 ? 300LL : 30LL) * 365 * 86400 / 10 * kSecond + i;
    reorder.advance(t, emit);
    reorder.push(t, i, emit);
  }
  reorder.finish(emit);
  CHECK(out.size() == 200);
}

TEST_CASE("what lies in the first slot that is kept is in time, what lies before it is not", "[replay][reorder]") {
  constexpr Nanos kSlot = 1 << 20;  // of a window of a second
  Reorder<int> reorder(kSecond, 1000);
  std::vector<Got> out;
  const auto emit = [&](Nanos time, int item) { out.push_back({time, item}); };
  const Nanos start = 5000 * kSlot;
  const Nanos first = start - (kSecond / kSlot + 1) * kSlot;
  CHECK(reorder.push(start, 0, emit));
  CHECK(reorder.push(first, 1, emit));
  CHECK_FALSE(reorder.push(first - 1, 2, emit));
  CHECK(out.empty());
  reorder.finish(emit);
  REQUIRE(out.size() == 3);
  CHECK(out[0].item == 2);
  CHECK(out[1].item == 1);
  CHECK(out[1].time == first);
  CHECK(out[2].time == start);
}
