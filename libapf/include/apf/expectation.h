// What a report is expected to show, in one language for all reports: [SIDE.][SERVER:][SUBJECT.]METRIC OP VALUE, as in
// "workload-low.p99wait < 1s", "one:total.rejected == 0" and "agreement >= 99%", or with another figure in place of the
// value: "new.node-high.p99wait <= old.node-high.p99wait".
//
//   // `facts`: of a report, from facts_of() in report.h.
//   const auto print_unmet = [](const apf::Facts& facts) {
//     const apf::Expectation expected = apf::parse_expectation("total.rejected == 0", facts);
//     for (const apf::ExpectationResult& result : apf::check_expectations({&expected, 1}, facts))
//       if (!result.met) std::puts(result.message.c_str());
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/version.h>

namespace apf {

// What expectations on a report may be about: facts_of() of the report's header. The reports must outlive it; one that
// is empty, or that has names alone, shows what may be written.
class Facts;

struct ExpectedFigure {
  std::string side;     // old or new, of a comparison
  std::string server;   // empty: every server
  std::string subject;  // "total", a priority level, or "FlowSchema/NAME"
  std::string metric;   // rejected, p99wait, …
};

// What a metric's values are written as.
enum class ExpectedUnit : std::uint8_t {
  requests,  // a number, or a part of all requests in percent
  duration,
  seats,
  share,  // 0.8 or 80%
  part,   // the same, at most 100%
  seat_seconds,
  multiple,  // 2 or 2x
  number,    // such as a rate
};

struct Expectation {
  std::string text;  // as written, without the server
  ExpectedFigure figure;
  ExpectedUnit unit = ExpectedUnit::number;
  std::string op;                       // < <= > >= == !=
  double value = 0;                     // nanoseconds for durations
  bool percent = false;                 // value is a part of the subject's requests, 0 … 1
  std::optional<ExpectedFigure> other;  // in place of the value
};

// Throws Error that says what is wrong with the text, as that every report meets it. Names of levels and FlowSchemas
// are not looked at.
APF_API Expectation parse_expectation(std::string_view text, const Facts& facts);

struct ExpectationResult {
  bool met = false;
  std::string message;        // "workload-low.p99wait < 1s: it is 3.41s"
  bool decided = true;        // false: by `why_open`, or set by the program, as the log is not good enough for it
  std::string why_open = {};  // nothing was seen that it could be about, or the report leaves open whether it holds
};
// What a log or a scrape leaves open, an expectation must bear. Throws Error: the report has no such level or
// FlowSchema, or its input does not say. `allow_empty`: it may be about what has no request.
APF_API std::vector<ExpectationResult> check_expectations(std::span<const Expectation> expectations, const Facts& facts,
                                                          bool allow_empty = false);

// The figure in the report, then in each of its other replays (ReplayReport::others); and a value with its unit.
APF_API std::vector<double> expected_values(const Expectation& expectation, const Facts& facts);
APF_API std::string expected_text(const Expectation& expectation, double value);

}  // namespace apf
