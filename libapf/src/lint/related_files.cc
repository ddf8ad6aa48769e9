// Files of a folder that hold an object of the kinds that limit requests, and what the others are.
#include <apf/related_files.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/files.h"
#include "config/kinds.h"
#include "config/reader.h"
#include "lint/kustomization.h"
#include "lint/project.h"
#include "lint/template_marks.h"

namespace apf {

namespace {

// The beginning of a group or a kind, or of one that is nearly right, in every object that load_config() reads.
constexpr std::string_view kOwnWords[] = {
    "flowcontrol",  "FlowSchema",  "PriorityLevel",    "RequestPriority",        "uota",
    "imitR",        "imitr",       "admission.k8s.io", "AdmissionConfiguration", "apiserver.config.k8s.io",
    "audit.k8s.io", "AuditPolicy", "audit/v1"};
constexpr std::size_t kLongestValue = 200;  // of what may stand between the key and the word

// What follows "key:" wherever the text has it, until `take` says that it is enough.
template <class Take>
bool find_value(std::string_view text, std::string_view key, Take take) {
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at)) {
    at += key.size();
    const std::size_t colon = std::min(text.find_first_not_of("\"' \t\r\n", at), text.size());
    if (colon < text.size() && text[colon] == ':' && take(text.substr(colon + 1))) return true;
  }
  return false;
}

std::string_view first_word(std::string_view value) {
  value.remove_prefix(std::min(value.find_first_not_of("\"' \t"), value.size()));
  return value.substr(0, value.find_first_of("\"' \t\r\n,}"));
}

// Is a value of apiVersion or kind one that load_config() reads? A text without any need not be parsed. Rules of RBAC
// and descriptions name the same words elsewhere.
bool may_be_related(std::string_view text) {
  const auto is_own = [](std::string_view value) {
    value = value.substr(0, kLongestValue);
    return std::any_of(std::begin(kOwnWords), std::end(kOwnWords),
                       [&](std::string_view word) { return value.find(word) != value.npos; });
  };
  return find_value(text, "kind", is_own) || find_value(text, "apiVersion", is_own);
}

constexpr std::string_view kCountedKinds[] = {
    "Pod",     "Deployment", "StatefulSet",           "DaemonSet", "ReplicaSet", "ReplicationController", "Job",
    "CronJob", "Service",    "PersistentVolumeClaim", "List"};

constexpr std::string_view kLimitingKinds[] = {"ResourceQuota", "LimitRange", "ResourceQuotaList", "LimitRangeList"};

void add_namespaces(std::string_view text, std::set<std::string>& names) {
  find_value(text, "namespace", [&](std::string_view value) {
    names.emplace(first_word(value));
    return false;
  });
}

// The namespaces that a text with objects which quotas and LimitRanges look at names.
std::set<std::string> namespaces_of_workloads(std::string_view text) {
  std::set<std::string> names;
  if (!find_value(text, "kind", [](std::string_view value) { return is_one_of(kCountedKinds, first_word(value)); }))
    return names;
  if (text.find("{{") != text.npos) return names;
  add_namespaces(text, names);
  return names;
}

bool is_wanted(const ConfigNode& object, WantedObjects wanted) {
  if (wanted == WantedObjects::limits) return is_limiting_object(object);
  return is_api_object(object) && !object.find_string("apiVersion").starts_with("kustomize.config.k8s.io/");
}

// OpenShift's own templates: "oc process" makes objects of theirs.
bool is_template_of_limits(const ConfigNode& object) {
  if (object.find_string("kind") != "Template" ||
      !object.find_string("apiVersion").starts_with("template.openshift.io/"))
    return false;
  const ConfigNode* const objects = object.find("objects");
  return objects && std::any_of(objects->items().begin(), objects->items().end(), is_limiting_object);
}

enum class FileKind { wanted, unrelated, plain_template, needed_template };

// A text that does not parse, or has marks of a template, is kept if it is an object that is wrong.
FileKind file_kind(const ConfigText& text, WantedObjects wanted) {
  if (wanted == WantedObjects::limits && !may_be_related(text.text)) return FileKind::unrelated;
  std::vector<Diagnostic> faults;
  const std::shared_ptr<ConfigTree> tree = read_manifests(text, faults);
  bool found = false, marked = false;
  for (const ConfigDocument& document : tree->documents()) {
    const bool oc_template = is_template_of_limits(*document.root);
    marked = marked || oc_template;
    found = found || oc_template;
    if (!is_wanted(*document.root, wanted)) continue;
    found = true;
    marked = marked || has_template_marks(*document.root);
  }
  if (faults.empty()) return !found ? FileKind::unrelated : marked ? FileKind::needed_template : FileKind::wanted;
  const bool related = has_limiting_head(text.text);
  if (has_template_marks(text.text)) return related ? FileKind::needed_template : FileKind::plain_template;
  return found || related ? FileKind::wanted : FileKind::unrelated;
}

constexpr std::string_view kFixtureFolders[] = {"testdata", "vendor", "node_modules"};
// What tests of policies and operators have beside the objects that they apply or expect.
constexpr std::string_view kFixtureFiles[] = {"chainsaw-test.", "kuttl-test.", "kyverno-test.", "example_disallowed"};

bool is_in_fixture_folder(std::string_view below) {
  for (std::size_t slash; (slash = below.find('/')) != below.npos; below.remove_prefix(slash + 1))
    if (is_one_of(kFixtureFolders, below.substr(0, slash))) return true;
  return false;
}

// Passes over what is no configuration.
class Sorting {
 public:
  Sorting(FolderContents& contents, WantedObjects wanted, bool fixtures)
      : contents_(contents), wanted_(wanted), fixtures_(fixtures || wanted == WantedObjects::all) {}

  void look_around(std::span<const FoundText> found) {
    std::map<std::string, const FoundText*> by_name;
    std::map<std::string, ConfigText> again;
    const auto find = [&](const std::string& name) -> const ConfigText* {
      if (by_name.empty())
        for (const FoundText& one : found) by_name.emplace(normal_name(one.text.name), &one);
      const auto at = by_name.find(name);
      if (at == by_name.end()) return nullptr;
      const ConfigText& text = at->second->text;
      if (!at->second->left) return &text;
      if (!again.contains(name)) again.emplace(name, read_text_file(text.name));
      return &again.at(name);
    };
    for (const FoundText& one : found) {
      const ConfigText& text = one.text;
      const std::string_view file = std::string_view(text.name).substr(text.name.rfind('/') + 1);
      if (!one.named && std::any_of(std::begin(kFixtureFiles), std::end(kFixtureFiles),
                                    [&](std::string_view name) { return file.starts_with(name); }))
        fixture_folders_.insert(folder_of_name(text.name));
      if (file == "Chart.yaml") charts_.insert(folder_of_name(text.name));
      if (one.named || !is_kustomization_file(text.name)) continue;
      std::optional<Kustomization> kustomization = read_kustomization(text, find);
      if (!kustomization) continue;
      kustomization->elsewhere = one.elsewhere;
      patches_.insert(kustomization->patches.begin(), kustomization->patches.end());
      contents_.kustomizations.push_back(std::move(*kustomization));
    }
  }

  bool keeps(const FoundText& found) {
    const ConfigText& text = found.text;
    if (found.named) return true;
    if (found.left) {
      contents_.unrelated += !found.hidden;
      return false;
    }
    if (found.hidden) {
      if (may_be_related(text.text)) contents_.hidden.push_back(text.name);
      return false;
    }
    const FileKind kind = is_values_of_chart(text.name) ? FileKind::unrelated : file_kind(text, wanted_);
    const bool fixture = kind != FileKind::unrelated && !fixtures_ && is_fixture(found);
    if (fixture) contents_.fixtures.push_back(text.name);
    if (kind == FileKind::needed_template && !fixture) contents_.needed.push_back(text.name);
    contents_.templates += !fixture && (kind == FileKind::needed_template || kind == FileKind::plain_template);
    contents_.unrelated += kind == FileKind::unrelated;
    if (kind != FileKind::wanted || fixture) return false;
    if (!patches_.contains(normal_name(text.name))) {
      if (found.elsewhere) contents_.elsewhere.push_back(text.name);
      return true;
    }
    contents_.patches.push_back(text.name);
    return false;
  }

  // Of the files that were left at the first look, takes those with workloads of a namespace that a text limits.
  void add_workloads(std::span<const FoundText> found, const std::map<std::string, std::set<std::string>>& namespaces,
                     std::vector<ConfigText>& texts) {
    std::set<std::string> limited;
    for (const ConfigText& text : texts) {
      const bool limits = find_value(
          text.text, "kind", [](std::string_view value) { return is_one_of(kLimitingKinds, first_word(value)); });
      if (limits) add_namespaces(text.text, limited);
    }
    if (limited.empty()) return;
    for (const FoundText& one : found) {
      const auto at = one.left && !one.hidden ? namespaces.find(one.text.name) : namespaces.end();
      if (at == namespaces.end() || (!fixtures_ && is_fixture(one)) || patches_.contains(normal_name(one.text.name)) ||
          std::none_of(at->second.begin(), at->second.end(),
                       [&](const std::string& ns) { return limited.contains(ns); }))
        continue;
      texts.push_back(read_text_file(one.text.name));
      --contents_.unrelated;
    }
  }

 private:
  // Values may have any keys, apiVersion and kind among them.
  bool is_values_of_chart(const std::string& name) const {
    const std::string folder = folder_of_name(name);
    const std::string file = name.substr(name.rfind('/') + 1);
    if (charts_.contains(folder)) return file.find("values") != file.npos;
    return folder.ends_with("/ci") && charts_.contains(folder_of_name(folder)) && file.find("values") != file.npos;
  }

  bool is_fixture(const FoundText& found) const {
    return is_in_fixture_folder(std::string_view(found.text.name).substr(found.below)) ||
           fixture_folders_.contains(folder_of_name(found.text.name));
  }

  FolderContents& contents_;
  WantedObjects wanted_;
  bool fixtures_;
  std::set<std::string> patches_, fixture_folders_, charts_;
};

std::vector<ConfigText> sorted_out(std::vector<FoundText>& found, Sorting& sorting) {
  std::vector<ConfigText> texts;
  sorting.look_around(found);
  for (FoundText& one : found)
    if (sorting.keeps(one)) texts.push_back(std::move(one.text));
  return texts;
}

}  // namespace

void remove_unrelated(std::vector<ConfigText>& texts, FolderContents& contents, WantedObjects wanted) {
  std::vector<FoundText> found;
  for (ConfigText& text : texts) {
    // Of git's names the path is the last part. Which folder an editor has open is not known.
    const std::size_t below = text.name.starts_with('/') ? text.name.size() : text.name.rfind(':') + 1;
    found.push_back({std::move(text), false, false, below});
  }
  Sorting sorting(contents, wanted, false);
  texts = sorted_out(found, sorting);
}

namespace {

// What kustomizations build with from elsewhere than the paths given: an overlay has its objects there. As for
// kustomize, folders may stand anywhere, and files only below their kustomization.
void add_from_elsewhere(std::vector<FoundText>& found, const FirstLook& wants) {
  std::set<std::string> known;
  const auto add = [&](const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || !known.insert(path).second) return;
    FoundText one{read_text_file(path), false, false, path.size(), false, true};
    one.left = !wants(one.text);
    if (one.left) std::string().swap(one.text.text);
    found.push_back(std::move(one));
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].named || found[i].hidden || !is_kustomization_file(found[i].text.name)) continue;
    if (known.empty())
      for (const FoundText& one : found) known.insert(normal_name(one.text.name));
    const ConfigText text = found[i].text;  // what is added moves the others
    const std::optional<Kustomization> read =
        read_kustomization(text, [](const std::string&) -> const ConfigText* { return nullptr; });
    if (!read) continue;
    for (const auto* paths : {&read->resources, &read->components, &read->patches}) {
      for (const std::string& path : *paths) {
        if (known.contains(path)) continue;
        if (lies_below_folder_of(path, text.name)) add(path);
        for (const char* file : {"/kustomization.yaml", "/kustomization.yml"}) add(path + file);
      }
    }
  }
}

std::vector<ConfigText> read_files(std::span<const std::string> paths, FolderContents& contents, WantedObjects wanted,
                                   bool fixtures, bool workloads) {
  std::map<std::string, std::set<std::string>> namespaces;  // of files with workloads
  const auto wants = [&](const ConfigText& text) {
    if (wanted == WantedObjects::all || may_be_related(text.text) || is_kustomization_file(text.name)) return true;
    if (!workloads) return false;
    if (std::set<std::string> names = namespaces_of_workloads(text.text); !names.empty())
      namespaces.emplace(text.name, std::move(names));
    return false;
  };
  std::vector<FoundText> found = find_config_files(paths, wants);
  add_from_elsewhere(found, wants);
  Sorting sorting(contents, wanted, fixtures);
  std::vector<ConfigText> texts = sorted_out(found, sorting);
  if (!namespaces.empty()) sorting.add_workloads(found, namespaces, texts);
  return texts;
}

}  // namespace

std::vector<ConfigText> read_related_files(std::span<const std::string> paths, FolderContents& contents,
                                           WantedObjects wanted, bool fixtures) {
  return read_files(paths, contents, wanted, fixtures, false);
}

std::vector<ConfigText> read_files_to_lint(std::span<const std::string> paths, FolderContents& contents,
                                           bool fixtures) {
  return read_files(paths, contents, WantedObjects::limits, fixtures, true);
}

}  // namespace apf
