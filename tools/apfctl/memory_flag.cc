#include "memory_flag.h"

#include <charconv>
#include <fstream>

#include <apf/report.h>

namespace apfctl {

namespace {

// Half of what programs can have without swapping; without /proc no limit is known.
std::uint64_t half_of_free() {
  std::ifstream in("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  for (std::string rest; in >> name >> kilobytes; std::getline(in, rest))
    if (name == "MemAvailable:") return kilobytes * 1024 / 2;
  return UINT64_MAX;
}

}  // namespace

void MemoryFlag::declare(CommandLine& line) {
  line.option(
      "--memory", text, "SIZE",
      "How much memory the log may take, such as 512M or 4G (default: half of what is free). The rest goes to a "
      "temporary file.");
}

std::uint64_t MemoryFlag::bytes() const {
  if (text.empty()) return half_of_free();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : unit == "T" ? 40 : -1;
  if (error != std::errc() || shift < 0 || number > UINT64_MAX >> (shift + 1))
    throw UsageError("--memory: '" + apf::printable(text) + "' is not a number of bytes, or one with K, M, G or T");
  return number << shift;
}

}  // namespace apfctl
