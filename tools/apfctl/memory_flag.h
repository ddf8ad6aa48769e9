// --memory: how much of a log is kept in memory.
#pragma once

#include <cstdint>
#include <string>

#include "command_line.h"

namespace apfctl {

struct MemoryFlag {
  std::string text;

  void declare(CommandLine& line);
  // Bytes; without the flag half of what is free. Throws UsageError.
  std::uint64_t bytes() const;
};

}  // namespace apfctl
