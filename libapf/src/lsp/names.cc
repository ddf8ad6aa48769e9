#include "lsp/names.h"

#include <algorithm>

namespace apf {

namespace {

using Kind = NamePlace::Kind;

class NameFinder {
 public:
  explicit NameFinder(const std::string& file) : file_(file) {}

  void look_at(const ConfigNode& object) {
    for (const ConfigNode& item : items_of(object, "items")) look_at(item);
    if (object.find("tests") && !object.find("kind")) {
      for (const ConfigNode& test : items_of(object, "tests")) look_at_test(test);
    }
    const std::string kind = object.find_string("kind");
    if (kind != "FlowSchema" && kind != "PriorityLevelConfiguration") return;
    const ConfigNode *metadata = object.find("metadata"), *spec = object.find("spec");
    if (metadata) add(metadata->find("name"), kind == "FlowSchema" ? Kind::flow_schema : Kind::priority_level, true);
    const ConfigNode* level = spec ? spec->find("priorityLevelConfiguration") : nullptr;
    if (level && kind == "FlowSchema") add(level->find("name"), Kind::priority_level, false);
  }
  std::vector<NamePlace> take() { return std::move(out_); }

 private:
  static std::span<const ConfigNode> items_of(const ConfigNode& node, std::string_view key) {
    const ConfigNode* list = node.find(key);
    return list ? list->items() : std::span<const ConfigNode>();
  }

  void look_at_test(const ConfigNode& test) {
    for (const char* key : {"expect", "expect-not"}) {
      const ConfigNode* expect = test.find(key);
      if (!expect) continue;
      add(expect->find("flowSchema"), Kind::flow_schema, false);
      add(expect->find("priorityLevel"), Kind::priority_level, false);
      if (!expect->is_string()) continue;
      const std::string_view text = expect->text();  // FLOWSCHEMA/LEVEL
      const std::size_t slash = std::min(text.find('/'), text.size());
      add_part(*expect, 0, slash, Kind::flow_schema);
      if (slash < text.size()) add_part(*expect, slash + 1, text.size(), Kind::priority_level);
    }
    const ConfigNode* limits = test.find("limits");
    if (!limits) return;
    for (const ConfigEntry& entry : limits->entries()) add(&entry.key, Kind::priority_level, false);
  }

  void add(const ConfigNode* node, Kind kind, bool is_definition) {
    if (!node || !node->is_scalar() || node->is_null()) return;
    add_part(*node, 0, node->text().size(), kind, is_definition);
  }

  // A part of a text whose value is written as it is, with quotes or without.
  void add_part(const ConfigNode& node, std::size_t from, std::size_t to, Kind kind, bool is_definition = false) {
    const std::string_view written = node.tree().text().substr(node.begin(), node.end() - node.begin());
    const std::size_t at = written.find(node.text());
    if (at == written.npos || at > 1 || from == to) return;
    out_.push_back({kind,
                    std::string(node.text().substr(from, to - from)),
                    file_,
                    {node.begin() + at + from, node.begin() + at + to},
                    is_definition});
  }

  const std::string& file_;
  std::vector<NamePlace> out_;
};

}  // namespace

std::vector<NamePlace> names_in(const ConfigTree& tree) {
  NameFinder finder(tree.name());
  for (const ConfigDocument& document : tree.documents()) finder.look_at(*document.root);
  return finder.take();
}

std::optional<NamePlace> name_at(const ConfigTree& tree, std::size_t offset) {
  for (NamePlace& name : names_in(tree)) {
    if (name.range.begin <= offset && offset <= name.range.end) return std::move(name);
  }
  return std::nullopt;
}

}  // namespace apf
