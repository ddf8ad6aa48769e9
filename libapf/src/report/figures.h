// The figures of how requests fared, each a row: what expectations call it, its column in tables for spreadsheets,
// its member in JSON.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <apf/expectation.h>
#include <apf/replay.h>

namespace apf {

struct TallyFigure {
  std::string_view key;  // of expectations: "p99wait"; empty: none
  ExpectedUnit unit;
  std::string_view column;  // "wait_p99_seconds"; empty: none
  std::string_view json;    // "wait.p99Ns"; empty: none
  // A count (of nanoseconds, for durations), or else a real number, or else how many requests had this outcome.
  std::uint64_t (*count)(const RequestTally&) = nullptr;
  double (*real)(const RequestTally&) = nullptr;
  Outcome outcome = Outcome::executed;
  bool always = true;  // in JSON, even where it is 0

  // "wait" of "wait.p99Ns"; refusals by reason are within "rejected"; empty: none.
  std::string_view json_group() const;

  std::uint64_t count_of(const RequestTally& tally) const { return count ? count(tally) : tally.outcomes[outcome]; }
  double value_of(const RequestTally& tally) const { return real ? real(tally) : static_cast<double>(count_of(tally)); }
};

// In the order of columns and members.
const std::vector<TallyFigure>& tally_figures();

}  // namespace apf
