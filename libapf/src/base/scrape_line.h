// One line of a scrape: Prometheus' text format (0.0.4) and OpenMetrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/time.h>

namespace apf {

struct ScrapeLine {
  std::string_view metric;  // into the line
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;           // may be infinite
  std::optional<Nanos> time;  // of the text format, in milliseconds there
  std::string_view label(std::string_view name) const;
};

// metric{label="value",…} number [timestamp], or, as queries answer, {__name__="metric",…} number. False: it is none.
bool parse_scrape_line(std::string_view line, ScrapeLine& out);
// The metric and its labels alone; `line` is then what follows them. False: there is nothing of that, or nothing after
// it.
bool take_metric(std::string_view& line, ScrapeLine& out);

// Without blanks at both ends, and without carriage returns at the second one.
std::string_view without_blanks(std::string_view text);
// A number, between blanks, with a sign or without; infinities and NaN too.
bool read_sample(std::string_view text, double& out);

}  // namespace apf
