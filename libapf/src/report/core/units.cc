// Durations, sizes, shares and counts as people read them.

#include "report/core/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/joined.h"
#include "base/thousands.h"

namespace apf {

std::string grouped(std::uint64_t number) { return with_thousands(number); }

std::string human_duration(Nanos duration) {
  if (duration < 0) {
    const std::uint64_t magnitude = ~static_cast<std::uint64_t>(duration) + 1;
    return "-" + human_duration(magnitude > INT64_MAX ? INT64_MAX : static_cast<Nanos>(magnitude));
  }
  if (duration == 0) return "0";
  if (duration < kMicrosecond) return fmt::format("{}ns", duration);
  // Three figures; a value that would round up into the next unit is shown in that unit.
  const auto three_figures = [](double value, const char* unit) {
    return value < 9.995   ? fmt::format("{:.2f}{}", value, unit)
           : value < 99.95 ? fmt::format("{:.1f}{}", value, unit)
                           : fmt::format("{:.0f}{}", value, unit);
  };
  const auto value = static_cast<double>(duration);
  if (value < 999.5 * kMicrosecond) return three_figures(value / kMicrosecond, "µs");
  if (value < 999.5 * kMillisecond) return three_figures(value / kMillisecond, "ms");
  if (value < 59.95 * kSecond) return three_figures(value / kSecond, "s");
  const Nanos seconds = duration / kSecond + (duration % kSecond >= kSecond / 2 ? 1 : 0);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) value /= 1000, ++unit;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string human_percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0) return "0 %";
  if (part == whole) return "100 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.1) return "<0.1 %";
  if (percent > 99.9) return ">99.9 %";
  return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string decimals(double number, int places) {
  std::string out = fmt::format("{:.{}f}", number, places);
  const std::size_t point = std::min(out.find('.'), out.size()), first = out.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3;) {
    at -= 3;
    out.insert(at, ",");
  }
  return out;
}

std::string one_decimal(double number) { return decimals(number, 1); }

std::string seats_in_words(int number) { return grouped(number) + (number == 1 ? " seat" : " seats"); }

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return grouped(number) + " " + (number == 1 ? one : many);
}

Nanos whole_nanos(double nanos) {
  return nanos < 9e18 ? static_cast<Nanos>(std::llround(nanos)) : std::numeric_limits<Nanos>::max();
}

std::uint64_t rounded_count(double number) {
  constexpr double kMost = 1.8e19;  // that fits
  return number > 0 ? static_cast<std::uint64_t>(std::min(number, kMost) + 0.5) : 0;
}

std::string log_names(const std::vector<std::string>& logs) { return joined_first(logs, 3); }

Table::Cell count_cell(std::uint64_t n, Tone tone) { return {grouped(n), n == 0 ? Tone::faint : tone, {}}; }

}  // namespace apf
