// A configuration text as a located tree: every node knows its kind, how it was written and where.
// Duplicate keys are kept. All nodes of a file live in the ConfigTree, which whoever holds a node keeps alive.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/findings.h>

#include "config/scalar.h"

namespace apf {

enum class NodeStyle : std::uint8_t { plain, single_quoted, double_quoted, literal, folded, block, flow };

class ConfigTree;
struct ConfigEntry;

// A small value that points into its tree; copies are cheap and share their children (so an alias is a copy).
class ConfigNode {
 public:
  NodeKind kind() const { return kind_; }
  NodeStyle style() const { return style_; }
  bool is_null() const { return kind_ == NodeKind::null; }
  bool is_string() const { return kind_ == NodeKind::string; }
  bool is_sequence() const { return kind_ == NodeKind::sequence; }
  bool is_mapping() const { return kind_ == NodeKind::mapping; }
  bool is_scalar() const { return kind_ < NodeKind::sequence; }

  // A scalar's value: unquoted, unescaped and unfolded, otherwise as written ("0x10", "yes").
  std::string_view text() const { return is_scalar() ? std::string_view(chars_, count_) : std::string_view(); }
  // Of a boolean.
  bool boolean() const;
  // Of an integer, as YAML 1.1 and Go read it (0x10, 010, 1_000); nothing beyond 64 bits.
  std::optional<std::int64_t> integer() const;
  // A number as the server's JSON would spell it.
  std::string number_text() const;

  std::span<const ConfigNode> items() const;     // of a sequence
  std::span<const ConfigEntry> entries() const;  // of a mapping, in source order, duplicates included
  // The value of `key` (the last one, which is the one that counts); null if there is none or this is no mapping.
  const ConfigNode* find(std::string_view key) const;
  const ConfigEntry* find_entry(std::string_view key) const;
  // The same, where null counts as absent.
  const ConfigNode* find_present(std::string_view key) const {
    const ConfigNode* value = find(key);
    return value && !value->is_null() ? value : nullptr;
  }

  // The text of `key` if that is a string; empty otherwise.
  std::string find_string(std::string_view key) const;

  // Offsets into the tree's text.
  std::uint32_t begin() const { return begin_; }
  std::uint32_t end() const { return end_; }
  const ConfigTree& tree() const { return *tree_; }
  Span span() const;

 private:
  friend class TreeBuilder;
  NodeKind kind_ = NodeKind::null;
  NodeStyle style_ = NodeStyle::plain;
  std::uint32_t count_ = 0;  // bytes, items or entries
  union {
    const char* chars_ = nullptr;
    const ConfigNode* items_;
    const ConfigEntry* entries_;
  };
  std::uint32_t begin_ = 0, end_ = 0;
  const ConfigTree* tree_ = nullptr;
};

struct ConfigEntry {
  ConfigNode key;  // a string, or a scalar of another kind where YAML turns it into one
  ConfigNode value;
};

inline std::span<const ConfigNode> ConfigNode::items() const {
  return is_sequence() ? std::span<const ConfigNode>(items_, count_) : std::span<const ConfigNode>();
}
inline std::span<const ConfigEntry> ConfigNode::entries() const {
  return is_mapping() ? std::span<const ConfigEntry>(entries_, count_) : std::span<const ConfigEntry>();
}

// Follows `field` as kube-apiserver prints paths ("spec.rules[0].subjects", "metadata.annotations[a/b]") as far as
// it leads; `exact` says whether it was found whole. For a value under a key, `key` is that key.
struct FieldPosition {
  const ConfigNode* value = nullptr;
  const ConfigNode* key = nullptr;
  bool exact = false;
};
FieldPosition find_field(const ConfigNode& root, std::string_view field);

// Where to point for a field: at a scalar itself, at the key of anything larger.
Span field_span(const FieldPosition& position);

struct ConfigDocument {
  const ConfigNode* root = nullptr;
  int index = 0;  // within the file, from 0
};

// Memory for nodes and unescaped texts: blocks that are freed together.
class Arena {
 public:
  void* allocate(std::size_t bytes);  // aligned to 8
 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
  std::size_t next_block_ = 16 << 10;
};

// One file: its text, its documents and the memory of their nodes.
class ConfigTree {
 public:
  ConfigTree(std::string name, std::string text);
  ConfigTree(const ConfigTree&) = delete;
  ConfigTree& operator=(const ConfigTree&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::size_t content_begin() const { return bom_; }  // after the byte order mark
  const std::vector<ConfigDocument>& documents() const { return documents_; }
  void add_document(const ConfigNode* root, int index) { documents_.push_back({root, index}); }
  int next_document_index() { return next_index_++; }
  int document_count() const { return next_index_; }
  void forget_documents() {
    documents_.clear();
    next_index_ = 0;
  }
  Arena& arena() { return arena_; }
  // What stands there is the value of an alias elsewhere, too, or of a merge key.
  void add_aliased(std::uint32_t begin, std::uint32_t end);
  bool is_aliased(std::size_t begin, std::size_t end) const;

  Span span(std::size_t begin, std::size_t end) const;

 private:
  std::pair<int, int> position(std::size_t offset) const;

  std::string name_, text_;
  std::size_t bom_ = 0;
  std::vector<std::uint32_t> line_starts_;
  std::vector<ConfigDocument> documents_;
  std::map<std::uint32_t, std::uint32_t> aliased_;  // from, to
  int next_index_ = 0;
  Arena arena_;
};

// How deep nodes may nest, aliases followed.
inline constexpr std::uint32_t kMaxTreeDepth = 400;
// How many nodes aliases may add to a file's own.
inline constexpr std::uint64_t kMaxAliasNodes = 1'000'000;

}  // namespace apf
