// Metrics over time as OpenMetrics text (1.0) with timestamps, which promtool turns into blocks of a database.
#include <cmath>
#include <map>

#include <apf/replays_report.h>
#include <fmt/core.h>

#include "base/sort_stably.h"
#include "report/replay/metrics_words.h"

namespace apf {

namespace {

constexpr std::string_view kTotalSuffix = "_total";

// Of a curve with the times of its server.
struct Source {
  const MetricCurve* curve;
  const std::vector<Nanos>* times;
  MetricLabels labels;
};
struct Family {
  const MetricHistory* history = nullptr;
  std::vector<Source> sources;
};

// Seconds with the milliseconds that a database keeps.
std::string timestamp(Nanos time) {
  const Nanos ms = time / kMillisecond;
  return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

// As OpenMetrics has it: 1.0, not 1.
std::string bound_text(double bound) {
  std::string text = metric_number(bound);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

std::string help_text(const std::string& help) {
  std::string out;
  for (const char c : help) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

void write_point(std::string& out, const std::string& name, const Source& source, std::size_t place) {
  const MetricCurve& curve = *source.curve;
  const std::string time = timestamp((*source.times)[curve.first + place]);
  const double* values = curve.values.data() + place * curve.stride();
  const auto sample = [&](const std::string& suffix, const std::string& le, double value) {
    out += name + suffix + metric_labels(source.labels, le) + ' ' + metric_number(value) + ' ' + time + '\n';
  };
  if (curve.bounds.empty()) return sample("", "", values[0]);
  for (std::size_t i = 0; i < curve.bounds.size(); ++i) sample("_bucket", bound_text(curve.bounds[i]), values[i]);
  sample("_count", "", values[curve.bounds.size() - 1]);
  sample("_sum", "", values[curve.bounds.size()]);
}

void write_family(std::string& out, const Family& family) {
  const MetricHistory& history = *family.history;
  const bool counter = history.type == MetricFamily::Type::counter;
  std::string name = history.name;
  const char* type = history.type == MetricFamily::Type::gauge       ? "gauge"
                     : history.type == MetricFamily::Type::histogram ? "histogram"
                                                                     : "counter";
  if (counter && name.ends_with(kTotalSuffix)) name.resize(name.size() - kTotalSuffix.size());
  else if (counter) type = "unknown";  // a counter's samples end in _total
  out += "# TYPE " + name + ' ' + type + "\n# HELP " + name + ' ' + help_text(history.help) + '\n';
  for (const Source& source : family.sources) {
    for (std::size_t i = 0; i * source.curve->stride() < source.curve->values.size(); ++i)
      write_point(out, history.name, source, i);
  }
}

}  // namespace

std::string render_openmetrics(std::span<const ReplayReport> servers) {
  std::map<std::string, Family> all;
  for (const ReplayReport& report : servers) {
    for (const MetricHistory& history : report.metrics_over_time.families) {
      Family& family = all[history.name];
      if (!family.history) family.history = &history;
      for (const MetricCurve& curve : history.curves) {
        Source source{&curve, &report.metrics_over_time.times, curve.labels};
        if (!report.server.empty()) source.labels.emplace_back("server", report.server);
        family.sources.push_back(std::move(source));
      }
    }
  }
  std::string out;
  for (auto& [name, family] : all) {
    sort_stably(family.sources, [](const Source& a, const Source& b) { return a.labels < b.labels; });
    write_family(out, family);
  }
  return out + "# EOF\n";
}

}  // namespace apf
