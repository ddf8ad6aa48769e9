#include "report/expectation_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <apf/error.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "base/text.h"
#include "config/closest.h"

namespace apf {

namespace {

constexpr std::array<std::string_view, 6> kOperators = {"<=", ">=", "==", "!=", "<", ">"};

}  // namespace

void fail_expectation(std::string_view text, const std::string& why) {
  throw Error(fmt::format("expectation '{}': {}", text, why));
}

ExpectationParts split_expectation(std::string_view text, const char* example) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos)
    fail_expectation(text, "no operator; write LEVEL.METRIC OP VALUE, with OP one of < <= > >= == !=");
  const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                               [&](std::string_view o) { return text.substr(at).starts_with(o); });
  if (op == kOperators.end()) fail_expectation(text, "unknown operator (supported: < <= > >= == !=)");
  const std::string_view left = trimmed(text.substr(0, at)), value = trimmed(text.substr(at + op->size()));
  const std::size_t dot = left.rfind('.');  // names may hold dots, metrics do not
  if (dot == std::string_view::npos || dot == 0)
    fail_expectation(text, fmt::format("the left side is not {}", example));
  return {std::string(left.substr(0, dot)), std::string(left.substr(dot + 1)), std::string(*op), value};
}

ExpectedValue parse_expected_value(std::string_view text, const char* metric, ExpectedUnit unit,
                                   std::string_view value) {
  if (unit == ExpectedUnit::duration) {
    const std::optional<Nanos> duration = parse_go_duration(value);
    if (!duration)
      fail_expectation(text, fmt::format("{} needs a duration such as 1.5s or 200ms, not '{}'", metric, value));
    return {static_cast<double>(*duration), false};
  }
  const bool percent = value.ends_with('%') && (unit == ExpectedUnit::requests || unit == ExpectedUnit::share);
  const std::string_view digits = percent ? trimmed(value.substr(0, value.size() - 1)) : value;
  ExpectedValue out;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(out.number)) {
    fail_expectation(text, fmt::format("{} needs a number{}, not '{}'", metric,
                                       unit == ExpectedUnit::requests ? " (or a share of the requests such as 1%)"
                                       : unit == ExpectedUnit::share  ? " such as 0.8 or 80%"
                                                                      : "",
                                       value));
  }
  if (percent) out.number /= 100;
  out.percent = percent;
  return out;
}

bool expectation_holds(double actual, const std::string& op, double value) {
  if (op == "<") return actual < value;
  if (op == "<=") return actual <= value;
  if (op == ">") return actual > value;
  if (op == ">=") return actual >= value;
  if (op == "==") return actual == value;
  return actual != value;
}

std::string expected_value_text(ExpectedUnit unit, bool percent, double value) {
  const auto in_percent = [&] { return fmt::format("{} %", std::round(value * 1e4) / 100); };
  switch (unit) {
    case ExpectedUnit::duration:
      return format_go_duration(static_cast<Nanos>(std::llround(value)));
    case ExpectedUnit::share:
      return in_percent();
    case ExpectedUnit::requests:
      return percent ? in_percent() : grouped(static_cast<std::uint64_t>(value));
    case ExpectedUnit::seats:
    case ExpectedUnit::seat_seconds:
    case ExpectedUnit::number:
      break;
  }
  return fmt::format("{}", std::round(value * 1000) / 1000);
}

void fail_unknown_metric(std::string_view text, const std::string& metric, const std::vector<std::string>& names) {
  const std::string_view near = closest(metric, names);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  fail_expectation(text,
                   fmt::format("unknown metric '{}'{}", metric,
                               near.empty() ? " (supported: " + all + ")" : fmt::format("; did you mean '{}'?", near)));
}

std::string unknown_subject(std::string_view text, const char* kind, std::string_view name,
                            std::span<const std::string_view> names) {
  const std::string_view near = closest(name, names);
  return fmt::format("expectation '{}': no {} {}{}", text, kind, name,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

}  // namespace apf
