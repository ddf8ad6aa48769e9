// The lists of reports that are of several replays.
#include "replay/books/worst_case.h"

#include <string>

#include "catch.h"

using namespace apf;

namespace {

FlowReport flow(const std::string& user, std::uint64_t refused) {
  FlowReport out;
  out.flow_schema = "all";
  out.priority_level = "low";
  out.distinguisher = user;
  out.tally.requests = 100;
  out.tally.outcomes[Outcome::queue_full] = refused;
  return out;
}

std::string users_of(const std::vector<FlowReport>& flows) {
  std::string out;
  for (const FlowReport& f : flows) out += f.distinguisher + " ";
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
  report.all_flows = {flow("a", 1), flow("b", 2)};
  report.refused_most = {report.all_flows[1]};
  finish_lists(report, 2, true);
  CHECK(users_of(report.refused_most) == "b ");
  CHECK(report.all_flows.size() == 2);
}

TEST_CASE("A further replay keeps the flows that waited or were refused", "[worst_case]") {
  ReplayReport other;
  other.all_flows = {flow("a", 0), flow("b", 2)};
  keep_listed_flows(other);
  CHECK(users_of(other.all_flows) == "b ");
}
