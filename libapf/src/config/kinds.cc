#include "config/kinds.h"

#include <algorithm>
#include <string>

#include "config/admission_objects.h"
#include "config/audit_policy.h"
#include "config/closest.h"
#include "config/dialect.h"
#include "config/resource_quota.h"
#include "config/schema.h"

namespace apf {

namespace {

constexpr std::string_view kFlowControlKinds[] = {"FlowSchema", "PriorityLevelConfiguration", "FlowSchemaList",
                                                  "PriorityLevelConfigurationList"};
constexpr std::string_view kCoreKinds[] = {"ResourceQuota", "ResourceQuotaList", "LimitRange", "LimitRangeList"};
constexpr int kDeepestList = 8;

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string_view group_of_version(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_limiting_head(std::string_view api_version, std::string_view kind) {
  const std::string_view group = group_of_version(api_version);
  const bool core = is_one_of(kCoreKinds, kind) && group.empty();
  return group == kApiGroup || core || is_one_of(kFlowControlKinds, kind) || is_admission_object(group, kind) ||
         is_audit_policy(api_version, kind) || is_resource_quota_configuration(api_version, kind);
}

// A value of a chart may be called kind as well; and a custom resource may have the kind of another group.
bool means_own_kind(const ConfigNode& object, std::string_view api_version) {
  const std::string_view group = group_of_version(api_version);
  if (api_version.empty()) return object.find("spec") || object.find("metadata") || object.find("items");
  return group.empty() || group.find("k8s") != group.npos || group.find("flowcontrol") != group.npos;
}

constexpr OwnKind kOwnKinds[] = {{"v1", "ResourceQuota"},
                                 {"v1", "LimitRange"},
                                 {"audit.k8s.io/v1", "Policy"},
                                 {"eventratelimit.admission.k8s.io/v1alpha1", "Configuration"},
                                 {"apiserver.config.k8s.io/v1", "ResourceQuotaConfiguration"},
                                 {"apiserver.config.k8s.io/v1", "AdmissionConfiguration"}};

// Of the group of audit policies, which has events beside them, every other kind means one.
bool is_near_kind(std::string_view kind, std::string_view own) {
  if (kind == own || kind.ends_with("List")) return false;
  return own == "Policy" ? kind != "Event" : edit_distance(kind, own, 3) <= 2;
}

// No CustomResourceDefinition may have such a group.
bool is_kubernetes_group(std::string_view group) {
  return !group.empty() && (group.find('.') == group.npos || group.ends_with(".k8s.io"));
}

// Does an item of the list `key` have the member?
bool lists(const ConfigNode& object, std::string_view key, std::string_view member) {
  const ConfigNode* list = object.find(key);
  return list && std::any_of(list->items().begin(), list->items().end(),
                             [&](const ConfigNode& item) { return item.find(member) != nullptr; });
}

bool has_members_of(const ConfigNode& object, const OwnKind& own) {
  if (own.kind == "Policy") return lists(object, "rules", "level");
  if (own.kind == "Configuration") return lists(object, "limits", "qps");
  return own.api_version == "v1";
}

bool is_limiting(const ConfigNode& object, int depth) {
  if (!object.is_mapping()) return false;
  const std::string kind = object.find_string("kind"), api_version = object.find_string("apiVersion");
  if (is_limiting_head(api_version, kind)) return means_own_kind(object, api_version);
  if (foreign_dialect(object, api_version, kind) || meant_kind(object, api_version, kind)) return true;
  const ConfigNode* items = kind == "List" && depth < kDeepestList ? object.find("items") : nullptr;
  return items && std::any_of(items->items().begin(), items->items().end(),
                              [&](const ConfigNode& item) { return is_limiting(item, depth + 1); });
}

// The value of `key` if the line says it: "- kind: \"FlowSchema\" # …".
std::string_view value_in_line(std::string_view line, std::string_view key) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t-{\""), line.size()));
  if (!line.starts_with(key)) return {};
  line.remove_prefix(key.size());
  if (line.starts_with('"')) line.remove_prefix(1);
  if (!line.starts_with(':')) return {};
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t\"'"), line.size()));
  return line.substr(0, line.find_first_of(" \t\"',}\r"));
}

}  // namespace

const OwnKind* meant_kind(const ConfigNode& object, std::string_view api_version, std::string_view kind) {
  const std::string_view group = group_of_version(api_version);
  for (const OwnKind& own : kOwnKinds) {
    const std::string_view own_group = group_of_version(own.api_version);
    const bool meant = group == own_group ? !api_version.empty() && is_near_kind(kind, own.kind)
                                          : kind == own.kind && (group.empty() || is_kubernetes_group(group)) &&
                                                has_members_of(object, own);
    if (meant) return &own;
  }
  return nullptr;
}

bool is_limiting_object(const ConfigNode& object) { return is_limiting(object, 0); }

bool is_api_object(const ConfigNode& object) {
  return !object.find_string("kind").empty() && !object.find_string("apiVersion").empty();
}

std::string selector_of(const ObjectMeta& meta) {
  std::string out;
  for (const auto& [key, value] : meta.annotations) {
    const bool of_tool = key.starts_with("configmanagement.gke.io/") || key.starts_with("configsync.gke.io/");
    if (of_tool && key.ends_with("-selector")) out += "\n" + key + "=" + value;
  }
  return out;
}

bool has_limiting_head(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string_view version = value_in_line(line, "apiVersion"), kind = value_in_line(line, "kind");
    if (!version.empty() && is_limiting_head(version, {})) return true;
    if (!kind.empty() && (is_limiting_head({}, kind) || kind == "RequestPriority")) return true;
  }
  return false;
}

}  // namespace apf
