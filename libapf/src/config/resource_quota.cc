// ResourceQuota objects from their trees, and what their resource names and scopes are to the server
// (pkg/apis/core/helper, v1.36).
#include "config/resource_quota.h"

#include <algorithm>
#include <array>

#include "config/decode.h"
#include "config/quantity_faults.h"
#include "config/validate_names.h"

namespace apf {

namespace {

constexpr std::array<std::string_view, 19> kStandardResources{"cpu",
                                                              "memory",
                                                              "ephemeral-storage",
                                                              "requests.cpu",
                                                              "requests.memory",
                                                              "requests.storage",
                                                              "requests.ephemeral-storage",
                                                              "limits.cpu",
                                                              "limits.memory",
                                                              "limits.ephemeral-storage",
                                                              "pods",
                                                              "resourcequotas",
                                                              "services",
                                                              "replicationcontrollers",
                                                              "secrets",
                                                              "persistentvolumeclaims",
                                                              "configmaps",
                                                              "services.nodeports",
                                                              "services.loadbalancers"};
constexpr std::array<std::string_view, 9> kCounts{
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};
constexpr std::array<std::string_view, 6> kPodCompute{"cpu",           "memory",       "limits.cpu",
                                                      "limits.memory", "requests.cpu", "requests.memory"};
constexpr std::array<std::string_view, 7> kScopes{"Terminating",          "NotTerminating", "BestEffort",
                                                  "NotBestEffort",        "PriorityClass",  "CrossNamespacePodAffinity",
                                                  "VolumeAttributesClass"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

ResourceList decode_amounts(const ConfigNode* object, std::string_view name) {
  ResourceList list;
  const ConfigNode* node = object ? object->find_present(name) : nullptr;
  if (!node) return list;
  for (const ConfigEntry& entry : node->entries())
    list.insert_or_assign(std::string(entry.key.text()), quantity_of(entry.value).value_or(Quantity()));
  return list;
}

std::span<const std::string_view> standard_quota_resources() { return kStandardResources; }

bool is_standard_quota_resource(std::string_view name) {
  return holds(kStandardResources, name) || name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
}

bool is_extended_resource(std::string_view name) {
  const bool native = name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos;
  if (native || name.starts_with("requests.")) return false;
  return label_key_faults("requests." + std::string(name), kNewestKubeVersion).empty();
}

bool is_integer_resource(std::string_view name) { return holds(kCounts, name) || is_extended_resource(name); }

bool is_quota_scope(std::string_view scope) { return holds(kScopes, scope); }

bool scope_fits_resource(std::string_view scope, std::string_view resource) {
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") return resource == "persistentvolumeclaims" || resource == "requests.storage";
  return !is_quota_scope(scope) || resource == "pods" || holds(kPodCompute, resource);
}

std::vector<ScopeRequirement> decode_scope_requirements(const ConfigNode* list) {
  std::vector<ScopeRequirement> result;
  if (!list) return result;
  for (const ConfigNode& item : list->items()) {
    ScopeRequirement& term = result.emplace_back();
    term.scope_name = decode_string(&item, "scopeName");
    term.op = decode_string(&item, "operator");
    term.has_values = item.find_present("values") != nullptr;
    term.values = decode_strings(&item, "values");
  }
  return result;
}

ResourceQuota decode_resource_quota(const ConfigNode& object, std::string api_version) {
  ResourceQuota quota;
  quota.meta = decode_meta(object, std::move(api_version));
  quota.ns = decode_string(object.find_present("metadata"), "namespace");
  const ConfigNode* spec = object.find_present("spec");
  quota.spec.hard = decode_amounts(spec, "hard");
  quota.spec.scopes = decode_strings(spec, "scopes");
  quota.spec.has_scopes = spec && spec->find_present("scopes");
  if (const ConfigNode* selector = spec ? spec->find_present("scopeSelector") : nullptr) {
    const ConfigNode* terms = selector->find_present("matchExpressions");
    quota.spec.scope_selector = decode_scope_requirements(terms);
    quota.spec.has_match_expressions = terms != nullptr;
  }
  const ConfigNode* status = object.find_present("status");
  quota.status.hard = decode_amounts(status, "hard");
  quota.status.used = decode_amounts(status, "used");
  return quota;
}

}  // namespace apf
