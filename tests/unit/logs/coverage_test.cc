// What a server counted against what a log holds: scrapes of several releases, other servers and other windows, what is
// missing, and what of it is added.
#include <apf/error.h>
#include <apf/server.h>
#include <apf/setup.h>

#include <fmt/format.h>

#include "catch.h"
#include "support/times.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string dispatched(const std::string& schema, const std::string& level, int requests) {
  return fmt::format("apiserver_flowcontrol_dispatched_requests_total{{flow_schema=\"{}\",priority_level=\"{}\"}} {}\n",
                     schema, level, requests);
}

std::string executions(const std::string& schema, const std::string& level, int requests, double seconds) {
  const std::string labels = fmt::format("flow_schema=\"{}\",priority_level=\"{}\",type=\"regular\"", schema, level);
  return fmt::format(
      "apiserver_flowcontrol_request_execution_seconds_sum{{{0}}} {1}\n"
      "apiserver_flowcontrol_request_execution_seconds_count{{{0}}} {2}\n",
      labels, seconds, requests);
}

// Requests of a user, one in 100 ms, each a trace line.
std::string log_of(const std::string& user, const std::string& groups, int requests, int code = 200) {
  std::string out;
  for (int i = 0; i < requests; ++i)
    out += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"{}\",\"groups\":[{}],\"verb\":\"get\",\"uri\":\"/api/v1/nodes/n1\","
        "\"execution\":{},\"code\":{}}}\n",
        format_rfc3339(kNoon + i * 100 * kMillisecond), user, groups, 20 * kMillisecond, code);
  return out;
}

struct Log {
  std::string text;
  LoggedLoad count() const {
    LogOptions options;
    options.logs = {"log.jsonl"};
    options.texts["log.jsonl"] = text;
    return count_load(options, bootstrap_config(kNewestKubeVersion));
  }
};

const std::string kNodes = "\"system:nodes\",\"system:authenticated\"", kUsers = "\"system:authenticated\"";

CoverageReport compare(const ServerLoad& load, const Log& log) {
  return compare_load(load, log.count(), bootstrap_config(kNewestKubeVersion));
}

ServerLoad since_start(const std::string& text) { return load_since_start(parse_scrape(text, "after.txt")); }

}  // namespace

TEST_CASE("Between two scrapes counts what came later", "[coverage]") {
  const ServerLoad load = load_between(
      parse_scrape(dispatched("exempt", "exempt", 3) + executions("exempt", "exempt", 3, 0.3), "before.txt"),
      parse_scrape(dispatched("exempt", "exempt", 13) + dispatched("probes", "exempt", 5) +
                       executions("exempt", "exempt", 13, 2.3),
                   "after.txt"));
  const auto& exempt = load.series.at({"exempt", "exempt"});
  CHECK(exempt.dispatched == 10);
  CHECK(exempt.execution_count == 10);
  CHECK(exempt.execution_sum == Approx(2.0));
  CHECK(load.series.at({"probes", "exempt"}).dispatched == 5);
}

TEST_CASE("What an earlier scrape does not count had not happened, unless it is a smaller part", "[coverage]") {
  const std::string limit = "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"p\"} 3\n",
                    first = dispatched("exempt", "exempt", 1), later = dispatched("exempt", "exempt", 9),
                    rejected =
                        "apiserver_flowcontrol_rejected_requests_total{flow_schema=\"a\",priority_level=\"p\"} 5\n";
  const auto load = [&](const std::string& before) {
    return load_between(parse_part_of_scrape(before, "before"),
                        parse_part_of_scrape(limit + later + rejected, "after"));
  };
  CHECK(load(limit + first).has("rejected_requests_total"));
  CHECK(load(limit + first).series.at({"a", "p"}).rejected == 5);
  CHECK_FALSE(load(first).has("rejected_requests_total"));  // by grep
  CHECK_FALSE(load(limit).has("rejected_requests_total"));
}

TEST_CASE("A counter that begins later in an answer of Prometheus was 0 before", "[coverage]") {
  const auto series = [](const char* name, const char* values) {
    return fmt::format(
        R"({{"metric":{{"__name__":"apiserver_flowcontrol_{}","flow_schema":"a","priority_level":"p"}},"values":[{}]}})",
        name, values);
  };
  const ScrapeRange range =
      parse_scrape_range(R"({"status":"success","data":{"resultType":"matrix","result":[)" +
                             series("current_inqueue_requests", R"([100,"0"],[110,"3"],[120,"3"])") + "," +
                             series("rejected_requests_total", R"([110,"4"],[120,"6"])") + "]}}",
                         "range.json");
  REQUIRE(range.before);
  const ServerLoad load = load_between(*range.before, range.after);
  CHECK(load.has("rejected_requests_total"));
  CHECK(load.series.at({"a", "p"}).rejected == 6);
  REQUIRE(range.courses.size() == 1);
  REQUIRE(range.courses[0].rejected.size() == 3);
  CHECK(range.courses[0].rejected[0].time == 100 * kSecond);
  CHECK(range.courses[0].rejected[0].value == 0);
}

TEST_CASE("Older names of metrics, labels with a last comma, and types of executions", "[coverage]") {
  const ServerScrape scrape = parse_scrape(
      "# HELP x y\r\n"
      "apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"a\",priority_level=\"p\",} 7\r\n"
      "apiserver_flowcontrol_rejected_requests_total{flow_schema=\"a\",priority_level=\"p\",reason=\"time-out\"} 2\n"
      "apiserver_flowcontrol_rejected_requests_total{flow_schema=\"a\",priority_level=\"p\",reason=\"queue-full\"} 3\n"
      "apiserver_flowcontrol_request_concurrency_limit{priority_level=\"p\"} 13\n"
      "apiserver_flowcontrol_request_concurrency_in_use{flow_schema=\"a\",priority_level=\"p\"} 2\n"
      "apiserver_flowcontrol_request_execution_seconds_count{flow_schema=\"a\",priority_level=\"p\",type=\"watch\"} 1\n"
      "apiserver_flowcontrol_request_execution_seconds_count{flow_schema=\"a\",priority_level=\"p\",type=\"regular\"} "
      "6\n"
      "go_goroutines 12\n",
      "old.txt");
  const auto& series = scrape.series.at({"a", "p"});
  CHECK(series.dispatched == 7);
  CHECK(series.rejected == 5);
  CHECK(series.execution_count == 7);
  CHECK(scrape.levels.at("p").nominal == 13.0);
  CHECK(scrape.levels.at("p").executing_seats == 2);
}

TEST_CASE("Sums of ratios that a server has no number for are not read", "[coverage]") {
  const std::string ratios =
      "apiserver_flowcontrol_read_vs_write_current_requests_sum{phase=\"waiting\",request_kind=\"mutating\"} NaN\n"
      "apiserver_flowcontrol_demand_seats_sum{priority_level=\"exempt\"} +Inf\n";
  CHECK(since_start(ratios + dispatched("system-nodes", "system", 7)).series.size() ==
        since_start(dispatched("system-nodes", "system", 7)).series.size());
  CHECK_THROWS_AS(
      since_start(
          "apiserver_flowcontrol_request_wait_duration_seconds_sum{flow_schema=\"a\",priority_level=\"b\"} NaN\n"),
      Error);
}

TEST_CASE("Scrapes that cannot be read, of another server or in the wrong order", "[coverage]") {
  const std::string start = "process_start_time_seconds 1.7637e+09\n";
  const std::string some = dispatched("exempt", "exempt", 10), more = dispatched("exempt", "exempt", 20);
  CHECK(contains(error_of([] { parse_scrape("not a scrape\n", "x.txt"); }), "x.txt:1: this is not a line"));
  CHECK(contains(error_of([] { parse_scrape("", "x.txt"); }), "x.txt has no counters"));
  CHECK(contains(error_of([] { parse_scrape("go_goroutines 12\n", "x.txt"); }), "x.txt has no counters"));
  CHECK(contains(error_of([&] { load_between(parse_scrape(more, "a"), parse_scrape(some, "b")); }),
                 "run backwards from a to b (FlowSchema exempt dispatched 20 requests, later 10)"));
  CHECK(contains(error_of([&] {
                   load_between(parse_scrape(some + start, "a"),
                                parse_scrape(more + "process_start_time_seconds 1.7638e+09\n", "b"));
                 }),
                 "different servers, or of different runs of one"));
  CHECK(contains(error_of([&] {
                   const std::string at = "apiserver_flowcontrol_dispatched_requests_total{instance=\"";
                   parse_scrape(at + "x\",flow_schema=\"a\",priority_level=\"p\"} 1\n" + at +
                                    "y\",flow_schema=\"a\",priority_level=\"p\"} 1\n",
                                "both");
                 }),
                 "both has series of several servers (x and y)"));
}

TEST_CASE("Coverage by FlowSchema: what one has too many is not what another lacks", "[coverage]") {
  const ServerLoad load =
      since_start(dispatched("system-node-high", "node-high", 40) + dispatched("global-default", "global-default", 60));
  const Log log{log_of("system:node:n1", kNodes, 45)};
  const CoverageReport report = compare(load, log);
  REQUIRE(report.schemas.size() == 2);
  CHECK(report.schemas[0].name == "global-default");
  CHECK(report.schemas[0].in_log == 0);
  CHECK(report.schemas[1].in_log == 45);
  CHECK(report.schemas[1].percent() == 100);
  CHECK(report.percent() == Approx(40));
  CHECK(report.missing() == 60);
  const auto signs = signs_of(report, log.count());
  REQUIRE(signs.size() == 1);
  CHECK(signs[0].kind == RemarkKind::load_missing);
  CHECK(signs[0].count == 60u);
}

TEST_CASE("Refused requests are not dispatched", "[coverage]") {
  const Log log{log_of("jane", kUsers, 10) + log_of("jane", kUsers, 5, 429)};
  const LoggedLoad load = log.count();
  const auto& schema = load.schemas.at({"global-default", "global-default"});
  // Trace lines that say how long they run were served, whatever their code.
  CHECK(schema.served + schema.refused == 15);
  CHECK(schema.users == 1);
}

TEST_CASE("A log of another window or another server is refused", "[coverage]") {
  const Log log{log_of("jane", kUsers, 100)};
  const std::string few = dispatched("global-default", "global-default", 20);
  CHECK(contains(error_of([&] { compare(since_start(few), log); }),
                 "the server counted 20 requests of FlowSchema global-default, and the log has 100"));
  const std::string enough = dispatched("global-default", "global-default", 200);
  CHECK(error_of([&] { compare(since_start(enough), log); }).empty());
  const std::string later = fmt::format("process_start_time_seconds {}\n", (kNoon + 3600 * kSecond) / kSecond);
  CHECK(contains(error_of([&] { compare(since_start(enough + later), log); }), "the server's counters begin at"));
}

TEST_CASE("What is added: as many as are missing, with the mean of the histogram", "[coverage]") {
  const std::string bucket =
      "apiserver_flowcontrol_request_execution_seconds_bucket{flow_schema=\"system-node-high\","
      "priority_level=\"node-high\",type=\"regular\",le=\"";
  const ServerLoad load =
      since_start(dispatched("system-node-high", "node-high", 300) +
                  executions("system-node-high", "node-high", 300, 60) + bucket + "0.1\"} 100\n" + bucket +
                  "0.5\"} 300\n" + bucket + "+Inf\"} 300\n" + dispatched("global-default", "global-default", 50));
  const Log log{log_of("jane", kUsers, 50)};
  const LoggedLoad logged = log.count();
  const Config config = bootstrap_config(kNewestKubeVersion);
  const FillPlan plan = plan_fill(load, logged, compare_load(load, logged, config), config);
  REQUIRE(plan.schemas.size() == 1);
  const FillPlan::Schema& nodes = plan.schemas.front();
  CHECK(nodes.name == "system-node-high");
  CHECK(nodes.requests == 300);
  CHECK(nodes.source == FillPlan::Schema::Source::histogram);
  CHECK(nodes.flows == 8);
  double sum = 0;
  for (const Nanos execution : nodes.executions) sum += static_cast<double>(execution) / 1e9;
  CHECK(sum / static_cast<double>(nodes.executions.size()) == Approx(0.2).epsilon(0.001));
  CHECK(nodes.executions.front() < nodes.executions.back());
  CHECK(nodes.widths == std::vector<int>{1});
}

TEST_CASE("Seats by nominal limits", "[coverage]") {
  const Config config = bootstrap_config(kNewestKubeVersion);
  std::string text = dispatched("exempt", "exempt", 10);
  const auto level = [&](const char* name, int seats) {
    text += fmt::format("apiserver_flowcontrol_nominal_limit_seats{{priority_level=\"{}\"}} {}\n", name, seats);
  };
  level("catch-all", 1), level("exempt", 0), level("global-default", 3), level("leader-election", 2);
  level("node-high", 5), level("system", 4), level("workload-high", 5), level("workload-low", 13);
  const auto seats = [&] { return seats_by_limits(since_start(text).levels, config, kNewestKubeVersion).value(); };
  CHECK(seats().number == 30);
  CHECK(seats().fits);
  text.replace(text.rfind("13\n"), 2, "14");
  CHECK_FALSE(seats().fits);
}

TEST_CASE("Of many executions every second, then every fourth is kept", "[coverage]") {
  std::string text;
  for (int i = 0; i < 600; ++i)
    text += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"jane\",\"groups\":[{}],\"verb\":\"get\",\"uri\":\"/api/v1/nodes/n1\","
        "\"execution\":{}}}\n",
        format_rfc3339(kNoon + i * 100 * kMillisecond), kUsers, (i + 1) * kMillisecond);
  const LoggedLoad logged = Log{text}.count();
  REQUIRE(logged.schemas.size() == 1);
  const std::vector<Nanos>& kept = logged.schemas.begin()->second.executions;
  REQUIRE(kept.size() == 150);
  for (std::size_t i = 0; i < kept.size(); ++i) CHECK(kept[i] == static_cast<Nanos>(4 * i + 1) * kMillisecond);
}

TEST_CASE("Widths of what is added have the mean of the histogram, rounded down in all", "[coverage]") {
  const std::string labels = "flow_schema=\"system-node-high\",priority_level=\"node-high\"";
  const auto seats = [&](const std::string& name, const std::string& more, double value) {
    return fmt::format("apiserver_flowcontrol_work_estimated_seats_{}{{{}{}}} {}\n", name, labels, more, value);
  };
  const ServerLoad load = since_start(
      dispatched("system-node-high", "node-high", 200) + dispatched("global-default", "global-default", 50) +
      seats("bucket", ",le=\"1\"", 0) + seats("bucket", ",le=\"2\"", 100) + seats("bucket", ",le=\"4\"", 200) +
      seats("bucket", ",le=\"+Inf\"", 200) + seats("sum", "", 461) + seats("count", "", 200));
  const Log log{log_of("jane", kUsers, 50)};
  const LoggedLoad logged = log.count();
  const Config config = bootstrap_config(kNewestKubeVersion);
  const FillPlan plan = plan_fill(load, logged, compare_load(load, logged, config), config);
  REQUIRE(plan.schemas.size() == 1);
  const std::vector<int>& widths = plan.schemas.front().widths;
  REQUIRE(widths.size() == 64);
  int sum = 0;
  for (const int width : widths) sum += width;
  CHECK(sum == static_cast<int>(2.305 * static_cast<double>(widths.size())));
  CHECK(widths.front() < widths.back());
}

TEST_CASE("As many served as refused are in the log", "[coverage]") {
  const Log log{log_of("jane", kUsers, 10)};
  LoggedLoad logged = log.count();
  for (auto& [key, schema] : logged.schemas) schema.refused = schema.served;
  const CoverageReport report = compare_load(since_start(dispatched("global-default", "global-default", 10)), logged,
                                             bootstrap_config(kNewestKubeVersion));
  REQUIRE(report.schemas.size() == 1);
  CHECK(report.schemas[0].in_log == 10);
  CHECK(report.schemas[0].rejected_in_log == 10);
}

TEST_CASE("Arrivals over a day are counted in longer bins, all of them", "[coverage]") {
  std::string text;
  for (const Nanos at : {Nanos{0}, kSecond, 20 * kSecond, 86'399 * kSecond})
    text += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"jane\",\"groups\":[{}],\"verb\":\"get\",\"uri\":\"/api/v1/nodes/"
        "n1\",\"execution\":1}}\n",
        format_rfc3339(kNoon + at), kUsers);
  const LoggedLoad logged = Log{text}.count();
  CHECK(logged.width == 64 * kSecond);
  const auto& schema = logged.schemas.at({"global-default", "global-default"});
  REQUIRE(schema.over_time.size() == 86'400 / 64);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : schema.over_time) sum += count;
  CHECK(sum == 4);
  CHECK(schema.over_time.front() == 3);
  CHECK(schema.over_time.back() == 1);
}

TEST_CASE("A FlowSchema that lacks one request lacks none", "[coverage]") {
  const auto added = [](int counted) {
    const ServerLoad load = since_start(dispatched("global-default", "global-default", counted));
    const LoggedLoad logged = Log{log_of("jane", kUsers, 50)}.count();
    const Config config = bootstrap_config(kNewestKubeVersion);
    return plan_fill(load, logged, compare_load(load, logged, config), config).requests();
  };
  CHECK(added(51) == 0);
  CHECK(added(52) == 2);
}

TEST_CASE("One counted request says how wide what is added is", "[coverage]") {
  const std::string labels = "flow_schema=\"system-node-high\",priority_level=\"node-high\"";
  const ServerLoad load = since_start(
      dispatched("system-node-high", "node-high", 200) + dispatched("global-default", "global-default", 50) +
      fmt::format("apiserver_flowcontrol_work_estimated_seats_sum{{{}}} 3\n", labels) +
      fmt::format("apiserver_flowcontrol_work_estimated_seats_count{{{}}} 1\n", labels));
  const Log log{log_of("jane", kUsers, 50)};
  const LoggedLoad logged = log.count();
  const Config config = bootstrap_config(kNewestKubeVersion);
  const FillPlan plan = plan_fill(load, logged, compare_load(load, logged, config), config);
  REQUIRE(plan.schemas.size() == 1);
  CHECK(plan.schemas.front().widths == std::vector<int>{3});
}

TEST_CASE("What would say when the server started is asked for only where nothing says it", "[coverage]") {
  const auto asks = [](const LogStat& stat) {
    for (const Remark& remark : better_log(stat, {}))
      if (remark.kind == RemarkKind::better_start) return true;
    return false;
  };
  LogStat stat;
  stat.requests = 10;
  CHECK(asks(stat));
  stat.limit_changes = 1;
  CHECK_FALSE(asks(stat));
  stat.limit_changes = 0, stat.rebalancings = 1;
  CHECK_FALSE(asks(stat));
  stat.rebalancings = 0, stat.starts = 1;
  CHECK_FALSE(asks(stat));
}

TEST_CASE("Counters that say neither FlowSchema nor level count nothing", "[coverage]") {
  const ServerLoad load = since_start(dispatched("global-default", "global-default", 50) +
                                      "apiserver_flowcontrol_request_execution_seconds_sum{type=\"regular\"} 10\n"
                                      "apiserver_flowcontrol_rejected_requests_total 3\n"
                                      "apiserver_flowcontrol_nominal_limit_seats 7\n");
  CHECK(load.series.size() == 1);
}

TEST_CASE("Among how many flows is parted what is added: the users that the FlowSchema names, if it names them",
          "[coverage]") {
  const auto flows = [](const std::vector<Subject>& subjects) {
    Config config;
    FlowSchema schema;
    schema.meta.name = "named";
    schema.matching_precedence = 100;
    schema.priority_level = "workload-low";
    schema.rules.push_back({subjects, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {}});
    config.flow_schemas.push_back(schema);
    const Log log = {log_of("jane", kUsers, 10)};
    LoggedLoad logged = log.count();
    const ServerLoad load =
        since_start(executions("named", "workload-low", 40, 2) + dispatched("named", "workload-low", 40));
    const FillPlan plan = plan_fill(load, logged, compare_load(load, logged, config), config);
    REQUIRE(plan.schemas.size() == 1);
    return plan.schemas.front().flows;
  };
  const Subject ann = {"User", "ann", {}, {}}, bob = {"User", "bob", {}, {}};
  const std::size_t unknown = flows({{"Group", {}, "devs", {}}});
  CHECK(flows({ann}) == 1);
  CHECK(flows({ann, bob, {"ServiceAccount", {}, {}, Subject::ServiceAccount{"ci", "a"}}}) == 3);
  CHECK(unknown > 3);
  CHECK(flows({ann, {"User", "*", {}, {}}}) == unknown);
  CHECK(flows({ann, {"ServiceAccount", {}, {}, Subject::ServiceAccount{"ci", "*"}}}) == unknown);
}
