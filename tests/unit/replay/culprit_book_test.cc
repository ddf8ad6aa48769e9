// Who held the seats while requests were refused.
#include "replay/books/culprit_book.h"
#include "replay/prepare/run_numbers.h"

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

void release(CulpritBook& book, Nanos now, const LiveRequest& request) {
  book.on_release(now, request, request.seats * (static_cast<double>(now - request.dispatch) / 1e9));
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
  NumberTables numbers;
  numbers.agents = {"", "kubectl", "operator"};
  book.fill(report, flows, numbers, 10);
  return report;
}

}  // namespace

TEST_CASE("a refusal is divided among the seats in use at that moment", "[culprits]") {
  CulpritBook book(60 * kSecond);
  const std::vector<FlowReport> flows = {flow_of("heavy"), flow_of("light")};
  const LiveRequest heavy = request_of(0, 2, 3), light = request_of(1, 1, 1);
  book.on_dispatch(heavy);
  book.on_refuse(light, Outcome::queue_full);  // heavy alone holds seats
  book.on_dispatch(light);
  book.on_refuse(heavy, Outcome::queue_full);  // three seats of four are its own
  release(book, 10 * kSecond, heavy);
  book.on_refuse(heavy, Outcome::queue_full);  // light alone holds seats
  release(book, 20 * kSecond, light);
  book.on_refuse(light, Outcome::queue_full);  // nobody holds seats
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
  CulpritBook book(60 * kSecond);
  const std::vector<FlowReport> flows = {flow_of("before"), flow_of("within")};
  LiveRequest before = request_of(0, 1, 1);
  before.in_report = false;
  const LiveRequest within = request_of(1, 2, 1);
  book.on_dispatch(before);
  book.on_dispatch(within);
  book.on_refuse(within, Outcome::queue_full);
  book.on_refuse(before, Outcome::queue_full);  // not in the report
  release(book, kSecond, before);
  release(book, kSecond, within);
  const ReplayReport report = report_of(book, flows);
  REQUIRE(report.culprit_flows.size() == 1);  // the other one has no seat-seconds within
  CHECK(report.culprit_flows[0].distinguisher == "within");
  CHECK(report.culprit_flows[0].refusals_own == Approx(0.5));
  CHECK(report.culprit_flows[0].level_refused == 1);
}

TEST_CASE("requests that reach the request timeout while they run are counted, with their rate", "[culprits]") {
  CulpritBook book(60 * kSecond);
  const std::vector<FlowReport> flows = {flow_of("reader"), flow_of("other")};
  // Two at a time, for two minutes; each arrives when it is dispatched.
  for (int minute = 0; minute < 2; ++minute) {
    for (int i = 0; i < 2; ++i) {
      LiveRequest slow = request_of(0, 2, 5, minute * 60 * kSecond);
      slow.arrival = slow.dispatch;
      slow.work.additional_latency = kSecond;
      book.on_dispatch(slow);
      release(book, (minute + 1) * 60 * kSecond + kSecond, slow);  // the further second is no part of its service
    }
  }
  // A wait counts, too: 20 s in the queue, 40 s running. One nanosecond less is in time, and so is a watch.
  LiveRequest late = request_of(1, 1, 1, 20 * kSecond);
  late.arrival = 0;
  book.on_dispatch(late);
  release(book, 60 * kSecond, late);
  book.on_dispatch(late);
  release(book, 60 * kSecond - 1, late);
  late.event.watch = true;
  book.on_dispatch(late);
  release(book, 90 * kSecond, late);
  const LiveRequest waiting = request_of(1, 1, 1);
  book.on_refuse(waiting, Outcome::time_out);
  book.on_refuse(waiting, Outcome::queue_full);
  const ReplayReport report = report_of(book, flows);
  REQUIRE(report.culprit_flows.size() == 2);
  const CulpritReport& reader =
      report.culprit_flows[0].distinguisher == "reader" ? report.culprit_flows[0] : report.culprit_flows[1];
  const CulpritReport& other = &reader == &report.culprit_flows[0] ? report.culprit_flows[1] : report.culprit_flows[0];
  CHECK(reader.timed_out_running == 4);
  CHECK(reader.timed_out_running_per_minute == Approx(2));
  CHECK(reader.others_timed_out_waiting == 1);
  CHECK(other.timed_out_running == 1);
  CHECK(other.timed_out_running_per_minute == Approx(1.5));
  CHECK(other.others_timed_out_waiting == 0);
}
