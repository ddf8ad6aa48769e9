// Dumps of the debug endpoints: columns by title, rows that cannot be read, and dumps that are written and read again.
#include <apf/error.h>
#include <apf/report.h>
#include <apf/server.h>

#include "catch.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

constexpr const char* kLevels =
    "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, "
    "RejectedRequests, TimedoutRequests, CancelledRequests\n"
    "workload-low,      81,           false,  false,       201,             13,                280,                "
    "155,              0,                155\n";

ServerDump sample() {
  ServerDump dump;
  dump.has_levels = dump.has_queues = dump.has_requests = dump.has_details = true;
  LevelDump level;
  level.name = "workload-low";
  level.active_queues = level.waiting = level.executing = 1;
  level.dispatched = 7;
  level.rejected = level.cancelled = 2;
  level.timed_out = 0;
  dump.levels = {level};
  QueueDump queue;
  queue.level = level.name;
  queue.waiting = queue.executing = 1;
  queue.seats = 3;
  queue.initial_seats = queue.max_seats = 2;
  queue.next_dispatch_r = 7'764'342'019;
  queue.total_work = 600'000;
  dump.queues = {queue};
  RequestDump request;
  request.level = level.name;
  request.flow_schema = "people";
  request.distinguisher = request.user = "CN=jane, O=dev";
  request.queue = request.index = 0;
  request.arrived = *parse_rfc3339("2026-11-20T12:26:43.66387915Z");
  request.initial_seats = 2;
  request.verb = "list";
  request.path = "/apis/apps/v1/deployments";
  request.api_version = "apps/v1";
  request.resource = "deployments";
  dump.requests = {request};
  request.index = -1;
  request.initial_seats = 3;
  request.final_seats = 1;
  request.additional_latency = 5 * kMillisecond;
  request.started = request.arrived + 10 * kSecond;
  dump.requests.push_back(request);
  return dump;
}

std::string text_of(const ServerDump& dump) {
  return render_priority_levels(dump) + render_queues(dump) + render_requests(dump, true);
}

}  // namespace

TEST_CASE("A dump is written as the server writes it", "[dump]") {
  const ServerDump dump = sample();
  CHECK(render_priority_levels(dump) ==
        "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, "
        "DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n"
        "workload-low,      1,            false,  false,       1,               1,                 "
        "7,                  2,                0,                2\n");
  CHECK(render_queues(dump) ==
        "PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, "
        "MaxSeatsSum, TotalWorkSum\n"
        "workload-low,      0,      1,               1,                 3,          77.64342019ss, 2,               "
        "2,           0.00600000ss\n");
  CHECK(render_requests(dump, false)
            .find("workload-low,      people,         0,          -1,                  CN=jane, "
                  "O=dev,  2026-11-20T12:26:43.66387915Z, 3,            1,          5ms,       "
                  "        2026-11-20T12:26:53.66387915Z\n") != std::string::npos);
}

TEST_CASE("What is written of a dump reads as the same, as text and as JSON", "[dump]") {
  const ServerDump dump = sample();
  const std::string text = text_of(dump);
  for (const std::string& written : {text, render_json(dump)}) {
    ServerDump again;
    CHECK(read_dump(written, "x", again).empty());
    CHECK(text_of(again) == text);
    CHECK(again.has_details);
  }
}

TEST_CASE("Rows that cannot be read are named, all others are taken", "[dump]") {
  ServerDump dump;
  const std::vector<std::string> faults = read_dump(
      "PriorityLevelName, Index, PendingRequests, ExecutingRequests\n"
      "a, 1, 27, 0\n"
      "a, 2, x, 0\n"
      "a, 2, 3x, 0\n"
      "...\n"
      "a, 3\n"
      "a, 4, 99999999999999999, 0\n"
      "a, 5, 3, 0",
      "q.txt", dump);
  REQUIRE(faults.size() == 4);
  CHECK(faults[0].starts_with("q.txt:3: 'x' is not a value of PendingRequests; save the answer"));
  CHECK(faults[1].starts_with("q.txt:4: '3x' is not a value of PendingRequests"));
  CHECK(faults[2].starts_with("q.txt:6: this row has 2 columns and its header 4"));
  CHECK(faults[3].starts_with("q.txt:7: "));
  REQUIRE(dump.queues.size() == 2);
  CHECK(dump.queues[1].waiting == 3);
}

TEST_CASE("No dump, a second one, and JSON of something else", "[dump]") {
  ServerDump dump;
  CHECK(error_of([&] { read_dump("x\n", "a", dump); }).starts_with("a is not a dump of kube-apiserver"));
  CHECK(error_of([&] { read_dump("PriorityLevelName, What\n", "a", dump); }).starts_with("a:1: these are not"));
  read_dump(kLevels, "a", dump);
  CHECK(dump.levels.at(0).cancelled == 155);
  CHECK(error_of([&] { read_dump(kLevels, "b", dump); }).starts_with("b:1: this is a second dump of the priority"));
  ServerDump queues;
  read_dump("PriorityLevelName, Index, PendingRequests, ExecutingRequests\na, 1, 27, 0\n", "q", queues);
  CHECK(error_of([&] { read_dump("{\"l\":{}}", "j", queues); }).starts_with("j is a second dump"));
  ServerDump other;
  CHECK(error_of([&] { read_dump("{\"a\":1}", "a", other); }).find("a is not a dump of a priority level") !=
        std::string::npos);
  CHECK(error_of([&] { read_dump("{", "a", other); }).starts_with("a is not a JSON object"));
  CHECK(error_of([&] {
          read_dump("{\"l\":{\"Queues\":[{\"QueueSum\":{\"TotalWorkSum\":\"x\"}}]}}", "a", other);
        }).starts_with("a: TotalWorkSum is not a number of seat-seconds"));
}

TEST_CASE("A row of a request may be cut off behind its path, not before it", "[dump]") {
  ServerDump one = sample();
  one.requests.resize(1);
  one.requests[0].distinguisher = one.requests[0].user = "jane";
  const std::string text = render_requests(one, true);
  const std::size_t path = text.find(one.requests[0].path);
  REQUIRE(path != std::string::npos);
  ServerDump behind;
  CHECK(read_dump(text.substr(0, path + one.requests[0].path.size()) + "\n", "r.txt", behind).empty());
  REQUIRE(behind.requests.size() == 1);
  CHECK(behind.requests[0].path == one.requests[0].path);
  ServerDump before;
  const std::size_t comma = text.find_last_of(',', path);
  CHECK(read_dump(text.substr(0, comma) + "\n", "r.txt", before).size() == 1);
  CHECK(before.requests.empty());
}

TEST_CASE("Pieces of dumps are read by the form of their rows, and each loss is named", "[logs][dump]") {
  const ServerDump whole = sample();
  for (const std::string& text : {render_priority_levels(whole), render_queues(whole), render_requests(whole, true),
                                  render_requests(whole, false)}) {
    const std::string rows = text.substr(text.find('\n') + 1);
    ServerDump with, without;
    REQUIRE(read_dump(text, "dump", with).empty());
    CHECK(read_dump(rows, "piece", without).size() == 1);
    CHECK(text_of(without) == text_of(with));
  }
  ServerDump cut;
  const std::string rows =
      "ow,   1, 0, 0, 0, 3.99617017ss, 0, 0, 0.00000000ss\nworkload-low, 2, 4, 0, 0, 3.99617017ss, 4, 4, "
      "0.00000000ss\nworkload-l";
  CHECK(read_dump(rows, "piece", cut).size() == 3);
  REQUIRE(cut.queues.size() == 1);
  CHECK(cut.queues[0].waiting == 4);
}
