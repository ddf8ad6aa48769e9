// A part (resourceRule or nonResourceRule) of a FlowSchema as sets of numbers, and what requests a search is about.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lint/reach/box.h"

namespace apf {

// A text that no FlowSchema names represents all such texts: only a "*" matches it.
inline constexpr std::uint32_t kUnnamed = 0;
// The empty namespace, of cluster-scoped objects and of all namespaces at once.
inline constexpr std::uint32_t kNoNamespace = 1;

inline constexpr std::size_t kVerbSide = 0, kGroupSide = 1, kResourceSide = 2, kNamespaceSide = 3;
inline constexpr std::size_t kPathSide = 1;  // of nonResourceRules

// Whether two sets of numbers have one in common. Both sorted. Where one is far longer, its values are searched for.
inline bool share_one(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  const std::vector<std::uint32_t>&few = a.size() < b.size() ? a : b, &many = a.size() < b.size() ? b : a;
  auto at = many.begin();
  for (const std::uint32_t id : few) {
    at = many.size() > few.size() * 8 ? std::lower_bound(at, many.end(), id)
                                      : std::find_if(at, many.end(), [&](std::uint32_t other) { return other >= id; });
    if (at == many.end()) return false;
    if (*at == id) return true;
  }
  return false;
}

struct IdSet {
  bool any = false;                // all texts; of namespaces: all but the empty one
  std::vector<std::uint32_t> ids;  // sorted
  std::uint64_t mask = 0;          // of the ids: sets whose masks have no bit in common have no id in common
};

struct ReachPart {
  std::uint32_t schema = 0, rule = 0, index = 0;  // place in consulted order, in its rules, in that rule's parts
  bool is_url = false;
  std::array<IdSet, kSides> sides;  // namespaces: with the empty one for clusterScope. Of URLs: verbs only
  bool any_path = false;
  std::vector<std::string> exact_paths, path_prefixes;  // by entry
  std::vector<std::uint32_t> path_keys;                 // sorted numbers of both: see ReachTarget
};

// What a part matches, in representatives: where it says "*" one unnamed text represents all. A part is taken from
// completely if and only if it is in all representatives: what takes an unnamed text says "*" itself, so it takes the
// named ones too.
struct ReachTarget {
  bool is_url = false;
  std::array<std::vector<std::uint32_t>, kSides> values;  // ids; of paths: numbers of `paths`
  std::vector<std::string> paths;                         // of entry i: 2i exactly, 2i + 1 below it
  // The numbers of those entries and prefixes that match path i: path_keys from path_key_ends[i - 1] to [i].
  std::vector<std::uint32_t> path_keys;
  std::vector<std::size_t> path_key_ends;
  std::array<std::size_t, kSides> sizes() const {
    return {values[0].size(), values[1].size(), values[2].size(), values[3].size()};
  }
};

}  // namespace apf
