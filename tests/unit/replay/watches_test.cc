#include "replay/watches.h"

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
  Watches watches;
  const PreparedEvent event = watch(1, 7);
  watches.announce(event);
  CHECK_FALSE(watches.any());
  watches.start(event);
  CHECK(notified(watches, 7) == 1);
  watches.end(event.id);
  CHECK_FALSE(watches.any());
  watches.end(event.id);  // reported twice
  CHECK(watches.peak() == 1);
}

TEST_CASE("a watch that ended while it waited, or was refused, never counts", "[replay]") {
  Watches watches;
  const PreparedEvent ended = watch(1, 7), refused = watch(2, 7);
  watches.announce(ended);
  watches.announce(refused);
  watches.end(ended.id);
  watches.forget(refused);
  watches.start(ended);
  CHECK_FALSE(watches.any());
}

TEST_CASE("a watch whose end is known expires", "[replay]") {
  Watches watches;
  PreparedEvent whole = watch(1, 7);
  whole.stage = Stage::response_complete;
  whole.stage_time = 100;
  watches.start(whole);
  watches.add_standing(8, 50);
  CHECK(watches.peak() == 2);
  CHECK(watches.standing() == 1);
  watches.expire(50);
  CHECK(notified(watches, 8) == 0);
  CHECK(notified(watches, 7) == 1);
  watches.expire(100);
  CHECK_FALSE(watches.any());
}
