// Which lines of two texts differ: Myers' algorithm in linear space, with a bound on its work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace apf {

// Lines with their newline; the last one may lack it.
std::vector<std::string_view> split_lines(std::string_view text);

// For each line whether it is removed (old) or added (new); what is left is equal, in order.
struct LineChanges {
  std::vector<bool> removed, added;
};
LineChanges compare_lines(const std::vector<std::string_view>& old_lines,
                          const std::vector<std::string_view>& new_lines);

}  // namespace apf
