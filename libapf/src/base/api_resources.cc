// The table of built-in resources (v1.36).
#include "base/api_resources.h"

namespace apf {

namespace {

constexpr std::string_view kApps = "apps", kAuthorization = "authorization.k8s.io", kRbac = "rbac.authorization.k8s.io",
                           kStorage = "storage.k8s.io", kNetworking = "networking.k8s.io",
                           kAdmission = "admissionregistration.k8s.io", kFlowControl = "flowcontrol.apiserver.k8s.io",
                           kDevices = "resource.k8s.io";

constexpr ApiResource kResources[] = {
    {"bindings", "binding", "", "v1", true},
    {"componentstatuses", "componentstatus cs", "", "v1", false},
    {"configmaps", "configmap cm", "", "v1", true},
    {"endpoints", "ep", "", "v1", true},
    {"events", "event ev", "", "v1", true},
    {"limitranges", "limitrange limits", "", "v1", true},
    {"namespaces", "namespace ns", "", "v1", false},
    {"nodes", "node no", "", "v1", false},
    {"persistentvolumeclaims", "persistentvolumeclaim pvc", "", "v1", true},
    {"persistentvolumes", "persistentvolume pv", "", "v1", false},
    {"pods", "pod po", "", "v1", true},
    {"podtemplates", "podtemplate", "", "v1", true},
    {"replicationcontrollers", "replicationcontroller rc", "", "v1", true},
    {"resourcequotas", "resourcequota quota", "", "v1", true},
    {"secrets", "secret", "", "v1", true},
    {"serviceaccounts", "serviceaccount sa", "", "v1", true},
    {"services", "service svc", "", "v1", true},
    {"mutatingwebhookconfigurations", "mutatingwebhookconfiguration", kAdmission, "v1", false},
    {"mutatingadmissionpolicies", "mutatingadmissionpolicy", kAdmission, "v1", false},
    {"mutatingadmissionpolicybindings", "mutatingadmissionpolicybinding", kAdmission, "v1", false},
    {"validatingadmissionpolicies", "validatingadmissionpolicy", kAdmission, "v1", false},
    {"validatingadmissionpolicybindings", "validatingadmissionpolicybinding", kAdmission, "v1", false},
    {"validatingwebhookconfigurations", "validatingwebhookconfiguration", kAdmission, "v1", false},
    {"customresourcedefinitions", "customresourcedefinition crd crds", "apiextensions.k8s.io", "v1", false},
    {"apiservices", "apiservice", "apiregistration.k8s.io", "v1", false},
    {"controllerrevisions", "controllerrevision", kApps, "v1", true},
    {"daemonsets", "daemonset ds", kApps, "v1", true},
    {"deployments", "deployment deploy", kApps, "v1", true},
    {"replicasets", "replicaset rs", kApps, "v1", true},
    {"statefulsets", "statefulset sts", kApps, "v1", true},
    {"selfsubjectreviews", "selfsubjectreview", "authentication.k8s.io", "v1", false},
    {"tokenreviews", "tokenreview", "authentication.k8s.io", "v1", false},
    {"localsubjectaccessreviews", "localsubjectaccessreview", kAuthorization, "v1", true},
    {"selfsubjectaccessreviews", "selfsubjectaccessreview", kAuthorization, "v1", false},
    {"selfsubjectrulesreviews", "selfsubjectrulesreview", kAuthorization, "v1", false},
    {"subjectaccessreviews", "subjectaccessreview", kAuthorization, "v1", false},
    {"horizontalpodautoscalers", "horizontalpodautoscaler hpa", "autoscaling", "v2", true},
    {"cronjobs", "cronjob cj", "batch", "v1", true},
    {"jobs", "job", "batch", "v1", true},
    {"certificatesigningrequests", "certificatesigningrequest csr", "certificates.k8s.io", "v1", false},
    {"leases", "lease", "coordination.k8s.io", "v1", true},
    {"endpointslices", "endpointslice", "discovery.k8s.io", "v1", true},
    {"events", "event ev", "events.k8s.io", "v1", true},
    {"flowschemas", "flowschema", kFlowControl, "v1", false},
    {"prioritylevelconfigurations", "prioritylevelconfiguration", kFlowControl, "v1", false},
    {"ingressclasses", "ingressclass", kNetworking, "v1", false},
    {"ingresses", "ingress ing", kNetworking, "v1", true},
    {"ipaddresses", "ipaddress ip", kNetworking, "v1", false},
    {"networkpolicies", "networkpolicy netpol", kNetworking, "v1", true},
    {"servicecidrs", "servicecidr", kNetworking, "v1", false},
    {"runtimeclasses", "runtimeclass", "node.k8s.io", "v1", false},
    {"poddisruptionbudgets", "poddisruptionbudget pdb", "policy", "v1", true},
    {"clusterrolebindings", "clusterrolebinding", kRbac, "v1", false},
    {"clusterroles", "clusterrole", kRbac, "v1", false},
    {"rolebindings", "rolebinding", kRbac, "v1", true},
    {"roles", "role", kRbac, "v1", true},
    {"deviceclasses", "deviceclass", kDevices, "v1", false},
    {"resourceclaims", "resourceclaim", kDevices, "v1", true},
    {"resourceclaimtemplates", "resourceclaimtemplate", kDevices, "v1", true},
    {"resourceslices", "resourceslice", kDevices, "v1", false},
    {"priorityclasses", "priorityclass pc", "scheduling.k8s.io", "v1", false},
    {"csidrivers", "csidriver", kStorage, "v1", false},
    {"csinodes", "csinode", kStorage, "v1", false},
    {"csistoragecapacities", "csistoragecapacity", kStorage, "v1", true},
    {"storageclasses", "storageclass sc", kStorage, "v1", false},
    {"volumeattachments", "volumeattachment", kStorage, "v1", false},
    {"volumeattributesclasses", "volumeattributesclass vac", kStorage, "v1", false},
    {"nodes", "node", "metrics.k8s.io", "v1beta1", false},
    {"pods", "pod", "metrics.k8s.io", "v1beta1", true},
};

bool has_alias(std::string_view aliases, std::string_view name) {
  while (!aliases.empty()) {
    const std::string_view alias = aliases.substr(0, aliases.find(' '));
    if (alias == name) return true;
    aliases.remove_prefix(alias.size() + (alias.size() < aliases.size() ? 1 : 0));
  }
  return false;
}

}  // namespace

std::span<const ApiResource> api_resources() { return kResources; }

const ApiResource* find_api_resource(std::string_view name, const std::string_view* group) {
  for (const ApiResource& resource : kResources) {
    if (group && resource.group != *group) continue;
    if (resource.name == name || has_alias(resource.aliases, name)) return &resource;
  }
  return nullptr;
}

bool is_plural_of(std::string_view plural, std::string_view word) {
  if (!plural.starts_with(word.substr(0, word.size() - (word.ends_with('y') ? 1 : 0)))) return false;
  const std::string_view ending = plural.substr(word.size() - (word.ends_with('y') ? 1 : 0));
  return word.ends_with('y') ? ending == "ies" || ending == "ys" : ending == "s" || ending == "es";
}

}  // namespace apf
