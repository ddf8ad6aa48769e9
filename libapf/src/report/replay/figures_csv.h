// Figures of replays in a table for a spreadsheet.
#pragma once

#include <functional>

#include "report/core/csv_table.h"
#include "report/replay/figures.h"
#include "report/replay/ranges.h"

namespace apf {

class FiguresCsv : public CsvTable {
 public:
  using CsvTable::figure_heading, CsvTable::seconds;

  // with_ranges: its low and high follow at the end of the row.
  template <class Value>
  void figure(const Range<Value>& range) {
    number(range.value);
    bounds(static_cast<double>(range.low), static_cast<double>(range.high));
  }
  template <class Thing>
  void figure(const Figure<Thing>& figure, const Versions<Thing>& of) {
    if (figure.configured) number(figure.count(of.value()));
    else if (figure.unit == ExpectedUnit::duration)
      seconds(of.range([&](const Thing& t) { return figure.value_of(t); }));
    else if (figure.count) this->figure(of.range(std::cref(figure.count)));
    else this->figure(of.range(std::cref(figure.real)));
  }
  void seconds(const Range<double>& nanos) {
    figure(Range<double>{nanos.value / 1e9, nanos.low / 1e9, nanos.high / 1e9});
  }
  template <class Thing>
  void figure_heading(const Figure<Thing>& figure) {
    figure.configured ? text(figure.column) : figure_heading(figure.column);
  }
};

}  // namespace apf
