// A log of another configuration is replayed twice; where the second replay can go along with the first it does, and
// comes to the same.
#include <apf/report.h>

#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "catch.h"
#include "replay/passes/replay_into.h"
#include "support/folder.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

constexpr unsigned kSecondPassSeed = 29;
constexpr int kRequests = 36'000;  // of shorter logs there are several second passes, none of which begins early

std::string completed_event(int id, Nanos received, Nanos ended, const std::string& user, const char* verb,
                            const std::string& uri, int code) {
  return fmt::format(
      "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\","
      "\"auditID\":\"00000000-0000-4000-8000-{:012}\",\"stage\":\"ResponseComplete\",\"requestURI\":\"{}\","
      "\"verb\":\"{}\",\"user\":{{\"username\":\"{}\",\"groups\":[\"system:serviceaccounts\","
      "\"system:authenticated\"]}},\"sourceIPs\":[\"10.0.0.7\"],\"userAgent\":\"a/{}\","
      "\"responseStatus\":{{\"code\":{}}},\"requestReceivedTimestamp\":\"{}\",\"stageTimestamp\":\"{}\"}}\n",
      id, uri, verb, user, id % 3, code, format_rfc3339(received), format_rfc3339(ended));
}

// New users, and so new flows, come up to its end. From `refused_from` on some requests were refused: nobody knows how
// long these would have run before the whole log is read.
std::string log_of_growing_flows(int refused_from) {
  std::mt19937 random(kSecondPassSeed);
  std::string out;
  for (int i = 0; i < kRequests; ++i) {
    const Nanos at = kNoon + static_cast<Nanos>(i) * 4 * kMillisecond;
    const Nanos takes = static_cast<Nanos>(1 + random() % 90) * kMillisecond;
    const std::string user =
        fmt::format("system:serviceaccount:shop:s{}", random() % static_cast<unsigned>(4 + i / 500));
    const bool refused = i >= refused_from && random() % 20 == 0;
    const bool write = random() % 4 == 0;
    out += completed_event(
        i, at, refused ? at : at + takes, user, write ? "update" : "list",
        write ? fmt::format("/api/v1/namespaces/shop/pods/p{}", random() % 9) : "/api/v1/namespaces/shop/pods",
        refused ? 429 : 200);
  }
  return out;
}

struct Replayed {
  std::string report, decisions;
  std::uint64_t queued = 0;
};

Replayed replayed(const std::string& text, int threads, const std::string& decisions) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 12;
  options.recorded.emplace();
  options.recorded->config = options.config;
  options.recorded->server_concurrency_limit = 300;
  options.logs = {"audit.log"};
  options.texts["audit.log"] = text;
  options.metrics = options.series = true;
  options.threads = threads;
  options.decisions_path = decisions;
  const ReplayReport report = replay(options);
  std::stringstream written;
  written << std::ifstream(decisions).rdbuf();
  return {render_json(report), written.str(), report.total.queued};
}

}  // namespace

TEST_CASE("A second pass that begins early comes to the same as one that begins afterwards", "[replay][what-if]") {
  const Folder folder("apf-second-pass-unit-");
  for (const int refused_from : {kRequests, 33'000, 0}) {
    INFO("seed " << kSecondPassSeed << ", refused from request " << refused_from << " on");
    const std::string text = log_of_growing_flows(refused_from);
    const Replayed afterwards = replayed(text, 1, folder.path + "/decisions-1");
    CHECK(afterwards.queued > 1000);
    for (const int threads : {2, 3}) {
      const Replayed early = replayed(text, threads, folder.path + "/decisions-n");
      CHECK(early.report == afterwards.report);
      CHECK((early.decisions == afterwards.decisions));
    }
  }
}

TEST_CASE("Requests that never reach the filter take no execution time of others", "[replay][what-if]") {
  std::string text;
  for (int i = 0; i < 120; ++i) {
    const Nanos at = kNoon + i * kSecond;
    const int kind = i % 12;
    const bool refused = kind == 3 || kind == 7;
    text += completed_event(i, at, refused ? at : at + 20 * kMillisecond, "system:serviceaccount:shop:a",
                            kind == 5 ? "create" : "list",
                            kind == 5 ? "/api/v1/namespaces/shop/pods/p/exec" : "/api/v1/namespaces/shop/pods",
                            refused     ? 429
                            : kind == 4 ? 401
                                        : 200);
  }
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.recorded.emplace().config = options.config;
  options.logs = {"audit.log"};
  options.texts["audit.log"] = text;
  const ReplayReport report = replay(options);
  CHECK(report.total.requests == 100);
  REQUIRE(report.what_if);
  CHECK(report.what_if->given_similar == 20);  // those that were refused
}
