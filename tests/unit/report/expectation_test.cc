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

ExpectationResult expected(const std::string& text, const Facts& facts) {
  const Expectation expectation = parse_expectation(text, facts);
  return check_expectations({&expectation, 1}, facts).front();
}

ExpectationResult expected(const std::string& text, const ReplayReport& of) {
  return expected(text, *facts_of({&of, 1}));
}

bool holds(const char* text) { return expected(text, report()).met; }

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
  CHECK(expected("my.level.maxwait < 1s", report()).message == "my.level.maxwait < 1s: it is 2s");
  CHECK(expected("total.rejected < 1", report()).message == "total.rejected < 1: it is 3");
}

TEST_CASE("expectations that say nothing are refused", "[report]") {
  for (const char* text :
       {"", "total", "total.rejected", "total.rejected 5", "total.rejected = 5", " < 5", ".rejected < 5", "total. < 5",
        "total.nothing < 5", "total.rejected < ", "total.rejected < 5s", "total.rejected < nan", "total.maxwait < 5",
        "total.maxwait < fast", "total.seats < 5", "FlowSchema/nodes.seats < 5"}) {
    INFO(text);
    CHECK_THROWS_AS(expected(text, report()), Error);
  }
  CHECK_THROWS_WITH(expected("total.p9wait < 1s", report()), Catch::Contains("did you mean 'p90wait'?"));
  CHECK_THROWS_AS(expected("other.rejected < 5", report()), Error);
  CHECK_THROWS_WITH(expected("FlowSchema/noeds.rejected < 5", report()), Catch::Contains("did you mean 'nodes'?"));
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
  CHECK(expected("my.level.utilization == 50%", r).met);
  CHECK(expected("my.level.utilization == 0.5", r).met);
  CHECK(expected("my.level.limit-max == 9", r).met);
  CHECK(expected("my.level.utilization < 40%", r).message == "my.level.utilization < 40%: it is 50 %");
  CHECK(expected("my.level.rejected < 1%", r).message == "my.level.rejected < 1%: it is 30 %");
  r.levels[0].exempt = true;  // no limit to use up
  r.requests = 10;
  CHECK(expected("my.level.utilization == 0", r).met);
  r.requests = 0;  // what is known before a replay
  for (const char* certain : {"my.level.utilization == 0", "my.level.rejected < 1%", "my.level.p99wait <= 1s"})
    CHECK_THROWS_WITH(expected(certain, r), Catch::Contains("every report meets it: exempt requests"));
  CHECK_FALSE(expected("my.level.requests < 1", r).met);
  CHECK_THROWS_AS(expected("my.level.p99wait < 1%", report()), Error);
  CHECK_THROWS_AS(expected("my.level.seats < 10%", report()), Error);
  CHECK_THROWS_AS(expected("total.utilization < 1", report()), Error);
  SchemaReport again = r.schemas[0];  // under another configuration, of another level
  r.schemas.push_back(again);
  CHECK(expected("FlowSchema/nodes.requests == 6", r).met);
}

TEST_CASE("a metric alone is of everything", "[report]") {
  CHECK(holds("rejected == 3"));
  CHECK_THROWS_WITH(holds("rejected == total.rejected"), Catch::Contains("compares a figure with itself"));
  CHECK_THROWS_WITH(holds("seats < 5"), Catch::Contains("exists for priority levels only"));
}

TEST_CASE("a figure may stand on the right", "[report]") {
  CHECK(holds("my.level.rejected <= FlowSchema/nodes.requests"));
  CHECK_FALSE(holds("FlowSchema/nodes.requests > my.level.requests"));
  CHECK(expected("total.executed < total.rejected", report()).message ==
        "total.executed < total.rejected: it is 7 against 3");
  CHECK_THROWS_WITH(holds("total.rejected < total.p99wait"), Catch::Contains("different units"));
  CHECK_THROWS_WITH(holds("agreement < coverage"), Catch::Contains("can be compared with a value only"));
  CHECK_THROWS_WITH(holds("total.rejected < other.rejected"), Catch::Contains("no priority level other"));
}

TEST_CASE("levels have seats, limits and what they borrow", "[report]") {
  ReplayReport r = report();
  r.levels[0].current_cl_min = 3;
  r.levels[0].current_cl_avg = 4.5;
  r.levels[0].borrowed_avg = 1.25;
  r.levels[0].lent_avg = 0.5;
  r.levels[0].tally.seat_seconds = 12.5;
  for (const char* text : {"my.level.limit-min == 3", "my.level.limit-avg == 4.5", "my.level.borrowed-avg == 1.25",
                           "my.level.lent-avg == 0.5", "my.level.seat-seconds == 12.5"}) {
    INFO(text);
    CHECK(expected(text, r).met);
  }
}

TEST_CASE("what dumps and scrapes say of a level", "[report]") {
  Inspection inspection;
  inspection.seconds = 10;
  InspectedLevel& level = inspection.levels.emplace_back();
  level.name = "p";
  level.rejected = 20;
  level.waiting_seats = 7;
  level.current = 12;
  level.nominal = 10;
  const auto facts = facts_of(inspection);
  CHECK(expected("p.reject-rate == 2", *facts).met);
  CHECK(expected("waiting-seats == 7", *facts).met);
  CHECK(expected("p.borrowed == 2", *facts).met);
  CHECK_THROWS_WITH(expected("p.meanwait < 1s", *facts), Catch::Contains("the input says nothing of meanwait there"));
}

TEST_CASE("what a log alone says", "[report]") {
  LogSummary summary;
  summary.total.requests = summary.total.answered = 200;
  summary.total.refused = 10;
  LogCoverage known;
  const auto facts = facts_of(summary, known);
  CHECK(expected("refused == 10", *facts).met);
  CHECK(expected("total.rejected <= 5%", *facts).met);
  CHECK(expected("refused-share > 5%", *facts).message == "refused-share > 5%: it is 5 %");
  CHECK_THROWS_WITH(expected("coverage >= 95%", *facts), Catch::Contains("needs --server-metrics"));
  summary.total.answered = 100;  // of the others nobody knows
  CHECK(expected("refused <= 5%", *facts).message == "refused <= 5%: it is 5 % to 55 %");
  CHECK_THAT(expected("refused <= 5%", *facts).why_open, Catch::Contains("no answer of 100 of 200 requests"));
  CHECK(expected("refused <= 55%", *facts).met);
  CHECK(expected("refused <= 5%", *facts_of(summary, known, true)).message == "refused <= 5%: it is 10 %");
  known.metrics.emplace();
  CHECK(!expected("coverage >= 95%", *facts).met);  // of no requests
  CHECK_THROWS_WITH(expected("workload-low.refused == 0", *facts), Catch::Contains("write it without 'workload-low.'"));
  CHECK_THROWS_WITH(expected("refusals == 0", *facts), Catch::Contains("unknown metric 'refusals'"));
}

TEST_CASE("agreement with the log is of the whole report", "[report]") {
  ReplayReport r = report();
  CHECK(expected("agreement >= 1%", r).message ==
        "agreement >= 1%: the log records nothing to compare the replay with");
  CHECK_FALSE(expected("agreement >= 1%", r).decided);
  CHECK_THROWS_WITH(expected("agreement >= 0%", r), Catch::Contains("every report meets it"));
  r.recorded.compared = 120;
  r.recorded.agreed = 94;
  CHECK(expected("agreement >= 99.5%", r).message == "agreement >= 99.5%: it is 78.33 % (94 of 120 requests)");
  r.others.push_back(r);
  r.others[0].recorded.agreed = 60;
  CHECK(expected("agreement >= 0.5", r).met);
  CHECK(expected("agreement > 50 %", r).message ==
        "agreement > 50 %: it is 50 % to 78.33 % (at least 60 of 120 requests)");
  for (const char* text : {"agreement >= 120%", "agreement >= 99", "agreement >= -1%", "my.level.agreement >= 99%"}) {
    INFO(text);
    CHECK_THROWS_AS(expected(text, r), Error);
  }
}

TEST_CASE("of several servers an expectation names one, or is of each", "[report]") {
  std::vector<ReplayReport> servers = {report(), report(), ReplayReport()};
  for (std::size_t i = 0; i < servers.size(); ++i) servers[i].server = std::string(1, static_cast<char>('a' + i));
  for (ReplayReport& server : servers) server.recorded.compared = server.recorded.agreed = server.requests = 10;
  servers[2].requests = servers[2].recorded.compared = 0;  // idle
  ReplayReport total;
  total.recorded.compared = 20;
  total.recorded.agreed = 5;
  const auto facts = facts_of(servers, &total);
  const auto results = [&](const char* text) {
    const Expectation expectation = parse_expectation(text, *facts);
    std::vector<std::string> out;
    for (const ExpectationResult& result : check_expectations({&expectation, 1}, *facts))
      out.push_back((result.met ? "+" : "-") + result.message);
    return out;
  };
  CHECK(results("b:rejected == 3") == std::vector<std::string>{"+b: rejected == 3: it is 3"});
  CHECK(results("rejected == 3").size() == 3);
  CHECK(results("agreement == 100%") ==
        std::vector<std::string>{"+a: agreement == 100%: it is 100 % (10 of 10 requests)",
                                 "+b: agreement == 100%: it is 100 % (10 of 10 requests)",
                                 "-all servers: agreement == 100%: it is 25 % (5 of 20 requests)"});
  CHECK_THROWS_WITH(results("d:rejected == 3"), Catch::Contains("unknown server 'd'"));
}

TEST_CASE("of what is known between bounds, all must hold", "[report]") {
  HeadroomReport r;
  r.most = 4;
  r.least = 0.5;
  r.levels.resize(2);
  r.levels[0].name = "low";
  r.levels[0].waits_at = {0.5, 0.5, 0.5};
  r.levels[0].refuses_at = {2.5, 2, 3};
  r.levels[1].name = "high";
  r.levels[1].refuses_at = {{}, 3.5, {}};
  const auto facts = facts_of(r);
  const auto check = [&](const char* text) { return expected(text, *facts); };
  CHECK(check("low.refusesAt > 1.9x").met);
  CHECK_FALSE(check("low.refusesAt > 2").met);
  CHECK(check("low.refusesAt <= 3").met);
  CHECK_FALSE(check("low.refusesAt < 3").met);
  CHECK(check("low.refusesAt < 3").message == "low.refusesAt < 3: it is 2 to 3");
  CHECK(check("total.refusesAt != 1").message == "total.refusesAt != 1: it is 2 to 3 (low)");
  CHECK(check("high.refusesAt >= 3").message == "high.refusesAt >= 3: it is 3.5 to more than 4");
  CHECK(check("high.waitsAt > 4").met);
  CHECK(check("high.waitsAt <= 4").message == "high.waitsAt <= 4: it is more than 4");
  CHECK_THAT(check("high.waitsAt > 5").why_open, Catch::Contains("widen them with --of"));
  CHECK(check("low.waitsAt >= 1").message == "low.waitsAt >= 1: it is at most 0.5");
  CHECK(check("low.waitsAt <= 0.5").met);
  CHECK_THAT(check("low.waitsAt >= 0.5").why_open, Catch::Contains("widen them with --of"));
  CHECK_THROWS_WITH(check("lwo.waitsAt >= 1"), Catch::Contains("no request of the log goes to a limited level lwo"));
}
