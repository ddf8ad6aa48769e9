// A table for a spreadsheet: RFC 4180, and no cell that a spreadsheet would compute.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/output.h>
#include <apf/report_words.h>

namespace apf {

class CsvTable {
 public:
  // Control characters made visible: a table may be shown on a terminal, too.
  void text(std::string_view name) {
    separate();
    const std::string value = printable(name);
    // What begins like this is a formula to a spreadsheet; the apostrophe makes it text.
    const bool formula = !value.empty() && std::string_view("=+-@").find(value.front()) != std::string_view::npos;
    if (!formula && value.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += value;
      return;
    }
    out_ += '"';
    if (formula) out_ += '\'';
    for (const char c : value) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
  }
  template <class Number>
  void number(Number value) {
    separate();
    out_ += std::to_string(value);
  }
  void number(double value) {
    separate();
    append_json_double(out_, value);
  }
  void seconds(double nanos) { number(nanos / 1e9); }
  void empty() { separate(); }
  // There is no such figure.
  void no_figure() {
    separate();
    if (with_ranges_) ranges_.resize(ranges_.size() + 2);
  }
  // The heading of a figure.
  void figure_heading(std::string_view name) {
    text(name);
    if (!with_ranges_) return;
    range_headings_.push_back(std::string(name) + "_low");
    range_headings_.push_back(std::string(name) + "_high");
  }
  void with_ranges(bool on) { with_ranges_ = on; }
  void end_row() {
    for (const std::string& heading : std::exchange(range_headings_, {})) text(heading);
    for (const std::optional<double>& bound : std::exchange(ranges_, {})) bound ? number(*bound) : empty();
    out_ += "\r\n";
    first_ = true;
  }
  std::string take() { return std::move(out_); }

 protected:
  // Of a figure; with_ranges: they follow at the end of the row.
  void bounds(double low, double high) {
    if (!with_ranges_) return;
    ranges_.emplace_back(low);
    ranges_.emplace_back(high);
  }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string out_;
  bool first_ = true, with_ranges_ = false;
  std::vector<std::string> range_headings_;
  std::vector<std::optional<double>> ranges_;
};

}  // namespace apf
