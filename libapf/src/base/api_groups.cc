// Sources: api/openapi-spec/swagger.json of Kubernetes v1.20 to v1.25 and api/discovery of v1.26 to v1.36.
#include "base/api_groups.h"

#include <algorithm>

namespace apf {

namespace {

constexpr GroupResources kGroups[] = {
    {"",
     "bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims "
     "persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services"},
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations validatingwebhookconfigurations"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicies validatingadmissionpolicybindings", {26, 0}},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicies mutatingadmissionpolicybindings", {32, 0}},
    {"apiextensions.k8s.io", "customresourcedefinitions"},
    {"apiregistration.k8s.io", "apiservices"},
    {"apps", "controllerrevisions daemonsets deployments replicasets statefulsets"},
    {"authentication.k8s.io", "tokenreviews"},
    {"authentication.k8s.io", "selfsubjectreviews", {26, 0}},
    {"authorization.k8s.io",
     "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews"},
    {"autoscaling", "horizontalpodautoscalers"},
    {"batch", "cronjobs jobs"},
    {"certificates.k8s.io", "certificatesigningrequests"},
    {"certificates.k8s.io", "clustertrustbundles", {27, 0}},
    {"certificates.k8s.io", "podcertificaterequests", {34, 0}},
    {"coordination.k8s.io", "leases"},
    {"coordination.k8s.io", "leasecandidates", {31, 0}},
    {"discovery.k8s.io", "endpointslices"},
    {"events.k8s.io", "events"},
    {"extensions", "ingresses", {0, 0, 21, Releases::kNoEnd}},
    {"flowcontrol.apiserver.k8s.io", "flowschemas prioritylevelconfigurations"},
    {"internal.apiserver.k8s.io", "storageversions"},
    {"networking.k8s.io", "ingressclasses ingresses networkpolicies"},
    {"networking.k8s.io", "clustercidrs", {25, 0, 28, Releases::kNoEnd}},
    {"networking.k8s.io", "ipaddresses", {27, 0}},
    {"networking.k8s.io", "servicecidrs", {29, 0}},
    {"node.k8s.io", "runtimeclasses"},
    {"policy", "poddisruptionbudgets"},
    {"policy", "podsecuritypolicies", {0, 0, 24, Releases::kNoEnd}},
    {"rbac.authorization.k8s.io", "clusterrolebindings clusterroles rolebindings roles"},
    {"resource.k8s.io", "resourceclaims resourceclaimtemplates", {26, 0}},
    {"resource.k8s.io", "podschedulings", {26, 0, 26, Releases::kNoEnd}},
    {"resource.k8s.io", "resourceclasses", {26, 0, 30, Releases::kNoEnd}},
    {"resource.k8s.io", "podschedulingcontexts", {27, 0, 31, Releases::kNoEnd}},
    {"resource.k8s.io", "resourceclaimparameters resourceclassparameters", {30, 0, 30, Releases::kNoEnd}},
    {"resource.k8s.io", "resourceslices", {30, 0}},
    {"resource.k8s.io", "deviceclasses", {31, 0}},
    {"resource.k8s.io", "devicetaintrules", {33, 0}},
    {"resource.k8s.io", "resourcepoolstatusrequests", {36, 0}},
    {"scheduling.k8s.io", "priorityclasses"},
    {"scheduling.k8s.io", "workloads", {35, 0}},
    {"scheduling.k8s.io", "podgroups", {36, 0}},
    {"storage.k8s.io", "csidrivers csinodes csistoragecapacities storageclasses volumeattachments"},
    {"storage.k8s.io", "volumeattributesclasses", {29, 0}},
    {"storagemigration.k8s.io", "storageversionmigrations", {30, 0}},
};

// Of the resources that everybody has; the others have status alone, or nothing.
struct Subresources {
  std::string_view group, resource, names;
};
constexpr Subresources kSubresources[] = {
    {"", "pods", "attach binding ephemeralcontainers eviction exec log portforward proxy resize status"},
    {"", "services", "proxy status"},
    {"", "nodes", "proxy status"},
    {"", "namespaces", "finalize status"},
    {"", "serviceaccounts", "token"},
    {"", "replicationcontrollers", "scale status"},
    {"", "persistentvolumeclaims", "status"},
    {"", "persistentvolumes", "status"},
    {"", "resourcequotas", "status"},
    {"", "configmaps", "-"},
    {"", "secrets", "-"},
    {"", "endpoints", "-"},
    {"", "events", "-"},
    {"", "limitranges", "-"},
    {"apps", "deployments", "scale status"},
    {"apps", "replicasets", "scale status"},
    {"apps", "statefulsets", "scale status"},
    {"apps", "daemonsets", "status"},
    {"apps", "controllerrevisions", "-"},
    {"autoscaling", "horizontalpodautoscalers", "status"},
    {"batch", "cronjobs", "status"},
    {"batch", "jobs", "status"},
    {"certificates.k8s.io", "certificatesigningrequests", "approval status"},
    {"coordination.k8s.io", "leases", "-"},
    {"networking.k8s.io", "ingresses", "status"},
    {"networking.k8s.io", "networkpolicies", "status"},
    {"policy", "poddisruptionbudgets", "status"},
};

// Calls `visit` with each word until it returns true.
template <class Visit>
bool any_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (visit(word)) return true;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return false;
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  return any_word(words, [&](std::string_view w) { return w == word; });
}

std::span<const GroupResources> group_resources() { return kGroups; }

bool is_own_group(std::string_view group) {
  return std::any_of(std::begin(kGroups), std::end(kGroups),
                     [&](const GroupResources& row) { return row.group == group; });
}

const GroupResources* find_group_resource(std::string_view group, std::string_view resource) {
  const auto found = std::find_if(std::begin(kGroups), std::end(kGroups), [&](const GroupResources& row) {
    return row.group == group && has_word(row.names, resource);
  });
  return found == std::end(kGroups) ? nullptr : found;
}

std::string_view subresources_of(std::string_view group, std::string_view resource) {
  for (const Subresources& row : kSubresources) {
    if (row.group == group && row.resource == resource) return row.names;
  }
  return {};
}

std::string_view only_parent_of(std::string_view subresource) {
  std::string_view only;
  for (const Subresources& row : kSubresources) {
    if (!has_word(row.names, subresource)) continue;
    if (!only.empty()) return {};
    only = row.resource;
  }
  return only;
}

bool is_subresource_name(std::string_view name) {
  return name != "-" && std::any_of(std::begin(kSubresources), std::end(kSubresources),
                                    [&](const Subresources& row) { return has_word(row.names, name); });
}

}  // namespace apf
