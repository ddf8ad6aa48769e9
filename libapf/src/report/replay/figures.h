// The figures of requests and of priority levels, each a row: what expectations call it, its column in tables for
// spreadsheets, its member in JSON.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/expectation.h>
#include <apf/replay.h>

namespace apf {

template <class Thing>
struct Figure {
  std::string_view key;  // of expectations: "p99wait"; empty: none
  ExpectedUnit unit;
  std::string_view column;  // "wait_p99_seconds"; empty: none
  std::string json;         // "wait.p99Ns"; empty: none
  // A count (of nanoseconds, for durations), or else a real number.
  std::function<std::int64_t(const Thing&)> count;
  std::function<double(const Thing&)> real = nullptr;
  bool always = true;       // in JSON, even where it is 0
  bool configured = false;  // a count that the configuration gives: without a range
  bool limit = false;       // not in force at exempt levels
  bool json_last = false;   // among the members of its object; columns have another order

  // "wait" of "wait.p99Ns"; empty: none.
  std::string_view object() const {
    const std::size_t dot = json.find('.');
    return dot == std::string::npos ? std::string_view() : std::string_view(json).substr(0, dot);
  }
  double value_of(const Thing& thing) const { return count ? static_cast<double>(count(thing)) : real(thing); }
};

template <class Thing>
class FigureTable {
 public:
  using Figures = std::vector<const Figure<Thing>*>;

  explicit FigureTable(std::vector<Figure<Thing>> rows);
  FigureTable(const FigureTable&) = delete;

  const Figures& expected() const { return expected_; }
  const Figures& columns() const { return columns_; }
  // An object of JSON is written once: its members follow each other, wherever their rows are.
  const Figures& members() const { return members_; }
  const Figure<Thing>* find(std::string_view key) const {
    const auto at = std::find_if(expected_.begin(), expected_.end(), [&](const auto* f) { return f->key == key; });
    return at == expected_.end() ? nullptr : *at;
  }

 private:
  const std::vector<Figure<Thing>> rows_;
  Figures expected_, columns_, members_;
};

using TallyFigure = Figure<RequestTally>;
using LevelFigure = Figure<LevelReport>;

const FigureTable<RequestTally>& tally_figures();
const FigureTable<LevelReport>& level_figures();

}  // namespace apf
