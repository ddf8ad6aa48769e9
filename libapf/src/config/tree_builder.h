// Builds a ConfigTree's nodes from the events of a reader. Children wait on one stack until their container ends and
// are then copied together into the arena.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "config/codes.h"
#include "config/tree.h"

namespace apf {

// What ends the reading of a document; caught by the reader that started it.
struct SyntaxFault {
  ConfigCode code = kSyntaxError;
  std::size_t begin = 0, end = 0;  // offsets into the tree's text
  std::string message;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(ConfigTree& tree) : tree_(&tree) {}

  // `text` must outlive the tree: see store().
  void scalar(NodeKind kind, NodeStyle style, std::string_view text, std::size_t begin, std::size_t end,
              std::size_t anchor = 0);
  void begin_container(NodeKind kind, NodeStyle style, std::size_t begin, std::size_t anchor = 0);
  void end_container(std::size_t end);
  void alias(std::size_t anchor, std::size_t begin, std::size_t end);

  bool in_container() const { return !frames_.empty(); }
  bool in_mapping() const { return in_container() && frames_.back().kind == NodeKind::mapping; }
  bool expects_value() const { return in_mapping() && (nodes_.size() - frames_.back().first) % 2 == 1; }
  bool empty_container() const { return nodes_.size() == frames_.back().first; }
  std::size_t container_begin() const { return frames_.back().begin; }
  NodeStyle container_style() const { return frames_.back().style; }
  // The node added last; there must be one.
  const ConfigNode& last() const { return nodes_.back(); }

  std::string_view store(std::string_view text);
  // The key added last, which is no string, becomes this one.
  void rename_key(std::string_view text);
  // The key added last is a merge key.
  void mark_merge_key() { merge_keys_.push_back(nodes_.size() - 1); }

  // The finished root; the builder is then ready for the next document.
  const ConfigNode* take_root();
  void clear();

 private:
  struct Frame {
    NodeKind kind;
    NodeStyle style;
    std::size_t begin;
    std::size_t first;       // of its children in nodes_
    std::size_t anchor;      // 0 = none
    std::uint64_t size = 1;  // nodes in it with aliases followed
    std::uint32_t height = 1;
  };
  struct Anchored {
    ConfigNode node;
    std::uint64_t size = 0;  // 0 = not complete
    std::uint32_t height = 0;
  };

  void add(const ConfigNode& node, std::uint64_t size, std::uint32_t height, std::size_t anchor);
  void spend(std::uint64_t nodes, std::size_t begin, std::size_t end);
  void check_keys(std::span<const ConfigEntry> entries) const;
  std::vector<ConfigEntry> merged_entries(std::size_t first);
  std::vector<ConfigNode> merge_sources(const ConfigNode& value) const;

  ConfigTree* tree_;
  std::vector<ConfigNode> nodes_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> merge_keys_;  // of open containers, in nodes_
  std::vector<Anchored> anchors_;
  bool has_renamed_ = false;  // since the last clear()
  std::uint64_t spent_ = 0;   // nodes that aliases and merges added, over the whole file
};

}  // namespace apf
