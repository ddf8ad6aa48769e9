// Metrics as Prometheus reads them (text format 0.0.4): the server's own, and ours for what it has not.

#include <apf/output.h>
#include <apf/replays_report.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace apf {

namespace {

using Type = MetricFamily::Type;

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Quotes, backslashes, line ends and what cannot be seen are escaped; what is no UTF-8 is replaced.
std::string label_value(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    const char first = text[at];
    if (!c.valid) out += "\xEF\xBF\xBD";
    else if (first == '\n') out += "\\n";
    else if (first == '"' || first == '\\') (out += '\\') += first;
    else if (first != '\t' && is_invisible(c.value)) {
      for (const char shown : printable(text.substr(at, c.length))) out.append(shown == '\\' ? 2 : 1, shown);
    } else out += text.substr(at, c.length);
    at += c.length;
  }
  return out;
}

std::string metric_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::string out;
  append_json_double(out, value);
  return out;
}

// {label="value",le="…"}; nothing without labels. `le`: empty, or the bound of a bucket.
std::string metric_labels(const MetricLabels& labels, const std::string& le) {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& value) {
    out += (out.empty() ? '{' : ',') + name + "=\"" + value + '"';
  };
  for (const auto& [label, text] : labels) add(label, label_value(text));
  if (!le.empty()) add("le", le);
  return out.empty() ? out : out + '}';
}

void write_sample(std::string& out, const std::string& name, const MetricLabels& labels, const std::string& le,
                  const std::string& value) {
  out += name + metric_labels(labels, le) + ' ' + value + '\n';
}

void write_series(std::string& out, const std::string& name, Type type, const MetricSeries& series) {
  if (type != Type::histogram) {
    write_sample(out, name, series.labels, "", metric_number(series.value));
    return;
  }
  for (const MetricBucket& bucket : series.buckets)
    write_sample(out, name + "_bucket", series.labels, metric_number(bucket.bound), std::to_string(bucket.count));
  write_sample(out, name + "_sum", series.labels, "", metric_number(series.sum));
  write_sample(out, name + "_count", series.labels, "",
               std::to_string(series.buckets.empty() ? 0 : series.buckets.back().count));
}

void write_family(std::string& out, const MetricFamily& family) {
  const char* type = family.type == Type::counter ? "counter" : family.type == Type::gauge ? "gauge" : "histogram";
  out += "# HELP " + family.name + ' ' + family.help + '\n';
  out += "# TYPE " + family.name + ' ' + type + '\n';
  for (const MetricSeries& series : family.series) write_series(out, family.name, family.type, series);
}

// What kube-apiserver has no metrics for: what became of the log.
class OwnMetrics {
 public:
  explicit OwnMetrics(const ReplayReport& report) : report_(report) {}
  std::vector<MetricFamily> take() {
    counts("apfctl_left_out_requests_total", "Requests of the log that never reach API Priority and Fairness.",
           report_.left_out);
    counts("apfctl_unusable_lines_total", "Lines of the log without a request.", report_.unusable);
    add("apfctl_requests_total", "Requests found in the log.", Type::counter, static_cast<double>(report_.requests));
    add("apfctl_late_requests_total", "Requests that came so late in the log that they were replayed late.",
        Type::counter, static_cast<double>(report_.out_of_window));
    add("apfctl_flows", "Flows that the requests belong to.", Type::gauge, static_cast<double>(report_.flows));
    add("apfctl_watches_peak", "Watches that were open at once, at most.", Type::gauge,
        static_cast<double>(report_.watches_peak));
    if (!report_.in_flight)
      add("apfctl_server_concurrency_limit_seats", "Seats of the server.", Type::gauge,
          report_.server_concurrency_limit);
    if (report_.first_arrival)
      instant("apfctl_first_arrival_timestamp_seconds", "When the first request arrived.", *report_.first_arrival);
    if (report_.last_arrival)
      instant("apfctl_last_arrival_timestamp_seconds", "When the last request arrived.", *report_.last_arrival);
    seat_seconds();
    stages();
    in_flight();
    agreement();
    spread();
    return std::move(families_);
  }

 private:
  MetricSeries& add(const char* name, const char* help, Type type, double value) {
    families_.push_back({name, help, type, {}});
    MetricSeries& series = families_.back().series.emplace_back();
    series.value = value;
    return series;
  }
  void instant(const char* name, const char* help, Nanos time) {
    add(name, help, Type::gauge, static_cast<double>(time) / 1e9);
  }
  void counts(const char* name, const char* help, const std::map<std::string, std::uint64_t>& by_reason) {
    if (by_reason.empty()) return;
    families_.push_back({name, help, Type::counter, {}});
    for (const auto& [reason, count] : by_reason) {
      MetricSeries& series = families_.back().series.emplace_back();
      series.labels = {{"reason", reason}};
      series.value = static_cast<double>(count);
    }
  }
  void seat_seconds() {
    families_.push_back(
        {"apfctl_seat_seconds_total", "Seats that executed requests held, multiplied by how long.", Type::counter, {}});
    for (const SchemaReport& schema : report_.schemas) {
      if (schema.tally.executed() == 0) continue;
      MetricSeries& series = families_.back().series.emplace_back();
      series.labels = {{"flow_schema", schema.name}, {"priority_level", schema.priority_level}};
      series.value = schema.tally.seat_seconds;
    }
    if (families_.back().series.empty()) families_.pop_back();
  }

  void stages() {
    if (report_.stages.empty()) return;
    families_.push_back({"apfctl_stage_requests_total",
                         "Requests by stage of the admission pipeline and outcome there.",
                         Type::counter,
                         {}});
    for (const StageReport& stage : report_.stages) {
      const std::pair<const char*, std::uint64_t> outcomes[] = {{"bypassed", stage.bypassed},
                                                                {"passed", stage.passed - stage.delayed},
                                                                {"delayed", stage.delayed},
                                                                {"refused", stage.refused}};
      for (const auto& [outcome, count] : outcomes) {
        MetricSeries& series = families_.back().series.emplace_back();
        series.labels = {{"stage", to_string(stage.stage)}, {"outcome", outcome}};
        series.value = static_cast<double>(count);
      }
    }
  }
  // The one metric that a server without API Priority and Fairness has, too.
  void in_flight() {
    if (!report_.in_flight) return;
    families_.push_back({"apiserver_current_inflight_requests",
                         "Most requests in flight within the last whole second, by kind.",
                         Type::gauge,
                         {}});
    for (const bool read_only : {false, true}) {
      const InFlightReport::Kind& kind = read_only ? report_.in_flight->read_only : report_.in_flight->mutating;
      MetricSeries& series = families_.back().series.emplace_back();
      series.labels = {{"request_kind", read_only ? "readOnly" : "mutating"}};
      series.value = kind.series.last_second;
    }
  }
  void agreement() {
    const RecordedReport& r = report_.recorded;
    if (r.compared == 0) return;
    add("apfctl_compared_requests_total",
        "Requests of which the log records where they went or whether they were refused.", Type::counter,
        static_cast<double>(r.compared));
    add("apfctl_agreeing_requests_total",
        "Requests that go to the same level as in the log and are served, or refused, in both.", Type::counter,
        static_cast<double>(r.agreed));
    families_.push_back(
        {"apfctl_outcomes_total", "Requests by outcome in the log and in the replay.", Type::counter, {}});
    const char* const names[] = {"served", "refused-at-once", "refused-after-wait"};
    for (int log = 0; log < 3; ++log) {
      for (int here = 0; here < 3; ++here) {
        if (r.outcomes[log][here] == 0) continue;
        MetricSeries& series = families_.back().series.emplace_back();
        series.labels = {{"log", names[log]}, {"replay", names[here]}};
        series.value = static_cast<double>(r.outcomes[log][here]);
      }
    }
    if (families_.back().series.empty()) families_.pop_back();
  }
  void spread_of(const char* name, const char* help, double (*least)(const Spread::Level&),
                 double (*most)(const Spread::Level&)) {
    families_.push_back({name, help, Type::gauge, {}});
    for (const Spread::Level& level : report_.spread.levels) {
      if (level.name.empty()) continue;
      for (const bool upper : {false, true}) {
        MetricSeries& series = families_.back().series.emplace_back();
        series.labels = {{"priority_level", level.name}, {"bound", upper ? "max" : "min"}};
        series.value = upper ? most(level) : least(level);
      }
    }
  }
  void spread() {
    if (report_.spread.runs == 0) return;
    using OfLevel = const Spread::Level&;
    add("apfctl_spread_replays", "Replays that were compared.", Type::gauge, report_.spread.runs);
    spread_of(
        "apfctl_spread_rejected_requests", "Least and most requests refused in these replays.",
        [](OfLevel l) { return static_cast<double>(l.rejected_least); },
        [](OfLevel l) { return static_cast<double>(l.rejected_most); });
    spread_of(
        "apfctl_spread_wait_mean_seconds", "Least and greatest mean wait in these replays.",
        [](OfLevel l) { return l.mean_wait_least / 1e9; }, [](OfLevel l) { return l.mean_wait_most / 1e9; });
    spread_of(
        "apfctl_spread_wait_p99_seconds", "Least and greatest 99th percentile of waits in these replays.",
        [](OfLevel l) { return static_cast<double>(l.p99_least) / 1e9; },
        [](OfLevel l) { return static_cast<double>(l.p99_most) / 1e9; });
  }

  const ReplayReport& report_;
  std::vector<MetricFamily> families_;
};

void take_in(std::map<std::string, MetricFamily>& all, std::vector<MetricFamily> families, const std::string& server) {
  for (MetricFamily& family : families) {
    for (MetricSeries& series : family.series)
      if (!server.empty()) series.labels.emplace_back("server", server);
    const auto [it, is_new] = all.try_emplace(family.name, family);
    if (is_new) continue;
    auto& series = it->second.series;
    series.insert(series.end(), family.series.begin(), family.series.end());
  }
}

}  // namespace

std::string render_metrics(std::span<const ReplayReport> servers) {
  std::map<std::string, MetricFamily> all;
  for (const ReplayReport& report : servers) {
    take_in(all, report.metrics, report.server);
    take_in(all, OwnMetrics(report).take(), report.server);
  }
  std::string out;
  for (const auto& [name, family] : all) write_family(out, family);
  return out;
}

}  // namespace apf
