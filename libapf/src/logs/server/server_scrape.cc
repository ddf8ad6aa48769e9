// What kube-apiserver's own counters say of the requests that it served and refused (k8s.io/apiserver,
// pkg/util/flowcontrol/metrics, releases 1.20 to 1.36).
#include <apf/error.h>
#include <apf/input.h>
#include <apf/server.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/core.h>

#include "base/json_value.h"
#include "base/releases.h"
#include "base/scrape_line.h"
#include "base/time_series.h"
#include "logs/server/server_dump.h"

namespace apf {

namespace {

constexpr std::string_view kPrefix = "apiserver_flowcontrol_";
constexpr std::string_view kInFlight = "apiserver_current_inflight_requests";
constexpr std::string_view kDropped[] = {"apiserver_dropped_requests_total", "apiserver_request_terminations_total"};
constexpr std::string_view kServerSeats = "apfctl_server_concurrency_limit_seats";
// A server that has served anything writes these; whoever greps for some metrics hardly names them all.
constexpr std::string_view kAlways[] = {"dispatched_requests_total", "request_execution_seconds",
                                        "request_wait_duration_seconds"};
// Some histograms of a level count nanoseconds: 30 years of them.
constexpr double kMostCounted = 1e18;
using Series = ServerScrape::Series;

// Counters, and gauges of seats; other gauges of a level may be negative, or no number. So may the sums of ratios, such
// as read_vs_write_current_requests: a server adds 0/0 where there is no limit.
bool is_amount(std::string_view metric) {
  for (const std::string_view end : {"_total", "_count", "_bucket", "_seats", "_limit", "_in_use", "_seconds_sum"})
    if (metric.ends_with(end)) return true;
  return metric.ends_with("_estimated_seats_sum");
}

// Bounds are numbers; "+Inf" is infinite.
double bound_of(const ScrapeLine& line) {
  const std::string text = "x " + std::string(line.label("le"));
  ScrapeLine number;
  return parse_scrape_line(text, number) ? number.value : NAN;
}

void add_histogram(const ScrapeLine& line, std::string_view part, double& sum, double& count,
                   std::map<double, double>* buckets) {
  if (part == "_sum") sum += line.value;
  if (part == "_count") count += line.value;
  if (part != "_bucket" || !buckets) return;
  if (const double bound = bound_of(line); !std::isnan(bound)) (*buckets)[bound] += line.value;
}

// Newer names count; the older ones, where a release has no other. `older`: nominal limits and seats by those.
struct Older {
  std::map<std::string, double> nominal;
  std::map<std::pair<std::string, std::string>, double> seats;
};

struct Reading {
  ServerScrape& out;
  Older older;
  bool has_seats = false, has_queued_seats = false;
};

// Gauges of a level under their own names.
struct LevelGauge {
  std::string_view name;
  std::optional<double> ServerScrape::Level::*value;
};
constexpr LevelGauge kLevelGauges[] = {
    {"nominal_limit_seats", &ServerScrape::Level::nominal},
    {"current_limit_seats", &ServerScrape::Level::current},
    {"lower_limit_seats", &ServerScrape::Level::lower},
    {"upper_limit_seats", &ServerScrape::Level::upper},
    {"demand_seats_high_watermark", &ServerScrape::Level::demand_most},
    {"demand_seats_average", &ServerScrape::Level::demand_mean},
    {"demand_seats_smoothed", &ServerScrape::Level::demand_smoothed},
};

// Histograms over time: each nanosecond is one observation.
constexpr std::string_view kClockHistograms[] = {"priority_level_seat_utilization_count", "demand_seats_count"};

// 1.19 and older have names of labels in camel case.
std::string label_of(const ScrapeLine& line, std::string_view name, std::string_view older) {
  const std::string_view value = line.label(name);
  return std::string(value.empty() ? line.label(older) : value);
}
std::string level_of(const ScrapeLine& line) { return label_of(line, "priority_level", "priorityLevel"); }

void add_gauge(const ScrapeLine& line, std::string_view name, Reading& to) {
  const std::string level = level_of(line);
  for (const LevelGauge& gauge : kLevelGauges)
    if (name == gauge.name) to.out.levels[level].*gauge.value = line.value;
  if (name == "request_concurrency_limit") to.older.nominal[level] = line.value;
  for (const std::string_view clock : kClockHistograms)
    if (name == clock) to.out.age = std::max(to.out.age.value_or(0), line.value / 1e9);
}

void add_series(const ScrapeLine& line, std::string_view name, Reading& to) {
  const std::string schema = label_of(line, "flow_schema", "flowSchema"), level = level_of(line);
  if (schema.empty() && level.empty()) return;  // of nothing
  const auto series = [&]() -> Series& { return to.out.series[{schema, level}]; };
  const auto part_of = [&](std::string_view family) {
    return name.starts_with(family) ? name.substr(family.size()) : std::string_view();
  };
  if (name == "dispatched_requests_total") {
    series().dispatched += line.value;
  } else if (name == "rejected_requests_total") {
    series().rejected += line.value;
    series().rejected_by[std::string(line.label("reason"))] += line.value;
  } else if (name == "request_dispatch_no_accommodation_total") {
    series().not_accommodated += line.value;
  } else if (name == "current_executing_requests") {
    series().executing += line.value;
  } else if (name == "current_inqueue_requests") {
    series().queued += line.value;
  } else if (name == "current_executing_seats") {
    to.has_seats = true;
    series().executing_seats += line.value;
  } else if (name == "current_inqueue_seats") {
    to.has_queued_seats = true;
    series().queued_seats += line.value;
  } else if (name == "request_concurrency_in_use") {
    to.older.seats[{schema, level}] += line.value;
  } else if (const auto run = part_of("request_execution_seconds"); !run.empty()) {
    add_histogram(line, run, series().execution_sum, series().execution_count, &series().execution_buckets);
  } else if (const auto width = part_of("work_estimated_seats"); !width.empty()) {
    add_histogram(line, width, series().seats_sum, series().seats_count, &series().seats_buckets);
  } else if (const auto wait = part_of("request_wait_duration_seconds");
             !wait.empty() && line.label("execute") != "false") {
    add_histogram(line, wait, series().wait_sum, series().wait_count, &series().wait_buckets);
  } else {
    add_gauge(line, name, to);
  }
}

// What older releases say under other names, or not at all.
void complete(Reading& reading) {
  ServerScrape& out = reading.out;
  for (const auto& [level, seats] : reading.older.nominal)
    if (!out.levels[level].nominal) out.levels[level].nominal = seats;
  out.whole = (out.has("nominal_limit_seats") || out.has("request_concurrency_limit")) &&
              std::all_of(std::begin(kAlways), std::end(kAlways), [&](auto family) { return out.has(family); });
  if (!reading.has_seats)
    for (auto& [key, series] : out.series) series.executing_seats = series.executing;
  if (!reading.has_seats)
    for (const auto& [key, seats] : reading.older.seats) out.series[key].executing_seats = seats;
  for (auto& [key, series] : out.series) {
    if (!reading.has_queued_seats) series.queued_seats = series.queued;
    out.levels[key.second].executing_seats += series.executing_seats;
  }
}

// Without the ends that a histogram's series have.
std::string_view family_of(std::string_view metric) {
  for (const std::string_view end : {"_bucket", "_sum", "_count"})
    if (metric.ends_with(end)) return metric.substr(0, metric.size() - end.size());
  return metric;
}

// A row of a table that has no text of its own, and the fence around a block of code.
bool is_rule(std::string_view line) { return line.find_first_not_of("-|: `") == line.npos; }

// Without the colours that grep writes, and the mark that some programs put before a text.
std::string_view plain(std::string_view text, std::string& kept) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find('\x1b') == text.npos) return text;
  kept.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') kept += text[at];
    else if (at + 1 < text.size() && text[at + 1] == '[')  // up to the letter that ends it
      at = std::min(text.find_first_not_of("0123456789;", at + 2), text.size());
  }
  return kept;
}

// A series as people paste it: behind a line's number or the file name that grep writes, in a list, or in the first
// cell of a table whose second one is the number.
std::string pasted_series(std::string_view line) {
  std::size_t at = line.find(kPrefix);
  if (at != line.npos && at > 0 && line[at - 1] == '"') at = line.rfind('{', at);  // {__name__="…"}
  if (at == line.npos || (at > 0 && std::string_view(":| `\t").find(line[at - 1]) == std::string_view::npos)) return {};
  std::string out(without_blanks(line.substr(at)));
  while (out.ends_with('|') || out.ends_with(' ') || out.ends_with('`')) out.pop_back();
  const std::size_t labels = out.rfind('}');
  for (std::size_t i = labels == out.npos ? 0 : labels; i < out.size(); ++i)
    if (out[i] == '|' || out[i] == '`') out[i] = ' ';
  return out;
}

// What a text is in which no line is a series, and what to do about it.
std::string looks_like(std::string_view text) {
  const std::string_view first = without_blanks(text.substr(0, text.find('\n')));
  if (text.find("\"resultType\"") != text.npos)
    return "a Prometheus answer whose series have no names, as sum() and rate() leave them: query the series "
           "themselves, as {__name__=~\"apiserver_flowcontrol_.*\"}, or";
  if (text.find("\"errorType\"") != text.npos) return "an error of Prometheus: correct the query, or";
  if (first.starts_with("\"Time\",") || first.starts_with("Time,"))
    return "a table exported from Grafana, whose cells do not say of which metric they are: ask its Prometheus for "
           "{__name__=~\"apiserver_flowcontrol_.*\"} itself and save the JSON, or";
  if (first.starts_with('{') || first.starts_with('[')) return "JSON;";
  if (first.starts_with('<')) return "a page of HTML or XML;";
  if (first.starts_with("\xFF\xFE") || first.starts_with("\xFE\xFF"))
    return "UTF-16 text (iconv -f UTF-16 -t UTF-8 converts it);";
  if (first.starts_with("Error") || first.starts_with("error")) return "an error message: " + std::string(first) + ";";
  return "no scrape;";
}

// Labels that a scraper adds.
constexpr std::string_view kTargetLabels[] = {"__name__",  "instance",  "job",    "endpoint",   "service",
                                              "namespace", "pod",       "node",   "container",  "cluster",
                                              "apiserver", "component", "region", "prometheus", "prometheus_replica"};

// The same for the same series, whatever its labels' order and scraper.
std::string series_key(const ScrapeLine& line) {
  std::vector<std::string> labels;
  for (const auto& [name, text] : line.labels)
    if (std::find(std::begin(kTargetLabels), std::end(kTargetLabels), name) == std::end(kTargetLabels))
      labels.push_back(fmt::format("{}={}:{}", name, text.size(), text));
  std::sort(labels.begin(), labels.end());
  std::string out(line.metric);
  for (const std::string& label : labels) out += ' ' + label;
  return out;
}

class ScrapeReader {
 public:
  explicit ScrapeReader(const std::string& name) { out_.name = name; }

  // Of an answer of a time series database the last samples.
  ServerScrape read(std::string_view given) {
    std::string kept;
    const std::string_view text = plain(given, kept);
    const std::optional<TimeSeriesAnswer> answer = parse_time_series(text);
    std::string last;
    if (!answer) return read_lines(text);
    for (const TimeSeries& series : answer->series) append_as_scrape(series, INT64_MIN, INT64_MAX, last);
    ServerScrape out = read_lines(last);
    for (const std::size_t line : answer->skipped)
      out.skipped.push_back(fmt::format("{}:{}: this is not a series with samples", out.name, line));
    if (answer->unnamed > 0)
      out.skipped.push_back(
          fmt::format("{}: {} of the answer {} not name a metric: query the counters of the server themselves, "
                      "without sum, rate or histogram_quantile",
                      out.name, answer->unnamed == 1 ? "1 series" : fmt::format("{} series", answer->unnamed),
                      answer->unnamed == 1 ? "does" : "do"));
    return out;
  }

 private:
  ServerScrape read_lines(std::string_view text) {
    std::string_view before;
    std::size_t number = 0;
    constexpr std::size_t kPasted = 20;  // lines, at most
    bool is_answer = false;
    while (!text.empty()) {
      const std::size_t newline = text.find('\n');
      const std::string_view line = without_blanks(text.substr(0, newline));
      const bool is_last = newline == text.npos;
      text.remove_prefix(is_last ? text.size() : newline + 1);
      number_ = ++number;
      is_answer = is_answer || number > kPasted || line.starts_with("# TYPE ");
      if (line.empty() || line[0] == '#') continue;
      if (is_answer && is_last) {
        out_.skipped.push_back(fmt::format(
            "{}:{}: the scrape is cut off in this line; save the answer of GET /metrics as it is", out_.name, number));
      } else if (is_rule(line)) {
        // The row before it has the titles of the columns.
        if (before.find('|') != before.npos && skipped_ == number - 1) out_.skipped.pop_back();
      } else {
        read_line(line);
      }
      before = line;
    }
    tell_again();
    complete(reading_);
    settle_instance();
    return std::move(out_);
  }

  void read_line(std::string_view whole) {
    const std::string pasted = whole.starts_with(kPrefix) && whole.find('|') == whole.npos ? "" : pasted_series(whole);
    ScrapeLine line;
    if (!pasted.empty() && parse_scrape_line(pasted, line)) take(line);
    else if (parse_scrape_line(whole, line) && !is_cut(line)) take(line);
    else skip();
  }

  // Of a series of priority levels whose beginning is missing.
  static bool is_cut(const ScrapeLine& line) {
    return !line.metric.starts_with("apiserver_") && !line.metric.starts_with("apfctl_") && !level_of(line).empty();
  }

  void skip() {
    skipped_ = number_;
    out_.skipped.push_back(
        fmt::format("{}:{}: this is not a line of a /metrics scrape; save the answer of GET /metrics as it is",
                    out_.name, number_));
  }

  void take(const ScrapeLine& line) {
    const bool counts = line.metric.starts_with(kPrefix), in_flight = line.metric == kInFlight;
    take_dropped(line);
    const bool other = line.metric == "process_start_time_seconds" || line.metric == "kubernetes_build_info";
    if (line.metric == kServerSeats) out_.server_seats = line.value;
    if (!counts && !other && !in_flight) return;
    if (line.time && (counts || in_flight)) out_.time = std::max(out_.time.value_or(*line.time), *line.time);
    const std::string of(line.label("instance"));
    if (line.metric == "process_start_time_seconds") starts_[of] = line.value;
    if (line.metric == "kubernetes_build_info") versions_[of] = line.label("git_version");
    if (in_flight) out_.in_flight[std::string(line.label("request_kind"))] = line.value;
    if (!counts) return;
    if (is_amount(line.metric) && !(line.value >= 0 && line.value <= kMostCounted))
      throw Error(
          fmt::format("{}:{}: {} is not a number of requests, seats or seconds; save the answer of GET /metrics as "
                      "it is",
                      out_.name, number_, line.value));
    if (!instance_.empty() && !of.empty() && of != instance_)
      throw SeveralServers(
          fmt::format("{} has series of several servers ({} and {}); give a scrape of the one that wrote the log, or "
                      "query for one: {{instance=\"{}\"}}",
                      out_.name, instance_, of, instance_));
    if (!of.empty()) instance_ = of;
    if (!series_.insert(series_key(line)).second) {
      if (again_++ == 0) first_again_ = number_;
      return;
    }
    const std::string_view name = line.metric.substr(kPrefix.size());
    out_.families.emplace(family_of(name));
    add_series(line, name, reading_);
  }

  // Releases until 1.24 have both; the later one also counts requests that timed out (504).
  void take_dropped(const ScrapeLine& line) {
    if (line.metric == kDropped[0]) {
      if (!dropped_by_kind_) out_.dropped.clear();
      dropped_by_kind_ = true;
    } else if (line.metric != kDropped[1] || dropped_by_kind_ || line.label("code") != "429") {
      return;
    }
    if (line.value >= 0 && line.value <= kMostCounted)
      out_.dropped[std::string(line.label("request_kind"))] += line.value;
  }

  // Whoever pastes two scrapes, or one twice, has each series twice.
  void tell_again() {
    if (again_ == 0) return;
    out_.skipped.push_back(
        fmt::format("{}:{}: {} there already: only the first line of a series counts", out_.name, first_again_,
                    again_ == 1 ? "this series is" : fmt::format("this and {} more series are", again_ - 1)));
  }

  // A database has the starts and releases of other programs, too.
  void settle_instance() {
    for (const std::string& of : {std::string(), instance_}) {
      if (const auto at = starts_.find(of); at != starts_.end()) out_.process_start = at->second;
      if (const auto at = versions_.find(of); at != versions_.end()) out_.version = at->second;
    }
  }

  ServerScrape out_;
  Reading reading_{out_, {}, false, false};
  std::unordered_set<std::string> series_;
  bool dropped_by_kind_ = false;
  std::size_t again_ = 0, first_again_ = 0;  // series that were there; the line of the first of them
  std::string instance_;
  std::map<std::string, double> starts_;         // by instance
  std::map<std::string, std::string> versions_;  // the same
  std::size_t number_ = 0, skipped_ = 0;         // lines
};

}  // namespace

namespace {

// Whoever picks out families hardly picks several of other names, and none of flow control. A server that limits
// requests by levels shows their limits, and what they do.
bool lacks_levels(std::string_view text, const ServerScrape& scrape) {
  constexpr std::string_view kType = "# TYPE ";
  constexpr int kFamilies = 3;
  int families = 0;
  bool in_flight = false;
  for (std::size_t at = text.find(kType); at != text.npos; at = text.find(kType, at + 1)) {
    ++families;
    in_flight = in_flight || text.substr(at + kType.size()).starts_with(kInFlight);
  }
  return in_flight && families >= kFamilies && scrape.levels.empty();
}

}  // namespace

ServerScrape parse_part_of_scrape(std::string_view given, const std::string& name) {
  std::string kept;
  const std::string_view text = inflated(given, name, kept);
  ServerScrape out = ScrapeReader(name).read(text);
  out.without_levels = lacks_levels(text, out);
  if (out.without_levels || !out.in_flight.empty()) return out;
  if (out.series.empty() && out.levels.empty()) refuse_failed_answer(JsonDocument(text), name);
  if (out.series.empty() && out.levels.empty() && !out.skipped.empty())
    throw Error(
        fmt::format("{} has no line of a /metrics scrape: it is {} save the answer of kubectl get --raw /metrics", name,
                    looks_like(text)));
  if (out.series.empty() && out.levels.empty())
    throw Error(name + (text.find("\"resultType\"") != text.npos ? " is a Prometheus answer that" : "") +
                " has no line of API Priority and Fairness (apiserver_flowcontrol_...): give a scrape of "
                "kube-apiserver's /metrics; a server with --enable-priority-and-fairness=false has none");
  return out;
}

std::optional<KubeVersion> newest_release_of(const ServerScrape& scrape) {
  constexpr std::pair<std::string_view, Feature> kShown[] = {
      {"request_concurrency_limit", Feature::concurrency_limit_metric},
      {"request_concurrency_in_use", Feature::concurrency_in_use_metric},
      {"nominal_limit_seats", Feature::borrowing},
      {"current_executing_seats", Feature::seat_gauges}};
  constexpr double kOldestWidest = 10;  // seats: the last bucket of old releases
  std::optional<bool> has_wide_buckets;
  for (const auto& [key, series] : scrape.series)
    for (const auto& [bound, count] : series.seats_buckets)
      has_wide_buckets = has_wide_buckets.value_or(false) || (bound > kOldestWidest && std::isfinite(bound));
  const std::vector<KubeVersion> releases = kube_versions();
  for (auto release = releases.rbegin(); release != releases.rend(); ++release) {
    if (has_wide_buckets && *has_wide_buckets != has(*release, Feature::hundred_seat_bucket)) continue;
    const bool fits = std::all_of(std::begin(kShown), std::end(kShown), [&](const auto& shown) {
      const auto& [family, feature] = shown;
      if (scrape.families.contains(family)) return has(*release, feature);
      return !scrape.whole || !has(*release, feature);
    });
    if (fits) return *release < kNewestKubeVersion ? std::optional(*release) : std::nullopt;
  }
  return std::nullopt;  // a server without a version shows what releases have hidden
}

ServerScrape parse_scrape(std::string_view given, const std::string& name) {
  std::string kept;
  const std::string_view text = inflated(given, name, kept);
  ServerScrape out = ScrapeReader(name).read(text);
  if (!out.skipped.empty()) throw Error(out.skipped.front());
  const bool dispatches = std::any_of(out.series.begin(), out.series.end(), [](const auto& entry) {
    return entry.second.dispatched + entry.second.rejected > 0;
  });
  if (!dispatches)
    throw Error(name +
                " has no counters of API Priority and Fairness (apiserver_flowcontrol_dispatched_requests_total): "
                "give a scrape of kube-apiserver's /metrics");
  return out;
}

}  // namespace apf
