// Expectations are read as they are written, and hold exactly where every number that a figure may be makes them hold.
#include "catch.h"

#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <apf/error.h>
#include <apf/report.h>

#include "support/vectors.h"

using namespace apf;

namespace {

using Chance = std::mt19937_64;

template <class List>
const auto& any_of(Chance& chance, const List& list) {
  return list[chance() % std::size(list)];
}

constexpr std::array<const char*, 6> kOps = {"<", "<=", ">", ">=", "==", "!="};
constexpr std::array<const char*, 3> kCounted = {"requests", "rejected", "queued"};
constexpr std::array<const char*, 3> kWaited = {"p99wait", "maxwait", "meanwait"};
const std::array<std::string, 5> kSubjects = {"total", "workload-low", "my.level", "9lives", "FlowSchema/nodes"};

std::string blanks(Chance& chance) { return std::string(chance() % 3, ' '); }

// A figure as it is written, and what it is.
struct Written {
  std::string text;
  ExpectedFigure figure;
};

Written any_figure(Chance& chance, bool waits) {
  Written out;
  out.figure.side = chance() % 2 == 0 ? "old" : "new";
  out.figure.subject = any_of(chance, kSubjects);
  out.figure.metric = waits ? any_of(chance, kWaited) : any_of(chance, kCounted);
  const bool alone = out.figure.subject == "total" && chance() % 2 == 0;
  out.text = out.figure.side + "." + (alone ? "" : out.figure.subject + ".") + out.figure.metric;
  return out;
}

bool same(const ExpectedFigure& a, const ExpectedFigure& b) {
  return a.side == b.side && a.server == b.server && a.subject == b.subject && a.metric == b.metric;
}

// By what the operators mean, number by number.
bool is_true(int left, const std::string& op, int right) {
  switch (op[0]) {
    case '<':
      return op.size() == 1 ? left < right : !(right < left);
    case '>':
      return op.size() == 1 ? right < left : !(left < right);
    case '=':
      return left == right;
    default:
      return left != right;
  }
}

}  // namespace

TEST_CASE("An expectation is read as it is written", "[property][expectations]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Chance chance(apf::test::seed());
  const CompareReport report;
  const std::vector<std::string> names;
  const auto facts = facts_of(report, names);
  for (int i = 0; i < 10'000; ++i) {
    const bool waits = chance() % 2 == 0, by_figure = chance() % 3 == 0, percent = !waits && chance() % 2 == 0;
    const Written left = any_figure(chance, waits), right = any_figure(chance, waits);
    const std::string op = any_of(chance, kOps);
    // A part of all is at most 100 %, and what nothing can fail is an error.
    const int number = 1 + static_cast<int>(chance() % (percent ? 99 : 5000));
    const std::string value = by_figure ? right.text : std::to_string(number) + (waits ? "ms" : percent ? "%" : "");
    const std::string text = left.text + blanks(chance) + op + blanks(chance) + value;
    INFO(text);
    const auto parse = [&]() -> std::optional<Expectation> {
      try {
        return parse_expectation(blanks(chance) + text + blanks(chance), *facts);
      } catch (const Error& error) {  // of two figures of a side one may never be above the other, or above itself
        const std::string why = error.what();
        const bool is_decided = why.find("every report meets it") != why.npos || why.find("with itself") != why.npos;
        REQUIRE((is_decided && by_figure && left.figure.side == right.figure.side));
        return std::nullopt;
      }
    };
    const std::optional<Expectation> parsed = parse();
    if (!parsed) continue;
    const Expectation& read = *parsed;
    CHECK(read.text == text);
    CHECK(same(read.figure, left.figure));
    CHECK(read.op == op);
    REQUIRE(read.other.has_value() == by_figure);
    if (by_figure) {
      CHECK(same(*read.other, right.figure));
    } else {
      CHECK(read.percent == percent);
      CHECK(read.value == Approx(waits ? number * 1e6 : percent ? number / 100.0 : number));
    }
  }
}

TEST_CASE("An expectation holds where it holds in every replay", "[property][expectations]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Chance chance(apf::test::seed() + 1);
  for (int i = 0; i < 5'000; ++i) {
    // Numbers of requests: of the replay and up to three others, and what they are compared with.
    std::vector<int> numbers;
    for (std::size_t n = chance() % 4 + 1; n > 0; --n) numbers.push_back(static_cast<int>(chance() % 4));
    ReplayReport report;
    report.total.requests = static_cast<std::uint64_t>(numbers[0]);
    for (std::size_t n = 1; n < numbers.size(); ++n)
      report.others.emplace_back().total.requests = static_cast<std::uint64_t>(numbers[n]);
    const std::string op = any_of(chance, kOps);
    const int value = static_cast<int>(chance() % 5);
    if (value == 0 && op == ">=") continue;  // nothing can fail it
    bool wanted = true;
    for (const int number : numbers) wanted = wanted && is_true(number, op, value);
    const auto facts = facts_of({&report, 1});
    const Expectation expectation = parse_expectation("total.requests " + op + std::to_string(value), *facts);
    INFO(expectation.text << " of " << numbers[0] << " and " << numbers.size() - 1 << " others");
    CHECK(check_expectations({&expectation, 1}, *facts).front().met == wanted);
  }
}

TEST_CASE("An expectation on a quantile holds where it holds within all bounds", "[property][expectations]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Chance chance(apf::test::seed() + 2);
  for (int i = 0; i < 5'000; ++i) {
    // Every observation is above `low` and at most `high`, in units of 100 ms; 0 and above 0 are apart.
    const int low = static_cast<int>(chance() % 5), high = low + static_cast<int>(chance() % 3) + 1;
    Inspection inspection;
    InspectedLevel& level = inspection.levels.emplace_back();
    level.name = "p";
    level.wait.buckets = {{low / 10.0, 0}, {high / 10.0, 10}};
    const std::string op = any_of(chance, kOps);
    const int value = static_cast<int>(chance() % 9);
    if (value == 0 && op == ">=") continue;  // nothing can fail it
    bool wanted = true;                      // in tenths of the unit: what the quantile may be
    for (int tenth = 10 * low + 1; tenth <= 10 * high; ++tenth) wanted = wanted && is_true(tenth, op, 10 * value);
    const auto facts = facts_of(inspection);
    const Expectation expectation = parse_expectation("p.p99wait " + op + std::to_string(100 * value) + "ms", *facts);
    INFO(expectation.text << " in (" << low << ", " << high << "]");
    CHECK(check_expectations({&expectation, 1}, *facts).front().met == wanted);
  }
}
