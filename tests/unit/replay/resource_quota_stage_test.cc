// ResourceQuota as a stage of a replay: over trace lines and over audit events.
#include <apf/config.h>
#include <apf/replay.h>
#include <apf/report.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "catch.h"

using namespace apf;

namespace {

ResourceQuota quota(const std::vector<std::pair<std::string, std::string>>& hard) {
  ResourceQuota out;
  out.meta.name = "q";
  out.ns = "shop";
  for (const auto& [key, amount] : hard) out.spec.hard[key] = *Quantity::parse(amount);
  return out;
}

const char* message_of(int code) {
  if (code == 403) return R"(,"message":"pods \"x\" is forbidden: exceeded quota: q, requested: pods=1")";
  if (code == 409)
    return R"(,"message":"Operation cannot be fulfilled on resourcequotas \"q\": the object has been modified; please )"
           R"(apply your changes to the latest version and try again")";
  return code == 500 ? R"(,"message":"Internal error occurred: resource quota evaluation timed out")" : "";
}

class QuotaScenario {
 public:
  explicit QuotaScenario(ResourceQuota q)
      : path_((std::filesystem::temp_directory_path() / ("apf-quota-unit-" + std::to_string(::getpid()))).string()) {
    std::filesystem::create_directories(path_);
    options_.config = bootstrap_config(kNewestKubeVersion);
    options_.decisions_path = path_ + "/decisions";
    options_.resource_quotas = {std::move(q)};
  }
  ~QuotaScenario() { std::filesystem::remove_all(path_); }

  ReplayOptions& options() { return options_; }
  // One request a second, each of which takes a tenth of one.
  QuotaScenario& trace(const std::string& verb, const std::string& uri, const std::string& object = "") {
    log_ += fmt::format(R"({{"time":{},"verb":"{}","uri":"{}","user":"jane","execution":100000000{}}})",
                        ++time_ * kSecond, verb, uri, object.empty() ? "" : ",\"object\":" + object) +
            "\n";
    return *this;
  }
  QuotaScenario& audit(const std::string& verb, const std::string& uri, int code, const std::string& more = "") {
    const std::string time = format_rfc3339(1'795'000'000 * kSecond + ++time_ * kSecond);
    log_ +=
        fmt::format(
            R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"{:08}-0000-4000-8000-000000000000",)"
            R"("stage":"ResponseComplete","requestURI":"{}","verb":"{}","user":{{"username":"jane","groups":["system:authenticated"]}},)"
            R"("responseStatus":{{"code":{}{}}},"requestReceivedTimestamp":"{}","stageTimestamp":"{}"{}}})",
            time_, uri, verb, code, message_of(code), time, time, more) +
        "\n";
    return *this;
  }
  ReplayReport replay() {
    options_.logs = {"log.jsonl"};
    options_.texts["log.jsonl"] = log_;
    const ReplayReport report = apf::replay(options_);
    decisions_.clear();
    std::ifstream file(options_.decisions_path);
    for (std::string text; std::getline(file, text);) decisions_.push_back(text);
    return report;
  }
  std::string decision(std::size_t i, const char* key) const {
    simdjson::dom::parser parser;
    const simdjson::dom::element document = parser.parse(decisions_.at(i));
    const auto field = document.at_key(key);
    std::string_view text;
    return field.get(text) == simdjson::SUCCESS ? std::string(text) : "absent";
  }
  Nanos number(std::size_t i, const char* key) const {
    simdjson::dom::parser parser;
    const simdjson::dom::element document = parser.parse(decisions_.at(i));
    return document.at_key(key).get_int64().value();
  }
  std::string outcomes() const {
    std::string out;
    for (std::size_t i = 0; i < decisions_.size(); ++i) out += decision(i, "outcome") == "rejected" ? 'r' : 'p';
    return out;
  }

 private:
  std::string path_, log_;
  int time_ = 0;
  ReplayOptions options_;
  std::vector<std::string> decisions_;
};

const std::string kPods = "/api/v1/namespaces/shop/pods";

std::string pod(const std::string& name, const std::string& more = "", const std::string& status = "") {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"shop","resourceVersion":"7"{}}},)"
      R"("spec":{{"containers":[{{"name":"c","resources":{{"requests":{{"cpu":"500m"}}}}}}]}}{}}})",
      name, more, status);
}

std::string used(const ReplayReport& report, const std::string& name, bool peak = false) {
  for (const auto& r : report.resource_quota->quotas.at(0).resources) {
    if (r.name == name) return peak ? r.peak : r.used;
  }
  return "absent";
}

}  // namespace

TEST_CASE("pods are charged until they are deleted", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "2"}, {"requests.cpu", "10"}}));
  s.trace("create", kPods, pod("a")).trace("create", kPods, pod("b")).trace("create", kPods, pod("c"));
  s.trace("delete", kPods + "/a")
      .trace("create", kPods, pod("d"))
      .trace("delete", kPods + "/c")
      .trace("create", kPods, pod("e"));
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "pprpppr");  // c was never there: its deletion frees nothing
  CHECK(s.decision(2, "stage") == "resource-quota");
  CHECK(s.decision(2, "reason") == "exceeded");
  CHECK(s.decision(2, "message") ==
        "pods \"c\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2");
  CHECK(used(report, "pods") == "2");
  CHECK(used(report, "requests.cpu") == "1");
  CHECK(report.resource_quota->asked == 5);
  CHECK(report.resource_quota->refused == 2);
  CHECK(report.total.outcomes[Outcome::resource_quota] == 2);
}

TEST_CASE("what a request frees is free at its end", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "1"}}));
  s.trace("create", kPods, pod("a"));
  s.trace("delete", kPods + "/a");
  const ReplayReport before = s.replay();
  CHECK(used(before, "pods") == "0");
  CHECK(used(before, "pods", true) == "1");
  s.trace("create", kPods, pod("b"));
  CHECK(used(s.replay(), "pods") == "1");
  CHECK(s.outcomes() == "ppp");
}

TEST_CASE("an ended pod gives back all but its count as an object", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "1"}, {"count/pods", "5"}}));
  s.trace("create", kPods, pod("a"));
  s.trace("update", kPods + "/a/status", pod("a", "", R"(,"status":{"phase":"Succeeded"})"));
  s.trace("create", kPods, pod("b"));
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "ppp");
  CHECK(used(report, "pods") == "1");
  CHECK(used(report, "count/pods") == "2");
}

TEST_CASE("claims that grow are charged the difference", "[replay][quota]") {
  const std::string uri = "/api/v1/namespaces/shop/persistentvolumeclaims";
  const auto claim = [](const char* size) {
    return fmt::format(
        R"({{"kind":"PersistentVolumeClaim","metadata":{{"name":"a"}},"spec":{{"resources":{{"requests":{{"storage":"{}"}}}}}}}})",
        size);
  };
  QuotaScenario s(quota({{"requests.storage", "10Gi"}}));
  s.trace("create", uri, claim("4Gi"))
      .trace("update", uri + "/a", claim("9Gi"))
      .trace("update", uri + "/a", claim("11Gi"));
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "ppr");
  CHECK(s.decision(2, "message") ==
        "persistentvolumeclaims \"a\" is forbidden: exceeded quota: q, requested: requests.storage=2Gi, used: "
        "requests.storage=9Gi, limited: requests.storage=10Gi");
  CHECK(used(report, "requests.storage") == "9Gi");
}

TEST_CASE("a PUT or a patch that makes its object is charged for all of it", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "2"}, {"requests.cpu", "10"}}));
  const auto sent = [](const char* name) { return ",\"requestObject\":" + pod(name); };
  s.audit("update", kPods + "/a", 201, sent("a")).audit("patch", kPods + "/b", 201, sent("b"));
  s.audit("update", kPods + "/a", 200, sent("a")).audit("update", kPods + "/c", 201, sent("c"));
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "pppr");
  CHECK(used(report, "pods") == "2");
  CHECK(used(report, "requests.cpu") == "1");
}

TEST_CASE("without objects counts are decided and nothing else", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "2"}, {"requests.cpu", "1"}}));
  for (int i = 0; i < 3; ++i) s.audit("create", kPods, 201);
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "ppr");
  CHECK(used(report, "pods") == "2");
  CHECK(used(report, "requests.cpu") == "0");
  CHECK(report.resource_quota->undecidable == 3);
  const std::string text = render(document_of(std::span(&report, 1), nullptr), Notation::text);
  CHECK(text.find("3 requests") != std::string::npos);

  ResourceQuota scoped = quota({{"pods", "0"}});
  scoped.spec.scopes = {"NotTerminating"};
  QuotaScenario other(scoped);
  other.audit("create", kPods, 201);
  CHECK(other.replay().resource_quota->undecidable == 1);
  CHECK(other.outcomes() == "p");
}

TEST_CASE("the object as it was stored counts, not as it was sent", "[replay][quota]") {
  QuotaScenario s(quota({{"requests.cpu", "600m"}}));
  const std::string bare = R"({"kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]}})";
  s.audit("create", kPods, 201, ",\"requestObject\":" + bare + ",\"responseObject\":" + pod("a"));
  s.audit("create", kPods, 201, ",\"requestObject\":" + bare);
  const ReplayReport report = s.replay();
  CHECK(used(report, "requests.cpu") == "500m");
  CHECK(s.decision(1, "reason") == "must-specify");
}

TEST_CASE("the log's own refusals are asked about, other refusals are not", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "1"}}));
  s.audit("create", kPods, 403, ",\"requestObject\":" + pod("a"));
  s.audit("create", kPods, 403, ",\"requestObject\":" + pod("b"));
  s.audit("create", kPods, 422, ",\"requestObject\":" + pod("c"));
  s.audit("create", kPods, 409, ",\"requestObject\":" + pod("a"));
  const ReplayReport report = s.replay();
  CHECK(report.resource_quota->refused_only_in_log == 1);
  CHECK(report.resource_quota->refused_in_both == 1);
  CHECK(report.resource_quota->turned_away == 1);
  CHECK(report.resource_quota->refused_only_in_replay == 1);  // the one that is there already: quota comes first
}

TEST_CASE("deletions with a grace period, and from the status", "[replay][quota]") {
  ResourceQuota q = quota({{"pods", "2"}, {"requests.cpu", "1"}});
  q.status.hard = q.spec.hard;
  q.status.used["pods"] = Quantity(2);
  q.status.used["requests.cpu"] = Quantity(1);
  const std::string dying = pod("old", R"(,"deletionTimestamp":"2026-11-20T10:00:00Z","deletionGracePeriodSeconds":3)");
  QuotaScenario s(q);
  s.audit("create", kPods, 201, ",\"requestObject\":" + pod("a"));         // 1: full
  s.audit("delete", kPods + "/old", 200, ",\"responseObject\":" + dying);  // 2
  s.audit("create", kPods, 201, ",\"requestObject\":" + pod("b"));         // 3: not yet
  s.audit("get", kPods + "/x", 200).audit("get", kPods + "/x", 200);       // 4, 5
  s.audit("create", kPods, 201, ",\"requestObject\":" + pod("c"));         // 6: it is gone
  s.audit("delete", kPods + "/other", 200);                                // 7: its pod alone is known
  s.audit("create", kPods, 201, ",\"requestObject\":" + pod("d"));         // 8: no cpu
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "rprppppr");
  CHECK(s.decision(7, "message").find("requested: requests.cpu=500m, used: requests.cpu=1, limited: requests.cpu=1") !=
        std::string::npos);
  CHECK(report.resource_quota->unknown_changes == 1);
  CHECK(report.resource_quota->quotas[0].from_status);

  s.options().quota_start = QuotaStart::zero;
  const ReplayReport zero = s.replay();
  CHECK(s.outcomes().front() == 'p');
  CHECK_FALSE(zero.resource_quota->quotas[0].from_status);
}

TEST_CASE("updates of a quota's status conflict with recounts, and the log's own conflicts are counted",
          "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "9"}}));
  s.options().quota_conflicts = QuotaConflicts{1500 * kMillisecond, 5 * kMillisecond};
  s.trace("create", kPods, pod("a")).trace("create", kPods, pod("b")).trace("delete", kPods + "/a");
  s.trace("create", kPods, pod("c"));  // the recount was 0.9 s ago: each attempt fails
  s.trace("create", kPods, pod("d")).trace("create", kPods, pod("e"));
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "ppprpp");
  CHECK(s.decision(3, "stage") == "resource-quota");
  CHECK(s.decision(3, "reason") == "conflict");
  CHECK(
      s.decision(3, "message") ==
      "Operation cannot be fulfilled on resourcequotas \"q\": the object has been modified; please apply your changes "
      "to the latest version and try again");
  // Four attempts of 5 ms, then the answer.
  CHECK(s.number(3, "finishNs") - s.number(3, "dispatchNs") == 21 * kMillisecond);
  CHECK(report.total.outcomes[Outcome::quota_conflict] == 1);
  CHECK(report.total.outcomes[Outcome::resource_quota] == 0);
  CHECK(report.resource_quota->refused == 0);
  CHECK(report.resource_quota->unsettled == 0);
  REQUIRE(report.resource_quota->conflicts);
  const QuotaConflictReport& conflicts = *report.resource_quota->conflicts;
  CHECK(conflicts.requests == 5);
  CHECK(conflicts.updates == 8);
  CHECK(conflicts.conflicts == 4);
  CHECK(conflicts.refused == 1);
  CHECK(conflicts.retried == 0);
  CHECK(conflicts.timed_out == 0);
  CHECK(report.resource_quota->quotas.at(0).conflicts == 4);
  CHECK(used(report, "pods") == "3");  // b, d and e
  for (const Remark& remark : report.assumptions) CHECK(remark.kind != RemarkKind::quota_updates_in_order);

  s.options().quota_conflicts.reset();
  CHECK_FALSE(s.replay().resource_quota->conflicts);
}

TEST_CASE("conflicts between the servers of a cluster", "[replay][quota]") {
  const auto log = [](int offset) {
    std::string out;
    for (int i = 0; i < 10; ++i)
      out += fmt::format(R"({{"time":{},"verb":"create","uri":"{}","user":"jane","execution":100000,"object":{}}})",
                         (i * 100 + offset) * kMillisecond, kPods, pod(fmt::format("p{}-{}", offset, i))) +
             "\n";
    return out;
  };
  const std::string a = log(1000), b = log(1002);
  const auto server = [](const std::string& text) {
    ReplayOptions options;
    options.config = bootstrap_config(kNewestKubeVersion);
    options.resource_quotas = {quota({{"pods", "99"}})};
    options.quota_conflicts = QuotaConflicts{3 * kMillisecond, 5 * kMillisecond};
    options.logs = {"log.jsonl"};
    options.texts["log.jsonl"] = text;
    return options;
  };
  // B reads 2 ms after A, fails, reads at 7 ms what A wrote at 5, which its cache has at 8: two conflicts each time.
  const std::vector<ReplayOptions> options = {server(a), server(b)};
  for (const int threads : {1, 2}) {
    const ServersReport report = replay_servers(options, threads);
    REQUIRE(report.total.resource_quota->conflicts);
    CHECK(report.total.resource_quota->conflicts->requests == 20);
    CHECK(report.total.resource_quota->conflicts->conflicts == 20);
    CHECK(report.total.resource_quota->conflicts->retried == 10);
    CHECK(report.servers[0].resource_quota->conflicts->conflicts == 0);
    CHECK(report.servers[1].resource_quota->conflicts->conflicts == 20);
    CHECK(report.servers[1].resource_quota->quotas.at(0).conflicts == 20);
  }
  CHECK(replay(options[1]).resource_quota->conflicts->conflicts == 0);
}

TEST_CASE("who passes at a retry ends later, by what the retries took", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "9"}}));
  s.options().quota_conflicts = QuotaConflicts{910 * kMillisecond, 5 * kMillisecond};
  s.trace("create", kPods, pod("a")).trace("create", kPods, pod("b")).trace("delete", kPods + "/a");
  // The recount at 3.1 s is in the cache at 4.01 s: updates that begin at 4.000 and 4.005 fail, the third one does not.
  s.trace("create", kPods, pod("c"));
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "pppp");
  CHECK(report.resource_quota->conflicts->conflicts == 2);
  CHECK(report.resource_quota->conflicts->retried == 1);
  CHECK(s.number(0, "finishNs") - s.number(0, "dispatchNs") == 100 * kMillisecond);
  CHECK(s.number(3, "finishNs") - s.number(3, "dispatchNs") == 110 * kMillisecond);
}

TEST_CASE("a request whose quota's update waits for more than 10 s gets a 500", "[replay][quota][metrics]") {
  QuotaScenario s(quota({{"pods", "9"}}));
  s.options().quota_conflicts = QuotaConflicts{0, 6 * kSecond};
  s.options().metrics = true;
  s.options().service_floor = kMillisecond;
  s.trace("create", kPods, pod("a")).trace("create", kPods, pod("b")).trace("create", kPods, pod("c"));
  const ReplayReport report = s.replay();
  // Alone from 1 to 7 s; the batch of the two others from 7 to 13 s.
  CHECK(s.outcomes() == "prp");
  CHECK(s.decision(1, "reason") == "timed-out");
  CHECK(s.decision(1, "message") == "Internal error occurred: resource quota evaluation timed out");
  CHECK(s.number(1, "finishNs") - s.number(1, "dispatchNs") == 10 * kSecond + kMillisecond);
  CHECK(report.resource_quota->conflicts->timed_out == 1);
  CHECK(used(report, "pods") == "2");
  CHECK(used(report, "pods", true) == "3");
  CHECK(render_metrics({&report, 1}).find(R"(code="500")") != std::string::npos);
}

TEST_CASE("servers share their quotas: what each is answered is what one server would be", "[replay][quota]") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("apf-quota-shared-" + std::to_string(::getpid()))).string();
  const auto refused_in = [&] {
    std::set<std::string> out;
    std::ifstream file(path);
    simdjson::dom::parser parser;
    for (std::string text; std::getline(file, text);) {
      const simdjson::dom::element decision = parser.parse(text);
      if (std::string_view(decision["outcome"]) == "rejected") out.emplace(std::string_view(decision["id"]));
    }
    return out;
  };
  std::uint64_t refusals = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> logs(2 + random() % 2);
    std::string all;
    for (int i = 0; i < 60; ++i) {
      const std::string name = "p" + std::to_string(random() % 12);
      const bool creates = random() % 3 != 0;
      const std::string line = fmt::format(
          R"({{"id":"r{}","time":{},"verb":"{}","uri":"{}","user":"jane","execution":{}{}}})", i,
          kSecond + i * 7 * kMillisecond, creates ? "create" : "delete", creates ? kPods : kPods + "/" + name,
          (1 + random() % 20) * static_cast<unsigned>(kMillisecond), creates ? ",\"object\":" + pod(name) : "");
      all += line + "\n";
      logs[random() % logs.size()] += line + "\n";
    }
    const auto server = [&](const std::string& text, const std::string& name) {
      ReplayOptions options;
      options.config = bootstrap_config(kNewestKubeVersion);
      options.resource_quotas = {quota({{"pods", "3"}})};
      options.quota_resync = round % 2 == 0 ? 0 : 50 * kMillisecond;
      options.logs = {"log.jsonl"};
      options.texts["log.jsonl"] = text;
      options.decisions_path = path;
      options.server = name;
      return options;
    };
    const ReplayReport one = replay(server(all, ""));
    const std::set<std::string> expected = refused_in();
    std::vector<ReplayOptions> options;
    for (const std::string& log : logs) options.push_back(server(log, "s" + std::to_string(options.size())));
    const ServersReport several = replay_servers(options, 2);
    CHECK(refused_in() == expected);
    const ResourceQuotaReport& quotas = *several.total.resource_quota;
    CHECK(quotas.shared);
    CHECK(quotas.unsettled == 0);
    CHECK(quotas.refused == one.resource_quota->refused);
    REQUIRE(quotas.quotas.size() == 1);
    CHECK(quotas.quotas[0].refused == one.resource_quota->quotas[0].refused);
    CHECK(quotas.quotas[0].resources[0].used == one.resource_quota->quotas[0].resources[0].used);
    CHECK(quotas.quotas[0].resources[0].peak == one.resource_quota->quotas[0].resources[0].peak);
    CHECK(several.total.total.outcomes[Outcome::resource_quota] == expected.size());
    refusals += expected.size();
  }
  CHECK(refusals > 0);
  std::filesystem::remove(path);
}

TEST_CASE("answers settle where requests wait for seats that retries hold", "[replay][quota]") {
  std::vector<std::string> logs(3);
  for (int offset = 0; offset < 3; ++offset)
    for (int i = 0; i < 25; ++i)
      logs[static_cast<std::size_t>(offset)] +=
          fmt::format(
              R"({{"time":{},"verb":"create","uri":"{}","user":"jane","groups":["system:authenticated"],"execution":{},"object":{}}})",
              kSecond + (i * 3 + offset) * kMillisecond, kPods, (5 + i * 7 % 20) * kMillisecond,
              pod(fmt::format("p{}-{}", offset, i))) +
          "\n";
  const auto server = [&](std::size_t number) {
    ReplayOptions options;
    options.config = bootstrap_config(kNewestKubeVersion);
    options.server_concurrency_limit = 10;
    options.resource_quotas = {quota({{"pods", "25"}})};
    options.quota_conflicts = QuotaConflicts{4 * kMillisecond, 5 * kMillisecond};
    options.logs = {"log.jsonl"};
    options.texts["log.jsonl"] = logs[number];
    return options;
  };
  const std::vector<ReplayOptions> options = {server(0), server(1), server(2)};
  std::optional<QuotaConflictReport> first;
  for (const int threads : {1, 3}) {
    const ServersReport report = replay_servers(options, threads);
    const ResourceQuotaReport& quotas = *report.total.resource_quota;
    CHECK(report.total.total.queued > 0);
    CHECK(quotas.unsettled == 0);
    REQUIRE(quotas.conflicts);
    CHECK(quotas.conflicts->conflicts > 0);
    CHECK(quotas.quotas.at(0).resources.at(0).used ==
          std::to_string(quotas.conflicts->requests - quotas.conflicts->refused));
    CHECK(report.total.total.outcomes[Outcome::quota_conflict] == quotas.conflicts->refused);
    if (!first) first = quotas.conflicts;
    CHECK(quotas.conflicts->updates == first->updates);
    CHECK(quotas.conflicts->refused == first->refused);
  }
}

TEST_CASE("a creation that failed for a quota's status in the log is checked, but not charged", "[replay][quota]") {
  QuotaScenario s(quota({{"pods", "1"}}));
  const auto sends = [](const std::string& name) { return R"(,"requestObject":)" + pod(name); };
  s.audit("create", kPods, 409, sends("a"))
      .audit("create", kPods, 500, sends("b"))
      .audit("create", kPods, 409, sends("c"));
  s.audit("create", kPods, 201, sends("d"));
  const ReplayReport report = s.replay();
  CHECK(s.outcomes() == "pppp");
  CHECK(report.resource_quota->conflicts_in_log == 2);
  CHECK(report.resource_quota->timed_out_in_log == 1);
  CHECK(used(report, "pods") == "1");
  CHECK(render_json(report).find(R"("conflictsInLog":2,"timedOutInLog":1)") != std::string::npos);
}

TEST_CASE("an object that the log does not show counts once, by either of its names", "[quota]") {
  for (const char* key : {"secrets", "count/secrets"}) {
    INFO(key);
    QuotaScenario scenario(quota({{key, "2"}}));
    for (const char* name : {"a", "b", "c"})
      scenario.audit(
          "create", std::string("/api/v1/namespaces/shop/secrets/") + name, 201,
          fmt::format(R"(,"objectRef":{{"resource":"secrets","namespace":"shop","name":"{}","apiVersion":"v1"}})",
                      name));
    const ReplayReport report = scenario.replay();
    CHECK(scenario.outcomes() == "ppr");
    CHECK(used(report, key) == "2");
  }
}
