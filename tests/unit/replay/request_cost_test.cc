#include "replay/engine/request_cost.h"

#include "catch.h"

using namespace apf;

namespace {

struct Costs {
  ReplayOptions options;
  std::vector<std::shared_ptr<const Classifier>> classifiers;
  Flows flows{classifiers};
  ServerClock clock;
  NumberTables numbers;
  RunContext context{options, classifiers, flows, clock, numbers};
  Watches watches;
  RequestCost cost{context, watches};
};

LiveRequest request_of(Nanos received, Nanos end) {
  LiveRequest request;
  request.event.received = received;
  request.event.stage_time = end;
  return request;
}

}  // namespace

TEST_CASE("without a recorded wait a request runs for its total", "[replay]") {
  Costs c;
  CHECK(c.cost.end_of(request_of(0, 5 * kSecond), 0) == 5 * kSecond);
  CHECK(c.cost.undecided() == 0);
  CHECK(c.cost.end_of(request_of(0, 5 * kSecond), kSecond) == 6 * kSecond);
  CHECK(c.cost.end_of(request_of(0, 5 * kSecond), 8 * kSecond) == 13 * kSecond);
  CHECK(c.cost.undecided() == 2);
  CHECK(c.cost.without_wait() == 3);
  CHECK(c.cost.facts().anchored == 0);
}

TEST_CASE("under the recorded configuration it ends when the log says, or after the least service", "[replay]") {
  Costs c;
  c.options.unknown_waits = UnknownWaits::recorded_ends;
  CHECK(c.cost.end_of(request_of(0, 5 * kSecond), kSecond) == 5 * kSecond);
  CHECK(c.cost.end_of(request_of(0, 5 * kSecond), 8 * kSecond) == 8 * kSecond + kMillisecond);
  CHECK(c.cost.end_of(request_of(0, kMillisecond / 2), 8 * kSecond) == 8 * kSecond + kMillisecond / 2);
  CHECK(c.cost.facts().anchored == 3);
}

TEST_CASE("with a recorded wait a request keeps its execution time", "[replay]") {
  Costs c;
  LiveRequest request = request_of(0, 5 * kSecond);
  request.event.queue_wait = 2 * kSecond;
  CHECK(c.cost.end_of(request, 10 * kSecond) == 13 * kSecond);
}

TEST_CASE("a request that the log shows refused runs as long as similar ones", "[replay]") {
  Costs c;
  LiveRequest served = request_of(0, 4 * kSecond);
  served.event.queue_wait = 0;
  LiveRequest refused = request_of(0, 0);
  refused.event.recorded_refusal = true;
  CHECK(c.cost.end_of(refused, 0) == c.options.service_floor);  // nothing is known yet
  CHECK(c.cost.end_of(served, 0) == 4 * kSecond);
  CHECK(c.cost.end_of(refused, kSecond) == 5 * kSecond);
  c.options.refused_execution = 9 * kSecond;
  CHECK(c.cost.end_of(refused, kSecond) == 10 * kSecond);
  CHECK(c.cost.facts().refused_in_log == 3);
}

TEST_CASE("who is refused inside the handler holds its seats shortly", "[replay]") {
  Costs c;
  LiveRequest request = request_of(0, 5 * kSecond);
  request.outcome = Outcome::event_rate_limit;
  CHECK(c.cost.end_of(request, 0) == c.options.service_floor);
}

TEST_CASE("a list takes what the counts of its time say, up to the level's cap", "[replay]") {
  Costs c;
  c.options.objects_at.resize(2);
  c.options.objects_at[0].first = {true, 10 * kSecond};
  c.options.objects_at[1].first = {true, 20 * kSecond};
  c.numbers.lists = {{3, 8}};
  c.cost.begin({}, 0);
  PreparedEvent list;
  list.seat_kind = SeatKind::list;
  list.list_seats = 0;
  LevelLimits limits;
  limits.max_seats = 5;
  CHECK(c.cost.estimate(list, limits, 0).initial_seats == 3);
  CHECK(c.cost.estimate(list, limits, 20 * kSecond).initial_seats == 5);
  list.has_fixed_seats = list.http = true;  // recorded under another cap
  list.fixed.initial_seats = 9;
  CHECK(c.cost.estimate(list, limits, 20 * kSecond).initial_seats == 5);
}
