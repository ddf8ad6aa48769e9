// Reports as JSON: members, nesting, numbers that JSON readers would spoil.
#include <apf/config.h>
#include <apf/hand.h>
#include <apf/report.h>
#include <apf/version.h>
#include <simdjson.h>

#include "catch.h"

using namespace apf;

namespace {

RequestTally tally(std::uint64_t executed, std::uint64_t time_out, Nanos wait) {
  RequestTally t;
  t.requests = executed + time_out;
  t.outcomes[Outcome::executed] = executed;
  t.outcomes[Outcome::time_out] = time_out;
  t.queued = t.requests;
  t.seat_seconds = 1.5;
  for (std::uint64_t i = 0; i < t.requests; ++i) t.wait.add(wait);
  return t;
}

}  // namespace

TEST_CASE("a replay report as JSON", "[report]") {
  ReplayReport report;
  report.logs = {"a \"log\""};
  report.requests = 5;
  report.unusable["cut off"] = 2;
  report.first_arrival = 1795177719362330000;
  report.server_concurrency_limit = 30;
  report.total = tally(3, 2, 1000);
  report.levels.push_back({});
  report.levels[0].name = "x";
  report.levels[0].tally = tally(3, 2, 1000);
  report.levels[0].seats_avg = 0.25;
  report.waited_most.push_back({"fs", "x", "user", false, tally(3, 2, 1000), 18446744073709551615ULL, {}});
  report.recorded.mean_wait_log = 1.25;
  report.warnings = {{.kind = RemarkKind::log_empty, .name = "a"}};

  const std::string text = render_json(report);
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  REQUIRE(parser.parse(text).get(json) == simdjson::SUCCESS);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(std::string_view(json["input"]["logs"].at(0)) == "a \"log\"");
  CHECK(std::int64_t(json["input"]["unusable"]["cut off"]) == 2);
  CHECK(std::int64_t(json["input"]["firstArrivalNs"]) == 1795177719362330000);
  CHECK(json["input"]["lastArrivalNs"].is_null());
  CHECK(std::int64_t(json["total"]["rejected"]["total"]) == 2);
  CHECK(std::int64_t(json["total"]["rejected"]["timeOut"]) == 2);
  CHECK(std::int64_t(json["total"]["wait"]["maxNs"]) == 1000);
  CHECK(double(json["levels"].at(0)["seats"]["avg"]) == 0.25);
  CHECK(std::string_view(json["flows"]["waitedMost"].at(0)["hash"]) == "18446744073709551615");
  CHECK(std::int64_t(json["recorded"]["meanWaitInLogNs"]) == 1'250'000'000);
  CHECK(std::string_view(json["warnings"].at(0)["kind"]) == "log-empty");
  CHECK(std::string_view(json["warnings"].at(0)["name"]) == "a");
  CHECK(std::string_view(json["warnings"].at(0)["message"]) == "a is empty.");
}

namespace {

std::string text_of(const ReplayReport& report, const TextStyle& style = {}) {
  return render(document_of(std::span(&report, 1), nullptr), Notation::text, style);
}

}  // namespace

TEST_CASE("the text of a replay shows each level's fate", "[report]") {
  ReplayReport report;
  report.logs = {"a.log"};
  report.total = tally(2, 2, kSecond);
  report.first_arrival = report.last_arrival = 0;
  LevelReport level;
  level.name = "busy\x1b";
  level.tally = report.total;
  report.levels.push_back(level);
  level.name = "idle";
  level.tally = {};
  report.levels.push_back(level);
  const std::string text = text_of(report);
  CHECK(text.find("\nServed 2 (50 %), all of them after waiting.\nRefused 2 (50 %), all of them after waiting.\n") !=
        std::string::npos);
  CHECK(text.find("busy\\x1b") != std::string::npos);
  CHECK(text.find("▒▒▒▒▒×××××") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  TextStyle color;
  color.color = true;
  CHECK(text_of(report, color).find("\x1b[31m×××××\x1b[0m") != std::string::npos);
}

TEST_CASE("a part of the requests, however small, has its place in the bar", "[report]") {
  ReplayReport report;
  report.total = tally(100000, 1, 0);
  report.total.queued = 1;
  LevelReport level;
  level.name = "x";
  level.tally = report.total;
  report.levels.push_back(level);
  CHECK(text_of(report).find("█████████×") != std::string::npos);
}

TEST_CASE("limits as JSON and as text", "[report]") {
  const LimitsTable table = compute_limits(bootstrap_config(kNewestKubeVersion), 600);
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  REQUIRE(parser.parse(render_json(table)).get(json) == simdjson::SUCCESS);
  CHECK(std::int64_t(json["shareSum"]) == 245);
  CHECK(std::int64_t(json["nominalSum"]) == 602);
  CHECK(json["levels"].get_array().size() == 8);
  CHECK(std::string_view(json["levels"].at(1)["type"]) == "Exempt");
  const std::string text = render(document_of(table), Notation::text);
  CHECK(text.find("100 / 245 × 600 = 244.90") != std::string::npos);
  CHECK(text.find("37 seats") != std::string::npos);
}

TEST_CASE("hands asked for line by line", "[report]") {
  std::string error;
  const auto hand =
      parse_hand_line(R"({"queues":128,"handSize":6,"flowSchema":"service-accounts","flowDistinguisher":"x"})", error);
  REQUIRE(hand);
  CHECK(hand->hand.size() == 6);
  // What is answered can be asked again.
  const auto again = parse_hand_line(render_json(*hand), error);
  REQUIRE(again);
  CHECK(render_json(*again) == render_json(*hand));
  const auto by_hash = parse_hand_line(R"({"queues":8,"handSize":2,"hash":"18446744073709551615"})", error);
  REQUIRE(by_hash);
  CHECK(by_hash->hash == 18446744073709551615ULL);
  CHECK(render_json(*by_hash).find("flowSchema") == std::string::npos);

  const char* bad[] = {"",
                       "[]",
                       "{}",
                       R"({"queues":8,"handSize":2})",
                       R"({"queues":8,"handSize":9,"hash":"1"})",
                       R"({"queues":8,"handSize":2,"hash":"18446744073709551616"})",
                       R"({"queues":8,"handSize":2,"hash":1.5})",
                       R"({"queues":8.5,"handSize":2,"hash":"1"})",
                       R"({"queues":8,"handSize":2,"flowSchema":"a","hash":"1"})"};
  for (const char* line : bad) {
    INFO(line);
    CHECK_FALSE(parse_hand_line(line, error));
    CHECK_FALSE(error.empty());
  }
}

TEST_CASE("collision odds as JSON", "[report]") {
  const int elephants[] = {1, 4};
  CHECK(
      render_json(collision_odds(32, 12, elephants))
          .starts_with(
              R"({"queues":32,"handSize":12,"collision":[{"elephants":1,"probability":4.428838398950118e-09},{"elephants":4,"probability":0.11431348830099144}],"details":[{"elephants":1,"queuesTaken":12,"free":[4.428838398950118e-09,)"));
  CHECK(render_json(collision_odds(32, 12, elephants)).ends_with(R"(]}],"onePercentAt":3})"));
  CHECK(render_json(CollisionOdds{2, 1, {{1, 0.5}}, {}, {}}) ==
        R"({"queues":2,"handSize":1,"collision":[{"elephants":1,"probability":0.5}],"details":[]})");
}

TEST_CASE("the library says what it is made of", "[report]") {
  const auto libraries = library_versions();
  REQUIRE(!libraries.empty());
  CHECK(libraries[0].name == "libapf");
  for (const LibraryVersion& library : libraries) {
    INFO(library.name);
    CHECK(library.version.find_first_of("0123456789") == 0);
  }
}
