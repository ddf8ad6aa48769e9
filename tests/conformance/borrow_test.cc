// borrow.jsonl: the allocation and consecutive borrowing steps as kube-apiserver v1.36 computed them.
#include "catch.h"

#include <cmath>
#include <map>

#include <apf/limits.h>
#include <simdjson.h>

#include "schedule/borrow.h"
#include "support/vectors.h"

namespace {

using apf::BorrowState;
using simdjson::dom::element;

double number(element e) {
  std::string_view text;
  if (e.get(text) == simdjson::SUCCESS) {
    REQUIRE(text == "NaN");
    return std::nan("");
  }
  return double(e);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1e-12, std::abs(a), std::abs(b)}); }

void check_allocation(element vector) {
  std::vector<apf::AllocationClass> classes;
  for (element c : vector["classes"]) {
    classes.push_back(
        {.lower = number(c["lowerBound"]), .upper = number(c["upperBound"]), .target = number(c["target"])});
  }
  std::string error;
  const auto result = apf::allocate(std::int64_t(vector["requiredSum"]), classes, &error);
  std::string_view expected_error;
  if (vector["error"].get(expected_error) == simdjson::SUCCESS) {
    CHECK_FALSE(result);
    CHECK(error == expected_error);
    return;
  }
  REQUIRE(result);
  INFO("fairProp " << result->fair_prop);
  CHECK(near(result->fair_prop, number(vector["fairProp"])));
  std::size_t i = 0;
  for (element a : vector["allocs"]) {
    REQUIRE(i < result->allocs.size());
    CHECK(near(result->allocs[i++], number(a)));
  }
  CHECK(i == result->allocs.size());
}

void check_level(const BorrowState& state, element expected) {
  INFO("level " << std::string(expected["name"]));
  CHECK(state.high_watermark == number(expected["highWatermark"]));
  CHECK(state.avg == number(expected["avg"]));
  CHECK(state.stdev == number(expected["stdev"]));
  CHECK(state.smoothed == number(expected["smoothed"]));
  CHECK(state.min_current_cl == std::int64_t(expected["minCurrentCL"]));
  CHECK(state.target == number(expected["target"]));
  CHECK(state.current_cl == std::int64_t(expected["currentCL"]));
}

void check_steps(element vector) {
  std::vector<std::string> names;
  std::vector<BorrowState> states;
  for (element level : vector["initial"]) {
    names.emplace_back(std::string_view(level["name"]));
    BorrowState state;
    state.exempt = names.back() == "exempt";
    state.nominal_cl = static_cast<int>(std::int64_t(level["nominalCL"]));
    state.min_cl = static_cast<int>(std::int64_t(level["minCL"]));
    state.max_cl = static_cast<int>(std::int64_t(level["maxCL"]));
    state.current_cl = static_cast<int>(std::int64_t(level["currentCL"]));
    states.push_back(state);
  }
  const auto rounds = simdjson::dom::array(vector["rounds"]);
  std::size_t round = 0;
  for (element observation : vector["observations"]) {
    INFO("round " << round);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const element o = observation[names[i]];
      states[i].observe({.duration = number(o["duration"]),
                         .avg = number(o["avg"]),
                         .stdev = number(o["stdev"]),
                         .max = number(o["max"])});
    }
    const double fair_frac =
        apf::borrow_step(states, {std::int64_t(vector["nominalCLSum"]), 0}, apf::BorrowRule::exempt_first);
    const element expected = rounds.at(round++);
    CHECK(near(fair_frac, number(expected["fairFrac"])));
    std::size_t i = 0;
    for (element level : expected["levels"]) {
      REQUIRE(names.at(i) == std::string_view(level["name"]));
      check_level(states[i++], level);
    }
    CHECK(i == states.size());
  }
  CHECK(round == rounds.size());
}

}  // namespace

TEST_CASE("borrow vectors", "[conformance][schedule][borrow]") {
  simdjson::dom::parser parser;
  std::map<std::string, int> cases;
  int line = 0;
  for (const std::string& text : apf::test::read_vectors("borrow.jsonl")) {
    INFO("line " << ++line);
    const element vector = parser.parse(text);
    const std::string kind{std::string_view(vector["kind"])};
    ++cases[kind];
    if (kind == "alloc") {
      check_allocation(vector);
    } else {
      REQUIRE(kind == "step");
      check_steps(vector);
    }
  }
  CHECK(cases["alloc"] > 0);
  CHECK(cases["step"] > 0);
}
