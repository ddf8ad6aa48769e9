// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <string>

namespace apfctl {

// Bytes, without swapping, and within the limits of its control groups (version 1 or 2), as those of a container are.
// What the groups keep of files only counts as free. UINT64_MAX: no limit is known. `root` is put before the paths of
// what is asked.
std::uint64_t free_memory(const std::string& root = {});

}  // namespace apfctl
