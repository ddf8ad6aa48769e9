// Findings about configurations, for people and for programs: what validating and linting answer.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/diagnostic.h>
#include <apf/report.h>
#include <apf/traffic.h>
#include <apf/version.h>

namespace apf {

// What was looked at. How many findings there are of each severity is counted from the findings themselves.
struct FindingsSummary {
  std::size_t files = 0, objects = 0;
  std::size_t skipped = 0;     // objects of other kinds
  std::size_t suppressed = 0;  // findings that comments or a baseline silence
};

// By finding, what a log holds of it; empty without a log.
using FindingsTraffic = std::vector<std::optional<Traffic>>;

// Each finding with the line it stands in and a mark below it. `texts` are those the configuration came from.
APF_API std::string render_text(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts,
                                const TextStyle& style, const FindingsTraffic& traffic = {});

// One line: {"findings":[…],"summary":{…}}.
APF_API std::string render_json(const std::vector<Diagnostic>& findings, const FindingsSummary& summary,
                                const FindingsTraffic& traffic = {});

}  // namespace apf
