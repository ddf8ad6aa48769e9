#include "shared/completion_words.h"

#include <apf/config.h>

namespace apfctl {

std::vector<std::string> request_words() {
  return {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
          // Those that most clusters have.
          "bindings", "configmaps", "cronjobs.batch", "customresourcedefinitions.apiextensions.k8s.io",
          "daemonsets.apps", "deployments.apps", "endpoints", "endpointslices.discovery.k8s.io", "events",
          "horizontalpodautoscalers.autoscaling", "ingresses.networking.k8s.io", "jobs.batch",
          "leases.coordination.k8s.io", "namespaces", "networkpolicies.networking.k8s.io", "nodes",
          "persistentvolumeclaims", "persistentvolumes", "poddisruptionbudgets.policy", "pods", "replicasets.apps",
          "resourcequotas", "roles.rbac.authorization.k8s.io", "secrets", "serviceaccounts", "services",
          "statefulsets.apps", "subjectaccessreviews.authorization.k8s.io", "tokenreviews.authentication.k8s.io"};
}

std::vector<std::string> built_in_levels() {
  std::vector<std::string> out;
  for (const apf::PriorityLevel& level : apf::bootstrap_config(apf::kNewestKubeVersion).priority_levels)
    out.push_back(level.meta.name);
  return out;
}

std::vector<std::string> built_in_schemas() {
  std::vector<std::string> out;
  for (const apf::FlowSchema& schema : apf::bootstrap_config(apf::kNewestKubeVersion).flow_schemas)
    out.push_back(schema.meta.name);
  return out;
}

std::vector<std::string> expected_figures(const std::vector<std::string>& before,
                                          const std::vector<std::string>& metrics,
                                          const std::vector<std::string>& whole) {
  std::vector<std::string> levels = built_in_levels(), out;
  levels.insert(levels.begin(), "total");
  for (const std::string& front : before)
    for (const std::string& level : levels)
      for (const std::string& metric : metrics) out.push_back(front + level + "." + metric);
  out.insert(out.end(), whole.begin(), whole.end());
  return out;
}

}  // namespace apfctl
