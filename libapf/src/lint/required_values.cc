#include "lint/required_values.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/api_resources.h"
#include "config/codes.h"
#include "lint/causes.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

std::vector<std::string> strings_of(const ConfigNode& owner, std::string_view key) {
  std::vector<std::string> out;
  const ConfigNode* list = owner.find(key);
  for (const ConfigNode& item : list ? list->items() : std::span<const ConfigNode>()) out.emplace_back(item.text());
  return out;
}

// Of built-in resources, by the part before the slash; empty: one of them is none, or "*".
std::vector<const ApiResource*> all_built_in(const std::vector<std::string>& resources) {
  std::vector<const ApiResource*> out;
  for (const std::string& entry : resources) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('/'));
    const std::size_t before = out.size();
    for (const ApiResource& known : api_resources())
      if (known.name == name) out.push_back(&known);
    if (out.size() == before) return {};
  }
  return out;
}

// An entry beside the others of the mapping at `owner`; an empty list that is there is filled.
std::vector<Edit> fill_edits(const ConfigNode& root, const std::string& owner, std::string_view name,
                             const std::string& value) {
  const ConfigNode& mapping = *find_field(root, owner).value;
  if (const ConfigNode* there = mapping.find(name)) {
    const bool empty = there->is_sequence() && there->items().empty() && there->style() == NodeStyle::flow;
    if (!empty || root.tree().is_aliased(there->begin(), there->end())) return {};
    return {{root.tree().name(), there->begin(), there->end(), value}};
  }
  const char* const after = mapping.find("resources") ? "resources" : "verbs";
  return insert_after(root, owner + "." + after, name, NewScalar::flow(value));
}

// What RBAC's rules do without: they hold in the namespace of their binding, or everywhere.
void explain_namespaces(const ConfigNode& root, Diagnostic& d) {
  const std::string owner = d.field.substr(0, d.field.rfind('.'));
  const ConfigNode& rule = *find_field(root, owner).value;
  const std::vector<const ApiResource*> known = all_built_in(strings_of(rule, "resources"));
  const bool cluster_scoped =
      !known.empty() && std::none_of(known.begin(), known.end(), [](const ApiResource* r) { return r->namespaced; });
  if (cluster_scoped) {
    d.notes.push_back({"these resources belong to no namespace: clusterScope: true matches their requests", {}});
    offer_fix(d, "add clusterScope: true", false, insert_after(root, owner + ".resources", "clusterScope", true));
    return;
  }
  d.notes.push_back(
      {"a rule of RBAC has no such field; here write namespaces: [\"*\"] for requests in any namespace, "
       "and clusterScope: true for requests across namespaces and for cluster-scoped resources",
       {}});
  std::vector<Edit> edits = fill_edits(root, owner, "namespaces", "[\"*\"]");
  if (edits.empty() || rule.find("clusterScope")) return;
  if (!rule.find("namespaces")) {
    const char* const after = rule.find("resources") ? ".resources" : ".verbs";
    const std::vector<Edit> scope = insert_after(root, owner + after, "clusterScope", true);
    if (scope.empty()) return;
    edits.front().text += scope.front().text;
  }
  offer_fix(d, rule.find("namespaces") ? "write namespaces: [\"*\"]" : "add namespaces: [\"*\"] and clusterScope: true",
            false, std::move(edits));
}

void explain_groups(const ConfigNode& root, Diagnostic& d) {
  const std::string owner = d.field.substr(0, d.field.rfind('.'));
  const std::vector<std::string> resources = strings_of(*find_field(root, owner).value, "resources");
  d.notes.push_back({"write apiGroups: [\"*\"] for all groups, [\"\"] for the core group", {}});
  std::set<std::string> groups;
  for (const ApiResource* known : all_built_in(resources)) groups.emplace(known->group);
  const bool any = resources.size() == 1 && resources.front() == "*";
  if (!any && groups.size() != 1) return;
  const std::string value = any ? "[\"*\"]" : fmt::format("[\"{}\"]", *groups.begin());
  offer_fix(d, fmt::format("add apiGroups: {}", value), false, fill_edits(root, owner, "apiGroups", value));
}

void explain_queuing(const ConfigNode& root, Diagnostic& d) {
  d.notes.push_back({"queuing: {} is enough for the defaults: 64 queues, hands of 8, 50 requests a queue", {}});
  if (find_field(root, d.field).exact) return;
  offer_fix(d, "add queuing: {}", false,
            insert_after(root, "spec.limited.limitResponse.type", "queuing", NewScalar::flow("{}")));
}

}  // namespace

void explain_required_values(const LoadedConfig& loaded, std::vector<Diagnostic>& findings) {
  for (Diagnostic& d : findings) {
    // What has a note has its cause already.
    if (d.type != "Required value" || !d.notes.empty() || d.fix) continue;
    const ConfigNode* root = tree_of(loaded, d);
    if (!root) continue;
    if (d.code == kInvalidNamespaces.code) explain_namespaces(*root, d);
    else if (d.code == kInvalidApiGroups.code) explain_groups(*root, d);
    else if (d.code == kMismatchedQueuing.code) explain_queuing(*root, d);
  }
}

}  // namespace apf
