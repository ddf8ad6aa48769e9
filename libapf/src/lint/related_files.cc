// Files of a folder that hold an object of the kinds that limit requests, and what the others are.
#include <apf/related_files.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/files.h"
#include "config/kinds.h"
#include "config/reader.h"
#include "lint/kustomization.h"
#include "lint/template_marks.h"

namespace apf {

namespace {

// Words of which every object that load_config() reads has one: a group, a kind, or a beginning of one that is nearly
// right. A text without any need not be parsed.
bool may_be_related(std::string_view text) {
  for (const std::string_view word :
       {"flowcontrol", "FlowSchema", "PriorityLevel", "RequestPriority", "ResourceQuota", "resourcequota", "LimitRange",
        "eventratelimit", "EventRateLimit", "AdmissionConfiguration", "audit.k8s.io"}) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
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

// Passes over what is no configuration. `patches`: files that kustomizations name as such.
class Sorting {
 public:
  Sorting(FolderContents& contents, WantedObjects wanted) : contents_(contents), wanted_(wanted) {}

  void read_kustomizations(std::span<const FoundText> found) {
    for (const auto& [text, named] : found) {
      if (named || !is_kustomization_file(text.name)) continue;
      std::optional<Kustomization> kustomization = read_kustomization(text);
      if (!kustomization) continue;
      patches_.insert(kustomization->patches.begin(), kustomization->patches.end());
      contents_.kustomizations.push_back(std::move(*kustomization));
    }
  }

  bool keeps(const ConfigText& text) {
    const FileKind kind = file_kind(text, wanted_);
    if (kind == FileKind::needed_template) contents_.needed.push_back(text.name);
    contents_.templates += kind == FileKind::needed_template || kind == FileKind::plain_template;
    contents_.unrelated += kind == FileKind::unrelated;
    if (kind != FileKind::wanted) return false;
    if (!patches_.contains(normal_name(text.name))) return true;
    contents_.patches.push_back(text.name);
    return false;
  }

 private:
  FolderContents& contents_;
  WantedObjects wanted_;
  std::set<std::string> patches_;
};

}  // namespace

void remove_unrelated(std::vector<ConfigText>& texts, FolderContents& contents, WantedObjects wanted) {
  std::vector<FoundText> found;
  for (ConfigText& text : texts) found.push_back({std::move(text), false});
  texts.clear();
  Sorting sorting(contents, wanted);
  sorting.read_kustomizations(found);
  for (auto& [text, named] : found) {
    if (sorting.keeps(text)) texts.push_back(std::move(text));
  }
}

std::vector<ConfigText> read_related_files(std::span<const std::string> paths, FolderContents& contents,
                                           WantedObjects wanted) {
  std::vector<ConfigText> texts;
  std::vector<FoundText> found = find_config_files(paths);
  Sorting sorting(contents, wanted);
  sorting.read_kustomizations(found);
  for (auto& [text, named] : found) {
    if (named || sorting.keeps(text)) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace apf
