// Numbers of the entries of nonResourceURLs and of their prefixes.
//
// A prefix ends with a slash. So a path matches an entry if it, or what of it ends with some slash, has the number of
// the entry or of its prefix: an entry that ends with a slash is its own prefix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "classify/string_table.h"
#include "lint/reach/part.h"

namespace apf {

class PathNumbers {
 public:
  // Numbers the entries and prefixes of a part: fills its path_keys.
  void add(ReachPart& part);
  // Appends a path, with the numbers that it matches, to a target.
  void add_path(std::string path, ReachTarget& out) const;

 private:
  StringTable paths_;
  std::vector<std::size_t> prefix_lengths_;  // sorted
};

// The numbers that path `path` of the target matches.
std::span<const std::uint32_t> keys_of(const ReachTarget& target, std::uint32_t path);
bool holds_path(const ReachPart& part, const ReachTarget& target, std::uint32_t path);

}  // namespace apf
