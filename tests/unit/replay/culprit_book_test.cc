// Who held the seats while requests were refused.
#include "replay/culprit_book.h"

#include "catch.h"

using namespace apf;

namespace {

LiveRequest request_of(std::uint32_t flow, std::uint32_t agent, int seats, Nanos dispatch = 0) {
  LiveRequest request;
  request.report = flow;
  request.event.agent = agent;
  request.seats = seats;
  request.dispatch = dispatch;
  return request;
}

FlowReport flow_of(const char* name) {
  FlowReport flow;
  flow.flow_schema = "s";
  flow.priority_level = "l";
  flow.distinguisher = name;
  return flow;
}

ReplayReport report_of(const CulpritBook& book, const std::vector<FlowReport>& flows) {
  ReplayReport report;
  LevelReport& level = report.levels.emplace_back();
  level.name = "l";
  level.tally.queued = 1;
  const std::vector<std::string> agents = {"", "kubectl", "operator"};
  book.fill(report, flows, agents, 10);
  return report;
}

}  // namespace

TEST_CASE("a refusal is divided among the seats in use at that moment", "[culprits]") {
  CulpritBook book;
  const std::vector<FlowReport> flows = {flow_of("heavy"), flow_of("light")};
  const LiveRequest heavy = request_of(0, 2, 3), light = request_of(1, 1, 1);
  book.on_dispatch(heavy);
  book.on_refuse(light);  // heavy alone holds seats
  book.on_dispatch(light);
  book.on_refuse(heavy);  // three seats of four are its own
  book.on_release(10 * kSecond, heavy);
  book.on_refuse(heavy);  // light alone holds seats
  book.on_release(20 * kSecond, light);
  book.on_refuse(light);  // nobody holds seats
  const ReplayReport report = report_of(book, flows);
  REQUIRE(report.culprit_flows.size() == 2);
  const CulpritReport& first = report.culprit_flows[0];
  CHECK(first.distinguisher == "heavy");
  CHECK(first.refusals_others == Approx(1));
  CHECK(first.refusals_own == Approx(0.75));
  CHECK(first.seat_seconds == Approx(30));
  CHECK(first.level_seat_seconds == Approx(50));
  CHECK(first.refused == 2);
  CHECK(first.level_refused == 4);
  const CulpritReport& second = report.culprit_flows[1];
  CHECK(second.refusals_others == Approx(1.25));
  CHECK(second.refusals_own == Approx(0));
  REQUIRE(report.culprit_agents.size() == 2);
  CHECK(report.culprit_agents[0].user_agent == "operator");
  CHECK(report.culprit_agents[0].refusals_others == Approx(1));
  CHECK(report.culprit_agents[1].user_agent == "kubectl");
}

TEST_CASE("requests outside of the report hold seats, but count for nothing else", "[culprits]") {
  CulpritBook book;
  const std::vector<FlowReport> flows = {flow_of("before"), flow_of("within")};
  LiveRequest before = request_of(0, 1, 1);
  before.in_report = false;
  const LiveRequest within = request_of(1, 2, 1);
  book.on_dispatch(before);
  book.on_dispatch(within);
  book.on_refuse(within);
  book.on_refuse(before);  // not in the report
  book.on_release(kSecond, before);
  book.on_release(kSecond, within);
  const ReplayReport report = report_of(book, flows);
  REQUIRE(report.culprit_flows.size() == 1);  // the other one has no seat-seconds within
  CHECK(report.culprit_flows[0].distinguisher == "within");
  CHECK(report.culprit_flows[0].refusals_own == Approx(0.5));
  CHECK(report.culprit_flows[0].level_refused == 1);
}
