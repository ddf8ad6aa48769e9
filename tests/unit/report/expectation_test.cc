// Expectations on a replay: what they may say, and when they hold.
#include <apf/error.h>
#include <apf/report.h>

#include "catch.h"

using namespace apf;

namespace {

ReplayReport report() {
  ReplayReport r;
  LevelReport level;
  level.name = "my.level";  // names may hold dots
  level.seats_peak = 7;
  level.seats_avg = 2.5;
  level.tally.requests = 10;
  level.tally.outcomes[Outcome::executed] = 7;
  level.tally.outcomes[Outcome::queue_full] = 1;
  level.tally.outcomes[Outcome::time_out] = 2;
  level.tally.queued = 5;
  for (int i = 0; i < 9; ++i) level.tally.wait.add(i == 8 ? 2 * kSecond : 0);
  r.levels.push_back(level);
  r.total = level.tally;
  SchemaReport schema;
  schema.name = "nodes";
  schema.tally.requests = 3;
  r.schemas.push_back(schema);
  return r;
}

bool holds(const char* text) { return check_expectation(parse_expectation(text), report()).met; }

}  // namespace

TEST_CASE("expectations hold or not", "[report]") {
  CHECK(holds("my.level.requests == 10"));
  CHECK(holds("my.level.requests==10"));
  CHECK_FALSE(holds("my.level.requests != 10"));
  CHECK(holds("  my.level.executed<=7 "));
  CHECK(holds("my.level.rejected >= 3"));
  CHECK_FALSE(holds("my.level.rejected > 3"));
  CHECK(holds("my.level.queue-full < 2"));
  CHECK(holds("my.level.concurrency-limit == 0"));
  CHECK(holds("my.level.time-out == 2"));
  CHECK(holds("my.level.queued == 5"));
  CHECK(holds("my.level.maxwait == 2s"));
  CHECK(holds("my.level.maxwait > 1999ms"));
  CHECK(holds("my.level.p50wait == 0"));
  CHECK(holds("my.level.p99wait > 1.9s"));
  CHECK(holds("my.level.p90wait > 1.9s"));
  CHECK(holds("my.level.meanwait < 300ms"));
  CHECK(holds("my.level.seats == 7"));
  CHECK(holds("my.level.seats-avg < 2.6"));
  CHECK(holds("total.requests == 10"));
  CHECK(holds("FlowSchema/nodes.requests == 3"));
}

TEST_CASE("an unmet expectation shows both numbers", "[report]") {
  CHECK(check_expectation(parse_expectation("my.level.maxwait < 1s"), report()).message ==
        "my.level.maxwait < 1s: it is 2s");
  CHECK(check_expectation(parse_expectation("total.rejected < 1"), report()).message == "total.rejected < 1: it is 3");
}

TEST_CASE("expectations that say nothing are refused", "[report]") {
  for (const char* text :
       {"", "total", "total.rejected", "total.rejected 5", "total.rejected = 5", "rejected < 5", ".rejected < 5",
        "total. < 5", "total.nothing < 5", "total.rejected < ", "total.rejected < 5s", "total.rejected < nan",
        "total.maxwait < 5", "total.maxwait < fast", "total.seats < 5", "FlowSchema/nodes.seats < 5"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_expectation(text), Error);
  }
  CHECK_THROWS_WITH(parse_expectation("total.p9wait < 1s"), Catch::Contains("did you mean 'p90wait'?"));
  CHECK_THROWS_AS(check_expectation(parse_expectation("other.rejected < 5"), report()), Error);
  CHECK_THROWS_WITH(check_expectation(parse_expectation("FlowSchema/noeds.rejected < 5"), report()),
                    Catch::Contains("did you mean 'nodes'?"));
}

TEST_CASE("shares, other words, limits", "[report]") {
  CHECK(holds("my.level.rejected == 30%"));
  CHECK(holds("my.level.rejected <= 30 %"));
  CHECK_FALSE(holds("my.level.rejected < 30%"));
  CHECK(holds("my.level.refused == 3"));
  CHECK(holds("total.executed >= 70%"));
  CHECK(holds("FlowSchema/nodes.rejected == 0%"));
  CHECK(holds("my.level.maxseats == 7"));
  CHECK(holds("my.level.avgseats == 2.5"));
  CHECK(holds("my.level.p95wait > 1.9s"));
  ReplayReport r = report();
  r.levels[0].current_cl_avg = 5;
  r.levels[0].current_cl_max = 9;
  CHECK(check_expectation(parse_expectation("my.level.utilization == 50%"), r).met);
  CHECK(check_expectation(parse_expectation("my.level.utilization == 0.5"), r).met);
  CHECK(check_expectation(parse_expectation("my.level.limit-max == 9"), r).met);
  CHECK(check_expectation(parse_expectation("my.level.utilization < 40%"), r).message ==
        "my.level.utilization < 40%: it is 50 %");
  CHECK(check_expectation(parse_expectation("my.level.rejected < 1%"), r).message ==
        "my.level.rejected < 1%: it is 30 %");
  r.levels[0].exempt = true;  // no limit to use up
  CHECK(check_expectation(parse_expectation("my.level.utilization == 0"), r).met);
  CHECK_THROWS_AS(parse_expectation("my.level.p99wait < 1%"), Error);
  CHECK_THROWS_AS(parse_expectation("my.level.seats < 10%"), Error);
  CHECK_THROWS_AS(parse_expectation("total.utilization < 1"), Error);
  SchemaReport again = r.schemas[0];  // under another configuration, of another level
  r.schemas.push_back(again);
  CHECK(check_expectation(parse_expectation("FlowSchema/nodes.requests == 6"), r).met);
}
