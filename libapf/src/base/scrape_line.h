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

// metric{label="value",…} number [timestamp]. False: it is none.
bool parse_scrape_line(std::string_view line, ScrapeLine& out);

// Without blanks and a carriage return at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace apf
