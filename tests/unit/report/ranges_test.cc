#include "report/replay/ranges.h"

#include <apf/report.h>

#include "catch.h"
#include "report/replay/verdict.h"

using namespace apf;

namespace {

RequestTally tally_of(std::uint64_t served, std::uint64_t refused, Nanos wait) {
  RequestTally tally;
  tally.requests = served + refused;
  tally.outcomes[Outcome::executed] = served;
  tally.outcomes[Outcome::queue_full] = refused;
  for (std::uint64_t i = 0; i < served; ++i) tally.wait.add(wait);
  return tally;
}

ReplayReport report_of(const RequestTally& tally) {
  ReplayReport report;
  report.total = tally;
  report.levels.emplace_back().name = "idle";
  report.levels.emplace_back().name = "busy";
  report.levels.back().tally = tally;
  return report;
}

ReplayReport open_report() {
  ReplayReport report = report_of(tally_of(80, 20, kSecond));
  report.others.push_back(report_of(tally_of(100, 0, 0)));
  std::swap(report.others.front().levels[0], report.others.front().levels[1]);
  return report;
}

}  // namespace

TEST_CASE("a figure on which replays differ is a range", "[report][ranges]") {
  const ReplayReport report = open_report();
  const TallyVersions total = versions_of(report).part(&ReplayReport::total);
  const auto refused = total.range(refused_of);
  CHECK(refused.value == 20);
  CHECK(refused.low == 0);
  CHECK(refused.high == 20);
  CHECK_FALSE(refused.decided());
  CHECK(count_text(refused) == "0-20");
  CHECK(refused_share(total) == "0-20 %");
  CHECK(wait_text(total, 1) == "0-1.00s");
  JsonWriter json;
  json.begin_object();
  write_figure(json, "refused", refused);
  write_figure(json, "requests", total.range([](const RequestTally& t) { return t.requests; }));
  json.end_object();
  CHECK(json.take() == R"({"refused":{"value":20,"low":0,"high":20},"requests":100})");
}

TEST_CASE("a share has the whole of its own replay", "[report][ranges]") {
  ReplayReport report = report_of(tally_of(50, 0, 0));
  report.others.push_back(report_of(tally_of(80, 20, kSecond)));
  const TallyVersions total = versions_of(report).part(&ReplayReport::total);
  const auto served = [](const RequestTally& t) { return t.executed(); };
  CHECK(requests_text(total) == "50-100 requests");
  CHECK(refused_share(total) == "0-20 %");
  CHECK(share_in_words(share_of(total, served)) == "80 % to 100 %");
  report.others.front() = report_of(tally_of(100, 0, 0));
  CHECK(share_in_words(share_of(versions_of(report).part(&ReplayReport::total), served)) == "100 %");
}

TEST_CASE("a verdict is of the worst replay", "[report][ranges]") {
  ReplayReport report = report_of(tally_of(100, 0, 0));
  report.others.push_back(report_of(tally_of(80, 20, kSecond)));
  const Verdict verdict = verdict_of(report);
  CHECK(verdict.tone == Tone::bad);
  REQUIRE(verdict.sentences.size() == 1);
  CHECK(verdict.sentences[0] == "To whom: busy refused 0-20 of 100 requests (0-20 %).");
  CHECK(worst_first(report).front()->name == "busy");
}

TEST_CASE("levels are found by name, and what the others lack changes nothing", "[report][ranges]") {
  ReplayReport report = open_report();
  CHECK(count_text(versions_of(report.levels[1], report).part(&LevelReport::tally).range(refused_of)) == "0-20");
  CHECK(count_text(versions_of(report.levels[0], report).part(&LevelReport::tally).range(refused_of)) == "0");
  report.levels[1].name = "new";
  CHECK(count_text(versions_of(report.levels[1], report).part(&LevelReport::tally).range(refused_of)) == "20");
}

TEST_CASE("an expectation holds only if it holds in every replay", "[report][ranges]") {
  const ReplayReport report = open_report();
  const auto facts = facts_of({&report, 1});
  const auto check = [&](const char* text) {
    const Expectation expectation = parse_expectation(text, *facts);
    return check_expectations({&expectation, 1}, *facts).front();
  };
  CHECK(check("total.rejected <= 20").met);
  CHECK_FALSE(check("total.rejected == 20").met);
  CHECK_FALSE(check("total.rejected == 0").met);
  CHECK(check("busy.rejected == 0").message == "busy.rejected == 0: it is 0 to 20");
}

TEST_CASE("one replay decides everything", "[report][ranges]") {
  const ReplayReport report = report_of(tally_of(80, 20, kSecond));
  const TallyVersions total = versions_of(report).part(&ReplayReport::total);
  CHECK(total.range(refused_of).decided());
  CHECK(refused_share(total) == "20 %");
}
