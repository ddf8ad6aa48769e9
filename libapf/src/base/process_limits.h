// What this process may use: what the machine has, within the limits of its control groups (version 1 or 2), as those
// of a container are.
#pragma once

#include <cstdint>
#include <string>

namespace apf {

// Bytes that can be had without swapping. What the groups keep of files only counts as free. UINT64_MAX: no limit is
// known. `root` is put before the paths of what is asked.
std::uint64_t free_memory(const std::string& root = {});

// What logs may take: so many bytes; 0: half of what is free.
inline std::uint64_t memory_for_logs(std::uint64_t bytes) { return bytes > 0 ? bytes : free_memory() / 2; }

// At least 1. A part of a processor's time counts as one.
int processors(const std::string& root = {});

}  // namespace apf
