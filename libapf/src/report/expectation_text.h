// SUBJECT.METRIC OP VALUE: what expectations of all reports have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apf {

// What a metric's values are written as.
enum class ExpectedUnit : std::uint8_t {
  requests,  // a number, or a part of all requests in percent
  duration,
  seats,
  share,  // 0.8 or 80%
  seat_seconds,
  number,  // such as a rate
};

struct ExpectationParts {
  std::string subject, metric, op;
  std::string_view value;  // into the text
};
// Throws Error that says what is wrong. `example`: what may stand on the left side.
ExpectationParts split_expectation(std::string_view text, const char* example);

// The number, and whether it was a percentage (then as a part of 1).
struct ExpectedValue {
  double number = 0;
  bool percent = false;
};
ExpectedValue parse_expected_value(std::string_view text, const char* metric, ExpectedUnit unit,
                                   std::string_view value);

bool expectation_holds(double actual, const std::string& op, double value);

// With the unit of the metric.
std::string expected_value_text(ExpectedUnit unit, bool percent, double value);

[[noreturn]] void fail_expectation(std::string_view text, const std::string& why);
[[noreturn]] void fail_unknown_metric(std::string_view text, const std::string& metric,
                                      const std::vector<std::string>& names);
// "expectation '…': no priority level x; did you mean 'y'?"
std::string unknown_subject(std::string_view text, const char* kind, std::string_view name,
                            std::span<const std::string_view> names);

}  // namespace apf
