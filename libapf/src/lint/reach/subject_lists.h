// The parts of all FlowSchemas, filed by subject; of subjects with many parts also by the values that they name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "lint/reach/part.h"
#include "lint/reach/path_numbers.h"

namespace apf {

// A user, and under which subjects what concerns it is filed.
struct ReachUser {
  User user;
  std::vector<std::uint32_t> subjects;
};

// How values are filed: by the side of a rule that holds them, or for URLs by verb and path.
inline constexpr std::uint32_t kUrlVerb = 4, kUrlPath = 5;  // after the sides of resourceRules
inline std::uint64_t value_key(std::size_t side, std::uint32_t id) { return std::uint64_t{side} << 32 | id; }

// Which parts of a long list name a value.
struct ValueIndex {
  std::vector<std::uint64_t> keys;     // sorted
  std::vector<std::uint32_t> ends;     // by key: where its numbers end
  std::vector<std::uint32_t> numbers;  // of parts, ascending for each key
  std::span<const std::uint32_t> find(std::uint64_t key) const;
  std::array<std::vector<std::uint32_t>, 2> unfiled;  // resourceRules, nonResourceRules
};

// Under what a subject is filed; empty if it matches nobody.
std::string subject_key(const Subject& subject);

class SubjectLists {
 public:
  // Files the parts from `begin` to `end` under the subject; parts come in ascending order.
  void add(const Subject& subject, std::uint32_t begin, std::uint32_t end);
  // After the last part: files long lists by value.
  void finish(std::span<const ReachPart> parts);

  ReachUser file_user(User user) const;
  bool names_user(std::string_view name) const;
  // By number of a subject, ascending.
  const std::vector<std::uint32_t>& parts_of(std::uint32_t subject) const { return lists_[subject].parts; }
  // The lists, ascending each, that together hold every part of a subject that can meet the target: each with the side
  // and the number of the value that it was found by, or kSides where that is not known.
  template <class Visit>
  void visit(std::uint32_t subject, const ReachTarget& target, Visit visit) const;

 private:
  struct List {
    std::vector<std::uint32_t> parts;      // ascending
    std::unique_ptr<ValueIndex> by_value;  // of long lists
  };
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<List> lists_;
};

template <class Visit>
void SubjectLists::visit(std::uint32_t subject, const ReachTarget& target, Visit visit) const {
  const List& list = lists_[subject];
  if (!list.by_value) return visit(std::span<const std::uint32_t>(list.parts), kSides, 0);
  visit(std::span<const std::uint32_t>(list.by_value->unfiled[target.is_url]), kSides, 0);
  const auto look_up = [&](std::uint64_t key, std::size_t side, std::size_t value) {
    const std::span<const std::uint32_t> found = list.by_value->find(key);
    if (!found.empty()) visit(found, side, value);
  };
  for (std::size_t side = 0; side < (target.is_url ? 1 : kSides); ++side) {
    for (std::size_t i = 0; i < target.values[side].size(); ++i) {
      const std::uint32_t id = target.values[side][i];
      if (id != kUnnamed) look_up(value_key(target.is_url ? kUrlVerb : side, id), side, i);
    }
  }
  if (!target.is_url) return;
  std::vector<std::uint32_t> keys;
  for (const std::uint32_t i : target.values[kPathSide]) {
    const std::span<const std::uint32_t> of_path = keys_of(target, i);
    keys.insert(keys.end(), of_path.begin(), of_path.end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::uint32_t key : keys) look_up(value_key(kUrlPath, key), kSides, 0);
}

}  // namespace apf
