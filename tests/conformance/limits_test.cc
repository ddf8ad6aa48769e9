// limits.jsonl: the limits that kube-apiserver v1.36 derives from priority levels.
#include "catch.h"

#include <apf/config.h>
#include <apf/limits.h>
#include <simdjson.h>

#include "support/vectors.h"

using simdjson::dom::element;

namespace {

apf::Config levels_of(element vector) {
  std::vector<apf::ConfigText> texts;
  simdjson::dom::array levels;
  if (vector["priorityLevels"].get(levels) == simdjson::SUCCESS) {
    for (element level : levels) texts.push_back({"level", simdjson::minify(level)});
  }
  apf::LoadedConfig loaded = apf::load_config(texts);
  REQUIRE_FALSE(loaded.has_errors());
  REQUIRE(loaded.config.priority_levels.size() == texts.size());
  return std::move(loaded.config);
}

}  // namespace

TEST_CASE("limits vectors", "[conformance][schedule][limits]") {
  simdjson::dom::parser parser;
  int line = 0;
  for (const std::string& text : apf::test::read_vectors("limits.jsonl")) {
    INFO("line " << ++line);
    const element vector = parser.parse(text);
    const int server_cl = static_cast<int>(std::int64_t(vector["serverConcurrencyLimit"]));
    const apf::LimitsTable table = apf::compute_limits(levels_of(vector), server_cl);
    CHECK(table.server_concurrency_limit == server_cl);
    CHECK(table.nominal_sum == std::int64_t(vector["nominalCLSum"]));
    CHECK(table.fair_frac == Approx(double(vector["fairFrac"])).epsilon(1e-9));
    std::size_t i = 0;
    for (element expected : vector["levels"]) {
      REQUIRE(i < table.levels.size());
      const apf::LevelLimits& level = table.levels[i++];
      REQUIRE(level.name == std::string_view(expected["name"]));
      INFO("level " << level.name);
      CHECK(level.nominal_cl == std::int64_t(expected["nominalCL"]));
      CHECK(level.min_cl == std::int64_t(expected["minCL"]));
      CHECK(level.max_cl == std::int64_t(expected["maxCL"]));
      CHECK(level.lendable_cl == std::int64_t(expected["lendable"]));
      CHECK(level.borrowing_cl == std::int64_t(expected["borrowing"]));
      CHECK(level.initial_cl == std::int64_t(expected["currentCL"]));
      CHECK(level.max_seats == std::int64_t(expected["maxSeats"]));
    }
    CHECK(i == table.levels.size());
  }
}
