#include "report/replay/too_wide.h"

#include <apf/replays_report.h>
#include <fmt/core.h>

#include "report/core/units.h"

namespace apf {

namespace {

std::uint64_t too_wide_of(Tally tally) { return tally.too_wide; }

double mean(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

void columns(Table& table) { table.right("TOO WIDE").right("WANT").right("MAY TAKE").right("WIDEST"); }

void add_cells(const TallyVersions& tally, std::vector<Table::Cell>& row) {
  row.push_back({count_text(tally.range(too_wide_of)), Tone::caution, {}});
  for (const auto sum : {&RequestTally::seats_wanted, &RequestTally::seats_allowed})
    row.push_back(
        {range_text(tally.range([&](Tally t) { return mean(t.*sum, t.too_wide); }), one_decimal), Tone::plain, {}});
  row.push_back(
      {range_text(tally.range([](Tally t) { return t.widest; }), [](int n) { return grouped(n); }), Tone::plain, {}});
}

}  // namespace

Passage too_wide_passage(const ReplayReport& report) {
  Passage passage("Requests wider than they may be");
  if (!versions_of(report).part(&ReplayReport::total).any([](Tally t) { return t.too_wide > 0; })) return passage;
  Table levels, flows;
  levels.left("LEVEL", 12);
  columns(levels);
  for (const LevelReport& level : report.levels) {
    const TallyVersions tally = versions_of(level, report).part(&LevelReport::tally);
    if (!tally.any([](Tally t) { return t.too_wide > 0; })) continue;
    std::vector<Table::Cell> row = {{printable(level.name), Tone::strong, {}}};
    add_cells(tally, row);
    levels.row(std::move(row));
  }
  flows.left("FLOW", 20).left("FLOWSCHEMA", 14).drop(1);
  columns(flows);
  for (const FlowReport& flow : report.widest) {
    const std::string name = flow.distinguisher.empty() ? "(all of the FlowSchema)" : printable(flow.distinguisher);
    std::vector<Table::Cell> row = {{name, Tone::strong, {}, !flow.distinguisher.empty()},
                                    {printable(flow.flow_schema), Tone::plain, {}, true}};
    add_cells(versions_of(flow, report).part(&FlowReport::tally), row);
    flows.row(std::move(row));
  }
  passage.show(std::move(levels));
  passage.show(std::move(flows));
  passage.explain("Seats that these requests would take if nothing capped them, and may take, on average; the widest.");
  return passage;
}

}  // namespace apf
