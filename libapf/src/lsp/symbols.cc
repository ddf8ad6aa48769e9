// What a file has, where a name is given and used, and giving it another one.
#include <algorithm>

#include <fmt/core.h>

#include "config/kinds.h"
#include "config/scalar.h"
#include "config/schema.h"
#include "config/validate_names.h"
#include "lsp/answers.h"
#include "lsp/messages.h"
#include "lsp/names.h"

namespace apf {

namespace {

std::string_view word_of(NamePlace::Kind kind) {
  return kind == NamePlace::Kind::flow_schema ? kFlowSchemaKind : kPriorityLevelKind;
}

struct Symbols {
  const Asked& at;
  const ChangedLines changed;
  JsonWriter json = {};

  void write(const char* key, TextRange in_tree) {
    json.key(key);
    at.lines.of(at.path).write(json, changed.range_now(in_tree));
  }

  void begin(std::string_view name, std::string_view detail, int kind, const ConfigNode& all, const ConfigNode& head) {
    json.begin_object().field("name", name.empty() ? "(no name)" : name);
    if (!detail.empty()) json.field("detail", detail);
    json.field("kind", kind);
    write("range", {std::min(all.begin(), head.begin()), std::max(all.end(), head.end())});
    write("selectionRange", {head.begin(), head.end()});
  }

  void add(const ConfigNode& object) {
    if (const ConfigNode* items = object.find("items"); items && items->is_sequence()) {
      for (const ConfigNode& item : items->items()) add(item);
      return;
    }
    const std::string kind = object.find_string("kind");
    if (kind.empty()) add_parts(object, "tests");
    if (!is_limiting_object(object)) return;
    constexpr int kObject = 19;
    const FieldPosition name = find_field(object, "metadata.name");
    const bool has_name = name.exact && !name.value->is_null();
    const ConfigNode* head = has_name ? name.value : object.find("kind");
    begin(has_name ? name.value->text() : kind, has_name ? kind : "", kObject, object, head ? *head : object);
    json.key("children").begin_array();
    add_parts(object, "spec.rules");
    json.end_array().end_object();
  }

  // By their names, or else by their numbers.
  void add_parts(const ConfigNode& object, std::string_view list) {
    constexpr int kArray = 18;
    std::size_t number = 0;
    for (const ConfigNode& part : items_at(object, list)) {
      const std::string plain = fmt::format("{}[{}]", list.substr(list.find('.') + 1), number++);
      const ConfigNode* name = part.find_present("name");
      begin(name && !name->text().empty() ? name->text() : plain, "", kArray, part, name ? *name : part);
      json.key("children").begin_array().end_array().end_object();
    }
  }
};

// Where else that is, or what has the other name, in the configuration that it is part of and its tests, in the order
// of their files.
std::vector<NamePlace> find_names(Folder& folder, const NamePlace& place, const std::string& other = {}) {
  const auto may_have = [&](std::string_view text) {
    return text.find(place.name) != text.npos || (!other.empty() && text.find(other) != text.npos);
  };
  std::vector<NamePlace> out;
  for (const auto& [path, source] : folder.sources()) {
    const bool may = may_have(source.text()) || (source.good && may_have(source.good->text()));
    const auto tree = may && folder.are_together(place.file, path) ? folder.tree_of(path) : nullptr;
    if (!tree) continue;
    for (NamePlace& name : names_in(*tree)) {
      if (name.kind != place.kind || (name.name != place.name && name.name != other)) continue;
      name.range = folder.changed_since_tree(path).range_now(name.range);
      out.push_back(std::move(name));
    }
  }
  return out;
}

// What is wrong with giving the new name to it, or any new name at all; empty: nothing. `names`: with the new one.
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
    return place.kind == NamePlace::Kind::flow_schema
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

// How a name is written in the place of another one: in quotes where YAML would take it for something else, and it
// neither stands in quotes already nor is a part of a longer text, as in the FLOWSCHEMA/LEVEL of a test.
std::string text_for(const std::string& name, std::string_view text, TextRange place) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() && std::string_view("\"'/").find(text[at]) != std::string_view::npos;
  };
  return needs_quotes(name) && !is_part(place.begin - 1) && !is_part(place.end) ? '"' + name + '"' : name;
}

std::optional<NamePlace> name_asked(const Asked& at) {
  const auto tree = at.folder.tree_of(at.path);
  return name_at(*tree, at.folder.changed_since_tree(at.path).offset_before(at.offset));
}

std::string locations(const Asked& at, bool definitions, bool uses) {
  const std::optional<NamePlace> asked = name_asked(at);
  if (!asked) return "null";
  JsonWriter json;
  json.begin_array();
  for (const NamePlace& name : find_names(at.folder, *asked))
    if (name.is_definition ? definitions : uses) at.lines.write_location(json, name.file, name.range);
  return json.end_array().take();
}

NamePlace renamable_at(const Asked& at) {
  const std::optional<NamePlace> asked = name_asked(at);
  if (!asked) throw RpcFault{RpcError::request_failed, "only names of FlowSchemas and priority levels can be renamed"};
  return *asked;
}

}  // namespace

std::string render_symbols(const Asked& at) {
  const auto tree = at.folder.tree_of(at.path);  // before what has changed since it
  Symbols symbols{at, at.folder.changed_since_tree(at.path)};
  symbols.json.begin_array();
  for (const ConfigDocument& document : tree->documents()) symbols.add(*document.root);
  return symbols.json.end_array().take();
}

std::string render_lenses(const Asked& at) {
  return at.open.lens.render(at.folder, at.project, at.path, at.lines, at.features.refreshes_lenses);
}

std::string render_definition(const Asked& at) { return locations(at, true, false); }

std::string render_references(const Asked& at) {
  return locations(at, flag_in(at.params, {"context", "includeDeclaration"}), true);
}

std::string render_renaming(const Asked& at) {
  const NamePlace asked = renamable_at(at);
  if (std::string fault = rename_fault(at.folder, find_names(at.folder, asked), asked, std::nullopt); !fault.empty())
    throw RpcFault{RpcError::request_failed, std::move(fault)};
  JsonWriter json;
  json.begin_object().key("range");
  at.lines.of(at.path).write(json, asked.range);
  return json.field("placeholder", asked.name).end_object().take();
}

std::string render_renamed(const Asked& at) {
  const NamePlace asked = renamable_at(at);
  const std::string new_name = text_in(at.params, {"newName"});
  const std::vector<NamePlace> names = find_names(at.folder, asked, new_name);
  if (std::string fault = rename_fault(at.folder, names, asked, new_name); !fault.empty())
    throw RpcFault{RpcError::request_failed, std::move(fault)};
  std::vector<Edit> edits;
  for (const NamePlace& name : names) {
    if (name.name != asked.name) continue;
    const std::string text = text_for(new_name, at.folder.find(name.file)->text(), name.range);
    edits.push_back({name.file, name.range.begin, name.range.end, text});
  }
  JsonWriter json;
  write_edits(json, edits, at.folder, at.lines);
  return json.take();
}

}  // namespace apf
