#include "config/fields.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "base/joined.h"
#include "config/closest.h"
#include "config/reader.h"

namespace apf {

bool Faults::full() const { return faults_.size() >= kMostFaults; }

void Faults::add(const ConfigNode& at, std::string message) {
  if (full()) return;
  Diagnostic& d = faults_.emplace_back();
  d.message = std::move(message);
  d.span = at.span();
}

std::string_view kind_of(const ConfigNode& node) {
  return node.is_mapping()                       ? "a mapping"
         : node.is_sequence()                    ? "a list"
         : node.is_null() || node.text().empty() ? "nothing"
                                                 : "a single value";
}

namespace {

// What others call a key, where no letters are alike, or those of another key.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"user", "as"},
    {"path", "uri"},
    {"url", "uri"},
    {"ns", "namespace"},
    {"level", "priorityLevel"},
    {"schema", "flowSchema"},
    {"flow", "distinguisher"},
    {"release", "kubernetes-version"},
    {"version", "kubernetes-version"},
};

}  // namespace

std::string suggested(std::string_view word, const std::vector<std::string_view>& names) {
  for (const auto& [other, key] : kOtherNames)
    if (word == other && std::find(names.begin(), names.end(), key) != names.end()) return ", " + did_you_mean(key);
  const std::string_view near = closest(word, names);
  return near.empty() ? "; it is one of " + joined(names, ", ") : ", " + did_you_mean(near);
}

Fields::Fields(Faults& faults, std::string_view what, const ConfigNode& node,
               const std::vector<std::string_view>& names)
    : node_(node) {
  if (!node.is_mapping()) {
    faults.add(node, fmt::format("{}: expected a mapping, found {}", what, kind_of(node)));
    return;
  }
  std::vector<std::string_view> seen;
  for (const ConfigEntry& entry : node.entries()) {
    const std::string_view name = entry.key.text();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      has_unknown_ = true;
      faults.add(entry.key, fmt::format("unknown key \"{}\"{}", name, suggested(name, names)));
    } else if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      faults.add(entry.key, fmt::format("the key \"{}\" occurs twice", name));
    } else {
      seen.push_back(name);
    }
  }
}

std::optional<std::string> text_of(Faults& faults, std::string_view key, const ConfigNode& node,
                                   std::string_view expected) {
  if (node.is_scalar() && !node.is_null() && !node.text().empty()) return std::string(node.text());
  faults.add(node, fmt::format("{}: expected {}, found {}", key, expected, kind_of(node)));
  return std::nullopt;
}

std::string path_beside(const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-" || path.starts_with("git:") || fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).lexically_normal().generic_string();
}

std::vector<std::string> texts_of(Faults& faults, std::string_view key, const ConfigNode& node,
                                  std::string_view expected) {
  std::vector<std::string> out;
  const auto add = [&](const ConfigNode& item) {
    if (std::optional<std::string> text = text_of(faults, key, item, expected)) out.push_back(std::move(*text));
  };
  if (!node.is_sequence()) add(node);
  for (const ConfigNode& item : node.items()) add(item);
  if (node.is_sequence() && node.items().empty())
    faults.add(node, fmt::format("{}: expected {}, found an empty list", key, expected));
  return out;
}

std::optional<bool> boolean_of(Faults& faults, std::string_view key, const ConfigNode& node) {
  if (node.kind() == NodeKind::boolean) return node.boolean();
  const bool is_text = node.is_scalar() && !node.is_null() && !node.text().empty();
  faults.add(node, fmt::format("{}: expected true or false, found {}", key,
                               is_text ? fmt::format("\"{}\"", node.text()) : std::string(kind_of(node))));
  return std::nullopt;
}

std::optional<int> number_of(Faults& faults, std::string_view key, const ConfigNode& node, int least, int most) {
  const std::optional<std::int64_t> number = node.kind() == NodeKind::integer ? node.integer() : std::nullopt;
  if (number && *number >= least && *number <= most) return static_cast<int>(*number);
  faults.add(node, fmt::format("{}: expected a whole number from {} to {}", key, least, most));
  return std::nullopt;
}

void read_single_document(const ConfigText& text, const std::string& what, const std::string& needs,
                          std::vector<Diagnostic>& faults,
                          const std::function<void(const ConfigNode& root, Faults& faults)>& read) {
  const std::shared_ptr<ConfigTree> tree = read_tree(text, faults);
  for (Diagnostic& d : faults) {  // the rules are about configurations
    d.code.clear();
    d.name.clear();
  }
  Faults own(faults);
  bool found = false;
  for (const ConfigDocument& document : tree->documents()) {
    if (document.root->is_null()) continue;
    if (found) {
      own.add(*document.root, fmt::format("a second document; {} a single document", what));
      break;
    }
    found = true;
    const std::string kind = document.root->find_string("kind");
    if (!kind.empty() && !document.root->find_string("apiVersion").empty()) {
      own.add(*document.root,
              fmt::format("this is a {}, an object for lint, or for -f of other commands; {} none", kind, what));
      break;
    }
    read(*document.root, own);
  }
  if (!found && faults.empty() && !needs.empty()) {
    Diagnostic& d = faults.emplace_back();
    d.message = "the file is empty: " + needs;
    d.span.file = text.name;
    d.span.line = d.span.column = d.span.end_line = d.span.end_column = 1;
  }
  sort_diagnostics(faults);
}

}  // namespace apf
