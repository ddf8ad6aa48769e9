#include "base/time_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/json_value.h"
#include "base/scrape_line.h"

namespace apf {

namespace {

constexpr double kLeastMilliseconds = 1e11;  // seconds are fewer, until the year 5138

// Of seconds with a fraction, or of milliseconds.
std::optional<Nanos> instant_of(double number) {
  const double milliseconds = number >= kLeastMilliseconds ? number : number * 1000;
  if (!(milliseconds >= 0 && milliseconds < 9e12)) return std::nullopt;
  return static_cast<Nanos>(std::llround(milliseconds)) * kMillisecond;
}

std::string series_name(std::string_view metric, const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string out(metric);
  const char* before = "{";
  for (const auto& [label, value] : labels) {
    if (label == "__name__") continue;
    out.append(std::exchange(before, ",")).append(label).append("=\"");
    for (const char c : value) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '\\' || c == '"') out += '\\';
      out += c;
    }
    out += '"';
  }
  return before[0] == ',' ? out + "}" : out;
}

// Puts together what is known of each series.
class Collected {
 public:
  void add(const std::string& name, Nanos time, double value) { samples_[name].push_back({time, value}); }
  std::vector<TimeSeries> take() {
    std::vector<TimeSeries> out;
    for (auto& [name, samples] : samples_) {
      const auto earlier = [](const TimeSeries::Sample& a, const TimeSeries::Sample& b) { return a.time < b.time; };
      if (!std::is_sorted(samples.begin(), samples.end(), earlier))
        std::stable_sort(samples.begin(), samples.end(), earlier);
      out.push_back({name, std::move(samples)});
    }
    return out;
  }

 private:
  std::map<std::string, std::vector<TimeSeries::Sample>> samples_;
};

// --- JSON -------------------------------------------------------------------------------------------

std::optional<double> number_of(const JsonValue& value) {
  if (const auto number = value.real()) return number;
  const auto text = value.text();
  double out = 0;
  return text && read_sample(*text, out) ? std::optional(out) : std::nullopt;
}

// The metric of a series; empty: it has no name.
std::string name_of(const JsonValue& metric) {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  const auto members = metric.members();
  if (!members) return {};
  for (const auto& [label, value] : *members) {
    const std::string text(value.text().value_or(""));
    if (label == "__name__") name = text;
    else labels.emplace_back(label, text);
  }
  return name.empty() ? name : series_name(name, labels);
}

// [TIME, "VALUE"]
void add_pair(const std::string& name, const JsonValue& pair, Collected& out) {
  const auto parts = pair.elements();
  if (!parts || parts->size() != 2) return;
  const auto time = (*parts)[0].real(), value = number_of((*parts)[1]);
  const auto at = time ? instant_of(*time) : std::nullopt;
  if (at && value) out.add(name, *at, *value);
}

// A series of an answer, or a line of VictoriaMetrics' export. False: it is something else.
bool add_json_series(const JsonValue& series, Collected& out, TimeSeriesAnswer& answer) {
  const auto metric = series.get("metric");
  if (!metric || !metric->is_object()) return false;
  const auto value = series.get("value"), values = series.get("values"), times = series.get("timestamps");
  if (!value && !values) return false;
  const std::string name = name_of(*metric);
  if (name.empty()) {
    ++answer.unnamed;
    return true;
  }
  if (value) add_pair(name, *value, out);
  const auto list = values ? values->elements() : std::nullopt;
  if (!list) return true;
  const auto at = times ? times->elements() : std::nullopt;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!at) {
      add_pair(name, (*list)[i], out);
      continue;
    }
    const auto number = number_of((*list)[i]);
    const auto time = i < at->size() ? (*at)[i].real() : std::nullopt;
    const auto instant = time ? instant_of(*time) : std::nullopt;
    if (number && instant) out.add(name, *instant, *number);
  }
  return true;
}

// A whole answer: {"status":…,"data":{"result":[…]}}, {"result":[…]}, or the list alone.
bool add_json_answer(const JsonValue& root, Collected& out, TimeSeriesAnswer& answer) {
  auto list = root.elements();
  if (!list) {
    const auto data = root.get("data");
    const auto result = data ? data->get("result") : root.get("result");
    if (!result) return add_json_series(root, out, answer);
    list = result->elements();
    if (!list) return false;
    if (list->empty()) return true;
  }
  bool any = false;
  for (const JsonValue& series : *list) any = add_json_series(series, out, answer) || any;
  return any;
}

bool read_json(std::string_view text, Collected& out, TimeSeriesAnswer& answer) {
  const JsonDocument whole(text);
  if (!whole.error()) return add_json_answer(whole.root(), out, answer);
  constexpr std::size_t kMostBefore = 3;
  bool any = false;  // one a line
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (without_blanks(line).empty()) continue;
    const JsonDocument document(line);
    if (!document.error() && add_json_answer(document.root(), out, answer)) any = true;
    else answer.skipped.push_back(number);
    if (!any && answer.skipped.size() > kMostBefore) return false;
  }
  return any;
}

// --- text -------------------------------------------------------------------------------------------

// {__name__="metric", label="value"} or metric{label="value"}. `rest` is then what follows.
bool take_series(std::string_view line, std::string& name, std::string_view& rest) {
  ScrapeLine parsed;
  const std::string braced = line.starts_with('{') ? "x" + std::string(line) : std::string(line);
  std::string_view behind = braced;
  if (!take_metric(behind, parsed)) return false;
  std::string_view metric = parsed.metric;
  if (braced.size() != line.size()) metric = parsed.label("__name__");
  name = metric.empty() ? std::string() : series_name(metric, parsed.labels);
  rest = line.substr(line.size() - behind.size());
  return true;
}

// VALUE @[TIME]
bool take_sample(std::string_view text, Nanos& time, double& value) {
  const std::size_t at = text.find(" @[");
  double seconds = 0;
  if (at == text.npos || !text.ends_with(']') || !read_sample(text.substr(0, at), value)) return false;
  if (!read_sample(text.substr(at + 3, text.size() - at - 4), seconds)) return false;
  const auto instant = instant_of(seconds);
  time = instant.value_or(0);
  return instant.has_value();
}

class TextReader {
 public:
  explicit TextReader(TimeSeriesAnswer& answer) : answer_(answer) {}
  // False: it is none of these lines.
  bool line(std::string_view text, Collected& out) {
    Nanos time = 0;
    double value = 0;
    if (take_sample(text, time, value)) {  // of a range, below its series
      if (!name_.empty()) out.add(name_, time, value);
      return true;
    }
    std::string_view rest;
    if (!take_series(text, name_, rest)) return false;
    rest = without_blanks(rest);
    if (rest.starts_with("=>")) {
      if (name_.empty()) ++answer_.unnamed;
      rest = without_blanks(rest.substr(2));
      if (rest.empty()) return true;
      if (!take_sample(rest, time, value)) return false;
    } else if (!take_dumped(rest, time, value)) {
      scrape_ = scrape_ || read_sample(rest, value);
      return false;
    }
    if (!name_.empty()) out.add(name_, time, value);
    return true;
  }
  // A series without a time was there: a scrape has some with a time, too.
  bool is_scrape() const { return scrape_; }

 private:
  // VALUE TIME, of dumps, OpenMetrics and federation.
  static bool take_dumped(std::string_view text, Nanos& time, double& value) {
    const std::size_t blank = text.find_first_of(" \t");
    double number = 0;
    if (blank == text.npos || !read_sample(text.substr(0, blank), value)) return false;
    std::string_view rest = without_blanks(text.substr(blank));
    rest = without_blanks(rest.substr(0, rest.find('#')));  // an exemplar
    if (!read_sample(rest, number) || number < 1e8) return false;
    const auto instant = instant_of(number);
    time = instant.value_or(0);
    return instant.has_value();
  }

  TimeSeriesAnswer& answer_;
  std::string name_;
  bool scrape_ = false;
};

bool read_text(std::string_view text, Collected& out, TimeSeriesAnswer& answer) {
  constexpr std::size_t kMostBefore = 8;  // a prompt, a heading
  TextReader reader(answer);
  bool any = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = without_blanks(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (line.empty() || line[0] == '#') continue;
    if (reader.line(line, out)) any = true;
    else answer.skipped.push_back(number);
    if (reader.is_scrape()) return false;
    if (!any && answer.skipped.size() > kMostBefore) return false;
  }
  return any;
}

}  // namespace

std::optional<TimeSeriesAnswer> parse_time_series(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return std::nullopt;
  TimeSeriesAnswer answer;
  Collected found;
  const bool json = (text[begin] == '{' && !text.substr(begin).starts_with("{__name__")) || text[begin] == '[';
  if (json ? !read_json(text.substr(begin), found, answer) : !read_text(text, found, answer)) return std::nullopt;
  answer.series = found.take();
  return answer;
}

void append_as_scrape(const TimeSeries& series, Nanos from, Nanos to, std::string& out) {
  const auto later = [](Nanos time, const TimeSeries::Sample& sample) { return time < sample.time; };
  auto at = std::upper_bound(series.samples.begin(), series.samples.end(), to, later);
  if (at == series.samples.begin() || (--at)->time < from) return;
  out += fmt::format("{} {} {}\n", series.name, at->value, at->time / kMillisecond);
}

std::string_view as_scrape(std::string_view text, std::string& kept) {
  const std::optional<TimeSeriesAnswer> answer = parse_time_series(text);
  if (!answer) return text;
  kept.clear();
  for (const TimeSeries& series : answer->series) append_as_scrape(series, INT64_MIN, INT64_MAX, kept);
  return kept;
}

}  // namespace apf
