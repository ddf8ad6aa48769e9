// Rows of a summary: which come first, and which are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <apf/log_summary.h>

namespace apf {

void add_tally(LogTally& sum, const LogTally& other);

// By refusals, by seat-seconds, or by cost; then by requests.
enum class RowOrder : std::uint8_t { refusals, seats, cost };
// At most `top`.
void keep_first(std::vector<LogRow>& rows, RowOrder order, std::size_t top);

// The share of all requests or of all seat-seconds, whichever is larger.
double cost_of(const LogTally& part, const LogTally& all);

// Makes one row of those that differ in nothing but the node that name number `user` is. A node that has more than half
// of what these have keeps its own.
void gather_nodes(std::vector<LogRow>& rows, std::size_t user);

}  // namespace apf
