// How requests fared, as bars.
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "report/core/chart.h"
#include "report/core/units.h"
#include "report/replay/outcome_columns.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

constexpr std::pair<const char*, const char*> kRefusalParts[] = {
    {"full", "refused: queue full"},
    {"over", "refused: no queue and over the limit, or by admission"},
    {"late", "refused: waited too long"}};

Bars::Row outcomes_of(const std::string& name, const RequestTally& tally, const std::string& link) {
  const auto part = [](const char* style, std::uint64_t count, const char* words) {
    return Bars::Part{style, static_cast<double>(count), words};
  };
  const std::uint64_t waited = waited_and_served(tally);
  Bars::Row row{name, counted(tally.requests, "request", "requests"), link, static_cast<double>(tally.requests)};
  row.parts = {part("served", tally.executed() - waited, "served at once"),
               part("after", waited, "served after a wait")};
  for (const auto& [mark, words] : kRefusalParts) {
    std::uint64_t count = 0;
    for (const OutcomeRow& of : refusals()) count += mark == std::string_view(of.mark) ? tally.outcomes[of.outcome] : 0;
    row.parts.push_back(part(mark, count, words));
  }
  return row;
}

}  // namespace

Passage outcome_bars(const ReplayReport& report, const std::vector<const LevelReport*>& levels,
                     const std::string& prefix) {
  Bars bars("Part of the requests of each level", "How requests of each level fared", "The table has the numbers.");
  for (const LevelReport* level : levels)
    if (level->tally.requests > 0)
      bars.add(
          outcomes_of(level->name, level->tally,
                      find_curves(report.series, level->name) ? "#" + prefix + place_of("level", level->name) : ""));
  Passage out("Priority levels: outcomes");
  Card card(prefix + "outcomes-chart", "");
  if (!bars.empty()) card.add(bars);
  show_cards(out, {card});
  return out;
}

}  // namespace apf
