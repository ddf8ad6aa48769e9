#include "lsp/symbols.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/kinds.h"
#include "config/scalar.h"
#include "config/validate_names.h"

namespace apf {

namespace {

using Kind = NamePlace::Kind;

constexpr std::string_view kSchema = "FlowSchema", kLevel = "PriorityLevelConfiguration";

class NameFinder {
 public:
  explicit NameFinder(const std::string& file) : file_(file) {}

  void look_at(const ConfigNode& object) {
    for (const ConfigNode& item : items_of(object, "items")) look_at(item);
    if (object.find("tests") && !object.find("kind")) {
      for (const ConfigNode& test : items_of(object, "tests")) look_at_test(test);
    }
    const std::string kind = object.find_string("kind");
    if (kind != kSchema && kind != kLevel) return;
    const ConfigNode *metadata = object.find("metadata"), *spec = object.find("spec");
    if (metadata) add(metadata->find("name"), kind == kSchema ? Kind::flow_schema : Kind::priority_level, true);
    const ConfigNode* level = spec ? spec->find("priorityLevelConfiguration") : nullptr;
    if (level && kind == kSchema) add(level->find("name"), Kind::priority_level, false);
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

std::string_view word_of(Kind kind) { return kind == Kind::flow_schema ? kSchema : kLevel; }

struct Symbols {
  const LineTable& lines;
  JsonWriter json;

  void begin(std::string_view name, std::string_view detail, int kind, const ConfigNode& all, TextRange at) {
    json.begin_object().field("name", name);
    if (!detail.empty()) json.field("detail", detail);
    json.field("kind", kind).key("range");
    lines.write(json, {std::min<std::size_t>(all.begin(), at.begin), std::max<std::size_t>(all.end(), at.end)});
    json.key("selectionRange");
    lines.write(json, at);
  }

  void add(const ConfigNode& object) {
    const ConfigNode* items = object.find("items");
    if (items && items->is_sequence()) {
      for (const ConfigNode& item : items->items()) add(item);
      return;
    }
    if (!is_limiting_object(object)) return;
    constexpr int kObject = 19, kArray = 18;
    const ConfigNode *metadata = object.find("metadata"), *spec = object.find("spec");
    const ConfigNode* name = metadata ? metadata->find_present("name") : nullptr;
    const ConfigNode* at = name ? name : object.find("kind");
    if (!at) at = &object;
    const std::string kind = object.find_string("kind");
    begin(name ? name->text() : kind, name ? kind : "", kObject, object, {at->begin(), at->end()});
    json.key("children").begin_array();
    const ConfigNode* rules = spec ? spec->find("rules") : nullptr;
    std::size_t number = 0;
    for (const ConfigNode& rule : rules ? rules->items() : std::span<const ConfigNode>()) {
      begin(fmt::format("rules[{}]", number++), "", kArray, rule, {rule.begin(), rule.end()});
      json.end_object();
    }
    json.end_array().end_object();
  }
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

std::vector<NamePlace> find_names(Folder& folder, const NamePlace& place, const std::string& other) {
  const auto may_have = [&](std::string_view text) {
    return text.find(place.name) != text.npos || (!other.empty() && text.find(other) != text.npos);
  };
  std::vector<NamePlace> out;
  for (const auto& [path, source] : folder.sources()) {
    const bool may = may_have(source.text()) || (source.good && may_have(source.good->text()));
    const auto tree = may && folder.are_together(place.file, path) ? folder.tree_of(path) : nullptr;
    if (!tree) continue;
    for (NamePlace& name : names_in(*tree)) {
      if (name.kind == place.kind && (name.name == place.name || name.name == other)) out.push_back(std::move(name));
    }
  }
  return out;
}

std::string rename_fault(Folder& folder, const std::vector<NamePlace>& names, const NamePlace& place,
                         const std::optional<std::string>& new_name) {
  const std::string what(word_of(place.kind));
  if (const NameFaults faults = new_name ? dns_subdomain_faults(*new_name) : NameFaults(); !faults.empty())
    return fmt::format("\"{}\" cannot be a name: {}", *new_name, faults.front());
  const auto is_defined = [&](const std::string& name) {
    return std::any_of(names.begin(), names.end(),
                       [&](const NamePlace& other) { return other.is_definition && other.name == name; });
  };
  if (!is_defined(place.name))
    return fmt::format("{} {} is in none of these files, so that it cannot be renamed", what, place.name);
  if (new_name && is_defined(*new_name)) return fmt::format("there is already a {} {}", what, *new_name);
  const Config builtins = bootstrap_config(folder.last_run().options.version);
  const auto is_builtin = [&](const std::string& name) {
    const auto has_name = [&](const auto& object) { return object.meta.name == name; };
    return place.kind == Kind::flow_schema
               ? std::any_of(builtins.flow_schemas.begin(), builtins.flow_schemas.end(), has_name)
               : std::any_of(builtins.priority_levels.begin(), builtins.priority_levels.end(), has_name);
  };
  if (is_builtin(place.name)) return fmt::format("{} {} is built in: the server keeps its name", what, place.name);
  if (new_name && is_builtin(*new_name)) return fmt::format("{} is the name of a built-in {}", *new_name, what);
  for (const NamePlace& other : names) {
    if (other.name == place.name && folder.is_broken(other.file))
      return fmt::format("{} uses {} and has a syntax error: mend it first", other.file, place.name);
  }
  return {};
}

std::string text_for(const std::string& name, std::string_view text, TextRange place) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() && std::string_view("\"'/").find(text[at]) != std::string_view::npos;
  };
  return needs_quotes(name) && !is_part(place.begin - 1) && !is_part(place.end) ? '"' + name + '"' : name;
}

std::string render_symbols(const ConfigTree& tree, const LineTable& lines) {
  Symbols symbols{lines, {}};
  symbols.json.begin_array();
  for (const ConfigDocument& document : tree.documents()) symbols.add(*document.root);
  symbols.json.end_array();
  return symbols.json.take();
}

}  // namespace apf
