// Reading manifests of any kind.
#include "admission/manifests.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "base/api_resources.h"
#include "base/text.h"
#include "config/reader.h"

namespace apf {

namespace {

std::string group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return std::string(slash == api_version.npos ? std::string_view() : api_version.substr(0, slash));
}

// meta.UnsafeGuessKindToResource of apimachinery.
std::string guess_plural(std::string_view kind) {
  std::string name = in_lower_case(kind);
  if (name == "endpoints" || name.empty()) return name;
  if (name.back() == 's') return name + "es";
  if (name.back() == 'y') return name.substr(0, name.size() - 1) + "ies";
  return name + "s";
}

struct CustomKind {
  std::string plural;
  bool namespaced = true;
};
using CustomKinds = std::map<std::pair<std::string, std::string>, CustomKind>;  // group, kind

class Reader {
 public:
  explicit Reader(ManifestSet& out) : out_(out) {}

  void read(const ConfigText& text) {
    const std::size_t before = out_.diagnostics.size();
    const std::shared_ptr<ConfigTree> tree = read_manifests(text, out_.diagnostics);
    out_.trees.push_back(tree);
    for (const ConfigDocument& document : tree->documents()) {
      document_ = document.index;
      if (!document.root->is_null()) add(*document.root, {}, {});
      if (out_.diagnostics.size() - before > kMostFaults) return;
    }
  }

  void resolve() {
    CustomKinds custom;
    for (const Manifest& m : out_.manifests) {
      if (m.kind == "CustomResourceDefinition") note_definition(*m.object, custom);
    }
    for (Manifest& m : out_.manifests) resolve(m, custom);
  }

 private:
  void fault(const ConfigNode& at, std::string message) {
    out_.diagnostics.push_back(
        make_diagnostic(at.tree(), kNotAnObject, Severity::error, at.begin(), at.end(), std::move(message), document_));
  }

  void add(const ConfigNode& object, std::string_view api_version, std::string_view kind) {
    if (!object.is_mapping()) {
      fault(object, fmt::format("expected a Kubernetes object with apiVersion and kind, found {}",
                                object.is_sequence() ? "a list" : "a single value"));
      return;
    }
    Manifest m;
    m.object = &object;
    m.document = document_;
    m.api_version = text_at(object, "apiVersion");
    m.kind = text_at(object, "kind");
    if (m.api_version.empty()) m.api_version = api_version;
    if (m.kind.empty()) m.kind = kind;
    if (m.kind.empty() || m.api_version.empty()) {
      const ConfigNode& at = object.entries().empty() ? object : object.entries().front().key;
      fault(at, fmt::format("{} missing", m.kind.empty() && m.api_version.empty() ? "kind and apiVersion are"
                                          : m.kind.empty()                        ? "kind is"
                                                                                  : "apiVersion is"));
      return;
    }
    const ConfigNode* items = object.find_present("items");
    if (m.kind.ends_with("List") && items && items->is_sequence()) {
      const bool typed = m.kind != "List";
      for (const ConfigNode& item : items->items()) {
        add(item, typed ? m.api_version : "", typed ? m.kind.substr(0, m.kind.size() - 4) : "");
      }
      return;
    }
    if (const ConfigNode* metadata = object.find_present("metadata")) {
      m.name = text_at(*metadata, "name");
      if (m.name.empty()) m.name = text_at(*metadata, "generateName");
      m.ns = text_at(*metadata, "namespace");
    }
    out_.manifests.push_back(std::move(m));
  }

  static void note_definition(const ConfigNode& object, CustomKinds& custom) {
    const ConfigNode* spec = object.find_present("spec");
    const ConfigNode* names = spec ? spec->find_present("names") : nullptr;
    if (!names) return;
    custom[{std::string(text_at(*spec, "group")), std::string(text_at(*names, "kind"))}] = {
        std::string(text_at(*names, "plural")), text_at(*spec, "scope") != "Cluster"};
  }

  static void resolve(Manifest& m, const CustomKinds& custom) {
    m.resource.group = group_of(m.api_version);
    const auto defined = custom.find({m.resource.group, m.kind});
    if (defined != custom.end()) {
      m.resource.resource = defined->second.plural;
      m.namespaced = defined->second.namespaced;
      return;
    }
    const std::string_view group = m.resource.group;
    const std::string singular = in_lower_case(m.kind);
    const ApiResource* known = find_api_resource(singular, &group);
    m.resource.resource = known ? std::string(known->name) : guess_plural(m.kind);
    if (known) m.namespaced = known->namespaced;
  }

  ManifestSet& out_;
  int document_ = 0;
};

}  // namespace

Span Manifest::span() const {
  const ConfigNode* at = object->find("kind");
  if (!at && !object->entries().empty()) at = &object->entries().front().key;
  return at ? at->span() : object->span();
}

ManifestSet read_manifests(std::span<const ConfigText> texts) {
  ManifestSet out;
  Reader reader(out);
  for (const ConfigText& text : texts) reader.read(text);
  reader.resolve();
  sort_diagnostics(out.diagnostics);
  return out;
}

Diagnostic manifest_fault(const Manifest& manifest, const ConfigNode& at, std::string field, std::string message) {
  Diagnostic d = make_diagnostic(at.tree(), kWrongType, Severity::error, at.begin(), at.end(),
                                 fmt::format("{}: {}", field, message), manifest.document);
  d.api_version = manifest.api_version;
  d.kind = manifest.kind;
  d.object_name = name_to_tell(manifest.name);
  d.field = std::move(field);
  return d;
}

}  // namespace apf
