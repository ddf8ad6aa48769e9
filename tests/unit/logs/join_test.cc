#include "logs/join.h"

#include <vector>

#include "catch.h"

using namespace apf;

namespace {

struct Event {
  Stage stage;
  std::uint64_t id;
  Nanos received, stage_time;
  bool watch = false;
  LeftOut left_out = LeftOut::no;
};

struct Joining {
  std::vector<std::pair<Nanos, Joined<RequestEvent>>> out;
  std::size_t dropped = 0;
  Joiner<RequestEvent> joiner{10 * kSecond, 1000,
                              [this](Nanos now, Joined<RequestEvent>& event) {
                                out.emplace_back(now, event);
                                return true;
                              },
                              [this](const RequestEvent&) { ++dropped; }};
  void add(const Event& event) {
    RequestEvent prepared;
    prepared.stage = event.stage;
    prepared.id = {event.id, event.id, false};
    prepared.received = event.received * kSecond;
    prepared.stage_time = event.stage_time * kSecond;
    prepared.watch = event.watch;
    prepared.left_out = event.left_out;
    joiner.add(std::move(prepared));
  }
};

}  // namespace

TEST_CASE("three stages are one request", "[replay][join]") {
  Joining j;
  j.add({Stage::received, 1, 100, 100});
  j.add({Stage::received, 2, 101, 101});
  j.add({Stage::response_complete, 2, 101, 102});
  j.add({Stage::response_started, 1, 100, 103});
  j.add({Stage::response_complete, 1, 100, 104});
  j.joiner.finish();
  REQUIRE(j.out.size() == 2);
  CHECK(j.out[0].second.event.id.high == 1);
  CHECK(j.out[0].first == 100 * kSecond);
  CHECK(j.out[0].second.seq == 1);
  CHECK_FALSE(j.out[0].second.unfinished);
  CHECK(j.out[1].second.seq == 0);
  CHECK(j.joiner.sums().requests == 2);
  CHECK(j.dropped == 3);
}

TEST_CASE("a watch begins with ResponseStarted and ends with ResponseComplete", "[replay][join]") {
  Joining j;
  j.add({Stage::response_started, 7, 100, 100, true});
  for (Nanos t = 101; t < 400; ++t) j.add({Stage::response_complete, static_cast<std::uint64_t>(1000 + t), t, t});
  j.add({Stage::response_complete, 7, 100, 400, true});
  j.joiner.finish();
  CHECK(j.joiner.sums().out_of_window == 0);
  REQUIRE(j.out.size() == 301);
  CHECK(j.out.front().second.event.id.high == 7);
  CHECK(j.out.front().second.event.stage_time == kNoTime);
  CHECK(j.out.back().second.kind == Joined<RequestEvent>::Kind::watch_end);
  CHECK(j.out.back().first == 400 * kSecond);
  CHECK(j.joiner.sums().requests == 300);
}

TEST_CASE("a request that the log leaves open counts once, as unfinished", "[replay][join]") {
  Joining j;
  j.add({Stage::received, 1, 100, 100});
  j.add({Stage::received, 2, 100, 100, false, LeftOut::long_running});
  j.add({Stage::response_complete, 3, 150, 150});
  j.joiner.finish();
  REQUIRE(j.out.size() == 3);
  CHECK(j.out[0].second.event.id.high == 1);
  CHECK(j.out[0].second.unfinished);
  CHECK(j.out[1].second.event.left_out == LeftOut::long_running);
  CHECK(j.joiner.sums().unfinished == 2);
  CHECK(j.dropped == 0);
}

TEST_CASE("a long-running request counts once, whatever stages the log tells", "[replay][join]") {
  Joining j;
  j.add({Stage::received, 2, 100, 100, false, LeftOut::long_running});
  j.add({Stage::response_started, 2, 100, 101, false, LeftOut::long_running});
  j.add({Stage::response_complete, 2, 100, 105, false, LeftOut::long_running});
  j.add({Stage::response_started, 3, 103, 104, false, LeftOut::long_running});
  j.joiner.finish();
  CHECK(j.out.size() == 2);
  CHECK(j.joiner.sums().requests == 2);
  CHECK(j.dropped == 2);
}

TEST_CASE("what was turned away with ResponseStarted alone is a request", "[replay][join]") {
  Joining j;
  j.add({Stage::response_started, 1, 100, 100, false, LeftOut::unauthenticated});
  j.joiner.finish();
  CHECK(j.out.size() == 1);
}

TEST_CASE("an end before the arrival is mended and counted", "[replay][join]") {
  Joining j;
  j.add({Stage::response_complete, 1, 105, 100});
  j.joiner.finish();
  CHECK(j.joiner.sums().negative_latencies == 1);
  REQUIRE(j.out.size() == 1);
  CHECK(j.out[0].first == 100 * kSecond);
}

TEST_CASE("a request whose end comes when it was handed on already counts once", "[replay][join]") {
  Joining j;
  j.add({Stage::received, 1, 100, 100});
  for (Nanos t = 101; t < 130; ++t) j.add({Stage::response_complete, static_cast<std::uint64_t>(1000 + t), t, t});
  j.add({Stage::response_complete, 1, 100, 130});
  j.joiner.finish();
  CHECK(j.out.size() == 30);
  CHECK(j.joiner.sums().requests == 30);
  CHECK(j.joiner.sums().unfinished == 0);
  CHECK(j.joiner.sums().out_of_window == 1);
  CHECK(j.joiner.sums().longest == 30 * kSecond);
}

TEST_CASE("What is there a second time counts once, however far back it is", "[replay][join]") {
  Joining j;
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i)
      j.add({Stage::response_complete, i + 1, static_cast<Nanos>(i), static_cast<Nanos>(i)});
  };
  add(0, 30'000);
  add(10'000, 40'000);  // the next file overlaps
  add(39'999, 40'000);
  j.joiner.finish();
  CHECK(j.out.size() == 40'000);
  CHECK(j.dropped == 20'001);
  CHECK(j.joiner.sums().duplicates == 20'001);
}

TEST_CASE("Each stage of a request counts once", "[replay][join]") {
  Joining j;
  for (int copy = 0; copy < 2; ++copy) {
    j.add({Stage::received, 1, 1, 1});
    j.add({Stage::response_started, 1, 1, 2, true});
    j.add({Stage::response_complete, 1, 1, 50, true});
    j.add({Stage::response_started, 2, 3, 60, true});
  }
  j.joiner.finish();
  CHECK(j.dropped >= 4);
  CHECK(j.joiner.sums().duplicates == 4);
  std::size_t requests = 0;
  for (const auto& [now, joined] : j.out) requests += joined.kind == Joined<RequestEvent>::Kind::request ? 1 : 0;
  CHECK(requests == 2);
}

TEST_CASE("Ends are remembered for a while, the latest ones in any order", "[replay][join]") {
  RecentEnds ends;
  constexpr std::uint64_t kMany = RecentEnds::kKept + 100;
  const auto end = [](std::uint64_t i) { return i * 0x9e3779b97f4a7c15ULL | 1; };
  const auto seen = [&](std::uint64_t i, bool goes_back) {
    return ends.seen(end(i), goes_back) == RecentEnds::Seen::yes;
  };
  for (std::uint64_t i = 1; i <= kMany; ++i) REQUIRE_FALSE(seen(i, false));
  for (std::uint64_t i = kMany - 1000; i <= kMany; ++i) REQUIRE(seen(i, false));
  CHECK_FALSE(seen(100, true));  // which drives out the next
  CHECK_FALSE(seen(101, true));
  CHECK(seen(103, true));
  CHECK(seen(kMany / 2, true));
  CHECK(seen(101, true));
  CHECK(ends.seen(end(kMany) ^ 2, false) == RecentEnds::Seen::id);
}

TEST_CASE("what an aggregated API server logged again counts once, as kube-apiserver logged it", "[replay][join]") {
  Joining j;
  j.add({Stage::response_complete, 7, 101, 104});  // the aggregated server's
  j.add({Stage::response_complete, 8, 102, 105});
  j.add({Stage::response_complete, 7, 100, 105});
  j.add({Stage::response_complete, 9, 110, 112});  // an ID used twice, one request after the other
  j.add({Stage::response_complete, 9, 113, 115});
  j.joiner.finish();
  CHECK(j.joiner.sums().aggregated == 1);
  CHECK(j.joiner.sums().requests == 4);
  REQUIRE(j.out.size() == 4);
  CHECK(j.out.front().second.event.received == 100 * kSecond);
  CHECK(j.dropped == 1);
}

TEST_CASE("what an aggregated API server logged again counts once, however long it takes", "[replay][join]") {
  // With RequestReceived and without it: the window is 10 s, and these take 30.
  for (const bool received : {false, true}) {
    INFO(received);
    Joining j;
    if (received) {
      j.add({Stage::received, 7, 100, 100});
      j.add({Stage::received, 7, 101, 101});
    }
    for (Nanos t = 102; t < 130; ++t) j.add({Stage::response_complete, static_cast<std::uint64_t>(1000 + t), t, t});
    j.add({Stage::response_complete, 7, 101, 130});  // the aggregated server's
    j.add({Stage::response_complete, 2000, 130, 131});
    j.add({Stage::response_complete, 7, 100, 132});
    j.add({Stage::response_complete, 7, 105, 133});  // an ID used twice: this one is not within the other
    j.add({Stage::response_complete, 7, 110, 140});
    j.joiner.finish();
    CHECK(j.joiner.sums().aggregated == 1);
    CHECK(j.joiner.sums().unfinished == 0);
    CHECK(j.joiner.sums().requests == 32);
    CHECK(j.out.size() == 32);
  }
}

TEST_CASE("a watch that was handed on already ends when its end comes", "[replay][join]") {
  Joining j;
  j.add({Stage::received, 7, 100, 100, true});
  for (Nanos t = 101; t < 130; ++t) j.add({Stage::response_complete, static_cast<std::uint64_t>(1000 + t), t, t});
  j.add({Stage::response_complete, 7, 100, 130, true});
  j.joiner.finish();
  REQUIRE(j.out.size() == 31);
  CHECK(j.out.back().second.kind == Joined<RequestEvent>::Kind::watch_end);
  CHECK(j.out.back().second.event.id.high == 7);
  CHECK(j.joiner.sums().requests == 30);
  CHECK(j.joiner.sums().unfinished == 1);
}
