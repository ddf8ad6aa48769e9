// What counts as harm, in which order, and when a difference between paired replays is more than chance.
#include "replay/passes/harm.h"

#include "catch.h"

using namespace apf;

namespace {

FlowReport flow(const std::string& user, const std::string& level, std::uint64_t refused, std::uint64_t hung_up = 0) {
  FlowReport out;
  out.user = user;
  out.flow_schema = "schema-of-" + level;
  out.priority_level = level;
  out.tally.requests = 100;
  out.tally.outcomes[Outcome::queue_full] = refused;
  out.tally.outcomes[Outcome::gave_up] = hung_up;
  return out;
}

bool is_ci(const FlowReport& flow) { return flow.user == "ci"; }

}  // namespace

TEST_CASE("Refusals of protected clients come before those of others, and of whom is isolated last", "[harm]") {
  ReplayReport report;
  report.all_flows = {flow("system:kube-scheduler", "own", 1), flow("shop", "workload-high", 2), flow("shop", "low", 3),
                      flow("ci", "low", 40), flow("system:node:n1", "low", 0, 5)};
  report.all_flows[2].tally.wait.add(2 * kSecond);
  report.all_flows[2].tally.wait.add(500 * kMillisecond);
  report.all_flows[2].tally.wait.add(kMillisecond);
  const Harm harm = harm_of(report, is_ci);
  CHECK(harm.of[Harm::refused_protected] == 3);
  CHECK(harm.of[Harm::refused] == 3);
  CHECK(harm.of[Harm::long_waits] == 1);
  CHECK(harm.of[Harm::waits] == 1);
  CHECK(harm.of[Harm::isolated] == 40);
  Harm less = harm;
  less.of[Harm::refused_protected] = 2;
  less.of[Harm::refused] = 1000;
  CHECK(less < harm);
  const auto refused = protected_refusals(report);
  CHECK(refused.at("system:kube-scheduler") == 1);
  CHECK(refused.at("system:node:n1") == 0);
  CHECK(!refused.contains("ci"));
}

TEST_CASE("A request that timed out is a refusal, and no long wait besides", "[harm]") {
  ReplayReport report;
  report.all_flows = {flow("shop", "low", 0)};
  report.all_flows[0].tally.outcomes[Outcome::time_out] = 1;
  report.all_flows[0].tally.wait.add(15 * kSecond);
  const Harm harm = harm_of(report, is_ci);
  CHECK(harm.of[Harm::refused] == 1);
  CHECK(harm.of[Harm::long_waits] == 0);
  CHECK(harm.of[Harm::waits] == 0);
}

TEST_CASE("A difference is one where it is in all pairs, or beyond their scatter", "[harm]") {
  CHECK(paired_difference({1, 1, 5}, 0) == 1);
  CHECK(paired_difference({-3, -0.5, -1}, 0) == -1);
  CHECK(paired_difference({1, 1, -1}, 0) == 0);
  CHECK(paired_difference({10, 11, 9, 10, -1, 12, 10}, 0) == 1);  // one against many
  CHECK(paired_difference({0, 0, 0}, 0) == 0);
  CHECK(paired_difference({0.5, 0.4}, 1) == 0);  // too small
  CHECK(paired_difference({}, 0) == 0);
  CHECK(paired_difference({2}, 0) == 1);
}

TEST_CASE("The first kind of harm that differs decides", "[harm]") {
  Harm before, after;
  before.of = {0, 10, 50, 0, 0};
  after.of = {0, 2, 90, 0, 0};
  CHECK(paired_harm({before, before}, {after, after}) < 0);
  after.of[Harm::refused_protected] = 1;
  CHECK(paired_harm({before, before}, {after, after}) > 0);
  CHECK(paired_harm({before, before}, {before, before}) == 0);
}
