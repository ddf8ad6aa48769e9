// What is kept of a run beside the report: metrics and curves over time; and several servers.
#include <apf/config.h>
#include <apf/error.h>
#include <apf/output.h>
#include <apf/replay.h>

#include <cmath>
#include <filesystem>

#include "catch.h"
#include "replay/books/histograms.h"
#include "replay/books/series_book.h"
#include "support/folder.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string request(Nanos time, const std::string& user, const char* verb, Nanos execution, int seats = 1) {
  JsonWriter json;
  json.begin_object()
      .field("time", time)
      .field("user", user)
      .key("groups")
      .begin_array()
      .value("system:serviceaccounts")
      .end_array();
  json.field("verb", verb).field("uri", "/api/v1/namespaces/a/pods").field("execution", execution);
  json.key("seats").begin_object().field("initial", seats).end_object().end_object();
  return json.take() + "\n";
}

ReplayOptions options_of(const std::string& log) {
  ReplayOptions options;
  options.logs = {log};
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 20;
  options.borrowing = Borrowing::off;  // workload-low has 9 seats
  options.metrics = options.series = true;
  options.threads = 1;
  return options;
}

const MetricSeries* series_of(const ReplayReport& report, const std::string& name, const std::string& label,
                              const std::string& value) {
  for (const MetricFamily& family : report.metrics) {
    if (family.name != name) continue;
    for (const MetricSeries& series : family.series)
      for (const auto& [l, v] : series.labels)
        if (l == label && v == value) return &series;
  }
  return nullptr;
}

const MetricSeries& low_series(const ReplayReport& report, const std::string& name) {
  const MetricSeries* found = series_of(report, "apiserver_flowcontrol_" + name, "priority_level", "workload-low");
  REQUIRE(found);
  return *found;
}

std::uint64_t up_to(const MetricSeries& series, double bound) {
  for (const MetricBucket& bucket : series.buckets)
    if (bucket.bound == bound) return bucket.count;
  FAIL("no bucket " << bound);
  return 0;
}

// 12 requests of a second at once: 9 run, 3 wait for them; a second later one that is 5 seats wide.
std::string crowd() {
  std::string log;
  for (int i = 0; i < 12; ++i) log += request(0, "u" + std::to_string(i), i < 4 ? "create" : "get", kSecond);
  return log;
}

}  // namespace

TEST_CASE("a count is sampled at the end of each millisecond, with its least and most", "[replay][metrics]") {
  constexpr double kBounds[] = {0, 1};
  TimingRatio ratio(kBounds);
  ratio.start(0);
  ratio.take_samples();
  ratio.add(kMillisecond / 2, 1);
  ratio.add(kMillisecond * 5 / 2, -1);
  ratio.add(kMillisecond * 13 / 5, 2);
  ratio.advance(4 * kMillisecond);
  const CountSamples& of = *ratio.samples();
  CHECK(of.samples().count() == 4);
  CHECK(of.samples().sum() == 1 + 1 + 2 + 2);
  CHECK(of.low().sum() == 0 + 1 + 0 + 2);
  CHECK(of.high().sum() == 1 + 1 + 2 + 2);
  CHECK(of.low().count() == 4);
}

TEST_CASE("bounds of buckets are inclusive", "[replay][metrics]") {
  constexpr double kBounds[] = {0, 1, 10};
  BucketCounts counts(kBounds);
  for (const double value : {0.0, 0.5, 1.0, 1.5, 10.0, 11.0}) counts.add(value);
  CHECK(std::vector<std::uint64_t>(counts.counts().begin(), counts.counts().end()) ==
        std::vector<std::uint64_t>{1, 2, 2, 1});
  CHECK(counts.sum() == 24);
}

TEST_CASE("a timing ratio counts nanoseconds", "[replay][metrics]") {
  constexpr double kBounds[] = {0, 0.5, 1};
  TimingRatio ratio(kBounds);
  ratio.start(100);
  ratio.set_denominator(100, 4);
  ratio.add(110, 2);               // 10 ns of 0
  ratio.add(130, 3);               // 20 ns of 0.5
  ratio.set_denominator(135, 10);  // 5 ns of 1.25
  ratio.advance(142);              // 7 ns of 0.5
  ratio.advance(142);
  CHECK(std::vector<std::uint64_t>(ratio.times().counts().begin(), ratio.times().counts().end()) ==
        std::vector<std::uint64_t>{10, 27, 0, 5});
  CHECK(ratio.times().count() == 42);
  CHECK(ratio.times().sum() == Approx(20 * 0.5 + 5 * 1.25 + 7 * 0.5));
}

TEST_CASE("metrics of a crowd", "[replay][metrics]") {
  const Folder folder("apf-books-unit-");
  const ReplayReport report = replay(options_of(folder.write("log", crowd())));
  CHECK(low_series(report, "dispatched_requests_total").value == 12);
  const MetricSeries& wait = low_series(report, "request_wait_duration_seconds");
  CHECK(up_to(wait, 0) == 9);
  CHECK(up_to(wait, 0.5) == 9);
  CHECK(up_to(wait, 1) == 12);
  CHECK(wait.sum == Approx(3));
  const MetricSeries& execution = low_series(report, "request_execution_seconds");
  CHECK(up_to(execution, 0.5) == 0);
  CHECK(up_to(execution, 1) == 12);
  // Every one came into a queue; an empty queue has length 1 then.
  const MetricSeries& length = low_series(report, "request_queue_length_after_enqueue");
  CHECK(up_to(length, 0) == 0);
  CHECK(up_to(length, 10) == 12);
  CHECK(length.sum >= 12);
  // 1 s of 12 seats wanted, 1 s of 3, of a limit of 9.
  const MetricSeries& demand = low_series(report, "demand_seats");
  CHECK(demand.buckets.back().count == 2'000'000'000);
  CHECK(up_to(demand, 1.2) == 1'000'000'000);
  CHECK(demand.sum == Approx((12.0 / 9 + 3.0 / 9) * 1e9));
  const MetricSeries& seats = low_series(report, "priority_level_seat_utilization");
  CHECK(up_to(seats, 0.99) == 1'000'000'000);
  CHECK(up_to(seats, 1) == 2'000'000'000);
  const MetricSeries* writes =
      series_of(report, "apiserver_flowcontrol_read_vs_write_current_requests", "request_kind", "mutating");
  REQUIRE(writes);
  CHECK(writes->buckets.back().count == 2'000'000'000);
  // Four writes, which nobody watches.
  CHECK(low_series(report, "watch_count_samples").buckets.back().count == 4);
  CHECK(low_series(report, "watch_count_samples").sum == 0);
  CHECK(low_series(report, "current_executing_seats").value == 0);
  CHECK(low_series(report, "current_inqueue_requests").value == 0);
  CHECK(low_series(report, "nominal_limit_seats").value == 9);
  CHECK_FALSE(series_of(report, "apiserver_flowcontrol_rejected_requests_total", "priority_level", "workload-low"));
  CHECK_FALSE(series_of(report, "apiserver_flowcontrol_request_dispatch_no_accommodation_total", "priority_level",
                        "workload-low"));
}

TEST_CASE("a request that is too wide for the free seats is told of", "[replay][metrics]") {
  const Folder folder("apf-books-unit-");
  std::string log;
  for (int i = 0; i < 8; ++i) log += request(0, "u", "get", kSecond);
  log += request(kMillisecond, "wide", "get", kSecond, 2);  // one seat is free
  const ReplayReport report = replay(options_of(folder.write("log", log)));
  // It looks in vain when it arrives; then a seat becomes free and it fits.
  CHECK(low_series(report, "request_dispatch_no_accommodation_total").value == 1);
  CHECK(low_series(report, "work_estimated_seats").sum == 10);
  CHECK(up_to(low_series(report, "work_estimated_seats"), 1) == 8);
  CHECK(low_series(report, "dispatch_r").value > 0);
}

TEST_CASE("refusals and time-outs have their labels", "[replay][metrics]") {
  const Folder folder("apf-books-unit-");
  std::string log;
  for (int i = 0; i < 9 + 6 * 50 + 5; ++i) log += request(0, "one", "get", 100 * kSecond);
  const ReplayReport report = replay(options_of(folder.write("log", log)));
  const auto* full = series_of(report, "apiserver_flowcontrol_rejected_requests_total", "reason", "queue-full");
  const auto* late = series_of(report, "apiserver_flowcontrol_rejected_requests_total", "reason", "time-out");
  REQUIRE(full);
  REQUIRE(late);
  CHECK(full->value == 5);
  CHECK(late->value == 300);
  const auto* not_executed =
      series_of(report, "apiserver_flowcontrol_request_wait_duration_seconds", "execute", "false");
  const auto* executed = series_of(report, "apiserver_flowcontrol_request_wait_duration_seconds", "execute", "true");
  REQUIRE(not_executed);
  REQUIRE(executed);
  CHECK(not_executed->buckets.back().count == 5);
  CHECK(executed->buckets.back().count == 9 + 300);  // as the server does, time-outs with those let in
  CHECK(up_to(*executed, 10) == 9);
}

TEST_CASE("no metrics, no curves unless they are wanted", "[replay][metrics]") {
  const Folder folder("apf-books-unit-");
  ReplayOptions options = options_of(folder.write("log", crowd()));
  options.metrics = options.series = false;
  const ReplayReport report = replay(options);
  CHECK(report.metrics.empty());
  CHECK(report.series.levels.empty());
  CHECK(report.all_flows.empty());
}

TEST_CASE("curves: bins double their width, nothing is lost", "[replay][series]") {
  const Folder folder("apf-books-unit-");
  std::string log;
  constexpr int kRequests = 2000;
  for (int i = 0; i < kRequests; ++i)
    log += request(i * 700 * kMillisecond, "u" + std::to_string(i % 7), "get", 350 * kMillisecond, 2);
  const ReplayReport report = replay(options_of(folder.write("log", log)));
  const ReplaySeries& series = report.series;
  CHECK(series.begin == 0);
  CHECK(series.width == 4 * kSecond);  // 1,400 s in at most 512 bins
  const auto at =
      std::find_if(series.levels.begin(), series.levels.end(), [](const auto& l) { return l.name == "workload-low"; });
  REQUIRE(at != series.levels.end());
  CHECK(at->bins.size() == 350);
  std::uint64_t arrived = 0, dispatched = 0;
  for (const SeriesBin& bin : at->bins) {
    arrived += bin.arrived;
    dispatched += bin.dispatched;
    CHECK(bin.seats_max == 2);
    CHECK(bin.seats == Approx(1).epsilon(0.3));
    CHECK(bin.limit == Approx(9));
    CHECK(bin.nominal == Approx(9));
    CHECK(bin.waiting == 0);
  }
  CHECK(arrived == kRequests);
  CHECK(dispatched == kRequests);
}

TEST_CASE("curves of a short run, with waits and refusals", "[replay][series]") {
  const Folder folder("apf-books-unit-");
  const ReplayReport report = replay(options_of(folder.write("log", crowd())));
  CHECK(report.series.width == kNarrowestBin * 4);  // two seconds
  const auto at = std::find_if(report.series.levels.begin(), report.series.levels.end(),
                               [](const auto& l) { return l.name == "workload-low"; });
  REQUIRE(at != report.series.levels.end());
  CHECK(at->bins.front().seats == Approx(9));
  CHECK(at->bins.front().waiting == Approx(3));
  CHECK(at->bins.front().waiting_max == 3);
  double wait = 0;
  std::uint64_t waits = 0;
  for (const SeriesBin& bin : at->bins) {
    wait += bin.wait_sum;
    waits += bin.waits;
  }
  CHECK(wait == Approx(3));
  CHECK(waits == 12);
  CHECK(at->bins.back().waiting == 0);
}

TEST_CASE("who is refused at once is in no curve of waits", "[replay][series]") {
  const Folder folder("apf-books-unit-");
  ReplayOptions options = options_of(folder.write("log", crowd()));
  for (PriorityLevel& level : options.config.priority_levels) {
    if (level.meta.name != "workload-low") continue;
    level.limited->limit_response = "Reject";
    level.limited->queuing.reset();
  }
  const ReplayReport report = replay(options);
  CHECK(report.total.rejected() == 3);
  std::uint64_t waits = 0, dispatched = 0;
  for (const LevelSeries& level : report.series.levels)
    for (const SeriesBin& bin : level.bins) waits += bin.waits, dispatched += bin.dispatched;
  CHECK(dispatched == 9);
  CHECK(waits == 9);
}

TEST_CASE("a log of decades makes no more bins than one of seconds", "[replay][series]") {
  const Folder folder("apf-books-unit-");
  const Nanos years = 40LL * 365 * 24 * 3600 * kSecond;
  ReplayOptions options =
      options_of(folder.write("log", request(0, "u", "get", kSecond) + request(years, "u", "get", kSecond)));
  options.reorder_window = kSecond;
  const ReplayReport report = replay(options);
  CHECK(report.series.levels.front().bins.size() <= kSeriesBins);
  CHECK(report.series.width * static_cast<Nanos>(kSeriesBins) > years);
}

TEST_CASE("several servers: each as if alone, sums where they are right", "[replay][servers]") {
  const Folder folder("apf-books-unit-");
  std::string second;
  for (int i = 0; i < 5; ++i) second += request(i * kSecond, "u1", "get", 100 * kMillisecond);
  const ReplayOptions one = options_of(folder.write("one", crowd()));
  const ReplayOptions two = options_of(folder.write("two", second));
  const ReplayReport alone = replay(one);
  std::vector<ReplayOptions> each = {one, two};
  each[0].server = "a";
  each[1].server = "b";
  for (ReplayOptions& o : each) o.decisions_path = folder.path + "/decisions";
  std::string first_decisions;
  for (const int threads : {1, 2, 7}) {
    const ServersReport report = replay_servers(each, threads);
    REQUIRE(report.servers.size() == 2);
    CHECK(report.servers[0].server == "a");
    CHECK(report.servers[0].total.requests == alone.total.requests);
    CHECK(report.servers[0].total.wait.quantile(0.99) == alone.total.wait.quantile(0.99));
    CHECK(report.total.summed == 2);
    CHECK(report.total.requests == 17);
    CHECK(report.total.total.executed() == 17);
    CHECK(report.total.total.wait.count() == 17);
    CHECK(report.total.total.wait.max() == kSecond);
    CHECK(report.total.total.seat_seconds == Approx(12.5));
    CHECK(report.total.flows == 12);  // u1 is a flow of both
    CHECK(report.total.first_arrival == 0);
    CHECK(report.total.last_arrival == 4 * kSecond);
    const std::string decisions = folder.read("decisions");
    CHECK(std::count(decisions.begin(), decisions.end(), '\n') == 17);
    CHECK(decisions.find("{\"server\":\"a\",\"seq\":0") == 0);
    if (first_decisions.empty()) first_decisions = decisions;
    CHECK(decisions == first_decisions);
  }
}

TEST_CASE("an error of one server is the error of all, and leaves no file", "[replay][servers]") {
  const Folder folder("apf-books-unit-");
  std::vector<ReplayOptions> each = {options_of(folder.write("one", crowd())), options_of(folder.path + "/missing")};
  each[0].server = "a";
  each[1].server = "b";
  for (ReplayOptions& o : each) o.timeline_path = folder.path + "/timeline";
  CHECK_THROWS_AS(replay_servers(each, 2), Error);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), std::filesystem::directory_iterator()) == 1);
}

TEST_CASE("counts up to a value of a distribution", "[replay]") {
  DurationDistribution d;
  CHECK(d.count_up_to(kSecond) == 0);
  for (const Nanos value : {Nanos{0}, Nanos{0}, kMillisecond, 10 * kMillisecond, kSecond}) d.add(value);
  CHECK(d.count_up_to(-1) == 0);
  CHECK(d.count_up_to(0) == 2);
  CHECK(d.count_up_to(kMicrosecond) == 2);
  CHECK(d.count_up_to(2 * kMillisecond) == 3);
  CHECK(d.count_up_to(500 * kMillisecond) == 4);
  CHECK(d.count_up_to(kSecond) == 5);
  CHECK(d.count_up_to(INT64_MAX) == 5);
}
