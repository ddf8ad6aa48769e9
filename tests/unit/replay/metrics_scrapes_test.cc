// The metrics of a replay over time: what scrapes would have found.
#include <apf/config.h>
#include <apf/output.h>
#include <apf/replay.h>
#include <apf/report.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "replay/books/metrics_scrapes.h"

using namespace apf;

namespace {

// Requests of 2 s each, one every 100 ms: a level of 9 seats fills, then refuses.
class Log {
 public:
  explicit Log(int requests) {
    std::ofstream out(path_);
    for (int i = 0; i < requests; ++i) {
      JsonWriter json;
      json.begin_object().field("time", kSecond * 1000 + i * 100 * kMillisecond).field("user", "u");
      json.key("groups").begin_array().value("system:serviceaccounts").end_array();
      json.field("verb", "get").field("uri", "/api/v1/namespaces/a/pods/x").field("execution", "2s").end_object();
      out << json.take() << '\n';
    }
  }
  ~Log() { std::filesystem::remove(path_); }
  ReplayReport replayed(Nanos step) const {
    ReplayOptions options;
    options.logs = {path_.string()};
    options.config = bootstrap_config(kNewestKubeVersion);
    options.server_concurrency_limit = 20;
    options.borrowing = Borrowing::off;
    options.metrics = true;
    options.metrics_step = step;
    options.threads = 1;
    return replay(options);
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("apf-scrapes-unit-" + std::to_string(::getpid()) + ".jsonl");
};

const MetricCurve& curve(const ReplayReport& report, const std::string& name) {
  for (const MetricHistory& family : report.metrics_over_time.families) {
    if (family.name != name) continue;
    for (const MetricCurve& of : family.curves) {
      for (const auto& [label, value] : of.labels)
        if (label == "priority_level" && value == "workload-low") return of;
    }
  }
  FAIL("no " << name);
  throw 0;
}

double at(const ReplayReport& report, const MetricCurve& of, std::size_t scrape, std::size_t part = 0) {
  REQUIRE(scrape < report.metrics_over_time.times.size());
  return scrape < of.first ? -1 : of.values.at((scrape - of.first) * of.stride() + part);
}

}  // namespace

TEST_CASE("scrapes find what has happened before them", "[replay][metrics]") {
  const Log log(200);
  const ReplayReport report = log.replayed(kSecond);
  const std::vector<Nanos>& times = report.metrics_over_time.times;
  REQUIRE(times.size() > 21);
  CHECK(times[0] == 1000 * kSecond);
  for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] - times[i - 1] == kSecond);
  const MetricCurve& executing = curve(report, "apiserver_flowcontrol_current_executing_seats");
  // At 1 s the ten requests of before run, less what has no seat: the level has nine.
  CHECK(at(report, executing, 0) == -1);
  CHECK(at(report, executing, 1) == 9);
  CHECK(at(report, executing, 5) == 9);
  CHECK(at(report, executing, times.size() - 1) == 0);
  const MetricCurve& dispatched = curve(report, "apiserver_flowcontrol_dispatched_requests_total");
  CHECK(at(report, dispatched, 1) == 9);
  CHECK(at(report, dispatched, times.size() - 1) == static_cast<double>(report.total.executed()));
}

TEST_CASE("the last scrape is what the metrics of the whole run are", "[replay][metrics]") {
  const Log log(300);
  const ReplayReport report = log.replayed(7 * kSecond);
  std::size_t compared = 0;
  for (const MetricFamily& family : report.metrics) {
    for (const MetricSeries& series : family.series) {
      for (const MetricHistory& history : report.metrics_over_time.families) {
        if (history.name != family.name) continue;
        for (const MetricCurve& of : history.curves) {
          if (of.labels != series.labels) continue;
          ++compared;
          CHECK(of.values.size() == (report.metrics_over_time.times.size() - of.first) * of.stride());
          if (family.type != MetricFamily::Type::counter) continue;
          CHECK(of.values.back() == series.value);
        }
      }
    }
  }
  CHECK(compared > 50);
}

TEST_CASE("long runs get a multiple of the step, and the values of their instants", "[replay][metrics]") {
  const Log log(120);  // 12 s and more: 12,000 scrapes would be wanted
  const ReplayReport fine = log.replayed(kMillisecond), coarse = log.replayed(4 * kMillisecond);
  CHECK(fine.metrics_over_time.times.size() <= kMostScrapes);
  CHECK(fine.metrics_over_time.times.size() > kMostScrapes / 4);
  const std::vector<Nanos>&few = fine.metrics_over_time.times, &many = coarse.metrics_over_time.times;
  const std::size_t ratio = static_cast<std::size_t>((few[1] - few[0]) / (many[1] - many[0]));
  CHECK(ratio >= 1);
  for (const char* name :
       {"apiserver_flowcontrol_dispatched_requests_total", "apiserver_flowcontrol_request_wait_duration_seconds"}) {
    const MetricCurve &of_fine = curve(fine, name), &of_coarse = curve(coarse, name);
    for (std::size_t i = of_fine.first; i + 1 < few.size(); i += 7) {
      REQUIRE(few[i] == many[i * ratio]);
      CHECK(at(fine, of_fine, i) == at(coarse, of_coarse, i * ratio));
    }
  }
}

TEST_CASE("OpenMetrics text", "[replay][metrics]") {
  const Log log(30);
  const ReplayReport report = log.replayed(2 * kSecond);
  const std::string text = render_openmetrics({&report, 1});
  CHECK(text.ends_with("# EOF\n"));
  CHECK(text.find("# TYPE apiserver_flowcontrol_dispatched_requests counter\n") != std::string::npos);
  CHECK(text.find("apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"service-accounts\",priority_level="
                  "\"workload-low\"} 9 1002.000\n") != std::string::npos);
  CHECK(text.find("le=\"1.0\"} ") != std::string::npos);
  CHECK(text.find("le=\"+Inf\"} ") != std::string::npos);
  CHECK(text.find("le=\"1\"}") == std::string::npos);
}
