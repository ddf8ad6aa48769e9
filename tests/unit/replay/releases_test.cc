// What a release, and the way of borrowing, make of one log: the rules are tested where they are written, here that a
// replay goes by them.
#include <apf/config.h>
#include <apf/replay.h>
#include <simdjson.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"

using namespace apf;

namespace {

class Release {
 public:
  explicit Release(int minor)
      : path_((std::filesystem::temp_directory_path() / ("apf-releases-unit-" + std::to_string(::getpid()))).string()) {
    std::filesystem::create_directories(path_);
    options.version = KubeVersion{minor};
    options.config = bootstrap_config(options.version);
    options.decisions_path = path_ + "/decisions";
    options.timeline_path = path_ + "/timeline";
    options.objects = ObjectCounts::parse("pods=5000,1000\n", "objects");
  }
  ~Release() { std::filesystem::remove_all(path_); }

  // By system:masters, whom no level narrows, or by a user of global-default.
  void request(Nanos time, const std::string& uri, const std::string& verb, Nanos execution, bool masters) {
    log_ += "{\"time\":" + std::to_string(time) + ",\"user\":\"jane\",\"groups\":[\"" +
            (masters ? "system:masters" : "system:authenticated") + "\"],\"verb\":\"" + verb + "\",\"uri\":\"" + uri +
            "\",\"" + (verb == "watch" ? "init" : "execution") + "\":" + std::to_string(execution) + "}\n";
  }
  ReplayReport replay() {
    options.logs = {"trace.jsonl"};
    options.texts["trace.jsonl"] = log_;
    return apf::replay(options);
  }
  std::int64_t decision(std::size_t i, const char* key) const { return number(lines("decisions").at(i), key); }
  // CurrentCL of a level after the last adjustment, and the proportion found there.
  double adjusted(const std::string& level, const char* key) const {
    double found = -1;
    for (const std::string& line : lines("timeline")) {
      simdjson::dom::parser parser;
      const simdjson::dom::element round = parser.parse(line);
      if (std::string_view(round["priorityLevel"]) == level && std::string_view(round["kind"]) == "borrow")
        found = double(round[key]);
    }
    return found;
  }
  ReplayOptions options;

 private:
  std::vector<std::string> lines(const char* name) const {
    std::ifstream file(path_ + "/" + name);
    std::vector<std::string> out;
    for (std::string text; std::getline(file, text);) out.push_back(text);
    return out;
  }
  static std::int64_t number(const std::string& json, const char* key) {
    simdjson::dom::parser parser;
    return parser.parse(json).at_pointer(key).get_int64();
  }
  std::string path_, log_;
};

std::int64_t seats_of(int minor, const char* verb, const char* uri) {
  Release release(minor);
  release.request(0, uri, verb, kMillisecond, true);
  release.replay();
  return release.decision(0, "/seats/initial");
}

// Seats for 100 users at once, and an exempt list that lasts.
Release& busy(Release& release) {
  release.options.server_concurrency_limit = 60;
  release.options.start = ReplayTime::parse("0s");
  release.request(0, "/api/v1/pods", "list", 15 * kSecond, true);
  for (int i = 0; i < 100; ++i) release.request(kSecond + i, "/api/v1/nodes/n", "get", 300 * kMillisecond, false);
  release.request(12 * kSecond, "/api/v1/nodes/n", "get", kMillisecond, false);
  release.replay();
  return release;
}

}  // namespace

TEST_CASE("lists and watches are as wide as the release has it", "[replay][releases]") {
  CHECK(seats_of(36, "list", "/api/v1/pods") == 10);
  CHECK(seats_of(33, "list", "/api/v1/pods") == 10);  // 50, but 10 at most
  CHECK(seats_of(36, "list", "/api/v1/pods?limit=3000&resourceVersion=7") == 30);
  CHECK(seats_of(34, "list", "/api/v1/pods?limit=3000&resourceVersion=7") == 30);
  CHECK(seats_of(33, "list", "/api/v1/pods?limit=3000&resourceVersion=7") == 10);
  CHECK(seats_of(36, "watch", "/api/v1/pods?watch=1") == 10);
  CHECK(seats_of(34, "watch", "/api/v1/pods?watch=1") == 1);
  CHECK(seats_of(34, "watch", "/api/v1/pods?watch=1&sendInitialEvents=true") == 10);
  CHECK(seats_of(33, "watch", "/api/v1/pods?watch=1&sendInitialEvents=true") == 1);
}

TEST_CASE("seats move between levels since 1.26", "[replay][releases]") {
  Release before(25), since(26);
  busy(before);
  CHECK(before.adjusted("global-default", "currentCL") == before.adjusted("global-default", "nominalCL"));
  busy(since);
  CHECK(since.adjusted("global-default", "currentCL") > since.adjusted("global-default", "nominalCL"));
}

TEST_CASE("exempt requests take from others since 1.28", "[replay][releases]") {
  const auto fair_frac = [](int minor, Borrowing borrowing) {
    Release release(minor);
    release.options.borrowing = borrowing;
    return busy(release).adjusted("global-default", "fairFrac");
  };
  // The list's ten seats make the others' share smaller; by the KEP it is smaller still.
  CHECK(fair_frac(27, Borrowing::server) > fair_frac(28, Borrowing::server));
  CHECK(fair_frac(36, Borrowing::kep) < fair_frac(36, Borrowing::server));
  CHECK(fair_frac(36, Borrowing::off) == -1);
}

TEST_CASE("without borrowing limits are nominal", "[replay][releases]") {
  Release release(36);
  release.options.borrowing = Borrowing::off;
  busy(release);
  for (const char* level : {"global-default", "workload-low", "catch-all"})
    CHECK(release.adjusted(level, "currentCL") == release.adjusted(level, "nominalCL"));
}

TEST_CASE("Retry-After grows while a level keeps refusing", "[replay][releases]") {
  Release release(36);
  release.options.config = {};  // nothing but catch-all, which has no queues
  release.options.server_concurrency_limit = 1;
  release.request(0, "/api/v1/nodes/n", "get", 100 * kSecond, false);
  for (int i = 0; i < 80; ++i) release.request((i + 1) * 200 * kMillisecond, "/api/v1/nodes/n", "get", 1, false);
  release.replay();
  std::vector<std::int64_t> told;
  for (std::size_t i = 1; i < 81; ++i) {
    const std::int64_t seconds = release.decision(i, "/retryAfter");
    if (told.empty() || told.back() != seconds) told.push_back(seconds);
  }
  CHECK(told == std::vector<std::int64_t>{1, 2, 4, 8, 16});
}

TEST_CASE("a release that queued by other rules is not replayed", "[replay][releases]") {
  for (const int minor : {20, 22}) {
    Release release(minor);
    release.request(0, "/api/v1/nodes/n", "get", kSecond, false);
    CHECK_THROWS_WITH(release.replay(), Catch::Matchers::Contains("cannot be replayed"));
    release.options.in_flight.emplace();
    CHECK_NOTHROW(release.replay());
  }
  Release later(36);
  later.request(0, "/api/v1/nodes/n", "get", kSecond, false);
  later.options.recorded.emplace().config = later.options.config;
  later.options.recorded->version = KubeVersion{21};
  CHECK_THROWS_WITH(later.replay(), Catch::Matchers::Contains("Kubernetes 1.21 cannot be replayed"));
}

TEST_CASE("Retry-After is 1 before 1.28 in a replay, too", "[replay][releases]") {
  Release release(27);
  release.options.config = {};
  release.options.server_concurrency_limit = 1;
  release.request(0, "/api/v1/nodes/n", "get", 100 * kSecond, false);
  for (int i = 0; i < 80; ++i) release.request((i + 1) * 200 * kMillisecond, "/api/v1/nodes/n", "get", 1, false);
  release.replay();
  for (std::size_t i = 1; i < 81; ++i) CHECK(release.decision(i, "/retryAfter") == 1);
}

namespace {

// One seat at global-default, kept for a hundred seconds; the others wait.
ReplayReport waiting(const char* version, const char* uri) {
  Release release(36);
  release.options.version = *KubeVersion::parse(version);
  release.options.config = bootstrap_config(release.options.version);
  release.options.borrowing = Borrowing::off;
  release.options.server_concurrency_limit = 1;
  release.request(0, "/api/v1/nodes/n", "get", 100 * kSecond, false);
  release.request(kSecond, uri, "get", kSecond, false);
  return release.replay();
}

}  // namespace

TEST_CASE("how long a request waits at most, by release", "[replay][releases]") {
  const char* const plain = "/api/v1/nodes/n";
  const char* const hurried = "/api/v1/nodes/n?timeout=20s";
  CHECK(waiting("1.36", plain).total.wait.max() == 15 * kSecond);
  CHECK(waiting("1.36", hurried).total.wait.max() == 5 * kSecond);
  CHECK(waiting("1.28.5", plain).total.outcomes[Outcome::time_out] == 1);
  // Nobody drives it out of its queue.
  CHECK(waiting("1.28.4", plain).total.wait.max() == 60 * kSecond);
  CHECK(waiting("1.28.4", hurried).total.wait.max() == 20 * kSecond);
  CHECK(waiting("1.28.4", plain).total.outcomes[Outcome::cancelled] == 1);
}

TEST_CASE("a watch waits as long as it takes before 1.28.5", "[replay][releases]") {
  for (const char* version : {"1.28.4", "1.28.5"}) {
    Release release(36);
    release.options.version = *KubeVersion::parse(version);
    release.options.config = bootstrap_config(release.options.version);
    release.options.borrowing = Borrowing::off;
    release.options.server_concurrency_limit = 1;
    release.request(0, "/api/v1/nodes/n", "get", 100 * kSecond, false);
    release.request(kSecond, "/api/v1/nodes?watch=1", "watch", kSecond, false);
    const ReplayReport report = release.replay();
    if (release.options.version.patch == 4) CHECK(report.total.wait.max() == 99 * kSecond);
    else CHECK(report.total.outcomes[Outcome::time_out] == 1);
  }
}

TEST_CASE("exempt requests are not estimated before 1.28", "[replay][releases]") {
  CHECK(seats_of(28, "list", "/api/v1/pods") == 10);
  CHECK(seats_of(27, "list", "/api/v1/pods") == 1);
}

TEST_CASE("the report says that the newest patch is meant", "[replay][releases]") {
  const auto said = [](const char* version) {
    for (const Remark& remark : waiting(version, "/api/v1/nodes/n").assumptions)
      if (remark.kind == RemarkKind::newest_patch_meant) return remark.name + ": " + remark.detail;
    return std::string();
  };
  CHECK(said("1.27").starts_with("1.27: a demand whose deviation is NaN"));
  CHECK(said("1.27").find("; a level with queues") != std::string::npos);
  CHECK(said("1.27.5").empty());
  CHECK(said("1.36").empty());
  CHECK(said("1.37").empty());
}
