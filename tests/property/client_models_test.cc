// Clients that wait for their answers: under the recorded configuration they send when they did.
#include "catch.h"
#include "support/recorded_server.h"
#include "support/vectors.h"

using namespace apf;
using namespace apf::test;

namespace {

using Random = std::mt19937_64;

ReplayOptions with_models(const std::string& log, const Folder& folder) {
  ReplayOptions options = server_options();
  options.logs = {log};
  options.start = ReplayTime{false, kServerStart};
  options.recorded.emplace().config = options.config;
  options.recorded->server_concurrency_limit = options.server_concurrency_limit;
  options.decisions_path = folder.path + "/decisions";
  return options;
}

// Of the requests of the log.
std::map<std::string, Nanos> arrivals(const std::string& decisions) {
  std::map<std::string, Nanos> out;
  simdjson::dom::parser parser;
  for (std::size_t at = 0; at < decisions.size();) {
    const std::size_t end = decisions.find('\n', at);
    const simdjson::padded_string line(decisions.substr(at, end - at));
    const simdjson::dom::element d = parser.parse(line);
    at = end + 1;
    bool repeated = false;
    if (d["repeated"].get(repeated) == simdjson::SUCCESS) continue;
    out[std::string(std::string_view(d["id"]))] = std::int64_t(d["arrivalNs"]);
  }
  return out;
}

}  // namespace

TEST_CASE("a loop under its own configuration gives its own arrivals back", "[property][replay][clients]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 4; ++round) {
    INFO("round " << round);
    const Folder folder("apf-models-");
    const RecordedServer server(random, 600, folder, true);
    const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
    ReplayOptions options = with_models(folder.write("both.log", logs.both), folder);
    options.client_models = {{"*", ClientModel::loop, 0}};
    options.candidates = 0;  // no end is moved
    const ReplayReport report = replay(options);
    REQUIRE(!report.clients.empty());
    CHECK(report.total.requests == server.requests.size());
    CHECK(report.total.rejected() == server.report.total.rejected());
    std::uint64_t late = 0;
    const auto times = arrivals(folder.read("decisions"));
    REQUIRE(times.size() == server.requests.size());
    for (std::size_t i = 0; i < server.requests.size(); ++i) {
      const Nanos error = std::abs(times.at(id_of(i)) - server.requests[i].arrival);
      late += error > kMillisecond ? 1 : 0;
    }
    CHECK(late == 0);
  }
}

TEST_CASE("a roomy server ends a loop sooner, a narrow one later; open clients stay", "[property][replay][clients]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-models-");
  const RecordedServer server(random, 900, folder, true);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions options = with_models(folder.write("both.log", logs.both), folder);
  Nanos last = 0;
  for (const ServerRequest& r : server.requests) last = std::max(last, r.arrival);
  for (const bool loop : {true, false}) {
    options.client_models.clear();
    if (loop) options.client_models = {{"builder", ClientModel::loop, 0}};
    for (const int seats : {20, 400}) {
      INFO(loop << " with " << seats << " seats");
      options.server_concurrency_limit = seats;
      const ReplayReport report = replay(options);
      const auto times = arrivals(folder.read("decisions"));
      std::uint64_t earlier = 0, later = 0, beyond = 0, builders = 0;
      for (std::size_t i = 0; i < server.requests.size(); ++i) {
        const bool builder = server.requests[i].agent.starts_with("builder");
        const auto found = times.find(id_of(i));
        if (found == times.end()) {
          ++beyond;
          continue;
        }
        builders += builder ? 1 : 0;
        const Nanos moved = found->second - server.requests[i].arrival;
        if (!builder) CHECK(moved == 0);
        earlier += moved < -kMillisecond ? 1 : 0;
        later += moved > kMillisecond ? 1 : 0;
        CHECK(found->second <= last);
      }
      std::uint64_t left_out = 0, repeated = 0;
      for (const ClientReport& client : report.clients) {
        left_out += client.beyond_log;
        repeated += client.repeated;
      }
      CHECK(left_out == beyond);
      CHECK((repeated > 0) == (loop && seats == 400));
      CHECK(report.total.requests == server.requests.size() - beyond + repeated);
      if (!loop) CHECK(earlier + later + beyond == 0);
      else if (seats == 20) CHECK(later > 0);
      else CHECK((earlier > builders / 2 && later == 0 && beyond == 0));
    }
  }
}

TEST_CASE("workers have no more in flight than they have places, and lose nothing", "[property][replay][clients]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 4; ++round) {
    const Folder folder("apf-models-");
    ReplayOptions options = server_options();
    const auto requests = some_requests(random, 600, true);
    options.logs = {folder.write("log", trace_of(requests))};
    options.server_concurrency_limit = 600;
    options.decisions_path = folder.path + "/decisions";
    const int places = 1 + static_cast<int>(random() % 12);
    options.client_models = {{"*", ClientModel::workers, places}};  // one user agent for each user; none in a trace
    const ReplayReport report = replay(options);
    CHECK(report.total.requests == requests.size());
    std::map<std::string, std::vector<std::pair<Nanos, int>>> changes;
    simdjson::dom::parser parser;
    const std::string decisions = folder.read("decisions");
    std::uint64_t delayed = 0;
    for (std::size_t at = 0; at < decisions.size();) {
      const std::size_t end = decisions.find('\n', at);
      const simdjson::padded_string line(decisions.substr(at, end - at));
      const simdjson::dom::element d = parser.parse(line);
      at = end + 1;
      const auto id = std::string(std::string_view(d["id"]));
      const ServerRequest& r = requests[std::stoul(id.substr(24), nullptr, 16) - 1];
      std::int64_t delay = 0;
      if (d["delayNs"].get(delay) == simdjson::SUCCESS) ++delayed;
      REQUIRE(std::int64_t(d["arrivalNs"]) == r.arrival + delay);
      changes[r.user].emplace_back(std::int64_t(d["arrivalNs"]), 1);
      changes[r.user].emplace_back(std::int64_t(d["finishNs"]), -1);
    }
    std::uint64_t held = 0;
    for (const ClientReport& client : report.clients) held += client.held;
    CHECK(held == delayed);
    CHECK(delayed > 0);
    for (auto& [user, of] : changes) {
      std::sort(of.begin(), of.end());  // ends before arrivals of the same instant
      int in_flight = 0;
      for (const auto& [time, by] : of) REQUIRE((in_flight += by) <= places);
    }
  }
}

TEST_CASE("a model that needs the first replay is refused without it", "[replay][clients]") {
  ReplayOptions options = server_options();
  options.client_models_by_log = true;
  CHECK_THROWS_WITH(replay(options), Catch::Contains("recorded configuration"));
  options.client_models_by_log = false;
  options.client_models = {{"a", ClientModel::workers, 0}};
  CHECK_THROWS_WITH(replay(options), Catch::Contains("recorded configuration"));
}
