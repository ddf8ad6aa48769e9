// The controller's vectors once more, from a trace file through replay() to the decisions and the timeline: every
// request's fate and every adjustment, to the nanosecond, for any number of threads.
#include <apf/config.h>
#include <apf/output.h>
#include <apf/replay.h>
#include <simdjson.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;
namespace dom = simdjson::dom;

namespace {

Config config_of_lists(dom::element lists) {
  std::vector<ConfigText> texts;
  for (const char* key : {"flowSchemas", "priorityLevels"})
    for (const dom::element object : dom::array(lists[key])) texts.push_back({"vector", simdjson::to_string(object)});
  LoadedConfig loaded = load_config(texts);
  REQUIRE_FALSE(loaded.has_errors());
  return loaded.config;
}

// One arrival as a trace line; seats as the vector has them, because a trace does not tell how many watches there are.
std::string trace_line(dom::element scenario, std::size_t i) {
  const dom::array arrival = scenario["arrivals"].at(i), result = scenario["results"].at(i);
  const auto number = [](dom::array a, std::size_t k) { return std::int64_t(a.at(k)); };
  const dom::array target = scenario["templates"].at(static_cast<std::size_t>(number(arrival, 1)));
  const dom::element user = scenario["users"].at(static_cast<std::size_t>(number(arrival, 2)));
  JsonWriter json;
  json.begin_object().field("time", number(arrival, 0)).field("id", "request-" + std::to_string(i));
  json.field("user", std::string_view(user["name"])).key("groups").raw(simdjson::to_string(user["groups"]));
  json.field("method", std::string_view(target.at(0))).field("uri", std::string_view(target.at(1)));
  json.field("execution", number(arrival, 3));
  json.field("waitLimit", number(arrival, 4) >= 0 ? number(arrival, 4) : kLongestDuration);  // negative: none
  json.key("seats").begin_object().field("initial", number(result, 7)).field("final", number(result, 8));
  json.field("additionalLatencyNs", number(result, 9)).end_object().end_object();
  return json.take();
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

struct Directory {
  std::string path =
      (std::filesystem::temp_directory_path() / ("apf-replay-test-" + std::to_string(::getpid()))).string();
  Directory() { std::filesystem::create_directories(path); }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string file(const char* name) const { return path + "/" + name; }
};

ReplayOptions options_of(dom::element scenario, const Directory& directory) {
  ReplayOptions options;
  options.logs = {directory.file("trace.jsonl")};
  options.server_concurrency_limit = static_cast<int>(std::int64_t(scenario["serverConcurrencyLimit"]));
  options.config = config_of_lists(scenario["config"]);
  for (const dom::element change : dom::array(scenario["changes"]))
    options.config_changes.emplace_back(ReplayTime{false, std::int64_t(change["t_ns"])}, config_of_lists(change));
  options.start = ReplayTime{false, 0};
  options.decisions_path = directory.file("decisions.jsonl");
  options.timeline_path = directory.file("timeline.jsonl");
  return options;
}

void check_decision(dom::element decision, dom::array result, std::size_t i) {
  INFO("request " << i << ": " << simdjson::to_string(decision));
  const auto number = [](dom::array a, std::size_t k) { return std::int64_t(a.at(k)); };
  static const char* const kReasons[] = {"", "queue-full", "concurrency-limit", "time-out"};
  const std::int64_t outcome = number(result, 0);
  REQUIRE(std::int64_t(decision["seq"]) == static_cast<std::int64_t>(i));
  REQUIRE(std::string_view(decision["id"]) == "request-" + std::to_string(i));
  REQUIRE(std::string_view(decision["outcome"]) == (outcome == 0 ? "executed" : "rejected"));
  REQUIRE(std::string_view(decision["flowSchema"]) == std::string_view(result.at(1)));
  REQUIRE(std::string_view(decision["priorityLevel"]) == std::string_view(result.at(2)));
  if (number(result, 3) < 0) REQUIRE(decision["queue"].is_null());
  else REQUIRE(std::int64_t(decision["queue"]) == number(result, 3));
  if (outcome == 0) {
    REQUIRE(std::int64_t(decision["dispatchNs"]) == number(result, 4));
    REQUIRE(std::int64_t(decision["finishNs"]) == number(result, 5));
    REQUIRE(std::int64_t(decision["releaseNs"]) == number(result, 6));
  } else {
    REQUIRE(std::string_view(decision["reason"]) == kReasons[outcome]);
    REQUIRE(decision["dispatchNs"].error() == simdjson::NO_SUCH_FIELD);
    if (outcome == 3)
      REQUIRE(std::int64_t(decision["arrivalNs"]) + std::int64_t(decision["waitNs"]) == number(result, 4));
  }
}

void check_timeline(dom::element scenario, const std::string& path) {
  dom::parser parser;
  const auto lines = lines_of(path);
  std::size_t at = 0;
  for (const dom::element round : dom::array(scenario["rounds"])) {
    for (const dom::element level : dom::array(round["levels"])) {
      if (at == lines.size()) return;  // the vectors go on for 25 s after the last arrival
      dom::element line = parser.parse(lines[at++]);
      INFO(simdjson::to_string(line) << "\n" << simdjson::to_string(level));
      REQUIRE(std::int64_t(line["timeNs"]) == std::int64_t(round["t_ns"]));
      REQUIRE(std::string_view(line["kind"]) == std::string_view(round["kind"]));
      REQUIRE(std::string_view(line["priorityLevel"]) == std::string_view(level["name"]));
      for (const char* key : {"nominalCL", "minCL", "maxCL", "currentCL"})
        REQUIRE(std::int64_t(line[key]) == std::int64_t(level[key]));
      for (const char* key : {"highWatermark", "avg", "stdev", "smoothed"}) {
        if (!level[key].is_number()) continue;  // "NaN": an empty period
        REQUIRE(double(line[key]) == Approx(double(level[key])).epsilon(1e-12));
      }
    }
  }
  REQUIRE(at > 0);
}

}  // namespace

TEST_CASE("a trace replays as the server's controller decided", "[conformance][replay]") {
  const Directory directory;
  dom::parser parser, decision_parser;
  for (const std::string& text : test::read_vectors("controller.jsonl")) {
    const dom::element scenario = parser.parse(text);
    INFO(std::string_view(scenario["name"]));
    const std::size_t n = dom::array(scenario["arrivals"]).size();
    {
      std::ofstream trace(directory.file("trace.jsonl"));
      for (std::size_t i = 0; i < n; ++i) trace << trace_line(scenario, i) << '\n';
    }
    std::string decisions, timeline;
    for (const int threads : {1, 2, 5}) {
      ReplayOptions options = options_of(scenario, directory);
      options.threads = threads;
      const ReplayReport report = replay(options);
      REQUIRE(report.requests == n);
      REQUIRE(report.total.requests == n);
      const std::string now = file_text(options.decisions_path), now_timeline = file_text(options.timeline_path);
      if (threads > 1) {
        REQUIRE(now == decisions);
        REQUIRE(now_timeline == timeline);
      }
      decisions = now;
      timeline = now_timeline;
    }
    const auto lines = lines_of(directory.file("decisions.jsonl"));
    REQUIRE(lines.size() == n);
    for (std::size_t i = 0; i < n; ++i) check_decision(decision_parser.parse(lines[i]), scenario["results"].at(i), i);
    check_timeline(scenario, directory.file("timeline.jsonl"));
  }
}
