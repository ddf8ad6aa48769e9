#include "config/tree_builder.h"

#include <cassert>
#include <cstring>
#include <unordered_set>

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
  if (kind == NodeKind::string && style == NodeStyle::plain && text == "<<" && in_mapping() && !expects_value()) {
    frames_.back().merges = true;
  }
  add(node, 1, 1, anchor);
}

void TreeBuilder::rename_last(std::string_view text) {
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
  } else if (frame.merges) {
    const std::vector<ConfigEntry> entries = merged_entries(frame.first);
    node.entries_ = static_cast<const ConfigEntry*>(copy(entries.data(), entries.size(), sizeof(ConfigEntry)));
  } else {
    assert(children % 2 == 0);
    node.entries_ =
        static_cast<const ConfigEntry*>(copy(nodes_.data() + frame.first, children / 2, sizeof(ConfigEntry)));
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

// The entries of a mapping with keys <<: its own first, which win, then those of the sources in their order.
std::vector<ConfigEntry> TreeBuilder::merged_entries(std::size_t first) {
  std::vector<ConfigEntry> own;
  std::vector<ConfigNode> sources;
  for (std::size_t i = first; i < nodes_.size(); i += 2) {
    const ConfigNode& key = nodes_[i];
    const ConfigNode& value = nodes_[i + 1];
    if (!(key.is_string() && key.style() == NodeStyle::plain && key.text() == "<<")) {
      own.push_back({key, value});
    } else if (value.is_sequence()) {
      sources.insert(sources.end(), value.items().begin(), value.items().end());
    } else {
      sources.push_back(value);
    }
  }
  for (const ConfigNode& source : sources) {
    if (!source.is_mapping()) {
      throw SyntaxFault{kSyntaxError, source.begin(), source.end(),
                        "a merge key << takes a mapping or a list of mappings"};
    }
    merge_from(source, own);
  }
  return own;
}

void TreeBuilder::merge_from(const ConfigNode& source, std::vector<ConfigEntry>& into) {
  spend(source.entries().size() + into.size(), source.begin(), source.end());
  std::unordered_set<std::string_view> present;
  for (const ConfigEntry& entry : into) present.insert(entry.key.text());
  for (const ConfigEntry& entry : source.entries()) {
    // Duplicates within the source stay, so that they are reported like any other.
    if (!present.contains(entry.key.text())) into.push_back(entry);
  }
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
}

}  // namespace apf
