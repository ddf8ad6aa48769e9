#include "settings/openshift.h"

#include <fmt/core.h>

namespace apf {

namespace {

constexpr const char* kLevel = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: openshift-control-plane-operators
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    lendablePercent: 33
    limitResponse:
      type: Queue
      queuing:
        handSize: 6
        queueLengthLimit: 50
        queues: 128
)";

constexpr const char* kFlowSchema = R"(---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-{}
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: {}
  priorityLevelConfiguration:
    name: {}
  rules:
  - {}
    subjects:
)";

constexpr const char* kServiceAccount = R"(    - kind: ServiceAccount
      serviceAccount:
        name: {}
        namespace: {}
)";

constexpr const char* kResources = R"(resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"])";
constexpr const char* kReviews = R"(resourceRules:
    - apiGroups: [authorization.k8s.io]
      clusterScope: true
      namespaces: ["*"]
      resources: [subjectaccessreviews]
      verbs: ["*"]
    - apiGroups: [authentication.k8s.io]
      clusterScope: true
      namespaces: ["*"]
      resources: [tokenreviews]
      verbs: ["*"])";
constexpr const char* kMetrics = R"(nonResourceRules:
    - nonResourceURLs: [/metrics]
      verbs: ["*"])";
constexpr const char* kEverything = R"(nonResourceRules:
    - nonResourceURLs: ["*"]
      verbs: ["*"]
    resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"])";

constexpr const char* kExempt = "exempt";
constexpr const char* kHigh = "workload-high";
constexpr const char* kOperators = "openshift-control-plane-operators";

constexpr const char* kApiserverOperator =
    "cluster-kube-apiserver-operator/blob/main/manifests/0000_20_kube-apiserver-operator_08_flowschema.yaml";
constexpr const char* kAuthentication = "cluster-authentication-operator/blob/main/manifests/09_flowschema.yaml";
constexpr const char* kEtcd = "cluster-etcd-operator/blob/main/manifests/0000_20_etcd-operator_10_flowschema.yaml";
constexpr const char* kNetwork = "cluster-network-operator/tree/main/bindata (007-flowschema.yaml)";
constexpr const char* kOpenshiftApiserver =
    "cluster-openshift-apiserver-operator/blob/main/manifests/09_flowschema.yaml";

struct Row {
  const char* name;  // behind "openshift-"
  int precedence;
  const char* level;
  const char* rule;
  const char* namespace_name;  // of the service accounts, behind "openshift-"
  std::vector<const char*> accounts;
  const char* source;  // below https://github.com/openshift/
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"monitoring-metrics", 2000, kExempt, kMetrics, "monitoring", {"prometheus-k8s"}, kApiserverOperator},
      {"kube-apiserver-operator",
       2000,
       kOperators,
       kResources,
       "kube-apiserver-operator",
       {"kube-apiserver-operator"},
       kApiserverOperator},
      {"oauth-apiserver-sar", 2, kExempt, kReviews, "oauth-apiserver", {"oauth-apiserver-sa"}, kAuthentication},
      {"oauth-apiserver", 1000, kHigh, kResources, "oauth-apiserver", {"oauth-apiserver-sa"}, kAuthentication},
      {"authentication-operator",
       2000,
       kOperators,
       kResources,
       "authentication-operator",
       {"authentication-operator"},
       kAuthentication},
      {"oauth-server", 1000, kHigh, kResources, "authentication", {"oauth-openshift"}, kAuthentication},
      {"etcd-operator", 2000, kOperators, kResources, "etcd-operator", {"etcd-operator"}, kEtcd},
      {"ovn-kubernetes",
       500,
       "system",
       kEverything,
       "ovn-kubernetes",
       {"ovn-kubernetes-control-plane", "ovn-kubernetes-node"},
       kNetwork},
      {"apiserver-sar", 2, kExempt, kReviews, "apiserver", {"openshift-apiserver-sa"}, kOpenshiftApiserver},
      {"apiserver", 1000, kHigh, kResources, "apiserver", {"openshift-apiserver-sa"}, kOpenshiftApiserver},
      {"apiserver-operator",
       2000,
       kOperators,
       kResources,
       "apiserver-operator",
       {"openshift-apiserver-operator"},
       kOpenshiftApiserver},
  };
  return kRows;
}

}  // namespace

std::string openshift_objects() {
  std::string out = kLevel;
  for (const Row& row : rows()) {
    out += fmt::format(kFlowSchema, row.name, row.precedence, row.level, row.rule);
    for (const char* const account : row.accounts)
      out += fmt::format(kServiceAccount, account, std::string("openshift-") + row.namespace_name);
  }
  return out;
}

std::vector<Preset::Fact> openshift_object_facts(const char* read) {
  const std::string repositories = "https://github.com/openshift/";
  std::vector<Preset::Fact> out = {
      {std::string("PriorityLevelConfiguration ") + kOperators, repositories + kApiserverOperator, read}};
  for (const Row& row : rows())
    out.push_back({std::string("FlowSchema openshift-") + row.name, repositories + row.source, read});
  return out;
}

}  // namespace apf
