// What scrapes and dumps say of a server: states, bounds of quantiles, drains, hands that overlap, limits that differ.
#include <apf/error.h>
#include <apf/hand.h>
#include <apf/inspect.h>
#include <apf/limits.h>
#include <apf/report.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "catch.h"

using namespace apf;

namespace {

std::string gauge(const std::string& name, double value) {
  return fmt::format("apiserver_flowcontrol_{}{{priority_level=\"p\"}} {}\n", name, value);
}

std::string series(const std::string& name, double value, const std::string& more = "") {
  return fmt::format("apiserver_flowcontrol_{}{{flow_schema=\"f\",priority_level=\"p\"{}}} {}\n", name, more, value);
}

const InspectedLevel& level_of(const Inspection& inspection, const std::string& name = "p") {
  for (const InspectedLevel& level : inspection.levels)
    if (level.name == name) return level;
  throw Error("there is no level " + name);
}

Inspection of_scrapes(const std::string& before, const std::string& after) {
  InspectInput input;
  if (!before.empty()) input.before = parse_part_of_scrape(before, "before");
  input.after = parse_part_of_scrape(after, "after");
  return inspect(input);
}

RequestDump request(const std::string& flow, std::int64_t queue, std::int64_t seats, bool runs) {
  RequestDump out;
  out.level = "workload-low";
  out.flow_schema = "service-accounts";
  out.distinguisher = flow;
  out.queue = queue;
  out.index = runs ? -1 : 0;
  out.arrived = kSecond;
  out.initial_seats = seats;
  if (runs) out.started = 3 * kSecond;
  return out;
}

ExpectationResult expected(const char* text, const Inspection& inspection) {
  const auto facts = facts_of(inspection);
  const Expectation expectation = parse_expectation(text, *facts);
  return check_expectations({&expectation, 1}, *facts).front();
}

}  // namespace

TEST_CASE("Quantiles of a histogram are bounds", "[inspect]") {
  InspectedHistogram h;
  CHECK_FALSE(h.quantile(0.5));
  h.buckets = {{0, 0}, {1, 5}, {5, 9}, {INFINITY, 10}};
  CHECK(h.quantile(0.5)->low == 0);
  CHECK(h.quantile(0.5)->high == 1);
  CHECK(h.quantile(0.51)->low == 1);
  CHECK(h.quantile(0.9)->high == 5);
  CHECK(h.quantile(0.91)->low == 5);
  CHECK(std::isinf(h.quantile(1)->high));
}

TEST_CASE("A level refuses, is saturated, close to its limit or calm", "[inspect]") {
  const std::string limit = gauge("current_limit_seats", 10) + gauge("nominal_limit_seats", 8);
  const auto state = [&](const std::string& before, const std::string& after) {
    return level_of(of_scrapes(before, limit + after)).state;
  };
  const std::string none = series("current_inqueue_requests", 0);
  CHECK(state("", none + series("current_executing_seats", 7)) == LevelState::calm);
  CHECK(state("", series("current_executing_seats", 8)) == LevelState::close);
  CHECK(state("", gauge("demand_seats_high_watermark", 8)) == LevelState::close);
  CHECK(state("", series("current_inqueue_requests", 1)) == LevelState::waiting);  // what is in use is not known
  CHECK(state("", series("current_inqueue_requests", 1) + series("current_executing_seats", 10)) ==
        LevelState::saturated);
  const std::string one = series("rejected_requests_total", 1, ",reason=\"queue-full\""),
                    two = series("rejected_requests_total", 2, ",reason=\"queue-full\"");
  // What was refused at some time since the start says nothing of now.
  CHECK(state("", none + two) == LevelState::calm);
  CHECK(state(one, two) == LevelState::refusing);
  CHECK(state(two, none + two) == LevelState::calm);
}

TEST_CASE("Requests that wait while seats are free are no saturation", "[inspect]") {
  const auto state = [](double limit, double in_use) {
    return level_of(of_scrapes("", gauge("current_limit_seats", limit) + series("current_inqueue_requests", 40) +
                                       series("current_executing_seats", in_use)))
        .state;
  };
  CHECK(state(245, 2) == LevelState::waiting);
  CHECK(state(245, 196) == LevelState::saturated);
  // A wide request may not find its seats.
  CHECK(state(12, 3) == LevelState::saturated);
}

TEST_CASE("What a metric counts that is not in the scrape is not known", "[inspect]") {
  const std::string refused = series("rejected_requests_total", 5, ",reason=\"queue-full\"");
  const InspectedLevel part = level_of(of_scrapes("", refused));
  CHECK(part.rejected == 5.0);
  CHECK_FALSE(part.state);
  CHECK_FALSE(part.waiting);
  CHECK_FALSE(part.executing_seats);
  CHECK_FALSE(part.dispatched);
  // Nor between two scrapes of which one has it.
  CHECK_FALSE(level_of(of_scrapes(gauge("current_limit_seats", 10), refused)).rejected);
  // Within a metric, a level without a series has 0.
  const Inspection two =
      of_scrapes("", refused + "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"q\"} 3\n");
  CHECK(level_of(two, "q").rejected == 0.0);
  CHECK_THROWS_AS(expected("p.waiting == 0", two), Error);
  CHECK_THROWS_AS(expected("p.rejected < 1%", two), Error);
  // A server writes no counter of what never happened: a scrape with all the others is whole.
  const Inspection whole = of_scrapes("", gauge("nominal_limit_seats", 10) + series("dispatched_requests_total", 7) +
                                              series("request_execution_seconds_count", 7) +
                                              series("request_wait_duration_seconds_count", 7));
  CHECK(whole.absent.empty());
  CHECK(level_of(whole).rejected == 0.0);
  CHECK(level_of(whole).state == LevelState::calm);
}

TEST_CASE("Lines that are no series are named, and series are found in tables and behind file names", "[inspect]") {
  const ServerScrape scrape = parse_part_of_scrape(
      "$ kubectl get --raw /metrics | grep apiserver_flowcontrol_current_limit_seats\n"
      "| apiserver_flowcontrol_current_limit_seats{priority_level=\"p\"} | 12 |\n"
      "a/b.txt:17:apiserver_flowcontrol_current_limit_seats{priority_level=\"q\"} 13\n"
      "mit_seats{priority_level=\"r\"} 14\n"
      "apiserver_flowcontrol_current_limit_seats{priority_le",
      "x");
  CHECK(scrape.skipped.size() == 3);
  CHECK(scrape.levels.at("p").current == 12.0);
  CHECK(scrape.levels.at("q").current == 13.0);
  CHECK(scrape.levels.size() == 2);
}

TEST_CASE("The time between scrapes is what their levels have counted", "[inspect]") {
  const std::string clock = "demand_seats_count";
  const Inspection inspection = of_scrapes(gauge(clock, 12e9) + series("dispatched_requests_total", 100),
                                           gauge(clock, 22e9) + series("dispatched_requests_total", 150));
  CHECK(inspection.seconds == 10.0);
  CHECK(level_of(inspection).dispatched == 50.0);
  CHECK_FALSE(of_scrapes(series("dispatched_requests_total", 1), series("dispatched_requests_total", 2)).seconds);
}

TEST_CASE("Queues drain by the seats that wait, the mean execution and the limit", "[inspect]") {
  const InspectedLevel level = level_of(of_scrapes(
      "", gauge("current_limit_seats", 4) + series("current_inqueue_requests", 6) +
              series("current_inqueue_seats", 12) + series("request_execution_seconds_sum", 10, ",type=\"regular\"") +
              series("request_execution_seconds_count", 20, ",type=\"regular\"")));
  CHECK(level.drain == Approx(12 * 0.5 / 4));
}

TEST_CASE("Flows of a dump: seats, waits, hands and who shares them", "[inspect]") {
  const std::string elephant = "elephant", mouse = "mouse";
  const std::vector<std::uint32_t> hand = deal_hand(flow_hash("service-accounts", elephant), 128, 6),
                                   small = deal_hand(flow_hash("service-accounts", mouse), 128, 6);
  InspectInput input;
  input.dump.emplace().has_requests = true;
  for (const std::uint32_t queue : hand) {
    input.dump->requests.push_back(request(elephant, queue, 2, false));
    input.dump->requests.push_back(request(elephant, queue, 1, true));
  }
  input.dump->requests.push_back(request(mouse, small[0], 1, false));
  const Inspection found = inspect(input);
  const InspectedLevel& level = level_of(found, "workload-low");
  CHECK(level.state == LevelState::saturated);
  CHECK(level.executing_seats == 6.0);
  CHECK(level.waiting_seats == 13.0);
  REQUIRE(level.flows.size() == 2);
  CHECK(level.flows[0].distinguisher == elephant);
  CHECK(level.flows[0].waiting_seats == 12);
  CHECK(level.flows[0].hand == hand);
  CHECK(level.flows[0].longest_wait == 2 * kSecond);
  CHECK_FALSE(level.drain);

  // A request where no hand of its flow leads: hands are not shown, and queues take their place.
  std::uint32_t strange = 0;
  while (std::find(small.begin(), small.end(), strange) != small.end()) ++strange;
  input.dump->requests.push_back(request(mouse, strange, 1, false));
  input.dump->requests.push_back(request(elephant, strange, 1, true));
  input.config = bootstrap_config(kNewestKubeVersion);
  const Inspection other = inspect(input);
  const InspectedLevel& changed = level_of(other, "workload-low");
  CHECK(changed.other_hands);
  CHECK(changed.flows[0].hand.empty());
  REQUIRE(changed.overlaps.size() == 1);
  CHECK(changed.overlaps[0].queues == std::vector<std::uint32_t>{strange});
}

TEST_CASE("Limits are compared with the seats that give them, or with those that are named", "[inspect]") {
  InspectInput input;
  input.config = bootstrap_config(kNewestKubeVersion);
  std::string text;
  for (const LevelLimits& level : compute_limits(*input.config, 600).levels)
    text += fmt::format("apiserver_flowcontrol_nominal_limit_seats{{priority_level=\"{}\"}} {}\n", level.name,
                        level.nominal_cl);
  input.after = parse_part_of_scrape(text, "x");
  Inspection found = inspect(input);
  CHECK(found.concurrency_found);
  CHECK(found.differences.empty());
  input.server_concurrency_limit = 6000;
  found = inspect(input);
  REQUIRE_FALSE(found.differences.empty());
  CHECK(found.differences[0].what == LimitDifference::What::nominal);
  input.after = parse_part_of_scrape(text + gauge("nominal_limit_seats", 5), "x");
  input.server_concurrency_limit = 600;
  found = inspect(input);
  REQUIRE(found.differences.size() == 1);
  CHECK(found.differences[0].what == LimitDifference::What::only_in_server);
}

TEST_CASE("An expectation of a quantile holds if all within its bounds do", "[inspect]") {
  std::string text = series("dispatched_requests_total", 10);
  for (const auto& [bound, count] : {std::pair("1", 0), std::pair("5", 10), std::pair("+Inf", 10)})
    text += series("request_wait_duration_seconds_bucket", count, fmt::format(",execute=\"true\",le=\"{}\"", bound));
  const Inspection inspection = of_scrapes("", text);
  const auto met = [&](const char* expectation) { return expected(expectation, inspection); };
  CHECK(met("p.p99wait <= 5s").met);
  CHECK_FALSE(met("p.p99wait < 5s").met);
  CHECK_FALSE(met("p.p99wait <= 4s").met);
  CHECK(met("p.p99wait > 1s").met);
  CHECK_FALSE(met("p.p99wait >= 2s").met);
  CHECK(met("p.p99wait < 1s").message == "p.p99wait < 1s: it is 1s to 5s");
  CHECK_THROWS_AS(met("p.dispatch-rate > 1"), Error);
  CHECK_THROWS_AS(met("q.waiting == 0"), Error);
}
