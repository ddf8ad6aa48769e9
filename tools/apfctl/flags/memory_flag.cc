#include "flags/memory_flag.h"

#include <algorithm>
#include <charconv>

#include <apf/report.h>

namespace apfctl {

void MemoryFlag::declare(CommandLine& line) {
  line.option(
      "--memory", text, "SIZE",
      "How much memory the log may take, such as 512Mi or 4Gi (default: half of the free memory). The rest goes to a "
      "temporary file.");
}

std::uint64_t MemoryFlag::bytes() const {
  if (text.empty()) return 0;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  if (unit.size() == 2 && unit[1] == 'i') unit.pop_back();  // as Kubernetes writes them
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : unit == "T" ? 40 : -1;
  if (error != std::errc() || shift < 0 || number > UINT64_MAX >> (shift + 1))
    throw UsageError("--memory: '" + apf::printable(text) + "' is not a number of bytes, or one with Ki, Mi, Gi or Ti");
  return std::max<std::uint64_t>(number << shift, 1);
}

}  // namespace apfctl
