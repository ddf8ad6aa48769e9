// Requests that two logs tell of: audit events and lines of the HTTP log.
#include <vector>

#include "catch.h"
#include "logs/join.h"

using namespace apf;

namespace {

// What the reader of a log adds to an event goes with it.
struct FlowEvent : RequestEvent {
  std::uint32_t flow = 0;
};

struct HttpJoining {
  std::vector<std::pair<Nanos, Joined<FlowEvent>>> out;
  std::size_t dropped = 0, resolved = 0;
  Joiner<FlowEvent> joiner{75 * kSecond, 1000,
                           [this](Nanos now, Joined<FlowEvent>& event) {
                             out.emplace_back(now, event);
                             return true;
                           },
                           [this](const FlowEvent&) { ++dropped; }, [this](FlowEvent&) { ++resolved; }};

  static FlowEvent event(std::uint64_t id, Nanos received, Nanos end) {
    FlowEvent e;
    e.id = {id, id, false};
    e.received = received;
    e.stage_time = end;
    e.wait_limit = 15 * kSecond;
    return e;
  }
  static FlowEvent http(std::uint64_t id, Nanos received, Nanos end, Nanos execution) {
    FlowEvent e = event(id, received, end);
    e.http = true;
    e.execution = execution;
    e.has_fixed_seats = true;
    e.fixed = {3, 0, 0};
    e.recorded = 7;
    return e;
  }
  // The log goes on.
  void until(Nanos time) { joiner.add(event(0, time, time)); }
  const FlowEvent& only(std::uint64_t id) const {
    const FlowEvent* found = nullptr;
    for (const auto& [now, joined] : out) {
      if (joined.kind != Joined<FlowEvent>::Kind::request || joined.event.id.high != id) continue;
      REQUIRE(found == nullptr);
      found = &joined.event;
    }
    REQUIRE(found != nullptr);
    return *found;
  }
};

constexpr Nanos kT = 1000 * kSecond;

}  // namespace

TEST_CASE("an audit event gets execution, seats and place from the HTTP line, in either order", "[replay][join]") {
  for (const bool audit_first : {true, false}) {
    HttpJoining j;
    FlowEvent audit = HttpJoining::event(1, kT, kT + 2 * kSecond);
    audit.flow = 5;
    FlowEvent line = HttpJoining::http(1, kT + 100, kT + 2 * kSecond + 200, kSecond);
    if (audit_first) j.joiner.add(std::move(audit)), j.joiner.add(std::move(line));
    else j.joiner.add(std::move(line)), j.joiner.add(std::move(audit));
    j.joiner.finish();
    REQUIRE(j.out.size() == 1);
    const FlowEvent& e = j.only(1);
    CHECK(e.received == kT);
    CHECK(e.flow == 5);
    CHECK(e.execution == kSecond);
    CHECK(e.fixed.initial_seats == 3);
    CHECK(e.recorded == 7);
    CHECK(e.queue_wait == kSecond);
    CHECK(e.derived_wait);
    CHECK(j.joiner.sums().logs.requests == 1);
    CHECK(j.dropped == 1);
    CHECK(j.resolved == 0);
  }
}

TEST_CASE("what only one of the logs has comes out all the same, each once", "[replay][join]") {
  HttpJoining j;
  j.joiner.add(HttpJoining::event(1, kT, kT + kSecond));
  j.joiner.add(HttpJoining::http(2, kT + 1, kT + kSecond + 1, kSecond / 2));
  for (Nanos t = 1; t < 100; ++t) j.until(kT + t * kSecond);
  CHECK(j.only(1).execution == kNoTime);
  CHECK(j.only(2).execution == kSecond / 2);
  CHECK(j.only(2).derived_wait);
  CHECK(j.resolved == 1);
  CHECK(j.joiner.sums().logs.audit_only == 1);
  CHECK(j.joiner.sums().logs.http_only == 1);
  CHECK(j.joiner.sums().out_of_window == 0);
  j.joiner.finish();
}

TEST_CASE("an ID used twice is two requests", "[replay][join]") {
  HttpJoining j;
  j.joiner.add(HttpJoining::event(1, kT, kT + kSecond));
  j.joiner.add(HttpJoining::event(1, kT + 2 * kSecond, kT + 3 * kSecond));
  j.joiner.add(HttpJoining::http(1, kT + 2 * kSecond, kT + 3 * kSecond, kSecond / 2));
  j.joiner.finish();
  REQUIRE(j.out.size() == 2);
  CHECK(j.out[0].second.event.execution == kNoTime);
  CHECK(j.out[1].second.event.execution == kSecond / 2);
}

TEST_CASE("HTTP/1.1 clients that hang up get a 429 in both logs", "[replay][join]") {
  HttpJoining j;
  for (const int i : {1, 2}) {
    const Nanos total = i == 1 ? 5 * kSecond : 15 * kSecond;  // the second waited as long as it may
    FlowEvent audit = HttpJoining::event(i, kT, kT + total);
    FlowEvent line = HttpJoining::http(i, kT, kT + total + 300, kNoTime);
    audit.code = line.code = 429;
    audit.recorded_refusal = line.recorded_refusal = true;
    j.joiner.add(std::move(audit));
    j.joiner.add(std::move(line));
  }
  j.joiner.finish();
  CHECK(j.only(1).hung_up);
  CHECK(j.only(1).wait_limit == 5 * kSecond);
  CHECK_FALSE(j.only(2).hung_up);
}

TEST_CASE("a client that hung up waits no longer here", "[replay][join]") {
  HttpJoining j;
  FlowEvent audit = HttpJoining::event(1, kT, kT + 4 * kSecond);
  audit.code = 429;
  audit.recorded_refusal = true;
  FlowEvent line = HttpJoining::http(1, kT, kT + 4 * kSecond + 300, kNoTime);
  line.code = 504;
  j.joiner.add(std::move(audit));
  j.joiner.add(std::move(line));
  // A refusal at once, however long the answer took, and a time-out.
  FlowEvent fast = HttpJoining::event(2, kT, kT + 90 * kMillisecond);
  fast.recorded_refusal = true;
  FlowEvent slow = HttpJoining::event(3, kT, kT + 15 * kSecond + kMillisecond);
  slow.recorded_refusal = true;
  j.joiner.add(std::move(fast));
  j.joiner.add(std::move(slow));
  // Only the HTTP log shows: 504 before the wait limit, and 504 when the deadline passed.
  FlowEvent left = HttpJoining::http(4, kT, kT + 3 * kSecond, kNoTime),
            late = HttpJoining::http(5, kT, kT + 60 * kSecond, kNoTime);
  left.code = late.code = 504;
  j.joiner.add(std::move(left));
  j.joiner.add(std::move(late));
  j.joiner.finish();
  CHECK(j.only(1).hung_up);
  CHECK(j.only(1).wait_limit == 4 * kSecond);
  CHECK_FALSE(j.only(2).hung_up);
  CHECK(j.only(2).wait_limit == 15 * kSecond);
  CHECK_FALSE(j.only(3).hung_up);
  CHECK(j.only(4).hung_up);
  CHECK(j.only(4).recorded_refusal);
  CHECK(j.only(4).wait_limit == 3 * kSecond);
  CHECK_FALSE(j.only(5).hung_up);
  CHECK_FALSE(j.only(5).recorded_refusal);
}

TEST_CASE("a handler that outlives its time-out holds its seats until the audit log has its end", "[replay][join]") {
  HttpJoining j;
  FlowEvent line = HttpJoining::http(1, kT, kT + 6 * kSecond, kNoTime);
  line.code = 504;
  line.wait_limit = kSecond;
  j.joiner.add(std::move(line));
  for (Nanos t = 7; t < 30; ++t) j.until(kT + t * kSecond);  // longer than lines wait for each other
  FlowEvent audit = HttpJoining::event(1, kT, kT + 30 * kSecond);
  audit.queue_wait = 2 * kSecond;
  audit.code = 200;
  j.joiner.add(std::move(audit));
  j.joiner.finish();
  const FlowEvent& e = j.only(1);
  CHECK(e.execution == kNoTime);  // what the total leaves beside the wait is what it runs
  CHECK(e.stage_time == kT + 30 * kSecond);
  CHECK(e.queue_wait == 2 * kSecond);
  CHECK(e.has_fixed_seats);
}

TEST_CASE("RequestReceived alone gives an HTTP line its user", "[replay][join]") {
  HttpJoining j;
  FlowEvent received = HttpJoining::event(1, kT, kT);
  received.stage = Stage::received;
  received.flow = 9;
  j.joiner.add(std::move(received));
  j.joiner.add(HttpJoining::http(1, kT, kT + kSecond, kSecond / 2));
  j.joiner.finish();
  const FlowEvent& e = j.only(1);
  CHECK(e.flow == 9);
  CHECK(e.execution == kSecond / 2);
  CHECK(j.joiner.sums().unfinished == 0);
}

TEST_CASE("a watch known beforehand gets its initialization; its end is the audit log's", "[replay][join]") {
  HttpJoining j;
  FlowEvent line = HttpJoining::http(1, kT, kT + 500 * kSecond, 20 * kMillisecond);
  line.watch = true;
  j.joiner.add_early(std::move(line));
  FlowEvent started = HttpJoining::event(1, kT, kT + 2 * kSecond);
  started.watch = true;
  started.stage = Stage::response_started;
  j.joiner.add(std::move(started));
  for (Nanos t = 3; t < 500; ++t) j.until(kT + t * kSecond);
  FlowEvent ended = HttpJoining::event(1, kT, kT + 500 * kSecond);
  ended.watch = true;
  j.joiner.add(std::move(ended));
  j.joiner.finish();
  const FlowEvent& e = j.only(1);
  CHECK(e.execution == 20 * kMillisecond);
  CHECK(e.queue_wait == 2 * kSecond);
  CHECK(j.joiner.sums().out_of_window == 0);
  CHECK(j.out.back().second.kind == Joined<FlowEvent>::Kind::watch_end);
}

TEST_CASE("a watch that ends at once is one request, whichever log tells of its end first", "[replay][join]") {
  for (const bool audit_first : {true, false}) {
    HttpJoining j;
    FlowEvent started = HttpJoining::event(1, kT, kT + 10);
    started.watch = true;
    FlowEvent ended = started;
    started.stage = Stage::response_started;
    ended.stage_time = kT + 3 * kSecond;
    FlowEvent line = HttpJoining::http(1, kT, kT + 3 * kSecond, 2 * kMillisecond);
    line.watch = true;
    j.joiner.add(std::move(started));
    if (audit_first) j.joiner.add(std::move(ended)), j.joiner.add(std::move(line));
    else j.joiner.add(std::move(line)), j.joiner.add(std::move(ended));
    j.joiner.finish();
    REQUIRE(j.out.size() == 2);
    CHECK(j.only(1).execution == 2 * kMillisecond);
    CHECK(j.out.back().second.kind == Joined<FlowEvent>::Kind::watch_end);
    CHECK(j.joiner.sums().logs.requests == 1);
  }
}

TEST_CASE("the line of a watch that is long under way adds nothing", "[replay][join]") {
  for (const bool audit_first : {true, false}) {
    HttpJoining j;
    FlowEvent started = HttpJoining::event(1, kT, kT + kSecond);
    started.watch = true;
    started.stage = Stage::response_started;
    j.joiner.add(std::move(started));
    for (Nanos t = 3; t < 300; ++t) j.until(kT + t * kSecond);
    FlowEvent ended = HttpJoining::event(1, kT, kT + 300 * kSecond),
              line = HttpJoining::http(1, kT, kT + 300 * kSecond, 1);
    ended.watch = line.watch = true;
    if (audit_first) j.joiner.add(std::move(ended)), j.joiner.add(std::move(line));
    else j.joiner.add(std::move(line)), j.joiner.add(std::move(ended));
    j.joiner.finish();
    CHECK(j.only(1).execution == kNoTime);
    CHECK(j.joiner.sums().logs.http_only == 0);
    CHECK(j.joiner.sums().out_of_window == 0);
  }
}

TEST_CASE("a watch that began before the log is no arrival", "[replay][join]") {
  HttpJoining j;
  j.until(kT);
  for (Nanos t = 1; t < 50; ++t) j.until(kT + t * kSecond);
  FlowEvent ended = HttpJoining::event(1, kT - 600 * kSecond, kT + 50 * kSecond);
  ended.watch = true;
  j.joiner.add(std::move(ended));
  j.joiner.finish();
  CHECK(j.only(1).left_out == LeftOut::standing_watch);
  CHECK(j.joiner.sums().out_of_window == 0);
}

TEST_CASE("halves are kept within a limit", "[replay][join]") {
  HttpJoining j;
  for (std::uint64_t i = 1; i <= 5000; ++i)
    j.joiner.add(HttpJoining::http(i, kT + static_cast<Nanos>(i), kT + kMillisecond + static_cast<Nanos>(i), 1000));
  CHECK(j.joiner.sums().logs.http_only >= 4000);
  j.joiner.finish();
  CHECK(j.out.size() == 5000);
}

TEST_CASE("jitter moves arrivals and ends a little, the same way for the same seed", "[replay][join]") {
  std::vector<Nanos> arrivals[3];
  for (const int run : {0, 1, 2}) {
    HttpJoining j;
    j.joiner.jitter(kMillisecond, run == 2 ? 8 : 7);
    for (std::uint64_t i = 1; i <= 200; ++i)
      j.joiner.add(HttpJoining::http(i, kT + static_cast<Nanos>(i) * kSecond / 10,
                                     kT + static_cast<Nanos>(i) * kSecond / 10 + kSecond, kSecond / 2));
    j.joiner.finish();
    for (const auto& [now, joined] : j.out) {
      const auto id = static_cast<Nanos>(joined.event.id.high);
      const Nanos by = joined.event.received - (kT + id * kSecond / 10), longer = joined.event.execution - kSecond / 2;
      CHECK(std::abs(by) <= kMillisecond);
      CHECK(std::abs(longer) <= kMillisecond);
      arrivals[run].push_back(joined.event.received);
    }
  }
  CHECK(arrivals[0] == arrivals[1]);
  CHECK(arrivals[0] != arrivals[2]);
}
