// Requests that a replay adds to its log: how many, when, where they go, and that they are in no list.
#include <apf/error.h>
#include <apf/replay.h>
#include <apf/report.h>
#include <apf/server.h>

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "catch.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

// Requests of a user in 100 s, all in the second half.
std::string log_of_late_requests() {
  std::string out;
  for (int i = 0; i < 500; ++i)
    out += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"jane\",\"groups\":[\"system:authenticated\"],\"verb\":\"get\","
        "\"uri\":\"/api/v1/nodes/n1\",\"execution\":{}}}\n",
        format_rfc3339(kNoon + (i == 0 ? 0 : 50 * kSecond + i * 100 * kMillisecond)), 20 * kMillisecond);
  return out;
}

ReplayOptions options_with(const FillPlan& plan, const std::string& text) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 60;
  options.logs = {"log.jsonl"};
  options.texts["log.jsonl"] = text;
  options.fill = plan;
  return options;
}

FillPlan plan_of(const char* schema, const char* level, std::uint64_t requests) {
  FillPlan plan;
  plan.begin = kNoon;
  plan.end = kNoon + 100 * kSecond;
  FillPlan::Schema& of = plan.schemas.emplace_back();
  of.name = schema;
  of.priority_level = level;
  of.requests = requests;
  of.executions = {10 * kMillisecond, 20 * kMillisecond, 30 * kMillisecond};
  of.widths = {1};
  of.flows = 3;
  return plan;
}

const LevelReport& level_of(const ReplayReport& report, const std::string& name) {
  for (const LevelReport& level : report.levels)
    if (level.name == name) return level;
  FAIL("no level " << name);
  return report.levels.front();
}

struct File {
  std::string path = (std::filesystem::temp_directory_path() / ("apf-fill-" + std::to_string(getpid()))).string();
  ~File() { std::filesystem::remove(path); }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
};

}  // namespace

TEST_CASE("Requests are added to their level, and counted beside the log's", "[fill]") {
  const std::string text = log_of_late_requests();
  const ReplayReport report = replay(options_with(plan_of("system-nodes", "system", 1000), text));
  CHECK(report.filled == 1000);
  CHECK(report.total.requests == 1500);
  CHECK(report.requests == 500);  // of the log
  CHECK(level_of(report, "system").tally.requests == 1000);
  CHECK(level_of(report, "system").tally.seat_seconds == Approx(20).epsilon(0.01));
  REQUIRE(report.without_fill);
  CHECK(report.without_fill->filled == 0);
  CHECK(report.without_fill->total.requests == 500);
  CHECK(level_of(*report.without_fill, "system").tally.requests == 0);
  CHECK(report.flows == 1);
  CHECK(report.recorded.compared == 0);
}

TEST_CASE("The same plan gives the same report, and another number of threads, too", "[fill]") {
  const std::string text = log_of_late_requests();
  ReplayOptions options = options_with(plan_of("service-accounts", "workload-low", 3000), text);
  options.threads = 1;
  const std::string first = render_json(replay(options));
  options.threads = 4;
  CHECK(render_json(replay(options)) == first);
}

TEST_CASE("Where the log has requests of the FlowSchema, what is added comes when they come", "[fill]") {
  const std::string text = log_of_late_requests();
  FillPlan plan = plan_of("global-default", "global-default", 400);
  plan.schemas.front().over_time.assign(100, 0);
  for (std::size_t i = 50; i < 100; ++i) plan.schemas.front().over_time[i] = 10;
  File decisions;
  ReplayOptions options = options_with(plan, text);
  options.decisions_path = decisions.path;
  const ReplayReport report = replay(options);
  CHECK(report.total.requests == 900);
  std::size_t filled = 0;
  for (const std::string& line : decisions.lines()) {
    if (line.find("\"filled\":true") == std::string::npos) {
      CHECK(line.find("\"seq\":") != std::string::npos);
      continue;
    }
    ++filled;
    CHECK(line.find("\"seq\":") == std::string::npos);
    const std::size_t at = line.find("\"arrivalNs\":") + 12;
    CHECK(std::stoll(line.substr(at)) >= kNoon + 50 * kSecond);
  }
  CHECK(filled == 400);
}

TEST_CASE("What is added is in no list of flows or users, though it waits most", "[fill]") {
  const std::string text = log_of_late_requests();
  FillPlan plan = plan_of("global-default", "global-default", 40000);
  plan.schemas.front().executions = {kSecond};
  ReplayOptions options = options_with(plan, text);
  options.all_flows = true;
  const ReplayReport report = replay(options);
  CHECK(report.total.rejected() > 1000);
  for (const auto* list : {&report.waited_most, &report.refused_most, &report.all_flows})
    for (const FlowReport& flow : *list) CHECK(flow.distinguisher == "jane");
  for (const StageReport& stage : report.stages) {
    CHECK(stage.requesters <= 1);
    for (const RequesterReport& requester : stage.refused_most) CHECK(requester.user == "jane");
  }
}

TEST_CASE("A fill and another recorded configuration go together", "[fill]") {
  const std::string text = log_of_late_requests();
  ReplayOptions options = options_with(plan_of("system-nodes", "system", 1000), text);
  options.recorded = RecordedConfig{options.config, 600, kNewestKubeVersion, {}};
  const ReplayReport report = replay(options);
  CHECK(level_of(report, "system").tally.requests == 1000);
  CHECK(level_of(report, "system").tally.seat_seconds == Approx(20).epsilon(0.01));
}

TEST_CASE("A last bin that is half as long has half as many requests", "[fill]") {
  FillPlan plan = plan_of("system-nodes", "system", 1000);
  plan.width = 10 * kSecond;
  plan.end = plan.begin + 25 * kSecond;
  const std::string text = log_of_late_requests();
  File decisions;
  ReplayOptions options = options_with(plan, text);
  options.decisions_path = decisions.path;
  replay(options);
  std::array<int, 3> counts{};
  for (const std::string& line : decisions.lines()) {
    if (line.find("\"filled\":true") == std::string::npos) continue;
    const Nanos arrival = std::stoll(line.substr(line.find("\"arrivalNs\":") + 12));
    ++counts.at(static_cast<std::size_t>((arrival - plan.begin) / plan.width));
  }
  CHECK(counts == std::array<int, 3>{400, 400, 200});
}

TEST_CASE("One request of the log is enough to say when the others come", "[fill]") {
  FillPlan plan = plan_of("global-default", "global-default", 50);
  plan.schemas.front().over_time.assign(100, 0);
  plan.schemas.front().over_time[70] = 1;
  const std::string text = log_of_late_requests();
  File decisions;
  ReplayOptions options = options_with(plan, text);
  options.decisions_path = decisions.path;
  replay(options);
  int filled = 0;
  for (const std::string& line : decisions.lines()) {
    if (line.find("\"filled\":true") == std::string::npos) continue;
    ++filled;
    const Nanos arrival = std::stoll(line.substr(line.find("\"arrivalNs\":") + 12));
    CHECK((arrival - plan.begin) / kSecond == 70);
  }
  CHECK(filled == 50);
}

TEST_CASE("What is added does not change from one build to the next", "[fill]") {
  FillPlan plan = plan_of("system-nodes", "system", 12);
  plan.schemas.front().executions = {10 * kMillisecond, 20 * kMillisecond, 30 * kMillisecond, 40 * kMillisecond};
  const std::string text = log_of_late_requests();
  File decisions;
  ReplayOptions options = options_with(plan, text);
  options.decisions_path = decisions.path;
  replay(options);
  const auto nanos = [](const std::string& line, const std::string& key) {
    return std::stoll(line.substr(line.find("\"" + key + "\":") + key.size() + 3));
  };
  std::string executions;
  for (const std::string& line : decisions.lines())
    if (line.find("\"filled\":true") != std::string::npos)
      executions += std::to_string((nanos(line, "finishNs") - nanos(line, "dispatchNs")) / kMillisecond) + " ";
  CHECK(executions == "30 20 10 40 40 30 20 10 20 10 40 30 ");
}

TEST_CASE("What is added to one flow is in no second one", "[fill]") {
  FillPlan plan = plan_of("global-default", "global-default", 40);
  plan.schemas.front().flows = 1;
  File decisions;
  const std::string text = log_of_late_requests();
  ReplayOptions options = options_with(plan, text);
  options.decisions_path = decisions.path;
  CHECK(replay(options).filled == 40);
  std::size_t first = 0;
  for (const std::string& line : decisions.lines()) first += line.find("(filled 1)") != std::string::npos;
  CHECK(first == 40);
}
