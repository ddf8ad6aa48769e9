// Which quotas an object falls under: by the names in `hard`, and by scope.
#include <algorithm>

#include <fmt/core.h>

#include "admission/quota_engine.h"
#include "base/api_resources.h"
#include "base/joined.h"
#include "base/releases.h"

namespace apf {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// As a label selector on a set that holds `value` under the scope's name, or nothing.
bool selects(const ScopeRequirement& scope, std::string_view value) {
  const bool has = !value.empty();
  if (scope.op == "Exists") return has;
  if (scope.op == "DoesNotExist") return !has;
  if (scope.op == "In") return has && contains(scope.values, value);
  if (scope.op == "NotIn") return !has || !contains(scope.values, value);
  return false;
}

bool is_pod_key(std::string_view key) {
  static constexpr std::string_view kKeys[] = {"count/pods",
                                               "cpu",
                                               "ephemeral-storage",
                                               "limits.cpu",
                                               "limits.ephemeral-storage",
                                               "limits.memory",
                                               "memory",
                                               "pods",
                                               "requests.cpu",
                                               "requests.ephemeral-storage",
                                               "requests.memory"};
  if (std::binary_search(std::begin(kKeys), std::end(kKeys), key)) return true;
  if (key.starts_with("hugepages-") || key.starts_with("requests.hugepages-")) return true;
  // Extended resources; a name with a slash that is not Kubernetes' own.
  return key.starts_with("requests.") && key.find('/') != key.npos && key.find("kubernetes.io/") == key.npos;
}

bool is_claim_key(std::string_view key) {
  return key == "persistentvolumeclaims" || key == "count/persistentvolumeclaims" || key == "requests.storage" ||
         key.ends_with(".storageclass.storage.k8s.io/persistentvolumeclaims") ||
         key.ends_with(".storageclass.storage.k8s.io/requests.storage");
}

bool is_service_key(std::string_view key) {
  return key == "services" || key == "count/services" || key == "services.loadbalancers" || key == "services.nodeports";
}

bool is_resource_claim_key(std::string_view key) {
  return key == "count/resourceclaims.resource.k8s.io" || key.ends_with(".deviceclass.resource.k8s.io/devices");
}

bool is_key_of(std::string_view key, const QuotaSubject& subject) {
  switch (subject.kind) {
    case QuotaKind::pods:
      return is_pod_key(key);
    case QuotaKind::services:
      return is_service_key(key);
    case QuotaKind::claims:
      return is_claim_key(key);
    case QuotaKind::resource_claims:
      return is_resource_claim_key(key);
    case QuotaKind::counted:
      break;
  }
  return subject.usage.has(key);  // its count and perhaps an older name
}

}  // namespace

std::string scope_text(const ScopeRequirement& scope) {
  return fmt::format("{{{} {} [{}]}}", scope.scope_name, scope.op, joined(scope.values, " "));
}

QuotaState quota_state(const ResourceQuota& quota, std::string_view default_namespace) {
  const auto list_of = [](const ResourceList& amounts) {
    UsageList out;
    for (const auto& [name, amount] : amounts) {
      Quantity rounded = amount;
      rounded.round_up(-3);  // API defaulting
      out.set(name, std::move(rounded));
    }
    return out;
  };
  QuotaState state;
  state.name = quota.meta.name;
  state.ns = quota.ns.empty() ? std::string(default_namespace) : quota.ns;
  for (const std::string& scope : quota.spec.scopes) state.scopes.push_back({scope, "Exists", {}, false});
  if (quota.spec.scope_selector) {
    state.scopes.insert(state.scopes.end(), quota.spec.scope_selector->begin(), quota.spec.scope_selector->end());
  }
  state.spec_hard = list_of(quota.spec.hard);
  state.hard = list_of(quota.status.hard);
  state.used = list_of(quota.status.used);
  return state;
}

bool matches_scope(const ScopeRequirement& scope, const QuotaSubject& subject) {
  if (subject.counts_only) return false;
  if (subject.kind == QuotaKind::pods) {
    if (scope.scope_name == "Terminating") return subject.terminating;
    if (scope.scope_name == "NotTerminating") return !subject.terminating;
    if (scope.scope_name == "BestEffort") return subject.best_effort;
    if (scope.scope_name == "NotBestEffort") return !subject.best_effort;
    if (scope.scope_name == "PriorityClass") return selects(scope, subject.priority_class);
    if (scope.scope_name == "CrossNamespacePodAffinity") return subject.cross_namespace_affinity;
  }
  if (subject.kind == QuotaKind::claims && scope.scope_name == "VolumeAttributesClass") {
    if (subject.attribute_classes.empty()) return selects(scope, {});
    return std::any_of(subject.attribute_classes.begin(), subject.attribute_classes.end(),
                       [&](const std::string& name) { return selects(scope, name); });
  }
  return false;
}

std::vector<std::string_view> matching_resources(const UsageList& hard, const QuotaSubject& subject) {
  std::vector<std::string_view> out;
  for (const auto& [key, amount] : hard) {
    if (is_key_of(key, subject)) out.push_back(key);
  }
  return out;
}

bool QuotaEngine::covers(const QuotaState& quota, const QuotaSubject& subject) {
  return std::any_of(quota.hard.begin(), quota.hard.end(),
                     [&](const auto& entry) { return is_key_of(entry.first, subject); }) &&
         std::all_of(quota.scopes.begin(), quota.scopes.end(),
                     [&](const ScopeRequirement& scope) { return matches_scope(scope, subject); });
}

bool QuotaEngine::is_undecidable(const QuotaState& quota, const QuotaSubject& subject) {
  if (!subject.counts_only || subject.kind == QuotaKind::counted) return false;
  const std::vector<std::string_view> keys = matching_resources(quota.hard, subject);
  return !keys.empty() && (!quota.scopes.empty() || std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return !subject.usage.has(key);
  }));
}

// Counts follow what the server offers: a group of its own has no other resources, any other group is a custom one.
bool QuotaEngine::is_tracked_key(std::string_view key, KubeVersion version) {
  if (is_pod_key(key) || is_claim_key(key) || is_service_key(key) || is_resource_claim_key(key)) return true;
  if (count_alias({"", std::string(key)}) == key) return true;
  if (!key.starts_with("count/")) return false;
  if (key == "count/ingresses.extensions") return has(version, Feature::extensions_ingresses);
  const std::string_view name = key.substr(6);
  const std::size_t dot = name.find('.');
  const std::string_view resource = name.substr(0, dot);
  const std::string_view group = dot == name.npos ? std::string_view() : name.substr(dot + 1);
  if (resource.empty()) return false;
  bool own_group = group.find('.') == group.npos;  // a custom group is a domain
  for (const ApiResource& known : api_resources()) {
    if (known.group != group) continue;
    if (known.name == resource) return true;
    own_group = true;
  }
  return !own_group;
}

}  // namespace apf
