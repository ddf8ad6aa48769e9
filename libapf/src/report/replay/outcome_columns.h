// The columns of a table that say how requests fared: served, queued, refused and why, and a bar of all.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <apf/replay.h>
#include <apf/replays_report.h>

#include "report/replay/ranges.h"

namespace apf {

std::uint64_t requests_of(const RequestTally& tally);
std::uint64_t executed_of(const RequestTally& tally);
std::uint64_t queued_of(const RequestTally& tally);
// Of the executed, those that could not start at once.
std::uint64_t waited_and_served(const RequestTally& tally);

// Refused for what has a column of this heading.
Range<std::uint64_t> refused_for(const TallyVersions& tally, std::string_view heading);

// How requests fared is the same in all replays, so that a bar can show it.
bool fits_in_bars(const ReplayReport& report);

class OutcomeColumns {
 public:
  // Reasons that `report` has no refusals for get no column. `served`: the executed and the queued ones have one;
  // `bars`: there may be one with bars.
  explicit OutcomeColumns(const ReplayReport& report, bool served, bool bars);

  void add_to(Table& table) const;
  void add_cells(const TallyVersions& tally, std::vector<Table::Cell>& row) const;

 private:
  const bool served_;
  std::vector<std::string_view> reasons_;  // headings
  bool bars_;                              // they show one replay, and take the room that ranges need
};

}  // namespace apf
