// Samples of a server's series over time: the first and the last of them as scrapes, and the course between them.
#include <apf/error.h>
#include <apf/input.h>
#include <apf/server.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/scrape_line.h"
#include "base/time_series.h"

namespace apf {

namespace {

using Samples = std::vector<TimeSeries::Sample>;

constexpr std::string_view kFlowControl = "apiserver_flowcontrol_", kStart = "process_start_time_seconds";
constexpr std::string_view kRejected = "apiserver_flowcontrol_rejected_requests_total",
                           kWaiting = "apiserver_flowcontrol_current_inqueue_requests";

std::string_view metric_of(const TimeSeries& series) {
  return std::string_view(series.name).substr(0, series.name.find('{'));
}

bool is_of_server(const TimeSeries& series) {
  const std::string_view metric = metric_of(series);
  return metric.starts_with(kFlowControl) || metric == "apiserver_current_inflight_requests";
}

bool is_counter(std::string_view metric) {
  return metric.ends_with("_total") || metric.ends_with("_count") || metric.ends_with("_bucket");
}

std::string instance_of(const TimeSeries& series) {
  ScrapeLine line;
  const std::string whole = series.name + " 0";
  return parse_scrape_line(whole, line) ? std::string(line.label("instance")) : std::string();
}

// The latest sample before which a counter fell, or another process began.
std::optional<Nanos> last_restart(const std::vector<TimeSeries>& all) {
  const auto server = std::find_if(all.begin(), all.end(), is_of_server);
  const std::string instance = server == all.end() ? std::string() : instance_of(*server);
  std::optional<Nanos> out;
  for (const TimeSeries& series : all) {
    const bool start = metric_of(series) == kStart && instance_of(series) == instance;
    if (!start && (!is_of_server(series) || !is_counter(metric_of(series)))) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const double before = series.samples[i - 1].value, now = series.samples[i].value;
      if (start ? now > before + 1 : now < before) out = std::max(out.value_or(INT64_MIN), series.samples[i].time);
    }
  }
  return out;
}

std::string as_of(const std::vector<TimeSeries>& all, Nanos from, Nanos to) {
  std::string out;
  for (const TimeSeries& series : all) append_as_scrape(series, from, to, out);
  return out;
}

// The sum of series at each instant at which any has a sample; where one has none it is as it was.
void add_to(Samples& sum, const Samples& more) {
  Samples out;
  std::size_t a = 0, b = 0;
  while (a < sum.size() || b < more.size()) {
    const Nanos time = a == sum.size()    ? more[b].time
                       : b == more.size() ? sum[a].time
                                          : std::min(sum[a].time, more[b].time);
    while (a < sum.size() && sum[a].time <= time) ++a;
    while (b < more.size() && more[b].time <= time) ++b;
    out.push_back({time, (a > 0 ? sum[a - 1].value : 0) + (b > 0 ? more[b - 1].value : 0)});
  }
  sum = std::move(out);
}

// A counter that the server had not touched yet has no sample: it was 0 when others have theirs.
Samples from_zero(const Samples& samples, const std::set<Nanos>& instants) {
  Samples out = samples;
  const auto at = instants.lower_bound(samples.front().time);
  if (at != instants.begin()) out.insert(out.begin(), {*std::prev(at), 0.0});
  return out;
}

std::vector<ScrapeCourse> courses_of(const std::vector<TimeSeries>& all) {
  std::set<Nanos> instants;
  for (const TimeSeries& series : all)
    if (is_of_server(series))
      for (const TimeSeries::Sample& sample : series.samples) instants.insert(instants.end(), sample.time);
  std::map<std::string, std::pair<Samples, Samples>> levels;  // waiting, rejected
  for (const TimeSeries& series : all) {
    const std::string_view metric = metric_of(series);
    if (metric != kRejected && metric != kWaiting) continue;
    ScrapeLine line;
    const std::string whole = series.name + " 0";
    if (!parse_scrape_line(whole, line)) continue;
    auto& [waiting, rejected] = levels[std::string(line.label("priority_level"))];
    if (metric == kWaiting) add_to(waiting, series.samples);
    else add_to(rejected, from_zero(series.samples, instants));
  }
  const auto samples = [](const Samples& from) {
    std::vector<ScrapeCourse::Sample> out;
    for (const TimeSeries::Sample& sample : from) out.push_back({sample.time, sample.value});
    return out;
  };
  std::vector<ScrapeCourse> out;
  for (const auto& [level, of] : levels) out.push_back({level, samples(of.first), samples(of.second)});
  return out;
}

}  // namespace

ScrapeRange parse_scrape_range(std::string_view given, const std::string& name) {
  std::string kept;
  const std::string_view text = inflated(given, name, kept);
  ScrapeRange out;
  const std::optional<TimeSeriesAnswer> answer = parse_time_series(text);
  out.after = parse_part_of_scrape(text, name);
  if (!answer) return out;
  Nanos first = INT64_MAX, last = INT64_MIN;
  for (const TimeSeries& series : answer->series) {
    if (!is_of_server(series)) continue;
    first = std::min(first, series.samples.front().time);
    last = std::max(last, series.samples.back().time);
  }
  if (first >= last) return out;
  out.restarted = last_restart(answer->series);
  const Nanos begin = std::max(first, out.restarted.value_or(first));
  out.courses = courses_of(answer->series);
  const std::vector<std::string> skipped = std::move(out.after.skipped);
  out.after = parse_part_of_scrape(as_of(answer->series, begin, last), name);
  out.after.skipped = skipped;
  const std::string earlier = as_of(answer->series, out.restarted ? begin : INT64_MIN, begin);
  if (begin < last && earlier.find(kFlowControl) != earlier.npos) {
    out.before = parse_part_of_scrape(earlier, name);
    // Of one query: what had no sample had not happened.
    out.before->families.insert(out.after.families.begin(), out.after.families.end());
  }
  return out;
}

}  // namespace apf
