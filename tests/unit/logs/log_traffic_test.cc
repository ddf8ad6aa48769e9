// The requests of logs for what reads none itself.
#include <string>
#include <vector>

#include <apf/logs.h>

#include "catch.h"
#include "support/folder.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

TEST_CASE("the end of a logged request is the recorded one, else the wait counts, too", "[logs]") {
  TraceRequest logged;
  logged.time = 1'800'000'000 * kSecond;
  logged.user.name = "alice";
  logged.verb = "list";
  logged.uri = "/api/v1/pods";
  std::string log;
  const auto add = [&] {
    log += render_trace_line(logged) + "\n";
    ++logged.time;
  };
  add();  // its end is not known
  logged.execution = 10;
  add();
  logged.recorded.queue_wait = 20;
  add();
  logged.recorded_end = logged.time + 25;
  add();
  const Folder folder("apf-traffic-");
  const std::string file = folder.write("trace.jsonl", log);
  std::vector<Nanos> durations;
  const auto take = [&](const RequestInfo& info, const User& user, Nanos arrival, Nanos end) {
    CHECK((info.resource == "pods" && user.name == "alice"));
    durations.push_back(end - arrival);
  };
  log_traffic()->read_in_order(file, take, [] { FAIL("the log is in order"); });
  CHECK(durations == std::vector<Nanos>{10, 30, 25});
}

TEST_CASE("a request of several logs of one server counts once", "[logs]") {
  const Folder folder("apf-traffic-");
  const std::string first = folder.write("first", audit_line("a") + "\n" + audit_line("b") + "\n");
  const std::string second = folder.write("second", audit_line("b") + "\n" + audit_line("c") + "\n{\"broken\n");
  const auto traffic = log_traffic();
  int usable = 0;
  const auto take = [&](const RequestInfo* request, const User&) { usable += request ? 1 : 0; };
  CHECK(traffic->read(first, take).requests == 2);
  const TrafficReader::Counts counts = traffic->read(second, take);
  CHECK(usable == 3);
  CHECK((counts.requests == 2 && counts.unusable == 1 && counts.repeated == 1));
}
