// The stages of the admission pipeline: the client's limiter and max-in-flight, each by itself and in a replay.
#include <apf/config.h>
#include <apf/replay.h>
#include <apf/report.h>
#include <simdjson.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "replay/stages/client_limiter.h"
#include "replay/stages/later_arrivals.h"
#include "replay/stages/max_in_flight.h"

using namespace apf;

namespace {

constexpr const char* kAgent = "ci/v1.0 client-go";

// Requests as trace lines.
class StagesScenario {
 public:
  StagesScenario()
      : path_((std::filesystem::temp_directory_path() / ("apf-stages-unit-" + std::to_string(::getpid()))).string()) {
    std::filesystem::create_directories(path_);
    options_.config = bootstrap_config(kNewestKubeVersion);
    options_.decisions_path = path_ + "/decisions";
  }
  ~StagesScenario() { std::filesystem::remove_all(path_); }

  ReplayOptions& options() { return options_; }
  StagesScenario& request(Nanos time, const std::string& verb, Nanos execution, const std::string& more = "") {
    return line("{\"time\":" + std::to_string(time) + ",\"verb\":\"" + verb +
                "\",\"uri\":\"/api/v1/namespaces/ci/pods/p\"," + "\"execution\":" + std::to_string(execution) +
                (more.empty() ? ",\"user\":\"jane\",\"userAgent\":\"" + std::string(kAgent) + "\"" : more) + "}");
  }
  StagesScenario& line(const std::string& text) {
    log_ += text + "\n";
    return *this;
  }
  ReplayReport replay(const std::string& name = "trace.jsonl") {
    options_.logs = {name};
    options_.texts[name] = log_;
    const ReplayReport report = apf::replay(options_);
    decisions_.clear();
    std::ifstream file(options_.decisions_path);
    for (std::string text; std::getline(file, text);) decisions_.push_back(text);
    return report;
  }
  std::size_t count() const { return decisions_.size(); }
  std::string decision(std::size_t i, const char* key) const {
    simdjson::dom::parser parser;
    const simdjson::dom::element document = parser.parse(decisions_.at(i));
    const auto field = document.at_pointer(key);
    return field.error() ? "absent" : simdjson::to_string(field.value_unsafe());
  }

 private:
  std::string path_, log_;
  ReplayOptions options_;
  std::vector<std::string> decisions_;
};

std::string from(const std::string& user, const std::string& agent, const std::string& groups = "[]") {
  return ",\"user\":\"" + user + "\",\"groups\":" + groups + ",\"userAgent\":\"" + agent + "\"";
}

const StageReport& stage(const ReplayReport& report, AdmissionStage wanted) {
  for (const StageReport& s : report.stages)
    if (s.stage == wanted) return s;
  throw std::runtime_error("no such stage");
}

ClientLimits limit(float qps, int burst) {
  ClientLimits limits;
  limits.of_all = {qps, burst};
  return limits;
}

}  // namespace

TEST_CASE("a bucket gives its burst at once and then a token each so often", "[replay][stages]") {
  const TokenRate rate{5, 3};
  TokenBucket bucket(rate);
  const Nanos t = 1'795'176'000 * kSecond;
  for (int i = 0; i < 3; ++i) CHECK(bucket.reserve(rate, t) == 0);
  CHECK(bucket.reserve(rate, t) == 200 * kMillisecond);
  CHECK(bucket.reserve(rate, t) == 400 * kMillisecond);  // behind the one before
  CHECK(bucket.reserve(rate, t + 100 * kMillisecond) == 500 * kMillisecond);
  CHECK(bucket.reserve(rate, t + 60 * kSecond) == 0);  // full again, and no fuller than that
  CHECK(bucket.reserve(rate, t + 60 * kSecond) == 0);
  CHECK(bucket.reserve(rate, t + 60 * kSecond) == 0);
  CHECK(bucket.reserve(rate, t + 60 * kSecond) == 200 * kMillisecond);
}

TEST_CASE("a third of a token is rounded as Go rounds it", "[replay][stages]") {
  const TokenRate rate{3, 1};
  TokenBucket bucket(rate);
  CHECK(bucket.reserve(rate, 0) == 0);
  CHECK(bucket.reserve(rate, 0) == 333'333'333);
  // The rate is a float in client-go: 0.1 is a little more than a tenth.
  const TokenRate slow_rate{0.1F, 1};
  TokenBucket slow(slow_rate);
  CHECK(slow.reserve(slow_rate, 0) == 0);
  CHECK(slow.reserve(slow_rate, 0) == 9'999'999'850);
}

TEST_CASE("limits by user agent: the longest that fits; the server's own client has none", "[replay][stages]") {
  ClientLimits limits = limit(5, 10);
  limits.by_user_agent = {{"kube", {1, 1}}, {"kubectl/", {50, 300}}, {"kube-", {20, 30}}};
  CHECK(limits.of("jane", "kubectl/v1.36.0").burst == 300);
  CHECK(limits.of("jane", "kube-scheduler/v1.36.0").burst == 30);
  CHECK(limits.of("jane", "kubelet/v1.36.0").burst == 1);
  CHECK(limits.of("jane", "curl/8").burst == 10);
  CHECK(limits.of("system:apiserver", "kubectl/v1.36.0").qps < 0);
}

TEST_CASE("later arrivals come in order of time, then as they were put in", "[replay][stages]") {
  LaterArrivals later;
  const auto push = [&](Nanos time, std::uint64_t seq) {
    LaterArrival arrival;
    arrival.joined.seq = seq;
    later.push(time, std::move(arrival));
  };
  push(30, 1);
  push(10, 2);
  push(30, 3);
  push(20, 4);
  std::vector<std::uint64_t> order{later.pop().joined.seq};
  push(30, 5);  // into the place that is free again
  while (!later.empty()) order.push_back(later.pop().joined.seq);
  CHECK(order == std::vector<std::uint64_t>{2, 4, 1, 3, 5});
}

TEST_CASE("the most of each second; seconds are joined when there are too many", "[replay][stages]") {
  PeakBook book;
  book.begin(100);
  book.note(100, 3);
  book.note(100 + kSecond - 1, 1);
  book.note(100 + 2 * kSecond, 5);
  CHECK(book.series().peaks == std::vector<int>{3, 0, 5});
  CHECK(book.series().last_second == 5);
  book.note(100 + 3 * kSecond, 0);
  CHECK(book.series().last_second == 0);
  book.note(100 + 100'000 * kSecond, 7);
  CHECK(book.series().width == 32 * kSecond);
  CHECK(book.series().peaks.size() == 3126);
  CHECK(book.series().peaks.front() == 5);
  CHECK(book.series().peaks.back() == 7);
}

TEST_CASE("a client's requests wait for its tokens, and no one else's do", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().client_limits = limit(1, 2);
  for (int i = 0; i < 4; ++i) scenario.request(i, "get", kMillisecond);
  scenario.request(10, "get", kMillisecond, from("jane", "kubectl/v1.36.0"));
  scenario.request(11, "get", kMillisecond, from("joe", kAgent));
  const ReplayReport report = scenario.replay();
  REQUIRE(scenario.count() == 6);
  // In order of arrival at the server.
  CHECK(scenario.decision(2, "/seq") == "4");
  CHECK(scenario.decision(3, "/seq") == "5");
  CHECK(scenario.decision(3, "/outcome") == "\"executed\"");
  CHECK(scenario.decision(4, "/seq") == "2");
  CHECK(scenario.decision(4, "/outcome") == "\"delayed\"");
  CHECK(scenario.decision(4, "/stage") == "\"apf\"");
  CHECK(scenario.decision(4, "/arrivalNs") == "1000000000");
  CHECK(scenario.decision(4, "/delayNs") == "999999998");
  CHECK(scenario.decision(4, "/waitNs") == "0");
  CHECK(scenario.decision(5, "/arrivalNs") == "2000000000");
  REQUIRE(report.stages.size() == 2);
  const StageReport& limiter = report.stages.front();
  CHECK(limiter.stage == AdmissionStage::client_limiter);
  CHECK(limiter.seen() == 6);
  CHECK(limiter.passed == 6);
  CHECK(limiter.delayed == 2);
  CHECK(limiter.delay.max() == 2 * kSecond - 3);
  CHECK(limiter.refused == 0);
  CHECK(limiter.requesters == 3);
  REQUIRE(limiter.delayed_most.size() == 1);
  CHECK(limiter.delayed_most.front().user == "jane");
  CHECK(limiter.delayed_most.front().user_agent == kAgent);
  CHECK(limiter.delayed_most.front().requests == 4);
  CHECK(report.stages.back().stage == AdmissionStage::apf);
  CHECK(report.stages.back().passed == 6);
}

TEST_CASE("what a client holds back ends as much later", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().client_limits = limit(1, 1);
  const auto audit = [&](const char* id, int received_ms, int end_ms) {
    const auto time = [](int ms) { return "\"" + format_rfc3339(1'795'176'000 * kSecond + ms * kMillisecond) + "\""; };
    scenario.line(
        std::string(R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":")") + id +
        R"(","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/ci/pods/p","verb":"get","user":{"username":"jane"},)" +
        R"("userAgent":"ci","responseStatus":{"code":200},"requestReceivedTimestamp":)" + time(received_ms) +
        R"(,"stageTimestamp":)" + time(end_ms) + "}");
  };
  audit("a", 0, 50);
  audit("b", 0, 70);
  const ReplayReport report = scenario.replay("audit.log");
  REQUIRE(scenario.count() == 2);
  CHECK(scenario.decision(1, "/delayNs") == "1000000000");
  CHECK(scenario.decision(1, "/finishNs") == std::to_string(1'795'176'001'070 * kMillisecond));
  CHECK(std::any_of(report.assumptions.begin(), report.assumptions.end(),
                    [](const Remark& remark) { return remark.kind == RemarkKind::client_limit_delays; }));
}

TEST_CASE("a watch that begins later ends as much later", "[replay][stages]") {
  StagesScenario scenario;
  const auto audit = [&](const std::string& id, const char* stage, const char* verb, const char* uri, int received_s,
                         int end_s) {
    const auto time = [](int s) { return "\"" + format_rfc3339((1'795'176'000 + s) * kSecond) + "\""; };
    scenario.line(R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":")" + id +
                  R"(","stage":")" + stage + R"(","requestURI":")" + uri + R"(","verb":")" + verb +
                  R"(","user":{"username":"jane"},"userAgent":")" + (std::string(verb) == "watch" ? "w" : "u") +
                  R"(","responseStatus":{"code":200},"requestReceivedTimestamp":)" + time(received_s) +
                  R"(,"stageTimestamp":)" + time(end_s) + "}");
  };
  const char* watched = "/api/v1/pods?watch=1&resourceVersion=5";
  const char* written = "/api/v1/namespaces/ci/pods/p";
  for (int i = 0; i < 40; ++i) audit("w" + std::to_string(i), "ResponseStarted", "watch", watched, 0, 0);
  for (int i = 0; i < 40; ++i) audit("w" + std::to_string(i), "ResponseComplete", "watch", watched, 0, 50);
  audit("u1", "ResponseComplete", "update", written, 30, 30);
  audit("u2", "ResponseComplete", "update", written, 60, 60);
  audit("u3", "ResponseComplete", "update", written, 100, 100);
  scenario.options().client_limits = limit(1, 10);
  const ReplayReport report = scenario.replay("audit.log");
  CHECK(report.watches_peak == 40);
  REQUIRE(scenario.count() == 43);
  CHECK(scenario.decision(40, "/seats/final") == "4");  // 40 watches
  CHECK(scenario.decision(41, "/seats/final") == "2");  // those that began 11 to 30 s later are still there
  CHECK(scenario.decision(42, "/seats/final") == "0");
}

TEST_CASE("requests that never reach the filter take tokens, too", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().client_limits = limit(1, 1);
  const std::string exec = R"(,"verb":"create","uri":"/api/v1/namespaces/ci/pods/p/exec?command=sh","execution":1)";
  scenario.line(R"({"time":0)" + exec + from("jane", kAgent) + "}");
  scenario.line(R"({"time":0)" + exec + from("jane", kAgent) + "}");
  const ReplayReport report = scenario.replay();
  REQUIRE(scenario.count() == 2);
  CHECK(scenario.decision(1, "/outcome") == "\"bypassed\"");
  CHECK(scenario.decision(1, "/arrivalNs") == "1000000000");
  CHECK(scenario.decision(1, "/delayNs") == "1000000000");
  CHECK(stage(report, AdmissionStage::client_limiter).delayed == 1);
  CHECK(stage(report, AdmissionStage::apf).bypassed == 2);
  CHECK(stage(report, AdmissionStage::apf).passed == 0);
}

TEST_CASE("a client without a limit bypasses the limiter", "[replay][stages]") {
  StagesScenario scenario;
  ClientLimits limits = limit(-1, 0);
  limits.by_user_agent = {{"ci/", {1, 1}}};
  scenario.options().client_limits = limits;
  for (int i = 0; i < 3; ++i) scenario.request(i, "get", 1, from("jane", "kubectl/v1.36.0"));
  for (int i = 0; i < 3; ++i) scenario.request(i, "get", 1);
  const StageReport limiter = stage(scenario.replay(), AdmissionStage::client_limiter);
  CHECK(limiter.bypassed == 3);
  CHECK(limiter.passed == 3);
  CHECK(limiter.delayed == 2);
}

TEST_CASE("a client that comes back waits for a token again", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().client_limits = limit(0.25F, 2);
  scenario.options().in_flight = InFlightLimits{1, 0};
  scenario.options().retries = true;
  scenario.request(0, "get", 30 * kSecond);
  scenario.request(0, "get", kSecond);
  const ReplayReport report = scenario.replay();
  // Refused at 0; back after a second, but a token is there only after four (and then after eight).
  CHECK(scenario.decision(1, "/outcome") == "\"rejected\"");
  CHECK(scenario.decision(2, "/attempt") == "1");
  CHECK(scenario.decision(2, "/arrivalNs") == "4000000000");
  CHECK(scenario.decision(2, "/delayNs") == "3000000000");
  CHECK(scenario.decision(3, "/arrivalNs") == "8000000000");
  CHECK(report.retries == 8);  // served at 32, after the log's end
  CHECK(report.total.executed() == 1);
}

TEST_CASE("max-in-flight: two counters, and no queues", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().in_flight = InFlightLimits{2, 1};
  scenario.request(0, "get", 100).request(1, "list", 100).request(2, "get", 100);  // the third read is too much
  scenario.request(3, "update", 100).request(4, "deletecollection", 100);          // so is the second write
  scenario.request(50, "patch", 100, from("root", "kubectl", R"(["system:masters"])"));
  scenario.request(51, "get", 1, from("root", "kubectl", R"(["system:masters"])"));
  scenario.request(100, "get", 10);  // the first read has ended at this instant
  scenario.request(101, "get", 10).request(102, "get", 10);
  scenario.line(R"({"time":103,"verb":"watch","uri":"/api/v1/pods?watch=1","init":5,"user":"jane"})");
  scenario.line(
      R"({"time":104,"verb":"create","uri":"/api/v1/namespaces/ci/pods/p/exec","user":"jane","execution":1})");
  const ReplayReport report = scenario.replay();
  REQUIRE(scenario.count() == 12);
  std::string outcomes;
  for (std::size_t i = 0; i < 12; ++i) outcomes += scenario.decision(i, "/outcome").substr(1, 1);
  CHECK(outcomes == "eerereeeerbb");
  CHECK(scenario.decision(2, "/stage") == "\"max-in-flight\"");
  CHECK(scenario.decision(2, "/reason") == "\"max-in-flight\"");
  CHECK(scenario.decision(2, "/retryAfter") == "1");
  CHECK(scenario.decision(2, "/waitNs") == "0");
  CHECK(scenario.decision(10, "/stage") == "\"max-in-flight\"");
  CHECK(scenario.decision(10, "/reason") == "\"long-running\"");
  const StageReport& filter = stage(report, AdmissionStage::max_in_flight);
  CHECK(filter.bypassed == 2);
  CHECK(filter.passed == 7);
  CHECK(filter.delayed == 0);
  CHECK(filter.refused == 3);
  CHECK(filter.reasons == std::map<std::string, std::uint64_t>{{"max-in-flight", 3}});
  REQUIRE(filter.refused_most.size() == 1);
  CHECK(filter.refused_most.front().user == "jane");
  CHECK(filter.refused_most.front().user_agent.empty());
  CHECK(report.total.rejected() == 3);
  REQUIRE(report.in_flight);
  const InFlightReport::Kind& reads = report.in_flight->read_only;
  CHECK(reads.requests == 7);
  CHECK(reads.refused == 2);
  CHECK(reads.uncounted == 1);
  CHECK(reads.peak == 2);
  CHECK(reads.series.peaks == std::vector<int>{2});
  const InFlightReport::Kind& writes = report.in_flight->mutating;
  CHECK(writes.requests == 3);
  CHECK(writes.refused == 1);
  CHECK(writes.uncounted == 1);
  CHECK(writes.peak == 1);
}

TEST_CASE("max-in-flight: system:masters is counted below the limit", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().in_flight = InFlightLimits{1, 1};
  scenario.request(0, "get", 100, from("root", "kubectl", R"(["system:masters"])")).request(1, "get", 100);
  const ReplayReport report = scenario.replay();
  CHECK(scenario.decision(1, "/outcome") == "\"rejected\"");
  CHECK(report.in_flight->read_only.uncounted == 0);
}

TEST_CASE("max-in-flight: levels have no limits and nothing moves between them", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().in_flight = InFlightLimits{1, 1};
  scenario.options().timeline_path = scenario.options().decisions_path + "-timeline";
  scenario.request(0, "get", kSecond).request(25 * kSecond, "get", kSecond);
  const ReplayReport report = scenario.replay();
  CHECK(std::filesystem::file_size(scenario.options().timeline_path) == 0);
  std::uint64_t requests = 0;
  for (const LevelReport& level : report.levels) {
    CHECK(level.nominal_cl == 0);
    CHECK(level.seats_peak == 0);
    requests += level.tally.requests;
  }
  CHECK(requests == 2);
}

TEST_CASE("max-in-flight: 0 is no limit", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().in_flight = InFlightLimits{0, 1};
  for (int i = 0; i < 50; ++i) scenario.request(i, "get", kSecond);
  scenario.request(50, "update", kSecond).request(51, "update", kSecond);
  const ReplayReport report = scenario.replay();
  CHECK(report.total.rejected() == 1);
  CHECK(report.in_flight->read_only.refused == 0);
  CHECK(report.in_flight->read_only.peak == 0);  // nobody counts
  CHECK(report.in_flight->mutating.refused == 1);
}

TEST_CASE("max-in-flight: averages and counts are of the time reported", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().in_flight = InFlightLimits{4, 1};
  scenario.options().from = ReplayTime::parse("10s");
  scenario.options().to = ReplayTime::parse("20s");
  scenario.request(0, "get", 15 * kSecond)
      .request(12 * kSecond, "get", 3 * kSecond)
      .request(30 * kSecond, "get", kSecond);
  const ReplayReport report = scenario.replay();
  CHECK(report.in_flight->read_only.requests == 1);
  CHECK(report.in_flight->read_only.peak == 2);
  CHECK(report.in_flight->read_only.average == Approx(0.8));
  CHECK(stage(report, AdmissionStage::max_in_flight).seen() == 1);
}

TEST_CASE("max-in-flight: the HTTP log of a server without flow control tells no FlowSchema", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().in_flight = InFlightLimits{1, 1};
  for (const char* id : {"1", "2"})
    scenario.line(std::string("I1120 12:00:10.000") + id +
                  R"(00    6180 httplog.go:134] "HTTP" verb="GET" URI="/api/v1/namespaces/ci/pods/p" latency="1.5s" )" +
                  R"(userAgent="ci" audit-ID=")" + id + R"(" srcIP="10.0.0.1:5" resp=200)");
  const ReplayReport report = scenario.replay("kube-apiserver.log");
  CHECK(report.total.requests == 2);
  CHECK(report.total.outcomes[Outcome::max_in_flight] == 1);
  CHECK(report.left_out.empty());
  REQUIRE(stage(report, AdmissionStage::max_in_flight).refused_most.size() == 1);
  CHECK(stage(report, AdmissionStage::max_in_flight).refused_most.front().user == "ci 10.0.0.1");
}

TEST_CASE("API Priority and Fairness reports as the other stages do", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().server_concurrency_limit = 3;
  for (int i = 0; i < 10; ++i)
    scenario.request(i, "get", kSecond, from(i % 2 ? "jane" : "joe", kAgent, R"(["system:authenticated"])"));
  const ReplayReport report = scenario.replay();
  REQUIRE(report.stages.size() == 1);
  const StageReport& filter = report.stages.front();
  CHECK(filter.stage == AdmissionStage::apf);
  CHECK(filter.passed == report.total.executed());
  CHECK(filter.delayed > 0);
  CHECK(filter.delayed == report.total.queued - report.total.outcomes[Outcome::time_out]);
  CHECK(filter.delay.max() == report.total.wait.max());
  CHECK(filter.requesters == 2);
  CHECK(filter.delayed_most.size() == 2);
}

TEST_CASE("any number of threads tells the same of stages", "[replay][stages]") {
  StagesScenario scenario;
  scenario.options().client_limits = limit(100, 3);
  scenario.options().in_flight = InFlightLimits{2, 2};
  for (int i = 0; i < 20'000; ++i)
    scenario.request(i * kMillisecond, i % 3 ? "get" : "update", (i % 7) * kMillisecond,
                     from("user-" + std::to_string(i % 11), "agent-" + std::to_string(i % 5)));
  scenario.options().threads = 1;
  const std::string one = render_json(scenario.replay());
  scenario.options().threads = 4;
  CHECK(render_json(scenario.replay()) == one);
}
