#include "lint/reach/path_numbers.h"

#include <algorithm>

namespace apf {

void PathNumbers::add(ReachPart& part) {
  for (const std::vector<std::string>* list : {&part.exact_paths, &part.path_prefixes}) {
    for (const std::string& path : *list) part.path_keys.push_back(paths_.add(path));
  }
  std::sort(part.path_keys.begin(), part.path_keys.end());
  part.path_keys.erase(std::unique(part.path_keys.begin(), part.path_keys.end()), part.path_keys.end());
  for (const std::string& prefix : part.path_prefixes) {
    const auto at = std::lower_bound(prefix_lengths_.begin(), prefix_lengths_.end(), prefix.size());
    if (at == prefix_lengths_.end() || *at != prefix.size()) prefix_lengths_.insert(at, prefix.size());
  }
}

void PathNumbers::add_path(std::string path, ReachTarget& out) const {
  const auto add = [&](std::string_view text) {
    if (const std::uint32_t key = paths_.find(text); key != 0) out.path_keys.push_back(key);
  };
  if (!path.ends_with('/')) add(path);
  for (const std::size_t length : prefix_lengths_) {
    if (length > path.size()) break;
    if (path[length - 1] == '/') add(std::string_view(path).substr(0, length));
  }
  out.paths.push_back(std::move(path));
  out.path_key_ends.push_back(out.path_keys.size());
}

std::span<const std::uint32_t> keys_of(const ReachTarget& target, std::uint32_t path) {
  const std::size_t begin = path == 0 ? 0 : target.path_key_ends[path - 1];
  return std::span(target.path_keys).subspan(begin, target.path_key_ends[path] - begin);
}

bool holds_path(const ReachPart& part, const ReachTarget& target, std::uint32_t path) {
  if (part.any_path) return true;
  const std::span<const std::uint32_t> keys = keys_of(target, path);
  return std::any_of(keys.begin(), keys.end(), [&](std::uint32_t key) {
    return std::binary_search(part.path_keys.begin(), part.path_keys.end(), key);
  });
}

}  // namespace apf
