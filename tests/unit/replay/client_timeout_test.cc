// Clients that give up: they leave their queues, and what runs for them ends.
#include "catch.h"
#include "support/recorded_server.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string request_line(Nanos time, const char* user, const char* agent, Nanos execution, const char* more = "") {
  return fmt::format(
             R"({{"time":{},"user":"{}","groups":["system:serviceaccounts","system:authenticated"],"verb":"get","uri":"/api/v1/nodes","userAgent":"{}","execution":{}{}}})",
             kTraceStart + time, user, agent, execution, more) +
         "\n";
}

constexpr const char* kCi = "system:serviceaccount:ci:a";
constexpr const char* kApp = "system:serviceaccount:app:b";

// Workload-low has one seat.
ReplayOptions one_seat(const std::string& log) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  for (PriorityLevel& level : options.config.priority_levels) {
    if (level.meta.name != "workload-low") continue;
    level.limited->nominal_concurrency_shares = 1;
    level.limited->lendable_percent = 0;
    level.limited->borrowing_limit_percent = 0;
  }
  options.server_concurrency_limit = 10;
  options.logs = {log};
  return options;
}

const RequestTally& low(const ReplayReport& report) {
  return std::find_if(report.levels.begin(), report.levels.end(),
                      [](const LevelReport& level) { return level.name == "workload-low"; })
      ->tally;
}

}  // namespace

TEST_CASE("a client that gives up leaves its queue, and is no time-out of the server", "[replay][clients]") {
  const Folder folder("apf-timeout-");
  const std::string log =
      folder.write("log", request_line(0, kCi, "ci/1", 30 * kSecond) + request_line(kSecond, kCi, "ci/1", kSecond) +
                              request_line(2 * kSecond, kApp, "app/2", kSecond));
  ReplayOptions options = one_seat(log);
  CHECK(low(replay(options)).outcomes[Outcome::time_out] == 2);
  CHECK(low(replay(options)).outcomes[Outcome::gave_up] == 0);

  // By the user's name and by the user agent; the longest counts, in whatever order.
  options.client_timeouts = {{"app", 7 * kSecond}, {"*", 40 * kSecond}, {"a", 3 * kSecond}};
  options.decisions_path = folder.path + "/decisions";
  options.metrics = true;
  ReplayReport report = replay(options);
  CHECK(low(report).outcomes[Outcome::time_out] == 1);
  CHECK(low(report).outcomes[Outcome::gave_up] == 1);
  CHECK(low(report).rejected() == 2);
  std::string decisions = folder.read("decisions");
  CHECK(decisions.find(R"("outcome":"rejected","stage":"apf","reason":"gave-up","waitNs":7000000000)") !=
        std::string::npos);
  bool counted = false;
  for (const MetricFamily& family : report.metrics)
    for (const MetricSeries& series : family.series)
      for (const auto& [name, value] : series.labels)
        if (name == "reason" && value == "gave-up") counted = series.value == 1;
  CHECK(counted);

  options.client_timeouts = {{"system:serviceaccount:ci:", 7 * kSecond}};
  report = replay(options);
  // What runs ends as well: the seat is free after 7 s.
  CHECK(low(report).executed() == 3);
  CHECK(low(report).outcomes[Outcome::gave_up] == 0);
  CHECK(low(report).wait.max() == 6 * kSecond);
  CHECK(low(report).seat_seconds == Approx(7 + 1 + 1));
}

TEST_CASE("who gives up does not see Retry-After", "[replay][clients][retries]") {
  const Folder folder("apf-timeout-");
  ReplayOptions options = one_seat(
      folder.write("log", request_line(0, kCi, "ci/1", 30 * kSecond) + request_line(kSecond, kApp, "app/2", kSecond)));
  options.retries = true;
  CHECK(replay(options).retries > 0);
  options.client_timeouts = {{"app/", 4 * kSecond}};
  CHECK(replay(options).retries == 0);
}

TEST_CASE("a client that left its queue in the log has the patience that it is given", "[replay][clients]") {
  const Folder folder("apf-timeout-");
  ServerRequest first, second;
  first.user = second.user = kCi;
  first.verb = second.verb = "get";
  first.uri = second.uri = "/api/v1/nodes";
  first.arrival = kServerStart + kSecond;
  second.arrival = kServerStart + 2 * kSecond;
  const std::string log = audit_line(second, id_of(1), "ResponseComplete", second.arrival + 5 * kSecond, 429, 0) +
                          audit_line(first, id_of(0), "ResponseComplete", first.arrival + 10 * kSecond, 200, 0);
  ReplayOptions options = one_seat(folder.write("audit.log", log));
  ReplayReport report = replay(options);
  CHECK(low(report).outcomes[Outcome::gave_up] == 1);
  CHECK(low(report).outcomes[Outcome::time_out] == 0);
  CHECK(low(report).wait.max() == 5 * kSecond);
  options.client_timeouts = {{"*", 8 * kSecond}};
  report = replay(options);
  CHECK(low(report).wait.max() == 7 * kSecond);  // the first one hangs up, too
  CHECK(low(report).rejected() == 0);
  options.client_timeouts = {{"*", 6 * kSecond}, {"system:serviceaccount:ci:a", 90 * kSecond}};
  report = replay(options);
  CHECK(low(report).executed() == 2);
  CHECK(low(report).wait.max() == 9 * kSecond);
}

TEST_CASE("a trace line of a client that left its queue says so in the replay, too", "[replay][clients]") {
  const Folder folder("apf-timeout-");
  const std::string left = fmt::format(
      R"({{"time":{},"user":"{}","groups":["system:serviceaccounts","system:authenticated"],"verb":"get","uri":"/api/v1/nodes","code":504,"waitLimit":"3s"}})",
      kTraceStart + kSecond, kApp);
  const ReplayReport report = replay(
      one_seat(folder.write("log", request_line(0, kCi, "ci/1", 30 * kSecond) + left + "\n" +
                                       request_line(2 * kSecond, kApp, "app/2", kSecond, R"(,"waitLimit":"4s")"))));
  CHECK(low(report).outcomes[Outcome::gave_up] == 1);
  CHECK(low(report).outcomes[Outcome::time_out] == 1);  // one that was served in the log did not give up there
  CHECK(report.recorded.hung_up == 1);
}
