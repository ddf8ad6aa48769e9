#include "config/tree_builder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <unordered_map>

#include <fmt/core.h>

#include "config/scalar.h"

namespace apf {

std::string_view TreeBuilder::store(std::string_view text) {
  if (text.empty()) return {};
  char* const copy = static_cast<char*>(tree_->arena().allocate(text.size()));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void TreeBuilder::scalar(NodeKind kind, NodeStyle style, std::string_view text, std::size_t begin, std::size_t end,
                         std::size_t anchor) {
  ConfigNode node;
  node.kind_ = kind;
  node.style_ = style;
  node.count_ = static_cast<std::uint32_t>(text.size());
  node.chars_ = text.data();
  node.begin_ = static_cast<std::uint32_t>(begin);
  node.end_ = static_cast<std::uint32_t>(end);
  node.tree_ = tree_;
  add(node, 1, 1, anchor);
}

void TreeBuilder::rename_key(std::string_view text) {
  has_renamed_ = true;
  nodes_.back().chars_ = text.data();
  nodes_.back().count_ = static_cast<std::uint32_t>(text.size());
}

void TreeBuilder::begin_container(NodeKind kind, NodeStyle style, std::size_t begin, std::size_t anchor) {
  if (frames_.size() >= kMaxTreeDepth) {
    throw SyntaxFault{kNestedTooDeep, begin, begin + 1, fmt::format("nested deeper than {} levels", kMaxTreeDepth)};
  }
  if (anchor != 0) {  // an alias to it from inside must not find an older one
    if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
    anchors_[anchor] = {};
  }
  frames_.push_back({kind, style, begin, nodes_.size(), anchor});
}

void TreeBuilder::end_container(std::size_t end) {
  Frame frame = frames_.back();
  frames_.pop_back();
  const std::size_t children = nodes_.size() - frame.first;
  ConfigNode node;
  node.kind_ = frame.kind;
  node.style_ = frame.style;
  node.begin_ = static_cast<std::uint32_t>(frame.begin);
  node.end_ = static_cast<std::uint32_t>(end);
  node.tree_ = tree_;
  const auto copy = [&](const void* from, std::size_t count, std::size_t each) {
    void* const to = tree_->arena().allocate(count * each);
    if (count > 0) std::memcpy(to, from, count * each);
    node.count_ = static_cast<std::uint32_t>(count);
    return to;
  };
  static_assert(sizeof(ConfigEntry) == 2 * sizeof(ConfigNode));
  if (frame.kind == NodeKind::sequence) {
    node.items_ = static_cast<const ConfigNode*>(copy(nodes_.data() + frame.first, children, sizeof(ConfigNode)));
  } else if (!merge_keys_.empty() && merge_keys_.back() >= frame.first) {
    const std::vector<ConfigEntry> entries = merged_entries(frame.first);
    node.entries_ = static_cast<const ConfigEntry*>(copy(entries.data(), entries.size(), sizeof(ConfigEntry)));
  } else {
    assert(children % 2 == 0);
    node.entries_ =
        static_cast<const ConfigEntry*>(copy(nodes_.data() + frame.first, children / 2, sizeof(ConfigEntry)));
    check_keys(node.entries());
  }
  nodes_.resize(frame.first);
  add(node, frame.size, frame.height, frame.anchor);
}

void TreeBuilder::alias(std::size_t anchor, std::size_t begin, std::size_t end) {
  if (anchor >= anchors_.size() || anchors_[anchor].size == 0) {
    throw SyntaxFault{kSyntaxError, begin, end, "this alias refers to a value that contains it"};
  }
  const Anchored& target = anchors_[anchor];
  spend(target.size, begin, end);
  tree_->add_aliased(target.node.begin(), target.node.end());
  if (frames_.size() + target.height > kMaxTreeDepth) {
    throw SyntaxFault{kNestedTooDeep, begin, end, fmt::format("aliases nest deeper than {} levels", kMaxTreeDepth)};
  }
  ConfigNode node = target.node;
  node.begin_ = static_cast<std::uint32_t>(begin);
  node.end_ = static_cast<std::uint32_t>(end);
  add(node, target.size, target.height, 0);
}

void TreeBuilder::spend(std::uint64_t nodes, std::size_t begin, std::size_t end) {
  spent_ += nodes;
  if (spent_ > kMaxAliasNodes) {
    throw SyntaxFault{kExcessiveAliases, begin, end,
                      fmt::format("aliases expand this file by more than {} values", kMaxAliasNodes)};
  }
}

void TreeBuilder::add(const ConfigNode& node, std::uint64_t size, std::uint32_t height, std::size_t anchor) {
  if (anchor != 0) {
    if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
    anchors_[anchor] = {node, size, height};
  }
  nodes_.push_back(node);
  if (!frames_.empty()) {
    frames_.back().size += size;
    if (frames_.back().height < height + 1) frames_.back().height = height + 1;
  }
}

// To kubectl, a string and what is no string are two keys of one mapping until they become one text.
void TreeBuilder::check_keys(std::span<const ConfigEntry> entries) const {
  if (!has_renamed_) return;
  std::unordered_map<std::string_view, NodeKind> kinds;
  for (const ConfigEntry& entry : entries) {
    const ConfigNode& key = entry.key;
    if (kinds.try_emplace(key.text(), key.kind()).first->second == key.kind()) continue;
    throw SyntaxFault{kSyntaxError, key.begin(), key.end(),
                      fmt::format("YAML: this mapping has the key \"{}\" as a string and as something else, and "
                                  "kubectl takes either value: write the key once",
                                  key.text())};
  }
}

// The entries of a mapping with merge keys: of equal keys the one that comes last counts, be it the mapping's own or
// taken over. (YAML's own rule, that those of the mapping count, is not kubectl's.) Only equal keys that stand in one
// mapping are kept, so that they are reported like any other duplicates.
std::vector<ConfigEntry> TreeBuilder::merged_entries(std::size_t first) {
  std::vector<ConfigEntry> all;
  std::vector<std::size_t> origins;  // 0 is the mapping itself
  std::size_t sources = 0;
  for (std::size_t i = first; i < nodes_.size(); i += 2) {
    if (!std::binary_search(merge_keys_.begin(), merge_keys_.end(), i)) {
      all.push_back({nodes_[i], nodes_[i + 1]});
      origins.push_back(0);
      continue;
    }
    for (const ConfigNode& source : merge_sources(nodes_[i + 1])) {
      spend(source.entries().size(), source.begin(), source.end());
      all.insert(all.end(), source.entries().begin(), source.entries().end());
      origins.resize(all.size(), ++sources);
    }
  }
  while (!merge_keys_.empty() && merge_keys_.back() >= first) merge_keys_.pop_back();
  check_keys(all);
  std::vector<ConfigEntry> kept;
  std::unordered_map<std::string_view, std::size_t> winners;  // where the last of equal keys stands
  for (std::size_t i = all.size(); i-- > 0;) {
    if (winners.try_emplace(all[i].key.text(), origins[i]).first->second == origins[i]) kept.push_back(all[i]);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// In the order in which they are taken over: of a list, the first one counts.
std::vector<ConfigNode> TreeBuilder::merge_sources(const ConfigNode& value) const {
  const bool is_alias = value.begin() < tree_->text().size() && tree_->text()[value.begin()] == '*';
  std::vector<ConfigNode> sources = {value};
  if (value.is_sequence() && !is_alias) sources.assign(value.items().rbegin(), value.items().rend());
  for (const ConfigNode& source : sources) {
    if (source.is_mapping()) continue;
    throw SyntaxFault{kSyntaxError, source.begin(), source.end(),
                      "a merge key << takes a mapping or a list of mappings"};
  }
  return sources;
}

const ConfigNode* TreeBuilder::take_root() {
  assert(frames_.empty() && nodes_.size() == 1);
  ConfigNode* const root = static_cast<ConfigNode*>(tree_->arena().allocate(sizeof(ConfigNode)));
  *root = nodes_.back();
  clear();
  return root;
}

void TreeBuilder::clear() {
  nodes_.clear();
  frames_.clear();
  anchors_.clear();
  merge_keys_.clear();
  has_renamed_ = false;
}

}  // namespace apf
