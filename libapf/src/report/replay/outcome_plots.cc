// How requests fared, as a bar.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "report/core/html_markup.h"
#include "report/replay/outcome_columns.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"served", "served at once"},
    {"after", "served after a wait"},
    {"full", "refused: queue full"},
    {"over", "refused: no queue and over the limit, or by admission"},
    {"late", "refused: waited too long"}};

std::string_view words_of(std::string_view mark) {
  const auto at =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& row) { return row.first == mark; });
  return at == std::end(kWords) ? mark : at->second;
}

}  // namespace

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
      out += fmt::format("<path class=\"{}\" d=\"M{} 1h{}v10h-{}Z\"><title>{}: {}</title></path>", style,
                         svg_number(at), svg_number(std::max(width, 0.5)), svg_number(std::max(width, 0.5)),
                         words_of(style), grouped(count));
    at += width;
  }
  return out + "</svg>";
}

std::string outcomes_key() {
  std::string out = "<ul class=\"key\">";
  for (const auto& [mark, words] : kWords)
    out += fmt::format("<li><svg viewBox=\"0 0 22 10\"><path class=\"{}\" d=\"M0 0h22v10H0Z\"/></svg>{}</li>", mark,
                       words);
  return out + "</ul>\n";
}

}  // namespace apf
