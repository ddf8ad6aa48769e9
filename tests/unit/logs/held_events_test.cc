#include "logs/held_events.h"

#include <algorithm>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "catch.h"
#include "logs/join.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Out = std::vector<std::pair<Nanos, std::uint64_t>>;

// Stages of requests that run for up to 20 s, some of them watches, in the order in which a server writes them.
std::vector<RequestEvent> random_events(std::mt19937_64& random) {
  std::vector<RequestEvent> out;
  Nanos clock = 1795177585 * kSecond;
  for (std::uint64_t id = 1; id <= 3000; ++id) {
    clock += static_cast<Nanos>(random() % static_cast<std::uint64_t>(50 * kMillisecond));
    RequestEvent event;
    event.id = {id, id, false};
    event.watch = random() % 5 == 0;
    event.received = clock - static_cast<Nanos>(random() % static_cast<std::uint64_t>(20 * kSecond));
    const Stage before = event.watch ? Stage::response_started : Stage::received;
    if (random() % 2 == 0) {
      event.stage = before;
      event.stage_time = event.watch ? clock : event.received;
      out.push_back(event);
    }
    event.stage = Stage::response_complete;
    event.stage_time = clock;
    if (random() % 20 != 0) out.push_back(event);
  }
  return out;
}

constexpr Nanos kHeldWindow = 30 * kSecond;
constexpr std::size_t kHeldLimit = 1000;

Out joined_by_value(const std::vector<RequestEvent>& events, std::size_t& dropped) {
  Out out;
  Joiner<RequestEvent> joiner(
      kHeldWindow, kHeldLimit,
      [&](Nanos now, Joined<RequestEvent>& joined) {
        out.emplace_back(now, joined.event.id.high);
        return true;
      },
      [&](const RequestEvent&) { ++dropped; });
  for (const RequestEvent& event : events) joiner.add(RequestEvent(event));
  joiner.finish();
  return out;
}

}  // namespace

TEST_CASE("events that are joined where they lie come out as those that are copied", "[logs][held]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 10; ++round) {
    const std::vector<RequestEvent> events = random_events(random);
    std::size_t dropped = 0, dropped_in_place = 0;
    const Out wanted = joined_by_value(events, dropped);

    Out out;
    std::deque<std::pair<Nanos, Joined<RequestEvent>*>> kept;  // read later, and given back
    EventMemory<RequestEvent> memory;
    Joiner<RequestEvent> joiner(
        kHeldWindow, kHeldLimit,
        [&](Nanos now, Joined<RequestEvent>& joined) {
          kept.emplace_back(now, &joined);
          return false;
        },
        [&](const RequestEvent&) { ++dropped_in_place; });
    const auto give_back = [&](std::size_t most) {
      for (; kept.size() > most; kept.pop_front()) {
        out.emplace_back(kept.front().first, kept.front().second->event.id.high);
        joiner.held().drop(*kept.front().second);
      }
    };
    EventList<RequestEvent> batch;
    for (std::size_t i = 0; i < events.size();) {
      batch.clear();
      for (std::size_t n = random() % 400; n > 0 && i < events.size(); --n) batch.add(memory).event = events[i++];
      const std::uint32_t page = joiner.held().open(batch.size());
      for (std::size_t n = 0; n < batch.size(); ++n) {
        batch[n].page = page;
        joiner.add_in_place(batch[n]);
      }
      joiner.held().close(page, batch);
      give_back(random() % 300);
    }
    joiner.finish();
    give_back(0);
    CHECK(out == wanted);
    CHECK(dropped_in_place == dropped);
  }
}

TEST_CASE("the memory of events that nobody needs any more is used for the next ones", "[logs][held]") {
  EventMemory<RequestEvent> memory;
  HeldEvents<RequestEvent> held;
  EventList<RequestEvent> batch;
  std::vector<const Joined<RequestEvent>*> places;
  std::vector<Joined<RequestEvent>*> waiting;
  for (int round = 0; round < 50; ++round) {
    batch.clear();
    for (int i = 0; i < 300; ++i) batch.add(memory);
    const std::uint32_t page = held.open(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i].page = page;
    for (std::size_t i = 1; i < batch.size(); ++i) held.drop(batch[i]);  // before the batch is used up
    waiting.push_back(&batch[0]);
    if (std::find(places.begin(), places.end(), &batch[0]) == places.end()) places.push_back(&batch[0]);
    held.close(page, batch);
    if (waiting.size() < 3) continue;
    held.drop(*waiting.front());
    waiting.erase(waiting.begin());
  }
  CHECK(places.size() <= 4);  // of three that wait, and of the batch
}
