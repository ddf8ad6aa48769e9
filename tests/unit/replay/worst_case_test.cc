// The lists of reports that are of several replays.
#include "replay/books/worst_case.h"

#include <string>

#include "catch.h"

using namespace apf;

namespace {

LevelReport level(const std::string& name, std::uint64_t refused) {
  LevelReport out;
  out.name = name;
  out.tally.requests = 100;
  out.tally.outcomes[Outcome::queue_full] = refused;
  return out;
}

FlowReport flow(const std::string& user, std::uint64_t refused) {
  FlowReport out;
  out.flow_schema = "all";
  out.priority_level = "low";
  out.distinguisher = user;
  out.tally.requests = 100;
  out.tally.outcomes[Outcome::queue_full] = refused;
  return out;
}

CulpritReport culprit(const std::string& level, const std::string& user, double refusals, double seat_seconds,
                      std::uint64_t level_refused) {
  CulpritReport out;
  out.by = CulpritReport::By::flow;
  out.priority_level = level;
  out.flow_schema = "all";
  out.distinguisher = user;
  out.refusals_others = refusals;
  out.seat_seconds = seat_seconds;
  out.level_seat_seconds = 10;
  out.level_refused = level_refused;
  return out;
}

std::string users_of(const std::vector<FlowReport>& flows) {
  std::string out;
  for (const FlowReport& f : flows) out += f.distinguisher + " ";
  return out;
}

std::string users_of(const std::vector<CulpritReport>& culprits) {
  std::string out;
  for (const CulpritReport& c : culprits) out += c.priority_level + "/" + c.distinguisher + " ";
  return out;
}

}  // namespace

TEST_CASE("Flows of several replays are listed by their worst case", "[worst_case]") {
  ReplayReport report;
  report.all_flows = {flow("a", 5), flow("b", 1), flow("c", 0), flow("d", 4)};
  report.refused_most = {report.all_flows[0], report.all_flows[3], report.all_flows[1]};
  report.others.resize(2);
  report.others[0].all_flows = {flow("a", 2), flow("b", 9), flow("d", 4)};
  report.others[1].all_flows = {flow("c", 6)};
  finish_lists(report, 3, false);
  CHECK(users_of(report.refused_most) == "b c a ");
  CHECK(report.refused_most[0].tally.rejected() == 1);  // the figure remains that of the report
  CHECK(report.all_flows.empty());
  CHECK(users_of(report.others[0].all_flows) == "a b ");
  CHECK(users_of(report.others[1].all_flows) == "c ");
}

TEST_CASE("One replay alone keeps its lists and loses only what is beyond the first", "[worst_case]") {
  ReplayReport report;
  report.levels = {level("low", 3), level("calm", 0)};
  report.all_flows = {flow("a", 1), flow("b", 2)};
  report.refused_most = {report.all_flows[1]};
  report.culprit_flows = {culprit("low", "a", 1, 2, 3), culprit("low", "b", 2, 1, 3), culprit("low", "c", 0, 9, 3),
                          culprit("calm", "a", 0, 5, 0)};
  finish_lists(report, 2, true);
  CHECK(users_of(report.refused_most) == "b ");
  CHECK(report.all_flows.size() == 2);
  CHECK(users_of(report.culprit_flows) == "low/b low/a ");
}

TEST_CASE("Each replay has the same culprits, those of its calm levels included", "[worst_case]") {
  ReplayReport report;
  report.levels = {level("low", 3), level("high", 0)};
  report.culprit_flows = {culprit("low", "a", 3, 2, 3), culprit("high", "a", 0, 5, 0)};
  report.others.resize(1);
  report.others[0].levels = {level("low", 8), level("high", 1)};
  report.others[0].culprit_flows = {culprit("low", "b", 8, 4, 8), culprit("high", "a", 1, 6, 1)};
  finish_lists(report, 10, false);
  CHECK(users_of(report.culprit_flows) == "low/b low/a high/a ");
  CHECK(users_of(report.others[0].culprit_flows) == "low/b low/a high/a ");
  const CulpritReport& absent = report.culprit_flows[0];
  CHECK(absent.seat_seconds == 0);
  CHECK(absent.level_refused == 3);  // of which it has no part
  CHECK(absent.level_seat_seconds == 10);
  CHECK(report.culprit_flows[2].seat_seconds == 5);  // the level was calm here
  CHECK(report.others[0].culprit_flows[2].seat_seconds == 6);
}

TEST_CASE("A further replay keeps the flows that waited or were refused", "[worst_case]") {
  ReplayReport other;
  other.all_flows = {flow("a", 0), flow("b", 2)};
  keep_listed_flows(other);
  CHECK(users_of(other.all_flows) == "b ");
}
