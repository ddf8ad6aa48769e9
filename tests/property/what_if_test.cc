// The log of one configuration replayed under another one comes to what the workload itself comes to there.
#include <apf/report.h>

#include "catch.h"

#include "support/recorded_server.h"
#include "support/vectors.h"

using namespace apf;
using namespace apf::test;

namespace {

using Random = std::mt19937_64;

constexpr int kRoomy = 400;

// The seats of the server under which logs are replayed; `log`: what is replayed.
ReplayOptions what_if(int seats, const std::string& log) {
  ReplayOptions options = server_options();
  options.logs = {log};
  options.server_concurrency_limit = seats;
  options.start = ReplayTime{false, kServerStart};
  options.recorded.emplace().config = options.config;
  options.recorded->server_concurrency_limit = server_options().server_concurrency_limit;
  return options;
}

// The audit log of a release that does not record queue waits.
std::string without_waits(std::string audit) {
  for (std::size_t at; (at = audit.find(",\"annotations\":{")) != std::string::npos;)
    audit.erase(at, audit.find('}', at) + 1 - at);
  return audit;
}

double mean_wait(const ReplayReport& report, const std::string& level) {
  for (const LevelReport& l : report.levels)
    if (l.name == level) return l.tally.wait.mean();
  return -1;
}

}  // namespace

TEST_CASE("what the replayed server ran itself changes nothing", "[property][replay][what-if]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 4; ++round) {
    INFO("round " << round);
    const Folder folder("apf-what-if-");
    const RecordedServer server(random, 900, folder, true);
    const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
    ReplayOptions options = what_if(60, folder.write("audit.log", logs.audit));
    options.candidates = 0;  // nothing is left to chance
    const ReplayReport twice = replay(options);
    CHECK(twice.what_if->replays == 1);
    options.recorded.reset();
    const ReplayReport once = replay(options);
    REQUIRE(twice.what_if);
    CHECK(twice.total.requests == once.total.requests);
    CHECK(twice.recorded.agreed == once.recorded.agreed);
    CHECK(twice.what_if->unchanged == once.recorded.agreed);
    CHECK(static_cast<double>(twice.total.rejected()) == Approx(static_cast<double>(once.total.rejected())).margin(5));
    CHECK(mean_wait(twice, "workload-low") == Approx(mean_wait(once, "workload-low")).epsilon(0.02));
  }
}

TEST_CASE("the logs of an overloaded server show how a roomy one would have fared", "[property][replay][what-if]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 4; ++round) {
    INFO("round " << round);
    const Folder folder("apf-what-if-");
    const RecordedServer server(random, 900, folder, true);
    REQUIRE(mean_wait(server.report, "workload-low") > 1e9);
    ReplayOptions truth = server_options();
    truth.logs = {folder.path + "/workload.jsonl"};
    truth.server_concurrency_limit = kRoomy;
    truth.start = ReplayTime{false, kServerStart};
    const ReplayReport expected = replay(truth);
    REQUIRE(expected.total.rejected() == 0);
    const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
    const std::string audit = folder.write("audit.log", logs.audit);
    const std::string both = folder.write("both.log", logs.both);
    for (const std::string& log : {audit, both}) {
      const ReplayReport report = replay(what_if(kRoomy, log));
      CHECK(report.total.rejected() == 0);
      REQUIRE(report.what_if);
      CHECK(report.what_if->recorded_seats == 60);
      CHECK(report.what_if->seats_by_log == (log == both));
      CHECK(report.total.seat_seconds == Approx(expected.total.seat_seconds).epsilon(0.05));
      CHECK(mean_wait(report, "workload-low") == Approx(mean_wait(expected, "workload-low")).margin(50e6));
    }
    // The same without recorded waits, which the first replay finds; the recorded ends alone say that everything waits.
    const std::string bare = folder.write("bare.log", without_waits(logs.audit));
    ReplayOptions options = what_if(kRoomy, bare);
    CHECK(replay(options).total.seat_seconds == Approx(expected.total.seat_seconds).epsilon(0.1));
    options.recorded.reset();
    CHECK(replay(options).total.seat_seconds > 1.5 * expected.total.seat_seconds);
  }
}

TEST_CASE("the report of a short log is of the replay in the middle, and of that alone",
          "[property][replay][what-if]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-what-if-");
  const RecordedServer server(random, 900, folder, true);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions options = what_if(40, folder.write("audit.log", logs.audit));
  options.decisions_path = folder.path + "/decisions";
  options.threads = 1;
  const ReplayReport report = replay(options);
  REQUIRE(report.what_if);
  CHECK(report.what_if->replays == 1 + options.candidates);
  CHECK(report.what_if->given_similar > 0);
  CHECK(report.total.rejected() > 0);
  const std::string refusal = "\"outcome\":\"rejected\"";
  const std::string decisions = folder.read("decisions");
  std::uint64_t rejected = 0;
  for (std::size_t at = 0; (at = decisions.find(refusal, at)) != std::string::npos; ++at) ++rejected;
  CHECK(rejected == report.total.rejected());
  options.threads = 4;
  CHECK(render_json(replay(options)) == render_json(report));
  CHECK(folder.read("decisions") == decisions);
  // Ranges cover what was compared, and the clock in other phases; the report remains.
  options.spread = 2;
  const ReplayReport ranges = replay(options);
  CHECK(folder.read("decisions") == decisions);
  CHECK(ranges.total.rejected() == report.total.rejected());
  CHECK(ranges.spread.runs == 1 + options.candidates + 2);
  CHECK(ranges.spread.clock_swept);
  CHECK(ranges.others.size() == static_cast<std::size_t>(options.candidates) + 2);
  const Spread::Level& all = ranges.spread.levels.back();
  CHECK(all.rejected_least <= report.total.rejected());
  CHECK(all.rejected_most >= report.total.rejected());
  CHECK(all.rejected_least < all.rejected_most);
  // Of a longer log only as many as are wanted.
  options.candidates = 0;
  CHECK(replay(options).what_if->replays == 3);
  // Where nothing waits, nothing depends on chance.
  options.candidates = 19;
  options.spread = 0;
  options.server_concurrency_limit = 100'000;
  CHECK(replay(options).what_if->replays == 1);
}

TEST_CASE("lists get the seats that the recorded configuration did not allow", "[property][replay][what-if]") {
  Random random(seed());
  const Folder folder("apf-what-if-");
  RecordedServer server(random, 200, folder, true);
  for (ServerRequest& r : server.requests)
    if (r.verb == "create")
      r.verb = "list", r.uri = "/api/v1/namespaces/ci/pods", r.seats = 4;  // the cap of workload-low at 60 seats
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions options = what_if(600, folder.write("both.log", logs.both));
  options.objects.set("pods", 3000, 1000);  // 30 seats
  const ReplayReport wide = replay(options);
  REQUIRE(wide.what_if);
  CHECK(wide.what_if->at_recorded_cap > 0);
  CHECK(wide.what_if->width_unknown == 0);
  options.objects = ObjectCounts();
  const ReplayReport narrow = replay(options);
  REQUIRE(narrow.what_if);
  CHECK(narrow.what_if->width_unknown == narrow.what_if->at_recorded_cap);
  CHECK(wide.total.seat_seconds > 2 * narrow.total.seat_seconds);
}

TEST_CASE("seats that contradict the server's own log are an error", "[replay][what-if]") {
  Random random(seed());
  const Folder folder("apf-what-if-");
  const RecordedServer server(random, 50, folder, true);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions options = what_if(kRoomy, folder.write("both.log", logs.both));
  options.recorded->server_concurrency_limit = 61;
  CHECK_THROWS_WITH(replay(options), Catch::Contains("61 seats") && Catch::Contains("log says 60"));
  options.recorded->server_concurrency_limit.reset();
  options.seats_by_log = true;
  const ReplayReport report = replay(options);
  CHECK(report.server_concurrency_limit == 60);
  CHECK(report.what_if->recorded_seats == 60);
}
