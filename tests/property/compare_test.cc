// One reading of a log for several servers comes to what a replay for each of them comes to.
#include <apf/advise.h>
#include <apf/report.h>

#include "catch.h"

#include "replay/passes/contradiction.h"
#include "support/recorded_server.h"
#include "support/vectors.h"

using namespace apf;
using namespace apf::test;

namespace {

using Random = std::mt19937_64;
using What = ComparedChange::What;

std::string tables_of(const ReplayReport& report) {
  const std::span<const ReplayReport> one(&report, 1);
  return render_csv(one, CsvRows::levels) + render_csv(one, CsvRows::flow_schemas);
}

FlowSchema builders_schema(const char* level) {
  FlowSchema out;
  out.meta.name = "builders";
  out.matching_precedence = 800;
  out.priority_level = level;
  out.distinguisher_method = "ByNamespace";
  PolicyRule& rule = out.rules.emplace_back();
  rule.subjects.push_back({"User", "system:serviceaccount:ci:builder-1", {}, {}});
  rule.subjects.push_back({"User", "system:serviceaccount:ci:builder-2", {}, {}});
  rule.resource_rules.push_back({{"*"}, {"*"}, {"*"}, {"*"}, true});
  return out;
}

// OLD as recorded; servers that are roomier, tighter, of another release, with another configuration, with clients
// that wait.
std::vector<ReplayOptions> new_servers(const ReplayOptions& old_side) {
  std::vector<ReplayOptions> out(4, old_side);
  out[0].server_concurrency_limit = 400;
  out[1].server_concurrency_limit = 30;
  out[2].config = bootstrap_config({28});
  out[2].version = {28};
  out[3].config.flow_schemas.push_back(builders_schema("workload-high"));
  return out;
}

RecordedConfig recorded_by(const ReplayOptions& side) {
  RecordedConfig out;
  out.config = side.config;
  out.version = side.version;
  out.server_concurrency_limit = side.server_concurrency_limit;
  return out;
}

}  // namespace

TEST_CASE("one reading comes to what a replay for each side does", "[property][replay][compare]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 3; ++round) {
    INFO("round " << round);
    const Folder folder("apf-compare-");
    const RecordedServer server(random, 900, folder, round % 2 == 0);
    const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
    ReplayOptions old_side = server_options();
    old_side.logs = {folder.write("audit.log", round == 2 ? logs.both : logs.audit)};
    if (round != 2) old_side.start = ReplayTime{false, kServerStart};  // else the server's own log says it
    old_side.objects = ObjectCounts::parse("pods=900\n", "counts");
    const CompareOptions options{old_side, new_servers(old_side), 0};
    const CompareReport comparison = compare(options);
    REQUIRE(comparison.new_reports.size() == options.new_sides.size());

    ReplayOptions alone = old_side;
    alone.recorded = recorded_by(old_side);
    CHECK(tables_of(comparison.old_report) == tables_of(replay(alone)));
    for (std::size_t i = 0; i < options.new_sides.size(); ++i) {
      INFO("NEW " << i);
      ReplayOptions new_side = options.new_sides[i];
      new_side.recorded = recorded_by(old_side);
      ReplayReport replayed = replay(new_side);
      std::erase_if(replayed.warnings, is_of_contradiction);  // a comparison says it once, of OLD
      CHECK(render_json(comparison.new_reports[i]) == render_json(replayed));
    }
  }
}

TEST_CASE("OLD may be another one than the recorded server", "[property][replay][compare]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-compare-");
  const RecordedServer server(random, 900, folder, true);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions old_side = server_options();
  old_side.logs = {folder.write("audit.log", logs.audit)};
  old_side.start = ReplayTime{false, kServerStart};
  old_side.recorded = recorded_by(old_side);
  old_side.server_concurrency_limit = 90;
  CompareOptions options{old_side, {old_side, old_side}, 0};
  options.new_sides[1].server_concurrency_limit = 30;
  const CompareReport comparison = compare(options);
  CHECK(render_json(comparison.old_report) == render_json(replay(old_side)));
  CHECK(render_json(comparison.new_reports[0]) == render_json(comparison.old_report));
  CHECK(render_json(comparison.new_reports[1]) == render_json(replay([&] {
          ReplayOptions alone = options.new_sides[1];
          alone.recorded = old_side.recorded;
          return alone;
        }())));
  CHECK(!comparison.differs(0));
  CHECK(comparison.differs(1));
}

TEST_CASE("the same on both sides differs by chance alone", "[property][replay][compare]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 3; ++round) {
    INFO("round " << round);
    const Folder folder("apf-compare-");
    const RecordedServer server(random, 900, folder, true);
    const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
    ReplayOptions side = server_options();
    side.logs = {folder.write("audit.log", logs.audit)};
    side.start = ReplayTime{false, kServerStart};
    const CompareReport comparison = compare({side, {side}, 3});
    CHECK(!comparison.differs(0));
    CHECK(comparison.moved_requests(0) == 0);
  }
}

TEST_CASE("who moves is counted by where requests go, and flows keep their names", "[property][replay][compare]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-compare-");
  const RecordedServer server(random, 900, folder, true);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions old_side = server_options();
  old_side.logs = {folder.write("audit.log", logs.audit)};
  old_side.start = ReplayTime{false, kServerStart};
  CompareOptions options{old_side, {old_side}, 0};
  options.new_sides[0].config.flow_schemas.push_back(builders_schema("workload-high"));
  const CompareReport comparison = compare(options);
  std::map<std::string, std::uint64_t> expected;
  for (const ServerRequest& request : server.requests)
    if (request.user.ends_with("builder-1") || request.user.ends_with("builder-2")) ++expected[request.user];
  std::uint64_t all = 0;
  for (const auto& [user, requests] : expected) all += requests;
  REQUIRE(comparison.moved.size() == 1);
  const ComparedMove& move = comparison.moved.front();
  CHECK(move.from_schema == "service-accounts");
  CHECK(move.to_schema == "builders");
  CHECK(move.to_level == "workload-high");
  CHECK(move.requests == all);
  CHECK(move.flows == expected.size());
  CHECK(comparison.moved_between_levels(0) == all);
  // By namespace they are one flow in NEW; here they go on under their names.
  for (const auto& [user, requests] : expected) {
    const auto is_flow = [&name = user](const ComparedChange& c) { return c.what == What::flow && c.name == name; };
    const auto change = std::find_if(comparison.changes.begin(), comparison.changes.end(), is_flow);
    REQUIRE(change != comparison.changes.end());
    CHECK(change->old_figure.requests == requests);
    CHECK(change->new_figure.requests == requests);
  }
}

TEST_CASE("servers are compared each alone, and added up", "[property][replay][compare]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-compare-");
  const RecordedServer server(random, 900, folder, true);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions old_side = server_options();
  old_side.logs = {folder.write("audit.log", logs.audit)};
  old_side.start = ReplayTime{false, kServerStart};
  CompareOptions options{old_side, {old_side}, 1};
  options.new_sides[0].server_concurrency_limit = 30;
  const CompareReport one = compare(options);
  std::vector<CompareOptions> servers(2, options);
  servers[0].old_side.server = "a";
  servers[1].old_side.server = "b";
  const CompareReport both = compare_servers(servers, 2);
  CHECK(both.servers == std::vector<std::string>{"a", "b"});
  CHECK(both.old_report.total.requests == 2 * one.old_report.total.requests);
  CHECK(both.new_reports[0].total.rejected() == 2 * one.new_reports[0].total.rejected());
  REQUIRE(both.changes.size() == one.changes.size());
  for (std::size_t i = 0; i < one.changes.size(); ++i) {
    const double factor = one.changes[i].metric == ComparedChange::Metric::rejected ? 2 : 1;
    CHECK(both.changes[i].name == one.changes[i].name);
    CHECK(both.changes[i].new_figure.value == Approx(factor * one.changes[i].new_figure.value).epsilon(0.01));
    CHECK(both.changes[i].verdict == one.changes[i].verdict);
  }
  const CompareReport again = compare_servers(servers, 1);
  const CompareFrame frame{"old", {"new"}, {}};
  CHECK(render_json(again, frame) == render_json(both, frame));
}
