#include "replay/store/event_spool.h"

#include "catch.h"

using namespace apf;

TEST_CASE("a spool returns events in order, with ids and attributes, as often as asked", "[replay]") {
  Pool<AdmissionAttributes> attributes;
  EventSpool spool(attributes);
  constexpr int kEvents = 50'000;  // more than is kept in memory
  for (int i = 0; i < kEvents; ++i) {
    JoinedEvent joined;
    joined.event.received = i;
    joined.seq = static_cast<std::uint64_t>(i);
    if (i % 3 == 0) {
      AdmissionAttributes given;
      given.operation = AdmissionOperation::patch;
      given.ns = "ns-" + std::to_string(i);
      given.object = std::string(static_cast<std::size_t>(i % 700), 'o');
      given.code = 409;
      given.dry_run = i % 2 == 0;
      if (i % 6 == 0) given.source_and_object = std::string("key\0text", 8);
      joined.event.attributes = attributes.add(std::move(given));
    }
    spool.append(i, joined, i % 5 == 0 ? "id-" + std::to_string(i) : "");
    attributes.drop(joined.event.attributes);
  }
  CHECK(attributes.size() == 0);
  for (int round = 0; round < 2; ++round) {
    EventSpool::Reader events(spool, &attributes);
    SpooledEvent item;
    bool right = true;
    for (int i = 0; i < kEvents; ++i) {
      REQUIRE(events.next(item));
      right = right && item.now == i && item.joined.event.received == i &&
              item.id_text == (i % 5 == 0 ? "id-" + std::to_string(i) : "");
      right = right && (item.joined.event.attributes != 0) == (i % 3 == 0);
      if (item.joined.event.attributes == 0) continue;
      const AdmissionAttributes& got = attributes.at(item.joined.event.attributes);
      right = right && got.operation == AdmissionOperation::patch && got.ns == "ns-" + std::to_string(i) &&
              got.object.size() == static_cast<std::size_t>(i % 700) && got.code == 409 &&
              got.dry_run == (i % 2 == 0) && got.user_known && got.source_and_object.has_value() == (i % 6 == 0);
      attributes.drop(item.joined.event.attributes);
    }
    CHECK(right);
    CHECK_FALSE(events.next(item));
  }
}

TEST_CASE("a block that was passed over is kept later, at its place", "[replay]") {
  Pool<AdmissionAttributes> attributes;
  EventSpool spool(attributes);
  std::vector<EventBlock> blocks;
  for (std::uint64_t i = 0; i < 3 * EventBlock::kEvents; ++i) {
    if (i % EventBlock::kEvents == 0) blocks.emplace_back(i);
    JoinedEvent joined;
    joined.event.received = joined.event.stage_time = static_cast<Nanos>(i);
    joined.event.http = i % 2 == 0;
    joined.event.masters = i % 3 == 0;
    joined.unfinished = i % 5 == 0;
    blocks.back().add(static_cast<Nanos>(i), joined, "", false, nullptr);
  }
  for (const EventBlock& block : blocks) spool.pass_over(block);
  CHECK(spool.size() == 3 * EventBlock::kEvents);
  spool.keep(blocks[1]);  // the first one is gone
  spool.keep(blocks[2]);
  EventSpool::Reader events(spool, nullptr);
  events.rewind(EventBlock::kEvents);
  SpooledEvent item;
  for (std::uint64_t i = EventBlock::kEvents; i < 3 * EventBlock::kEvents; ++i) {
    REQUIRE(events.next(item));
    REQUIRE(item.now == static_cast<Nanos>(i));
    REQUIRE(item.joined.event.http == (i % 2 == 0));
    REQUIRE(item.joined.event.masters == (i % 3 == 0));
    REQUIRE(item.joined.unfinished == (i % 5 == 0));
    REQUIRE_FALSE(item.joined.event.learned);
  }
  CHECK_FALSE(events.next(item));
}
