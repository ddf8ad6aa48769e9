#include "replay/engine/watches.h"

#include "catch.h"

using namespace apf;

namespace {

PreparedEvent watch(std::uint64_t id, WatchKey key) {
  PreparedEvent event;
  event.id = {id, id, true};
  event.watch = true;
  event.watch_key = key;
  event.stage = Stage::response_started;
  return event;
}

std::int64_t notified(const Watches& watches, WatchKey key) { return watches.count({1, {key}}); }

}  // namespace

TEST_CASE("a watch counts from its start to its end", "[replay]") {
  const WatchKey key = GENERATE(WatchKey{1}, WatchKey{7});
  Watches watches;
  const PreparedEvent event = watch(1, key);
  watches.announce(event);
  CHECK_FALSE(watches.any());
  watches.start(event, 0);
  CHECK(notified(watches, key) == 1);
  watches.end(event.id, 0);
  CHECK_FALSE(watches.any());
  watches.end(event.id, 0);  // reported twice
  CHECK(watches.peak() == 1);
}

TEST_CASE("a watch that ended while it waited, or was refused, never counts", "[replay]") {
  Watches watches;
  const PreparedEvent ended = watch(1, 7), refused = watch(2, 7);
  watches.announce(ended);
  watches.announce(refused);
  watches.end(ended.id, 0);
  watches.forget(refused);
  watches.start(ended, 0);
  CHECK_FALSE(watches.any());
}

TEST_CASE("a watch whose end is known expires", "[replay]") {
  Watches watches;
  PreparedEvent whole = watch(1, 7);
  whole.stage = Stage::response_complete;
  whole.stage_time = 100;
  watches.start(whole, 0);
  watches.add_standing(8, 50);
  CHECK(watches.peak() == 2);
  CHECK(watches.standing() == 1);
  watches.expire(50);
  CHECK(notified(watches, 8) == 0);
  CHECK(notified(watches, 7) == 1);
  watches.expire(100);
  CHECK_FALSE(watches.any());
}

TEST_CASE("a watch whose end the log does not hold lasts as long as the server lets it", "[replay]") {
  Watches watches(100 * kSecond);
  PreparedEvent asked = watch(1, 7), unasked = watch(2, 8), traced = watch(3, 9), ended = watch(4, 10);
  asked.watch_timeout = 30 * kSecond;
  traced.trace = true;
  traced.watch_timeout = 40 * kSecond;
  ended.watch_timeout = 30 * kSecond;
  for (const PreparedEvent& event : {asked, unasked, traced, ended}) {
    watches.announce(event);
    watches.start(event, kSecond);
  }
  watches.end(ended.id, 31 * kSecond + kMillisecond);  // the log's own end counts
  watches.expire(31 * kSecond + kMillisecond);
  CHECK(notified(watches, 7) == 1);
  CHECK(watches.timed_out() == 0);
  watches.expire(32 * kSecond);
  CHECK(notified(watches, 7) == 0);
  CHECK(notified(watches, 9) == 1);
  watches.expire(41 * kSecond);
  CHECK(notified(watches, 9) == 0);
  CHECK(notified(watches, 8) == 1);
  watches.expire(202 * kSecond);  // twice the least
  CHECK_FALSE(watches.any());
  CHECK(watches.timed_out() == 3);
  watches.end(asked.id, 300 * kSecond);  // too late
  CHECK_FALSE(watches.any());
}

TEST_CASE("watches that end are told where metrics are wanted", "[replay]") {
  Watches watches;
  PreparedEvent counted = watch(1, 7), unregistered = watch(2, 0);
  counted.endpoint = 3;
  unregistered.endpoint = 4;
  for (const PreparedEvent& event : {counted, unregistered}) {
    watches.announce(event);
    watches.start(event, kSecond);
  }
  CHECK(watches.peak() == 1);
  watches.end(counted.id, 5 * kSecond);
  watches.end(unregistered.id, 6 * kSecond);
  REQUIRE(watches.ended().size() == 2);
  CHECK(watches.ended()[0].endpoint == 3);
  CHECK(watches.ended()[0].since == kSecond);
  CHECK(watches.ended()[1].time == 6 * kSecond);
  CHECK_FALSE(watches.any());
}
