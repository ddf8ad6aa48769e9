// How requests fared, as a bar.
#include <algorithm>

#include <fmt/core.h>

#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/outcome_columns.h"

namespace apf {

std::string outcome_svg(const RequestTally& tally) {
  if (tally.requests == 0) return {};
  const std::uint64_t waited = waited_and_served(tally);
  std::vector<std::pair<std::string_view, std::uint64_t>> parts = {{"served", tally.executed() - waited},
                                                                   {"after", waited}};
  for (const OutcomeRow& row : refusals()) {
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const auto& known) { return known.first == row.mark; });
    if (part == parts.end()) parts.emplace_back(row.mark, tally.outcomes[row.outcome]);
    else part->second += tally.outcomes[row.outcome];
  }
  std::string out = "<svg viewBox=\"0 0 120 12\" aria-hidden=\"true\">";
  double at = 0;
  for (const auto& [style, count] : parts) {
    const double width = 120.0 * static_cast<double>(count) / static_cast<double>(tally.requests);
    if (count > 0)
      out += fmt::format("<path class=\"{}\" d=\"M{} 1h{}v10h-{}Z\"/>", style, svg_number(at),
                         svg_number(std::max(width, 0.5)), svg_number(std::max(width, 0.5)));
    at += width;
  }
  return out + "</svg>";
}

std::string outcomes_key() {
  return "<ul class=\"key\"><li><svg viewBox=\"0 0 22 10\"><path class=\"served\" d=\"M0 0h22v10H0Z\"/></svg>served at "
         "once</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"after\" d=\"M0 0h22v10H0Z\"/></svg>served after a wait</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"full\" d=\"M0 0h22v10H0Z\"/></svg>refused: queue full</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"over\" d=\"M0 0h22v10H0Z\"/></svg>refused: no queue and over "
         "the limit, or by admission</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"late\" d=\"M0 0h22v10H0Z\"/></svg>refused: waited too "
         "long</li></ul>\n";
}

}  // namespace apf
