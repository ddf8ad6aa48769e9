// What the server's log says of its clock: ticks, digests, changes.
#include "replay/prepare/server_clock.h"

#include "catch.h"
#include "replay/engine/config_schedule.h"

using namespace apf;

namespace {

constexpr Nanos kStart = 1'000'000 * kSecond;

void burst(ServerClock& clock, Nanos at, bool configured = false) {
  if (configured) clock.take({ServerNote::Kind::configured, at, "a", 5});
  clock.take({ServerNote::Kind::current_cl, at + 10'000, "a", 5});
  clock.take({ServerNote::Kind::current_cl, at + 20'000, "b", 7});
}

ServerClock started() {
  ServerClock clock;
  clock.take({ServerNote::Kind::created, kStart - kMillisecond, "", 30});
  clock.take({ServerNote::Kind::rebalancing, kStart, "", 0});
  return clock;
}

std::vector<std::string> steps(ConfigSchedule& schedule, Nanos until, Nanos next_tick, bool lingers = false) {
  std::vector<std::string> out;
  while (const auto step = schedule.next(until, next_tick, lingers))
    out.push_back(format_go_duration(step->time - kStart) +
                  (step->again ? " again" : " " + std::to_string(step->configuration)));
  return out;
}

using Steps = std::vector<std::string>;

}  // namespace

TEST_CASE("ticks follow the log's lines and drift on between them", "[replay][clock]") {
  ServerClock clock = started();
  CHECK(clock.server_concurrency_limit() == 30);
  burst(clock, kStart + 10 * kSecond + 900'000);
  burst(clock, kStart + 30 * kSecond + 2'700'000);
  Nanos tick = clock.next_tick(kStart);
  CHECK(tick == kStart + 10 * kSecond + 910'000);
  tick = clock.next_tick(tick);  // nothing was logged
  CHECK(tick - kStart - 20 * kSecond == Approx(1'820'000).margin(20'000));
  CHECK(clock.next_tick(tick) == kStart + 30 * kSecond + 2'710'000);
  CHECK(clock.ticks() == 3);
  CHECK(clock.ticks_seen() == 2);
}

TEST_CASE("lines that come late in the log are as if they had come in time", "[replay][clock]") {
  const Nanos bursts[] = {kStart + 10 * kSecond, kStart + 20 * kSecond, kStart + 27 * kSecond, kStart + 40 * kSecond};
  ServerClock in_time = started(), late = started();
  for (const std::size_t i : {0, 1, 2, 3}) burst(in_time, bursts[i], i == 2);
  for (const std::size_t i : {3, 0, 2, 1}) burst(late, bursts[i], i == 2);
  Nanos tick = kStart;
  for (int i = 0; i < 5; ++i) {
    CHECK(late.first_burst() == in_time.first_burst());
    CHECK(late.pace(tick).until == in_time.pace(tick).until);
    const Nanos next = in_time.next_tick(tick);
    CHECK(late.next_tick(tick) == next);
    tick = next;
  }
  CHECK(late.ticks_seen() == 3);
}

TEST_CASE("without a log the clock ticks every 10 s", "[replay][clock]") {
  ServerClock clock;
  CHECK(clock.next_tick(kStart) == kStart + 10 * kSecond);
  CHECK_FALSE(clock.grid());
}

TEST_CASE("bursts whole periods apart give the phase, others do not", "[replay][clock]") {
  ServerClock clock;
  burst(clock, kStart + 3 * kSecond, true);
  burst(clock, kStart + 4 * kSecond);
  burst(clock, kStart + 17 * kSecond);
  CHECK_FALSE(clock.grid());
  burst(clock, kStart + 37 * kSecond + kMillisecond);
  CHECK(clock.grid() == kStart + 17 * kSecond + 10'000);
}

TEST_CASE("a change comes into force when the server digested it, and its status soon after", "[replay][clock]") {
  ServerClock clock = started();
  burst(clock, kStart + 4 * kSecond + 5 * kMillisecond, true);
  burst(clock, kStart + 4 * kSecond + 9 * kMillisecond);
  ConfigSchedule schedule(clock);
  schedule.add(kStart + 4 * kSecond, 1, true);
  schedule.begin(kStart);
  const Nanos tick = clock.next_tick(kStart);
  CHECK(steps(schedule, kStart + 4 * kSecond, tick).empty());
  CHECK(steps(schedule, kStart + 8 * kSecond, tick) == Steps{"4.005s 1", "4.00901s again"});
  CHECK(schedule.unexplained().empty());
}

TEST_CASE("a busy server digests a change late: where levels change, at no other lines", "[replay][clock]") {
  ServerClock busy = started();
  burst(busy, kStart + 6 * kSecond);
  CHECK_FALSE(busy.claim_change(kStart + 4 * kSecond));
  burst(busy, kStart + 8 * kSecond, true);
  CHECK(busy.claim_change(kStart + 4 * kSecond) == kStart + 8 * kSecond);
  CHECK_FALSE(busy.claim_change(kStart + 4 * kSecond));
}

TEST_CASE("without the server's word a new FlowSchema is digested twice", "[replay][clock]") {
  ServerClock clock;
  ConfigSchedule schedule(clock);
  schedule.add(kStart + 4 * kSecond, 1, true);
  schedule.add(kStart + 5 * kSecond, 2, false);
  schedule.begin(kStart);
  CHECK(schedule.may_have_steps());
  CHECK(steps(schedule, kStart + 8 * kSecond, kStart + 10 * kSecond) == Steps{"4s 1", "4.004s again", "5s 2"});
  CHECK_FALSE(schedule.may_have_steps());
}

TEST_CASE("ticks are no digests; a digest that nobody told of is one, and is told", "[replay][clock]") {
  ServerClock clock = started();
  burst(clock, kStart + 200'000, true);  // of the start itself
  burst(clock, kStart + 6 * kSecond, true);
  burst(clock, kStart + 10 * kSecond + kMillisecond);
  ConfigSchedule schedule(clock);
  schedule.begin(kStart);
  const Nanos tick = clock.next_tick(kStart);
  CHECK(steps(schedule, tick, tick) == Steps{"6s again"});
  CHECK(schedule.unexplained() == std::vector<Nanos>{kStart + 6 * kSecond});
}

TEST_CASE("the digest that drops a level which became idle is the replay's own", "[replay][clock]") {
  ServerClock clock = started();
  burst(clock, kStart + 6 * kSecond, true);
  ConfigSchedule schedule(clock);
  schedule.begin(kStart);
  CHECK(steps(schedule, kStart + 8 * kSecond, clock.next_tick(kStart), true).empty());
  CHECK(schedule.unexplained().empty());
}

TEST_CASE("a FlowSchema's status changes when it is new or its level comes or goes", "[replay][clock]") {
  Config none, both, schema_only;
  FlowSchema schema;
  schema.meta.name = "s";
  schema.priority_level = "l";
  PriorityLevel level;
  level.meta.name = "l";
  schema_only.flow_schemas = {schema};
  both.flow_schemas = {schema};
  both.priority_levels = {level};
  CHECK(status_changes(none, both));
  CHECK(status_changes(both, schema_only));
  CHECK(status_changes(schema_only, both));
  CHECK_FALSE(status_changes(both, both));
  CHECK_FALSE(status_changes(both, none));
}

TEST_CASE("limits that the log tells are found by the instant", "[replay][clock]") {
  ServerClock clock = started();
  burst(clock, kStart + 10 * kSecond);
  const Nanos tick = clock.next_tick(kStart);
  const ServerClock::Burst* told = clock.at(tick);
  REQUIRE(told);
  CHECK(told->limits == std::vector<std::pair<std::string, std::int64_t>>{{"a", 5}, {"b", 7}});
  CHECK_FALSE(clock.at(tick + 1));
  clock.forget_before(tick + kSecond);
  CHECK_FALSE(clock.at(tick));
}

TEST_CASE("a server that comes up anew within its log is told", "[replay][clock]") {
  ServerClock clock = started();
  clock.take({ServerNote::Kind::rebalancing, kStart + 60 * kSecond, "", 0});
  CHECK(clock.start() == kStart);
  CHECK(clock.restarts() == 1);
}

TEST_CASE("an adjustment whose lines lie milliseconds apart is one", "[replay][clock]") {
  ServerClock clock = started();
  const Nanos tick = kStart + 10 * kSecond + kMillisecond;
  clock.take({ServerNote::Kind::current_cl, tick, "ci", 11});
  clock.take({ServerNote::Kind::current_cl, tick + 4 * kMillisecond, "workload-low", 6});
  CHECK(clock.next_tick(kStart) == tick);
  CHECK(clock.next_digest(kStart, kStart + 15 * kSecond, kStart + 20 * kSecond) == nullptr);
  // A level that is named again belongs to the next one.
  clock.take({ServerNote::Kind::current_cl, tick + 8 * kMillisecond, "ci", 12});
  const ServerClock::Burst* digest = clock.next_digest(kStart, kStart + 15 * kSecond, kStart + 20 * kSecond);
  REQUIRE(digest != nullptr);
  CHECK(digest->begin == tick + 8 * kMillisecond);
}

TEST_CASE("a server without a log has the same seats and a clock that is as exact", "[replay][clock]") {
  ServerClock clock = started();
  burst(clock, kStart + 10 * kSecond + 990'000);
  clock.next_tick(kStart);
  ServerClock other = clock.without_log(true, true);
  CHECK(other.server_concurrency_limit() == 30);
  CHECK(other.next_tick(kStart) == kStart + 10 * kSecond + kMillisecond);
  CHECK(other.first_burst() == apf::kNever);
  ServerClock exact = clock.without_log(false, false);
  CHECK_FALSE(exact.server_concurrency_limit());
  CHECK(exact.next_tick(kStart) == kStart + 10 * kSecond);
}

TEST_CASE("a server that does not follow the log ticks by itself", "[replay][clock]") {
  ServerClock clock = started();
  burst(clock, kStart + 10 * kSecond + 900'000);
  clock.stop_following();
  burst(clock, kStart + 20 * kSecond + 1'800'000, true);
  CHECK(clock.server_concurrency_limit() == 30);
  CHECK(clock.first_burst() == apf::kNever);
  const Nanos tick = kStart + 5 * kSecond;
  CHECK(clock.next_tick(tick) == tick + 10 * kSecond + clock.drift());
  CHECK_FALSE(clock.claim_change(kStart + 20 * kSecond));
}

TEST_CASE("steps are taken up to the given time, and at it", "[replay][clock]") {
  ServerClock clock;
  ConfigSchedule schedule(clock);
  schedule.add(kStart + 4 * kSecond, 1, true);
  schedule.begin(kStart);
  const Nanos tick = kStart + 10 * kSecond, again = kStart + 4 * kSecond + 4 * kMillisecond;
  CHECK(steps(schedule, kStart + 4 * kSecond - 1, tick).empty());
  CHECK(steps(schedule, kStart + 4 * kSecond, tick) == Steps{"4s 1"});
  CHECK(steps(schedule, again - 1, tick).empty());
  CHECK(steps(schedule, again, tick) == Steps{"4.004s again"});
}
