// A log that is read once: its replays are those of the log, under any configuration, load, seed and memory.
#include "replay/prepared_log.h"

#include <apf/error.h>
#include <apf/report.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "catch.h"
#include "replay/other_replays.h"
#include "replay/replay_into.h"
#include "replay/spread.h"

using namespace apf;

namespace {

constexpr unsigned kSeed = 17;
const Nanos kT0 = *parse_rfc3339("2026-11-20T12:00:00Z");

std::string event(int id, const char* stage, Nanos received, Nanos at, const std::string& user, const char* verb,
                  const std::string& uri, int code) {
  const std::string groups = user.starts_with("system:node:") ? "\"system:nodes\",\"system:authenticated\""
                             : user.starts_with("system:serviceaccount:")
                                 ? "\"system:serviceaccounts\",\"system:serviceaccounts:shop\",\"system:authenticated\""
                                 : "\"system:authenticated\"";
  return fmt::format(
      "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\","
      "\"auditID\":\"00000000-0000-4000-8000-{:012}\",\"stage\":\"{}\",\"requestURI\":\"{}\",\"verb\":\"{}\","
      "\"user\":{{\"username\":\"{}\",\"groups\":[{}]}},\"sourceIPs\":[\"10.0.0.7\"],\"userAgent\":\"a/{}\","
      "\"responseStatus\":{{\"code\":{}}},\"requestReceivedTimestamp\":\"{}\",\"stageTimestamp\":\"{}\"}}\n",
      id, stage, uri, verb, user, groups, id % 3, code, format_rfc3339(received), format_rfc3339(at));
}

std::string in_order(std::vector<std::pair<Nanos, std::string>> lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [at, line] : lines) out += line;
  return out;
}

// A busy server of few seats: reads, writes, lists, watches that end and some that do not, refusals.
std::string audit_log(int requests) {
  std::mt19937 random(kSeed);
  std::vector<std::pair<Nanos, std::string>> lines;
  const auto put = [&](Nanos at, std::string text) { lines.emplace_back(at, std::move(text)); };
  for (int i = 0; i < requests; ++i) {
    const Nanos at = kT0 + static_cast<Nanos>(i) * 3 * kMillisecond + static_cast<Nanos>(random() % 2000) * 1000;
    const std::string user = i % 3 == 0   ? fmt::format("system:node:n{}", random() % 5)
                             : i % 3 == 1 ? fmt::format("system:serviceaccount:shop:s{}", random() % 4)
                                          : fmt::format("user{}", random() % 3);
    const Nanos takes = static_cast<Nanos>(random() % 200) * kMillisecond;
    switch (random() % 6) {
      case 0:
        put(at + kMillisecond, event(i, "ResponseStarted", at, at + kMillisecond, user, "watch",
                                     fmt::format("/api/v1/namespaces/ns{}/pods?watch=1", random() % 4), 200));
        if (i % 2 == 0)
          put(at + takes * 20, event(i, "ResponseComplete", at, at + takes * 20, user, "watch",
                                     "/api/v1/namespaces/ns1/pods?watch=1", 200));
        break;
      case 1:
        put(at + takes, event(i, "ResponseComplete", at, at + takes, user, "update",
                              fmt::format("/api/v1/namespaces/ns{}/pods/p{}", random() % 4, random() % 9), 200));
        break;
      case 2:
        put(at + takes, event(i, "ResponseComplete", at, at + takes, user, "list", "/api/v1/pods?limit=500", 200));
        break;
      case 3:
        put(at, event(i, "ResponseComplete", at, at, user, "get", "/api/v1/namespaces/ns1/pods/p1", 429));
        break;
      default:
        put(at + takes, event(i, "ResponseComplete", at, at + takes, user, "get", "/api/v1/nodes/n1", 200));
    }
  }
  return in_order(std::move(lines));
}

// A request each second, and some that run for minutes on few seats.
std::string log_of_minutes() {
  std::vector<std::pair<Nanos, std::string>> lines;
  const auto put = [&](int id, Nanos at, Nanos takes, const char* user) {
    const char* uri = "/api/v1/nodes/n1";
    lines.emplace_back(at + takes, event(id, "ResponseComplete", at, at + takes, user, "get", uri, 200));
  };
  for (int i = 0; i < 400; ++i) put(i, kT0 + i * kSecond, 700 * kMillisecond, i % 2 == 0 ? "user0" : "user1");
  for (int i = 0; i < 12; ++i) put(1000 + i, kT0 + (10 + 9 * i) * kSecond, (90 + 7 * i) * kSecond, "slow");
  return in_order(std::move(lines));
}

std::string klog_time(Nanos time) {
  const std::string text = format_rfc3339(time + kMicrosecond);  // its decimals end with it
  return text.substr(11, 15);
}

// What kube-apiserver itself logs of requests like those; some with a level, some that nobody classified.
std::string http_log(int requests) {
  std::mt19937 random(kSeed);
  std::string out =
      "I1120 12:00:00.000001       1 apf_controller.go:385] Running API Priority and Fairness periodic rebalancing "
      "process\n";
  for (int i = 0; i < requests; ++i) {
    const Nanos at = kT0 + static_cast<Nanos>(i + 1) * 5 * kMillisecond;
    const Nanos takes = static_cast<Nanos>(1 + random() % 40) * kMillisecond, waits = random() % 2 == 0 ? 0 : takes;
    const char* verb = i % 5 == 0 ? "WATCH" : i % 3 == 0 ? "POST" : "LIST";
    out += fmt::format(
        "I1120 {}       1 httplog.go:134] \"HTTP\" verb=\"{}\" URI=\"/api/v1/namespaces/ns{}/pods{}\" latency=\"{}ms\" "
        "userAgent=\"a/{}\" audit-ID=\"00000000-0000-4000-8000-{:012}\" srcIP=\"10.0.0.{}:1\"{} resp={}\n",
        klog_time(at + takes + waits), verb, random() % 4, i % 5 == 0 ? "?watch=1" : "", (takes + waits) / kMillisecond,
        i % 3, i, i % 7,
        i % 4 == 0 ? std::string()
                   : fmt::format(" apf_pl=\"workload-low\" apf_fs=\"service-accounts\" apf_iseats=1 apf_fseats=0 "
                                 "apf_additionalLatency=\"0s\" apf_execution_time=\"{}ms\"",
                                 takes / kMillisecond),
        i % 11 == 0 ? 429 : 200);
  }
  return out;
}

ReplayOptions options_of(const std::string& text) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 20;
  options.logs = {"audit.log"};
  options.texts["audit.log"] = text;
  options.all_flows = true;
  return options;
}

// Without further replays.
std::string replayed(const ReplayOptions& options) {
  OutputFile decisions(""), timeline("");
  return render_json(replay_alone(options, decisions, timeline));
}

Config other_config() {
  Config config = bootstrap_config(kNewestKubeVersion);
  for (PriorityLevel& level : config.priority_levels)
    if (level.meta.name == "workload-low") level.limited->nominal_concurrency_shares = 7;
  FlowSchema schema;
  schema.meta.name = "shop";
  schema.priority_level = "workload-high";
  schema.matching_precedence = 500;
  schema.distinguisher_method = "ByNamespace";
  schema.rules.push_back(
      {{{"ServiceAccount", {}, {}, Subject::ServiceAccount{"shop", "*"}}}, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {}});
  config.flow_schemas.push_back(std::move(schema));
  return config;
}

}  // namespace

TEST_CASE("A replay of a prepared log is the replay of the log", "[prepared]") {
  const std::string text = audit_log(4000);
  const ReplayOptions options = options_of(text);
  const PreparedLog log(options);
  CHECK(render_json(log.replay(options)) == replayed(options));

  ReplayOptions other = options;
  other.config = other_config();
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.server_concurrency_limit = 9;
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.unknown_waits = UnknownWaits::recorded_ends;
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.scales = {{"", 1.7, false}, {"system:node:*", 2.5, true}};
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.in_flight = InFlightLimits{10, 5};
  CHECK(render_json(log.replay(other)) == replayed(other));
}

TEST_CASE("So is one of the server's own log, alone and with the audit log", "[prepared]") {
  const std::string audit = audit_log(800), http = http_log(500);
  ReplayOptions options = options_of(audit);
  options.log_year = 2026;
  options.texts["http.log"] = http;
  const std::vector<std::vector<std::string>> logs = {{"http.log"}, {"audit.log", "http.log"}};
  for (const std::vector<std::string>& names : logs) {
    options.logs = names;
    INFO(options.logs.front());
    const PreparedLog log(options);
    const ReplayReport report = log.replay(options);
    CHECK(report.total.requests > 300);
    CHECK(render_json(report) == replayed(options));
  }
}

TEST_CASE("Jitter moves the requests of a prepared log as it moves those of the log", "[prepared]") {
  const std::string text = audit_log(3000);
  ReplayOptions options = options_of(text);
  const PreparedLog log(options);
  for (const std::uint64_t seed : {1, 2, 3}) {
    INFO("seed " << seed);
    options.jitter = kMillisecond;
    options.jitter_seed = seed;
    options.clock_shift = static_cast<Nanos>(seed) * kSecond;
    CHECK(render_json(log.replay(options)) == replayed(options));
  }
}

TEST_CASE("Events beyond the memory come from a file", "[prepared]") {
  const std::string text = audit_log(40'000);
  ReplayOptions options = options_of(text);
  const PreparedLog all(options), none(options, 0), some(options, 1u << 20);
  CHECK(all.events().bytes_in_file() == 0);
  CHECK(none.events().bytes_in_file() > 0);
  CHECK(some.events().bytes_in_file() > 0);
  CHECK(some.events().bytes_in_file() < none.events().bytes_in_file());
  CHECK(CompactEvents::bytes_each() <= 64);
  const std::string expected = render_json(all.replay(options));
  std::vector<std::string> reports(8);
  run_tasks(reports.size(), 4,
            [&](std::size_t i) { reports[i] = render_json((i % 2 == 0 ? none : some).replay(options)); });
  for (const std::string& report : reports) CHECK(report == expected);
}

TEST_CASE("A log of another configuration is read under that one", "[prepared]") {
  const std::string text = audit_log(4000);
  ReplayOptions options = options_of(text);
  options.candidates = 0;
  options.recorded.emplace().config = options.config;
  options.recorded->server_concurrency_limit = 30;
  const PreparedLog log(options);
  options.config = other_config();
  options.server_concurrency_limit = 5;
  OutputFile decisions(""), timeline("");
  const ReplayReport once = replay_alone(options, decisions, timeline), report = log.replay(options);
  REQUIRE(report.levels.size() == once.levels.size());
  for (std::size_t i = 0; i < once.levels.size(); ++i) {
    const RequestTally &a = report.levels[i].tally, &b = once.levels[i].tally;
    INFO(once.levels[i].name);
    CHECK(a.requests == b.requests);
    CHECK(a.rejected() == b.rejected());
    CHECK(a.wait.mean() == b.wait.mean());
    CHECK(a.seat_seconds == b.seat_seconds);
  }
  CHECK(report.total.rejected() > 0);
}

TEST_CASE("Requests of minutes find their places in a prepared log", "[prepared]") {
  const std::string text = log_of_minutes();
  ReplayOptions options = options_of(text);
  options.server_concurrency_limit = 10;
  const PreparedLog log(options);
  CHECK(log.read().out_of_window == 0);
  CHECK(log.events().size() == 412);
  const ReplayReport report = log.replay(options);
  CHECK(report.total.wait.quantile(1) > kSecond);
  CHECK(render_json(report) == replayed(options));

  options.candidates = 0;
  options.recorded.emplace().config = options.config;
  options.recorded->server_concurrency_limit = 30;
  const PreparedLog learned(options);
  CHECK(learned.read().out_of_window == 0);
  OutputFile decisions(""), timeline("");
  const ReplayReport once = replay_alone(options, decisions, timeline), again = learned.replay(options);
  CHECK(again.total.requests == once.total.requests);
  CHECK(again.total.wait.mean() == once.total.wait.mean());
  CHECK(again.total.seat_seconds == once.total.seat_seconds);
}

TEST_CASE("A prepared log knows nothing of what it does not keep", "[prepared]") {
  const std::string text = audit_log(10);
  ReplayOptions options = options_of(text);
  options.client_models.push_back({"*", ClientModel::workers, 2});
  CHECK_THROWS_AS(PreparedLog(options), Error);
}

TEST_CASE("An empty log has no replays", "[prepared]") {
  const std::string text = "\n";
  ReplayOptions options = options_of(text);
  options.log_format = "audit";
  const PreparedLog log(options);
  CHECK(log.replay(options).total.requests == 0);
}

TEST_CASE("The spread of a log that is read once is that of replays that read it again", "[prepared][spread]") {
  const std::string texts[] = {audit_log(900), log_of_minutes(), http_log(300)};
  std::size_t undecided = 0;
  for (const std::string& text : texts) {
    ReplayOptions options = options_of(text);
    options.spread = 3;
    options.top = 3;
    for (const bool outputs : {false, true}) {
      INFO(text.substr(0, 80) << " outputs: " << outputs);
      options.metrics = options.series = outputs;
      OutputFile no_decisions(""), no_timeline("");
      ReplayReport again = replay_alone(options, no_decisions, no_timeline);
      undecided += again.undecided ? 1 : 0;
      if (again.undecided) add_recorded_ends(options, again, nullptr);
      add_spread(options, again, nullptr);
      for (const int threads : {1, 3}) {
        options.threads = threads;
        const ReplayReport once = replay(options);
        CHECK(render_json(once) == render_json(again));
        CHECK(render_text(once, {}) == render_text(again, {}));
        CHECK(once.metrics.size() == again.metrics.size());
      }
    }
  }
  CHECK(undecided > 0);
}

TEST_CASE("A prepared log foresees how long its first refused requests would have run", "[prepared]") {
  std::vector<std::pair<Nanos, std::string>> lines;
  for (int i = 0; i < 430; ++i) {
    const bool refused = i < 30;
    const Nanos at = kT0 + (refused ? i : 100 + i) * 2 * kMillisecond, end = at + (refused ? 0 : 400 * kMillisecond);
    lines.emplace_back(end,
                       event(i, "ResponseComplete", at, end, "user0", "get", "/api/v1/nodes/n1", refused ? 429 : 200));
  }
  const std::string text = in_order(std::move(lines));
  const ReplayOptions options = options_of(text);
  CHECK(render_json(PreparedLog(options).replay(options)) == replayed(options));
}
