// --memory: how much of a log is kept in memory.
#pragma once

#include <cstdint>
#include <string>

#include "shared/command_line.h"

namespace apfctl {

struct MemoryFlag {
  std::string text;

  void declare(CommandLine& line);
  // Bytes; 0, half of what is free, without the flag. Throws UsageError.
  std::uint64_t bytes() const;
};

}  // namespace apfctl
