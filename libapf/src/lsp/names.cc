#include "lsp/names.h"

#include <algorithm>

#include "config/schema.h"

namespace apf {

namespace {

using Kind = NamePlace::Kind;

class NameFinder {
 public:
  void look_at(const ConfigNode& object) {
    for (const ConfigNode& item : items_at(object, "items")) look_at(item);
    const std::string kind = object.find_string("kind");
    if (kind.empty()) {
      for (const ConfigNode& test : items_at(object, "tests")) look_at_test(test);
    } else if (kind == kFlowSchemaKind) {
      add(object, "metadata.name", Kind::flow_schema, true);
      add(object, "spec.priorityLevelConfiguration.name", Kind::priority_level, false);
    } else if (kind == kPriorityLevelKind) {
      add(object, "metadata.name", Kind::priority_level, true);
    }
  }
  std::vector<NamePlace> take() { return std::move(out_); }

 private:
  void look_at_test(const ConfigNode& test) {
    for (const char* key : {"expect", "expect-not"}) {
      const ConfigNode* expect = test.find(key);
      if (!expect) continue;
      add(*expect, "flowSchema", Kind::flow_schema, false);
      add(*expect, "priorityLevel", Kind::priority_level, false);
      if (!expect->is_string()) continue;
      const std::string_view text = expect->text();  // FLOWSCHEMA/LEVEL
      const std::size_t slash = std::min(text.find('/'), text.size());
      add_part(*expect, 0, slash, Kind::flow_schema, false);
      if (slash < text.size()) add_part(*expect, slash + 1, text.size(), Kind::priority_level, false);
    }
    const ConfigNode* limits = test.find("limits");
    if (!limits) return;
    for (const ConfigEntry& entry : limits->entries())
      add_part(entry.key, 0, entry.key.text().size(), Kind::priority_level, false);
  }

  void add(const ConfigNode& root, std::string_view field, Kind kind, bool is_definition) {
    const FieldPosition at = find_field(root, field);
    if (at.exact && at.value->is_scalar() && !at.value->is_null())
      add_part(*at.value, 0, at.value->text().size(), kind, is_definition);
  }

  // A part of a text whose value is written as it is, with quotes or without.
  void add_part(const ConfigNode& node, std::size_t from, std::size_t to, Kind kind, bool is_definition) {
    const std::string_view written = node.tree().text().substr(node.begin(), node.end() - node.begin());
    const std::size_t at = written.find(node.text());
    if (at == written.npos || at > 1 || from == to) return;
    out_.push_back({kind,
                    std::string(node.text().substr(from, to - from)),
                    node.tree().name(),
                    {node.begin() + at + from, node.begin() + at + to},
                    is_definition});
  }

  std::vector<NamePlace> out_;
};

}  // namespace

std::span<const ConfigNode> items_at(const ConfigNode& root, std::string_view field) {
  const FieldPosition at = find_field(root, field);
  return at.exact ? at.value->items() : std::span<const ConfigNode>();
}

std::vector<NamePlace> names_in(const ConfigTree& tree) {
  NameFinder finder;
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
