// Systems side by side: each report is that of a replay of its own, and the log is read once.
#include <apf/error.h>
#include <apf/replay.h>
#include <apf/report.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "catch.h"
#include "support/times.h"
#include "support/written_logs.h"

using namespace apf;
using namespace apf::test;

namespace {

// Pods and events, some of which the log's server refused.
std::string creations(int requests) {
  std::mt19937 random(kLogSeed);
  std::vector<std::pair<Nanos, std::string>> lines;
  for (int i = 0; i < requests; ++i) {
    const Nanos at = kNoon + static_cast<Nanos>(i) * 7 * kMillisecond, end = at + 4 * kMillisecond;
    const bool pod = i % 3 == 0;
    const auto ns = random() % 3, who = random() % 4;
    const std::string object =
        pod ? fmt::format(R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"p{}","namespace":"ns{}"}}}})", i, ns)
            : fmt::format(
                  R"({{"kind":"Event","apiVersion":"v1","source":{{"component":"c{}"}},"involvedObject":{{"name":"o{}"}}}})",
                  who, i % 5);
    lines.emplace_back(
        end,
        fmt::format(
            R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"00000001-0000-4000-8000-{:012}",)"
            R"("stage":"ResponseComplete","requestURI":"/api/v1/namespaces/ns{}/{}","verb":"create",)"
            R"("user":{{"username":"user{}","groups":["system:authenticated"]}},"sourceIPs":["10.0.0.8"],)"
            R"("userAgent":"b/{}","responseStatus":{{"code":{}}},"requestObject":{},)"
            R"("requestReceivedTimestamp":"{}","stageTimestamp":"{}"}})",
            i, ns, pod ? "pods" : "events", who, random() % 2, i % 17 == 0 ? 429 : 201, object, format_rfc3339(at),
            format_rfc3339(end)) +
            "\n");
  }
  return in_order(std::move(lines));
}

// Two audit logs become one.
std::string merged(const std::string& a, const std::string& b) {
  std::vector<std::pair<Nanos, std::string>> lines;
  for (const std::string* text : {&a, &b}) {
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = text->find('\n', at) + 1;
      const std::string line = text->substr(at, end - at);
      const std::string key = "\"stageTimestamp\":\"";
      const std::size_t from = line.find(key) + key.size();
      lines.emplace_back(*parse_rfc3339(line.substr(from, line.find('"', from) - from)), line);
      at = end;
    }
  }
  return in_order(std::move(lines));
}

ReplayOptions base_options(std::string&& text) = delete;  // it is only looked at
ReplayOptions base_options(const std::string& text) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 6;
  options.log_year = 2026;
  options.logs = {"audit.log"};
  options.texts["audit.log"] = text;
  options.top = 100;
  options.all_flows = true;
  return options;
}

// As `apfctl replay --systems all` has them.
std::vector<ReplayOptions> systems_of(const ReplayOptions& base) {
  const auto system = [&](const char* name, bool limits) {
    ReplayOptions options = base;
    options.server = name;
    if (limits) options.in_flight = InFlightLimits{0, 0};
    return options;
  };
  std::vector<ReplayOptions> out = {system("apf", false), system("max-in-flight", true), system("client-limit", true),
                                    system("event-rate-limit", true), system("resource-quota", true)};
  out[1].in_flight = InFlightLimits{4, 2};
  out[2].client_limits.emplace().of_all = {3, 4};
  out[3].event_rate_limit.emplace().limits = {{"Server", 20, 30, 0}, {"User", 5, 6, 0}, {"SourceAndObject", 2, 2, 0}};
  for (const char* ns : {"ns0", "ns1"}) {
    ResourceQuota& quota = out[4].resource_quotas.emplace_back();
    quota.meta.name = "q";
    quota.ns = ns;
    quota.spec.hard["pods"] = *Quantity::parse("9");
  }
  return out;
}

std::string text_of(ReplayReport report) {
  report.incomplete.clear();
  report.join.users_found = 0;
  return render_json(report);
}

std::vector<std::string> texts_of(std::vector<ReplayReport> reports) {
  std::vector<std::string> out;
  for (ReplayReport& report : reports) out.push_back(text_of(std::move(report)));
  return out;
}

std::vector<std::string> one_by_one(const std::vector<ReplayOptions>& systems) {
  std::vector<std::string> out;
  for (const ReplayOptions& system : systems) out.push_back(text_of(replay(system)));
  return out;
}

void check(const ReplayOptions& base) {
  const std::vector<ReplayOptions> systems = systems_of(base);
  CHECK(texts_of(replay_systems(systems, 2)) == one_by_one(systems));
}

// What comes out of a pipe, once: whoever reads it again finds its end.
class Pipe {
 public:
  explicit Pipe(std::string text) : text_(std::move(text)) {
    REQUIRE(::pipe(ends_) == 0);
    writer_ = std::thread([this] {
      for (std::size_t at = 0; at < text_.size();) {
        const ssize_t wrote = ::write(ends_[1], text_.data() + at, text_.size() - at);
        if (wrote <= 0) break;
        at += static_cast<std::size_t>(wrote);
      }
      ::close(ends_[1]);
    });
  }
  ~Pipe() {
    char rest[4096];
    while (::read(ends_[0], rest, sizeof rest) > 0) {
    }
    writer_.join();
    ::close(ends_[0]);
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  const std::string text_;
  int ends_[2] = {};
  std::thread writer_;
};

}  // namespace

TEST_CASE("Any systems side by side report what each reports alone", "[replay][systems]") {
  const std::string text = merged(audit_log(600), creations(300));
  const ReplayOptions base = base_options(text);
  const std::vector<ReplayOptions> all = systems_of(base);
  const std::vector<std::string> expected = one_by_one(all);
  const std::vector<ReplayReport> reports = replay_systems(all, 3);
  for (std::size_t i = 0; i < all.size(); ++i) {  // each limits something
    INFO(all[i].server);
    REQUIRE(reports[i].stages.size() >= 1);
    const auto limits = [](const StageReport& stage) { return stage.refused + stage.delayed > 0; };
    CHECK(std::any_of(reports[i].stages.begin(), reports[i].stages.end(), limits));
  }
  for (unsigned set = 1; set < 1u << all.size(); ++set) {
    std::vector<ReplayOptions> systems;
    std::vector<std::string> wanted;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t system = set % 2 == 0 ? i : all.size() - 1 - i;  // in either order
      if ((set >> system & 1) == 0) continue;
      systems.push_back(all[system]);
      wanted.push_back(expected[system]);
    }
    INFO("set " << set);
    CHECK(texts_of(replay_systems(systems, 2)) == wanted);
  }
  for (const int threads : {1, 2, 3, 4, 5}) {
    INFO("threads " << threads);
    CHECK(texts_of(replay_systems(all, threads)) == expected);
  }
  CHECK(replay_systems({}, 2).empty());
}

TEST_CASE("Systems side by side: whatever else is asked of the replay", "[replay][systems]") {
  const std::string text = merged(audit_log(500), creations(200));
  ReplayOptions base = base_options(text);
  base.from = ReplayTime{true, kSecond / 2};
  base.to = ReplayTime{true, 2 * kSecond};
  check(base);
  base = base_options(text);
  base.retries = true;
  check(base);
  base = base_options(text);
  base.client_timeouts = {{"*", 20 * kMillisecond}};
  check(base);
  base = base_options(text);
  base.client_models = {{"*", ClientModel::workers, 1}};
  check(base);
  base = base_options(text);
  base.event_sending = {EventSender::abandon, 300 * kMillisecond, 12};  // a sender is not the same in all systems
  check(base);
  base = base_options(text);
  base.scales = {{"", 1.6, false}, {"user1", 2.5, true}};
  std::vector<ReplayOptions> systems = systems_of(base);
  systems.erase(systems.begin() + 4);
  CHECK_THROWS_AS(replay_systems(systems, 2), Error);  // limits of clients cannot be scaled
  systems.erase(systems.begin() + 2);
  CHECK(texts_of(replay_systems(systems, 2)) == one_by_one(systems));
}

TEST_CASE("Systems side by side: the server's own log, alone and joined with the audit log", "[replay][systems]") {
  const std::string audit = merged(audit_log(500), creations(200)), http = http_log(700);
  ReplayOptions base = base_options(audit);
  base.texts["http.log"] = http;
  for (const auto& logs : {std::vector<std::string>{"http.log"}, {"audit.log", "http.log"}}) {
    INFO(logs.front());
    base.logs = logs;
    const std::vector<ReplayReport> reports = replay_systems(systems_of(base), 2);
    // Requests without a FlowSchema come to a server that asks for none.
    CHECK(reports[0].left_out.at("unclassified") > 0);
    CHECK_FALSE(reports[1].left_out.contains("unclassified"));
    check(base);
  }
}

TEST_CASE("Systems side by side: a log of another configuration is replayed under that one once", "[replay][systems]") {
  const std::string text = merged(audit_log(400), creations(150));
  ReplayOptions base = base_options(text);
  base.recorded.emplace().config = base.config;
  base.recorded->server_concurrency_limit = 20;
  base.candidates = 2;
  check(base);
  base.client_models_by_log = true;
  base.retries = true;
  check(base);
}

TEST_CASE("Systems side by side: requests of minutes find their places", "[replay][systems]") {
  const std::string text = log_of_minutes();
  ReplayOptions base = base_options(text);
  CHECK(replay_systems(systems_of(base), 2).front().out_of_window == 0);
  check(base);
  base.recorded.emplace().config = base.config;
  base.recorded->server_concurrency_limit = 30;
  base.candidates = 0;
  check(base);
}

TEST_CASE("Systems side by side read a pipe, once", "[replay][systems]") {
  const std::string text = merged(audit_log(2000), creations(400));
  ReplayOptions base = base_options(text);
  for (const bool recorded : {false, true}) {
    if (recorded) {
      base.recorded.emplace().config = base.config;
      base.recorded->server_concurrency_limit = 20;
      base.candidates = 0;
    }
    std::vector<ReplayOptions> systems = systems_of(base);
    systems[4].quota_conflicts = QuotaConflicts{20 * kMillisecond};  // takes several rounds
    const std::vector<std::string> expected = one_by_one(systems);
    Pipe pipe(text);
    for (ReplayOptions& system : systems) system.logs = {pipe.path()};
    std::vector<ReplayReport> reports = replay_systems(systems, 2);
    const auto rename = [](ReplayReport& report) { report.logs = {"audit.log"}; };
    for (ReplayReport& report : reports) {
      rename(report);
      for (ReplayReport& other : report.others) rename(other);
    }
    CHECK(texts_of(std::move(reports)) == expected);
  }
}

TEST_CASE("Systems side by side: updates that conflict are settled in whatever order the systems come",
          "[replay][systems]") {
  const std::string text = creations(400);
  std::vector<ReplayOptions> systems = systems_of(base_options(text));
  systems.erase(systems.begin() + 1, systems.begin() + 4);
  systems[1].quota_conflicts = QuotaConflicts{20 * kMillisecond};
  const std::vector<std::string> expected = one_by_one(systems);
  CHECK(expected[1].find("\"conflicts\"") != std::string::npos);
  CHECK(texts_of(replay_systems(systems, 2)) == expected);
  std::swap(systems[0], systems[1]);
  CHECK(texts_of(replay_systems(systems, 2)) == std::vector{expected[1], expected[0]});
}

TEST_CASE("Systems side by side: an interrupted replay reports how far it came", "[replay][systems]") {
  std::atomic<bool> interrupted = false;
  const std::string text = audit_log(3000);
  ReplayOptions base = base_options(text);
  base.interrupted = &interrupted;
  base.progress = [&](const LogProgress&) { interrupted = true; };
  for (const ReplayReport& report : replay_systems(systems_of(base), 2)) CHECK(report.interrupted);
}

TEST_CASE("Systems side by side make reports, and nothing else", "[replay][systems]") {
  const std::function<void(ReplayOptions&)> wishes[] = {[](ReplayOptions& of) { of.decisions_path = "decisions"; },
                                                        [](ReplayOptions& of) { of.timeline_path = "timeline"; },
                                                        [](ReplayOptions& of) { of.metrics = true; },
                                                        [](ReplayOptions& of) { of.series = true; },
                                                        [](ReplayOptions& of) { of.spread = 1; },
                                                        [](ReplayOptions& of) { of.dump_at.emplace_back(); }};
  const std::string text = audit_log(10);
  for (const auto& wish : wishes) {
    std::vector<ReplayOptions> systems = systems_of(base_options(text));
    wish(systems.back());
    CHECK_THROWS_WITH(replay_systems(systems, 1), Catch::Contains("for their reports alone"));
  }
  std::vector<ReplayOptions> systems = systems_of(base_options(text));
  systems.front().version = KubeVersion{1, 20};
  CHECK_THROWS_AS(replay_systems(systems, 1), Error);
}
