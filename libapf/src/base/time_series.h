// What time series databases answer and export, as series with their samples: the JSON of the HTTP APIs of Prometheus
// and VictoriaMetrics and of promtool, promtool's text, dumps of a database, OpenMetrics and federated series with
// times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/time.h>

namespace apf {

struct TimeSeries {
  struct Sample {
    Nanos time = 0;
    double value = 0;
  };
  std::string name;             // metric{label="value",…}, as a scrape writes it
  std::vector<Sample> samples;  // in order of time; not empty
};

struct TimeSeriesAnswer {
  std::vector<TimeSeries> series;
  std::size_t unnamed = 0;           // series without the name of a metric, as those of a rate or a sum
  std::vector<std::size_t> skipped;  // lines that are no series
};
// Nothing: the text is something else, such as a scrape, whose series have no times.
std::optional<TimeSeriesAnswer> parse_time_series(std::string_view text);

// The last samples as a scrape writes them, if the text is such an answer; else the text. `kept` holds what it points
// to.
std::string_view as_scrape(std::string_view text, std::string& kept);

// "metric{…} 1 1788877000500\n": of the last sample from `from` to `to`; nothing: there is none.
void append_as_scrape(const TimeSeries& series, Nanos from, Nanos to, std::string& out);

}  // namespace apf
