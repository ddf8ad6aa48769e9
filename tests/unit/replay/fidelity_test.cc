// What makes a replay true beside the scheduling: clients that come back, ranges under jitter, object counts over time,
// watches that were there before, what the logs disagree on.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "catch.h"
#include "support/recorded_server.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string trace_line(Nanos time, const std::string& id, const std::string& uri, Nanos execution,
                       const char* more = "") {
  return fmt::format(
             R"({{"time":{},"id":"{}","user":"system:serviceaccount:ci:a","groups":["system:serviceaccounts","system:authenticated"],"verb":"{}","uri":"{}","execution":{}{}}})",
             kTraceStart + time, id, uri.find('?') == std::string::npos ? "get" : "list", uri, execution, more) +
         "\n";
}

// One level that refuses what it cannot run at once.
Config reject_all(int shares = 100) {
  Config config = bootstrap_config(kNewestKubeVersion);
  for (PriorityLevel& level : config.priority_levels) {
    if (level.meta.name != "workload-low") continue;
    level.limited->limit_response = "Reject";
    level.limited->queuing.reset();
    level.limited->nominal_concurrency_shares = shares;
    level.limited->lendable_percent = 0;
    level.limited->borrowing_limit_percent = 0;
  }
  return config;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

const LevelReport& level(const ReplayReport& report, const std::string& name) {
  return *std::find_if(report.levels.begin(), report.levels.end(),
                       [&](const LevelReport& l) { return l.name == name; });
}

}  // namespace

TEST_CASE("with retries a refused client comes back after Retry-After, up to ten times", "[replay][retries]") {
  const Folder folder("apf-fidelity-");
  ReplayOptions options;
  options.config = reject_all(1);  // one seat
  options.server_concurrency_limit = 10;
  std::string log = trace_line(0, "long", "/api/v1/nodes", 5 * kSecond + kSecond / 2);
  log += trace_line(kSecond / 4, "short", "/api/v1/nodes", kMillisecond);
  options.logs = {folder.write("log", log)};
  options.decisions_path = folder.path + "/decisions";
  CHECK(replay(options).total.rejected() == 1);
  CHECK(lines_of(folder.read("decisions")).size() == 2);

  options.retries = true;
  const ReplayReport report = replay(options);
  const auto decisions = lines_of(folder.read("decisions"));
  // Every second, while Retry-After stays at 1, until the seat is free at 5.5 s.
  CHECK(report.retries == 6);
  CHECK(report.gave_up == 0);
  REQUIRE(decisions.size() == 8);
  // All after the last arrival of the log: they are in no figure.
  CHECK(report.retries_beyond_log == 6);
  CHECK(report.total.requests == 2);
  CHECK(report.total.rejected() == 1);
  CHECK(decisions[1].find("beyondLog") == std::string::npos);
  CHECK(decisions[2].find(R"("attempt":1,"beyondLog":true)") != std::string::npos);
  CHECK(decisions.back().find("\"attempt\":6") != std::string::npos);
  CHECK(decisions.back().find(fmt::format("\"arrivalNs\":{}", kTraceStart + 6 * kSecond + kSecond / 4)) !=
        std::string::npos);
  CHECK(decisions.back().find("\"outcome\":\"executed\"") != std::string::npos);
  CHECK(decisions.back().find("\"id\":\"short\"") != std::string::npos);

  options.logs = {folder.write("log", trace_line(0, "long", "/api/v1/nodes", 500 * kSecond) +
                                          trace_line(kSecond / 4, "short", "/api/v1/nodes", kMillisecond))};
  const ReplayReport hopeless = replay(options);
  CHECK(hopeless.retries == 10);
  CHECK(hopeless.gave_up == 1);
  // What the log itself shows refused has its retry in the log, if any.
  options.logs = {folder.write(
      "log",
      trace_line(0, "long", "/api/v1/nodes", 5 * kSecond) + R"({"time":)" + std::to_string(kTraceStart + kSecond) +
          R"(,"user":"system:serviceaccount:ci:a","groups":["system:serviceaccounts","system:authenticated"],"verb":"get","uri":"/api/v1/nodes","code":429})" +
          "\n")};
  const ReplayReport recorded = replay(options);
  CHECK(recorded.total.rejected() == 1);
  CHECK(recorded.retries == 0);
  const auto says = [](const ReplayReport& of) {
    return std::any_of(of.assumptions.begin(), of.assumptions.end(), [](const Remark& remark) {
      return remark.kind == RemarkKind::retries_in_log && remark.count == 1;
    });
  };
  CHECK_FALSE(says(recorded));
  // Served here, it cannot be distinguished from its retry.
  options.server_concurrency_limit = 1000;
  CHECK(says(replay(options)));
}

TEST_CASE("retries come back while the log is silent, and between its lines", "[replay][retries]") {
  const Folder folder("apf-fidelity-");
  ReplayOptions options = server_options();
  std::mt19937_64 random(7);
  options.logs = {folder.write("log", trace_of(some_requests(random, 600, true)))};
  const ReplayReport once = replay(options);
  REQUIRE(once.total.outcomes[Outcome::time_out] > 0);
  options.retries = true;
  options.decisions_path = folder.path + "/decisions";
  const ReplayReport report = replay(options);
  CHECK(report.total.requests == once.total.requests + report.retries - report.retries_beyond_log);
  CHECK(report.retries_beyond_log > 0);
  CHECK(report.retries_beyond_log < report.retries);
  Nanos last = 0;
  std::uint64_t rejected = 0, beyond = 0;
  for (const std::string& line : lines_of(folder.read("decisions"))) {
    const bool is_beyond = line.find("\"beyondLog\":true") != std::string::npos;
    if (line.find("\"outcome\":\"rejected\"") != std::string::npos) ++(is_beyond ? beyond : rejected);
    const Nanos arrival = std::stoll(line.substr(line.find("\"arrivalNs\":") + 12));
    CHECK(arrival >= last);
    last = arrival;
  }
  CHECK(report.total.rejected() == rejected);
  CHECK(rejected + beyond == report.retries + report.gave_up);
}

TEST_CASE("the spread holds the replay itself and the ones with jitter", "[replay][spread]") {
  const Folder folder("apf-fidelity-");
  ReplayOptions options = server_options();
  std::mt19937_64 random(9);
  options.logs = {folder.write("log", trace_of(some_requests(random, 900, true)))};
  options.spread = 3;
  const ReplayReport report = replay(options);
  CHECK(report.spread.runs == 4);
  const auto& all = report.spread.levels.back();
  CHECK(all.name.empty());
  CHECK(all.rejected_least <= report.total.rejected());
  CHECK(all.rejected_most >= report.total.rejected());
  CHECK(all.p90_least <= report.total.wait.quantile(0.9));
  CHECK(all.p90_most >= report.total.wait.quantile(0.9));
  CHECK(all.mean_wait_least < all.mean_wait_most);  // a millisecond here is seconds there
  const ReplayReport again = replay(options);
  CHECK(again.spread.levels.back().mean_wait_most == all.mean_wait_most);
}

TEST_CASE("a spread besides decisions wants logs that can be read again", "[replay][spread]") {
  const Folder folder("apf-fidelity-");
  const std::string pipe = folder.path + "/pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  ReplayOptions options = server_options();
  options.logs = {pipe};  // nobody writes into it: it is not even opened
  options.spread = 1;
  options.decisions_path = folder.path + "/decisions";
  CHECK_THROWS_WITH(replay(options), Catch::Contains("spread needs several replays"));
}

TEST_CASE("object counts hold from their time on, the first ones before that, too", "[replay][objects]") {
  const Folder folder("apf-fidelity-");
  ReplayOptions options = server_options();
  options.server_concurrency_limit = 600;
  std::string log;
  for (int i = 0; i < 4; ++i)
    log += trace_line(i * 10 * kSecond, std::to_string(i), "/api/v1/pods?resourceVersion=0", kMillisecond);
  options.logs = {folder.write("log", log)};
  options.decisions_path = folder.path + "/decisions";
  const auto seats = [&] {
    replay(options);
    std::vector<int> out;
    for (const std::string& line : lines_of(folder.read("decisions")))
      out.push_back(std::stoi(line.substr(line.find("\"initial\":") + 10)));
    return out;
  };
  const auto counts = [](int pods) { return ObjectCounts::parse(fmt::format("pods={},1000", pods), "x"); };
  const auto after = [](Nanos time) { return ReplayTime{true, time}; };
  options.objects_at.emplace_back(after(25 * kSecond), counts(700));
  CHECK(seats() == std::vector<int>{7, 7, 7, 7});
  options.objects_at.emplace_back(after(5 * kSecond), counts(300));  // in any order
  CHECK(seats() == std::vector<int>{3, 3, 3, 7});
  options.objects = counts(100);
  CHECK(seats() == std::vector<int>{1, 3, 3, 7});
}

TEST_CASE("watches that were there before the log are known by their ends", "[replay][survey]") {
  const Folder folder("apf-fidelity-");
  ServerRequest watch, write;
  watch.user = write.user = "admin";
  watch.verb = "watch";
  watch.uri = "/api/v1/pods?watch=true&resourceVersion=5";
  write.verb = "update";
  write.uri = "/api/v1/namespaces/ci/pods/p";
  std::string log;
  write.arrival = kServerStart + kSecond;
  log += audit_line(write, id_of(0), "ResponseComplete", write.arrival + kMillisecond, 200, 0);
  write.arrival += 200 * kSecond;
  log += audit_line(write, id_of(1), "ResponseComplete", write.arrival + kMillisecond, 200, 0);
  for (std::size_t i = 0; i < 40; ++i) {
    watch.arrival = kServerStart - 300 * kSecond;
    log += audit_line(watch, id_of(100 + i), "ResponseComplete", kServerStart + 210 * kSecond, 200, 0);
  }
  ReplayOptions options = server_options();
  options.logs = {folder.write("audit.log", log)};
  options.decisions_path = folder.path + "/decisions";
  ReplayReport report = replay(options);
  CHECK(report.left_out.at("began-before-the-log") == 40);
  CHECK(report.out_of_window == 0);
  CHECK(report.watches_peak == 0);
  options.from = ReplayTime{true, 0};  // the beginning is known to be missing
  report = replay(options);
  CHECK(report.watches_peak == 40);
  CHECK(lines_of(folder.read("decisions")).front().find("\"final\":4") != std::string::npos);
  CHECK(report.assumptions.size() >= 1);
}

TEST_CASE("logs from pipes are joined, too, whichever is whose", "[replay][joined]") {
  std::mt19937_64 random(11);
  const Folder folder("apf-fidelity-");
  const RecordedServer server(random, 900, folder);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  const std::string audit = folder.path + "/a.pipe", klog = folder.path + "/k.pipe";
  REQUIRE(::mkfifo(audit.c_str(), 0600) == 0);
  REQUIRE(::mkfifo(klog.c_str(), 0600) == 0);
  std::thread first([&] { std::ofstream(audit) << logs.audit; }), second([&] { std::ofstream(klog) << logs.klog; });
  ReplayOptions options = server_options();
  options.logs = {klog, audit};
  options.log_year = 2026;
  const ReplayReport report = replay(options);
  first.join();
  second.join();
  // All but the lines of watches, which are written when they end, come in time.
  CHECK(report.join.requests + report.join.audit_only == server.requests.size());
  const auto watches =
      std::count_if(server.requests.begin(), server.requests.end(), [](const ServerRequest& r) { return r.watch(); });
  CHECK(report.join.audit_only <= static_cast<std::uint64_t>(watches));
  CHECK(report.join.http_only == 0);
  CHECK(report.total.requests == server.requests.size());
  CHECK(report.recorded.limits_compared > 0);
}

TEST_CASE("a server with another number of seats than its log tells is pointed out", "[replay][joined]") {
  std::mt19937_64 random(12);
  const Folder folder("apf-fidelity-");
  const RecordedServer server(random, 200, folder);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions options = server_options();
  options.server_concurrency_limit = 61;
  options.logs = {folder.write("audit.log", logs.audit), folder.write("klog", logs.klog)};
  const ReplayReport report = replay(options);
  const auto& assumed = report.assumptions;
  CHECK(std::count(assumed.begin(), assumed.end(),
                   Remark{.kind = RemarkKind::seats_differ, .count = 60, .other = 61}) == 1);
  CHECK(std::none_of(assumed.begin(), assumed.end(),
                     [](const Remark& remark) { return remark.kind == RemarkKind::clock_guessed; }));
}

TEST_CASE("another configuration than the recorded one shows itself as disagreement", "[replay][agreement]") {
  std::mt19937_64 random(13);
  const Folder folder("apf-fidelity-");
  const RecordedServer server(random, 300, folder);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions options = server_options();
  auto& schemas = options.config.flow_schemas;
  schemas.erase(std::remove_if(schemas.begin(), schemas.end(),
                               [](const FlowSchema& s) { return s.meta.name == "service-accounts"; }),
                schemas.end());
  options.logs = {folder.write("audit.log", logs.audit), folder.write("klog", logs.klog)};
  const ReplayReport report = replay(options);
  const RecordedReport& r = report.recorded;
  REQUIRE(r.disagreements.size() == 1);
  CHECK(r.disagreements[0].logged_schema == "service-accounts");
  CHECK(r.disagreements[0].level == "global-default");
  CHECK(r.disagreements[0].requests == r.classified - r.classified_alike);
  CHECK(r.agreed <= r.classified_alike);
  CHECK(r.compared == server.requests.size());
  CHECK(level(report, "workload-low").tally.requests == 0);
}

TEST_CASE("what a request takes beside its execution is known from twenty on", "[replay][joined]") {
  const Folder folder("apf-fidelity-");
  const auto overhead = [&](int requests) {
    std::string log;
    for (int i = 0; i < requests; ++i)
      log += klog_time(kServerStart + i * kSecond) +
             fmt::format(
                 "httplog.go:134] \"HTTP\" verb=\"GET\" URI=\"/healthz\" latency=\"1.3ms\" userAgent=\"a\" "
                 "audit-ID=\"{}\" srcIP=\"10.0.0.1:4711\" apf_pl=\"exempt\" apf_fs=\"exempt\" apf_iseats=1 "
                 "apf_fseats=0 apf_additionalLatency=\"0s\" apf_execution_time=\"1ms\" resp=200\n",
                 id_of(static_cast<std::size_t>(i)));
    ReplayOptions options = server_options();
    options.logs = {folder.write("klog", log)};
    options.log_year = 2026;
    const ReplayReport report = replay(options);
    CHECK(report.total.requests == static_cast<std::uint64_t>(requests));
    for (const Remark& remark : report.assumptions)
      if (remark.kind == RemarkKind::service_overhead) return *remark.duration;
    return Nanos{0};
  };
  CHECK(overhead(20) == 300'000);
  CHECK(overhead(19) == 0);
}

TEST_CASE("a client with one worker that is refused sends nothing else before its retry is answered",
          "[replay][retries]") {
  const Folder folder("apf-fidelity-");
  const auto line = [](Nanos time, const char* id, const char* user, Nanos execution) {
    return fmt::format(
        R"({{"time":{},"id":"{}","user":"system:serviceaccount:ci:{}","groups":["system:serviceaccounts","system:authenticated"],"verb":"get","uri":"/api/v1/nodes","execution":{}}})"
        "\n",
        kTraceStart + time, id, user, execution);
  };
  ReplayOptions options;
  options.config = reject_all(1);  // one seat
  options.server_concurrency_limit = 10;
  options.retries = true;
  options.client_models = {{"*", ClientModel::workers, 1}};
  options.logs = {folder.write(
      "log", line(0, "long", "other", kSecond + kSecond / 2) + line(kSecond / 4, "refused", "a", 10 * kMillisecond) +
                 line(kSecond / 2, "next", "a", kMillisecond) + line(5 * kSecond, "last", "other", kMillisecond))};
  options.decisions_path = folder.path + "/decisions";
  const ReplayReport report = replay(options);
  CHECK(report.retries == 2);
  CHECK(report.total.rejected() == 2);
  // Refused at 0.25 s and 1.25 s, it is served at 2.25 s.
  const Nanos next = kTraceStart + 2 * kSecond + kSecond / 4 + 10 * kMillisecond;
  CHECK(folder.read("decisions").find(fmt::format(R"("id":"next","arrivalNs":{},)", next)) != std::string::npos);
}
