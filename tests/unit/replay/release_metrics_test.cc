// Metrics of a replay under the names, labels and buckets that the release has; those of requests; those of the KEP.
#include "catch.h"
#include "replay/prepare/endpoint.h"
#include "support/recorded_server.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string metered_line(Nanos time, const char* user, const char* verb, const char* uri, const char* more) {
  return fmt::format(R"({{"time":{},"user":"{}","groups":["{}","system:authenticated"],"verb":"{}","uri":"{}",{}}})"
                     "\n",
                     kTraceStart + time, user,
                     std::string_view(user) == "root" ? "system:masters" : "system:serviceaccounts", verb, uri, more);
}

// Two gets of which the second is refused, a list, an exempt get, a watch that ends and one that stays, a write.
ReplayReport crowd(const char* version, int seats = 1) {
  const Folder folder("apf-release-metrics-");
  std::string log = metered_line(0, "root", "get", "/healthz", R"("execution":1000000)");
  log +=
      metered_line(kSecond, "a", "get", "/api/v1/namespaces/x/configmaps/c", R"("execution":12000000000,"code":200)");
  log += metered_line(2 * kSecond, "a", "list", "/apis/apps/v1/deployments", R"("execution":3000000000,"code":200)");
  log +=
      metered_line(20 * kSecond, "a", "watch", "/api/v1/pods?watch=1", R"("init":1000000,"end":1700000025000000000)");
  log += metered_line(21 * kSecond, "a", "watch", "/api/v1/pods?watch=1", R"("init":1000000)");
  log += metered_line(22 * kSecond, "a", "create", "/api/v1/namespaces/x/pods", R"("execution":30000000,"code":409)");
  log += metered_line(40 * kSecond, "a", "get", "/api/v1/namespaces/x/configmaps/c", R"("execution":1000000)");
  ReplayOptions options;
  options.version = *KubeVersion::parse(version);
  options.config = bootstrap_config(options.version);
  for (PriorityLevel& level : options.config.priority_levels) {
    if (level.meta.name != "workload-low") continue;
    level.limited->nominal_concurrency_shares = 1;
    level.limited->queuing = Queuing{1, 1, 4};
  }
  options.server_concurrency_limit = seats;
  options.borrowing = Borrowing::off;
  options.metrics = true;
  options.logs = {folder.write("trace.jsonl", log)};
  return replay(options);
}

const MetricFamily* family(const ReplayReport& report, const std::string& name) {
  for (const MetricFamily& f : report.metrics)
    if (f.name == "apiserver_" + name) return &f;
  return nullptr;
}

// Of the series whose labels contain all of `labels` ("verb=GET").
std::vector<const MetricSeries*> series(const ReplayReport& report, const std::string& name,
                                        const std::vector<std::string>& labels) {
  std::vector<const MetricSeries*> out;
  const MetricFamily* const f = family(report, name);
  if (!f) return out;
  for (const MetricSeries& s : f->series) {
    std::size_t found = 0;
    for (const auto& [label, value] : s.labels)
      found += std::count(labels.begin(), labels.end(), label + "=" + value) > 0;
    if (found == labels.size()) out.push_back(&s);
  }
  return out;
}

double value(const ReplayReport& report, const std::string& name, const std::vector<std::string>& labels) {
  const auto found = series(report, name, labels);
  REQUIRE(found.size() == 1);
  return found.front()->value;
}

bool shown(const ReplayReport& report, const char* name) {
  return family(report, std::string("flowcontrol_") + name) != nullptr;
}

std::vector<double> bounds(const ReplayReport& report, const char* name) {
  std::vector<double> out;
  for (const MetricBucket& bucket : family(report, std::string("flowcontrol_") + name)->series.front().buckets)
    if (!std::isinf(bucket.bound)) out.push_back(bucket.bound);
  return out;
}

std::size_t buckets(const ReplayReport& report, const char* name) {
  return family(report, std::string("flowcontrol_") + name)->series.front().buckets.size();
}

}  // namespace

TEST_CASE("names of metrics by release", "[replay][metrics][releases]") {
  struct Row {
    const char* name;
    int first, last;
  };
  const Row rows[] = {
      {"dispatched_requests_total", 23, 38},
      {"current_r", 23, 38},
      {"work_estimated_seats", 24, 38},
      {"priority_level_seat_utilization", 25, 38},
      {"priority_level_request_count_samples", 23, 24},
      {"priority_level_request_count_watermarks", 23, 24},
      {"priority_level_seat_count_samples", 23, 24},
      {"priority_level_seat_count_watermarks", 23, 24},
      {"read_vs_write_request_count_samples", 23, 24},
      {"read_vs_write_request_count_watermarks", 23, 24},
      {"read_vs_write_current_requests", 25, 38},
      {"nominal_limit_seats", 26, 38},
      {"demand_seats", 26, 38},
      {"seat_fair_frac", 26, 38},
      {"current_executing_seats", 28, 38},
      {"request_concurrency_limit", 23, 30},
      {"request_concurrency_in_use", 23, 31},
  };
  for (int minor = kOldestReplayed.minor; minor <= kNextKubeVersion.minor; ++minor) {
    const ReplayReport report = crowd(("1." + std::to_string(minor)).c_str());
    for (const Row& row : rows) {
      INFO(row.name << " in 1." << minor);
      CHECK(shown(report, row.name) == (row.first <= minor && minor <= row.last));
    }
    CHECK((family(report, "dropped_requests_total") != nullptr) == false);  // nothing is refused
  }
}

TEST_CASE("labels and buckets of metrics by release", "[replay][metrics][releases]") {
  const ReplayReport first = crowd("1.23"), former = crowd("1.27"), newest = crowd("1.36");
  CHECK(series(first, "flowcontrol_request_execution_seconds", {"type=watch"}).empty());
  CHECK_FALSE(series(former, "flowcontrol_request_execution_seconds", {"type=watch"}).empty());
  CHECK(buckets(former, "request_execution_seconds") == 13);
  CHECK(buckets(newest, "request_execution_seconds") == 14);
  CHECK(buckets(former, "work_estimated_seats") == 5);
  CHECK(buckets(newest, "work_estimated_seats") == 9);
  CHECK(bounds(former, "work_estimated_seats") == std::vector<double>{1, 2, 4, 10});
  CHECK(bounds(newest, "work_estimated_seats") == std::vector<double>{1, 2, 4, 8, 16, 32, 64, 100});
  CHECK(bounds(newest, "request_queue_length_after_enqueue") ==
        std::vector<double>{0, 10, 25, 50, 100, 250, 500, 1000});
  // The exempt level has no seats before 1.28, but its requests are counted.
  const std::vector<std::string> exempt = {"priority_level=exempt"};
  CHECK(series(former, "flowcontrol_nominal_limit_seats", exempt).empty());
  CHECK(series(former, "flowcontrol_current_executing_requests", exempt).empty());
  CHECK_FALSE(series(former, "flowcontrol_dispatched_requests_total", exempt).empty());
  CHECK_FALSE(series(newest, "flowcontrol_nominal_limit_seats", exempt).empty());
}

TEST_CASE("counts are sampled once a millisecond before 1.25", "[replay][metrics][releases]") {
  const ReplayReport report = crowd("1.24");
  // One seat in use from 1 to 13 s and from 13 to 16 s, by a request of the only level that others than root use; then
  // for a millisecond twice, for 30 and for 1 ms: 15,033 of 39,001 ends of milliseconds.
  const std::vector<std::string> level = {"priority_level=workload-low", "phase=executing"};
  const auto seats = series(report, "flowcontrol_priority_level_seat_count_samples", level);
  REQUIRE(seats.size() == 1);
  CHECK(seats[0]->buckets.size() == 12);
  CHECK(seats[0]->sum == Approx(15'033).margin(3));
  const auto marks = series(report, "flowcontrol_priority_level_seat_count_watermarks", level);
  REQUIRE(marks.size() == 2);
  CHECK(marks[0]->labels.at(0) == std::pair<std::string, std::string>("mark", "high"));
  CHECK(marks[0]->sum >= marks[1]->sum);
  CHECK(marks[0]->buckets.back().count == seats[0]->buckets.back().count);
  // Of numbers of requests, not of parts.
  const auto writes =
      series(report, "flowcontrol_read_vs_write_request_count_samples", {"phase=executing", "request_kind=mutating"});
  REQUIRE(writes.size() == 1);
  CHECK(writes[0]->sum == Approx(30).margin(1));
}

TEST_CASE("demand is a part of the nominal limit before 1.28", "[replay][metrics][releases]") {
  const auto mean = [](const char* version, int seats) {
    const ReplayReport report = crowd(version, seats);
    const MetricSeries& s = *series(report, "flowcontrol_demand_seats", {"priority_level=workload-low"}).front();
    return s.sum / static_cast<double>(s.buckets.back().count);
  };
  for (const int seats : {1, 600}) {
    INFO(seats);
    CHECK(mean("1.27", seats) == Approx(mean("1.28", seats)).epsilon(0.01));  // without borrowing both are the same
  }
  // The level has 5 of 600 seats: the same demand is a fifth of them.
  CHECK(mean("1.27", 600) < mean("1.27", 1) / 3);
}

TEST_CASE("metrics of requests", "[replay][metrics]") {
  const ReplayReport report = crowd("1.36");
  CHECK(value(report, "request_total", {"verb=GET", "resource=configmaps", "scope=resource", "code=200"}) == 2);
  CHECK(value(report, "request_total", {"verb=LIST", "group=apps", "resource=deployments", "scope=cluster"}) == 1);
  CHECK(value(report, "request_total", {"verb=POST", "resource=pods", "scope=resource", "code=409"}) == 1);
  CHECK(value(report, "request_total", {"verb=GET", "resource=", "subresource=/healthz"}) == 1);
  // A watch is counted when it is over; the other one is open.
  CHECK(value(report, "request_total", {"verb=WATCH", "resource=pods"}) == 1);
  CHECK(value(report, "longrunning_requests", {"verb=WATCH", "resource=pods"}) == 1);
  const auto durations = series(report, "request_duration_seconds", {"verb=LIST"});
  REQUIRE(durations.size() == 1);
  CHECK(durations.front()->sum == Approx(14));  // it waits 11 s
  CHECK(durations.front()->buckets.size() == 24);
  CHECK(series(report, "request_duration_seconds", {"verb=WATCH"}).front()->sum == Approx(5));
}

TEST_CASE("refused requests are terminated, and answered before 1.25", "[replay][metrics][releases]") {
  for (const char* version : {"1.24", "1.36"}) {
    const Folder folder("apf-release-metrics-");
    std::string log;
    for (int i = 0; i < 3; ++i) log += metered_line(i, "a", "get", "/api/v1/nodes/n", R"("execution":1000000000)");
    ReplayOptions options;
    options.version = *KubeVersion::parse(version);  // nothing but catch-all, which has no queues
    options.server_concurrency_limit = 1;
    options.metrics = true;
    options.logs = {folder.write("trace.jsonl", log)};
    const ReplayReport report = replay(options);
    INFO(version);
    CHECK(value(report, "request_terminations_total", {"verb=GET", "resource=nodes", "code=429"}) == 2);
    const bool former = options.version.minor == 24;
    CHECK(series(report, "request_total", {"code=429"}).size() == (former ? 1 : 0));
    CHECK((family(report, "dropped_requests_total") != nullptr) == former);
    if (former) CHECK(value(report, "dropped_requests_total", {"request_kind=readOnly"}) == 2);
  }
}

TEST_CASE("labels of a request", "[replay][metrics]") {
  const auto labels = [](const char* method, const char* uri) {
    RequestView view;
    parse_request_view(method, uri, view);
    const Endpoint e = endpoint_of(view);
    return e.verb + " " + e.group + "/" + e.version + " " + e.resource + "/" + e.subresource + " " + e.scope;
  };
  CHECK(labels("GET", "/api/v1/pods") == "LIST /v1 pods/ cluster");
  CHECK(labels("GET", "/api/v1/namespaces/a/pods") == "LIST /v1 pods/ namespace");
  CHECK(labels("GET", "/api/v1/namespaces/a/pods/p") == "GET /v1 pods/ resource");
  CHECK(labels("GET", "/api/v1/namespaces/a/pods/p/log") == "CONNECT /v1 pods/log resource");
  CHECK(labels("POST", "/apis/apps/v1/namespaces/a/deployments") == "POST apps/v1 deployments/ resource");
  CHECK(labels("DELETE", "/apis/apps/v1/namespaces/a/deployments") ==
        "DELETECOLLECTION apps/v1 deployments/ namespace");
  CHECK(labels("PATCH", "/api/v1/nodes/n/status") == "PATCH /v1 nodes/status resource");
  CHECK(labels("GET", "/readyz/etcd") == "GET / //readyz ");
  CHECK(labels("GET", "/readyzz") == "GET / / ");
}
