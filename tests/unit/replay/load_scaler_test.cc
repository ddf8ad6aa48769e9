// More or less load than a log holds: how many requests come, when, whose they are, and that 1 changes nothing.
#include <apf/error.h>
#include <apf/replay.h>
#include <apf/report.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>

#include "catch.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string log_line(Nanos at, const std::string& user, const char* verb, const char* uri, const std::string& more) {
  return fmt::format(
      "{{\"time\":\"{}\",\"user\":\"{}\",\"groups\":[\"system:authenticated\"{}],\"verb\":\"{}\","
      "\"uri\":\"{}\",\"execution\":{}{}}}\n",
      format_rfc3339(kNoon + at), user, user.starts_with("system:node:") ? ",\"system:nodes\"" : "", verb, uri,
      20 * kMillisecond, more);
}

// 1,000 requests of each of three users in 100 s.
std::string log_of_three_users() {
  std::string out;
  for (int i = 0; i < 1000; ++i) {
    const Nanos at = i * 100 * kMillisecond;
    out += log_line(at, "jane", "get", "/api/v1/nodes/n1", "");
    out += log_line(at + 1, "system:serviceaccount:shop:cart", "get", "/api/v1/namespaces/shop/pods/p", "");
    out += log_line(at + 2, "system:node:a", "get", "/api/v1/nodes/a", "");
  }
  return out;
}

ReplayOptions options_scaled_by(std::vector<LoadScale> scales, const std::string& text) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 60;
  options.logs = {"log.jsonl"};
  options.texts["log.jsonl"] = text;
  options.scales = std::move(scales);
  options.all_flows = true;
  return options;
}

std::map<std::string, std::uint64_t> requests_by_flow(const ReplayReport& report) {
  std::map<std::string, std::uint64_t> out;
  for (const FlowReport& flow : report.all_flows) out[flow.distinguisher] += flow.tally.requests;
  return out;
}

}  // namespace

TEST_CASE("A load of 1 is the log", "[scale]") {
  const std::string text = log_of_three_users();
  ReplayReport plain = replay(options_scaled_by({}, text)), once = replay(options_scaled_by({{"", 1, false}}, text));
  CHECK(once.copied == 0);
  CHECK(once.thinned == 0);
  once.scales.clear();
  once.recorded = plain.recorded;  // not compared
  CHECK(render_json(once) == render_json(plain));
}

TEST_CASE("Load grows by the factor, for every client", "[scale]") {
  const std::string text = log_of_three_users();
  for (const double factor : {0.0, 0.25, 0.5, 1.5, 2.0, 3.25}) {
    INFO("factor " << factor);
    const ReplayReport report = replay(options_scaled_by({{"", factor, false}}, text));
    CHECK(std::abs(static_cast<double>(report.total.requests) - 3000 * factor) <= 6);
    CHECK(report.total.requests == 3000 + report.copied - report.thinned);
    for (const auto& [flow, requests] : requests_by_flow(report))
      CHECK(std::abs(static_cast<double>(requests) - 1000 * factor) <= 2);
  }
}

TEST_CASE("Of the scales that fit a client, that with the longest name counts", "[scale]") {
  const std::string text = log_of_three_users();
  const ReplayReport report = replay(options_scaled_by(
      {{"", 2, false}, {"system:serviceaccount:shop:*", 3, false}, {"system:*", 5, false}, {"jane", 0, false}}, text));
  const auto requests = requests_by_flow(report);
  CHECK(requests.at("system:serviceaccount:shop:cart") == 3000);
  CHECK(requests.at("system:node:a") == 5000);
  CHECK(requests.at("jane") == 0);
}

TEST_CASE("Nodes come with users of their own", "[scale]") {
  const std::string text = log_of_three_users();
  const ReplayReport report = replay(options_scaled_by({{"system:node:*", 3, true}}, text));
  const auto requests = requests_by_flow(report);
  CHECK(requests.at("system:node:a") == 1000);
  CHECK(requests.at("system:node:a (copy 1)") == 1000);
  CHECK(requests.at("system:node:a (copy 2)") == 1000);
  CHECK(requests.at("jane") == 1000);
  std::set<std::uint64_t> hashes;
  for (const FlowReport& flow : report.all_flows)
    if (flow.distinguisher.starts_with("system:node:a")) hashes.insert(flow.hash);
  CHECK(hashes.size() == 3);
}

TEST_CASE("A larger load has all requests of a smaller one", "[scale]") {
  const std::string log = log_of_three_users();
  const auto times = [&](double factor) {
    struct File {
      std::string path = (std::filesystem::temp_directory_path() / ("apf-scale-" + std::to_string(getpid()))).string();
      ~File() { std::filesystem::remove(path); }
    } file;
    ReplayOptions options = options_scaled_by({{"", factor, false}}, log);
    options.decisions_path = file.path;
    replay(options);
    std::multiset<std::string> out;
    std::ifstream in(file.path);
    for (std::string text; std::getline(in, text);) {
      const auto field = [&](const char* name) {
        const std::size_t at = text.find(name);
        return at == std::string::npos ? std::string() : text.substr(at, text.find(',', at) - at);
      };
      out.insert(field("\"seq\"") + field("\"copy\"") + field("\"arrivalNs\""));
    }
    return out;
  };
  const auto less = times(1.3), more = times(1.7);
  CHECK(std::includes(more.begin(), more.end(), less.begin(), less.end()));
  CHECK(more.size() > less.size());
}

TEST_CASE("Copies of watches are open as long as the watches", "[scale]") {
  std::string text =
      log_line(0, "jane", "watch", "/api/v1/pods?watch=1", fmt::format(",\"init\":0,\"end\":{}", kNoon + 60 * kSecond));
  text += log_line(90 * kSecond, "jane", "get", "/api/v1/nodes/n1", "");
  CHECK(replay(options_scaled_by({}, text)).watches_peak == 1);
  CHECK(replay(options_scaled_by({{"", 3, false}}, text)).watches_peak == 3);
}

TEST_CASE("What a copy would not bear is refused", "[scale]") {
  const std::string text = log_of_three_users();
  ReplayOptions options = options_scaled_by({{"", 2, false}}, text);
  options.client_limits.emplace();
  CHECK_THROWS_AS(replay(options), Error);
  options.client_limits.reset();
  options.client_models.push_back({"*", ClientModel::workers, 3});
  CHECK_THROWS_AS(replay(options), Error);
  options.client_models.clear();
  options.scales[0].factor = -1;
  CHECK_THROWS_AS(replay(options), Error);
}

TEST_CASE("The same for any number of threads", "[scale]") {
  const std::string text = log_of_three_users();
  ReplayOptions options = options_scaled_by({{"", 2.5, false}, {"system:node:*", 1.5, true}}, text);
  options.threads = 1;
  const std::string one = render_json(replay(options));
  options.threads = 5;
  CHECK(render_json(replay(options)) == one);
}
