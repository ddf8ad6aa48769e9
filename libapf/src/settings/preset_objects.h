// The objects that presets add, as their providers ship them.
#pragma once

#include <utility>

namespace apf {

inline constexpr const char* kOpenshiftObjects = R"yaml(apiVersion: flowcontrol.apiserver.k8s.io/v1
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
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-monitoring-metrics
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 2000
  priorityLevelConfiguration:
    name: exempt
  rules:
  - nonResourceRules:
    - nonResourceURLs: [/metrics]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: prometheus-k8s
        namespace: openshift-monitoring
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-kube-apiserver-operator
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 2000
  priorityLevelConfiguration:
    name: openshift-control-plane-operators
  rules:
  - resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: kube-apiserver-operator
        namespace: openshift-kube-apiserver-operator
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-oauth-apiserver-sar
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 2
  priorityLevelConfiguration:
    name: exempt
  rules:
  - resourceRules:
    - apiGroups: [authorization.k8s.io]
      clusterScope: true
      namespaces: ["*"]
      resources: [subjectaccessreviews]
      verbs: ["*"]
    - apiGroups: [authentication.k8s.io]
      clusterScope: true
      namespaces: ["*"]
      resources: [tokenreviews]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: oauth-apiserver-sa
        namespace: openshift-oauth-apiserver
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-oauth-apiserver
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 1000
  priorityLevelConfiguration:
    name: workload-high
  rules:
  - resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: oauth-apiserver-sa
        namespace: openshift-oauth-apiserver
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-authentication-operator
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 2000
  priorityLevelConfiguration:
    name: openshift-control-plane-operators
  rules:
  - resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: authentication-operator
        namespace: openshift-authentication-operator
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-oauth-server
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 1000
  priorityLevelConfiguration:
    name: workload-high
  rules:
  - resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: oauth-openshift
        namespace: openshift-authentication
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-etcd-operator
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 2000
  priorityLevelConfiguration:
    name: openshift-control-plane-operators
  rules:
  - resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: etcd-operator
        namespace: openshift-etcd-operator
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-ovn-kubernetes
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 500
  priorityLevelConfiguration:
    name: system
  rules:
  - nonResourceRules:
    - nonResourceURLs: ["*"]
      verbs: ["*"]
    resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: ovn-kubernetes-control-plane
        namespace: openshift-ovn-kubernetes
    - kind: ServiceAccount
      serviceAccount:
        name: ovn-kubernetes-node
        namespace: openshift-ovn-kubernetes
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-apiserver-sar
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 2
  priorityLevelConfiguration:
    name: exempt
  rules:
  - resourceRules:
    - apiGroups: [authorization.k8s.io]
      clusterScope: true
      namespaces: ["*"]
      resources: [subjectaccessreviews]
      verbs: ["*"]
    - apiGroups: [authentication.k8s.io]
      clusterScope: true
      namespaces: ["*"]
      resources: [tokenreviews]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: openshift-apiserver-sa
        namespace: openshift-apiserver
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-apiserver
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 1000
  priorityLevelConfiguration:
    name: workload-high
  rules:
  - resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: openshift-apiserver-sa
        namespace: openshift-apiserver
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: openshift-apiserver-operator
spec:
  distinguisherMethod:
    type: ByUser
  matchingPrecedence: 2000
  priorityLevelConfiguration:
    name: openshift-control-plane-operators
  rules:
  - resourceRules:
    - apiGroups: ["*"]
      clusterScope: true
      namespaces: ["*"]
      resources: ["*"]
      verbs: ["*"]
    subjects:
    - kind: ServiceAccount
      serviceAccount:
        name: openshift-apiserver-operator
        namespace: openshift-apiserver-operator
)yaml";

// What it is, and the manifest that has it.
inline constexpr std::pair<const char*, const char*> kOpenshiftSources[] = {
    {"PriorityLevelConfiguration openshift-control-plane-operators",
     "https://github.com/openshift/cluster-kube-apiserver-operator/blob/main/manifests/"
     "0000_20_kube-apiserver-operator_08_flowschema.yaml"},
    {"FlowSchema openshift-monitoring-metrics",
     "https://github.com/openshift/cluster-kube-apiserver-operator/blob/main/manifests/"
     "0000_20_kube-apiserver-operator_08_flowschema.yaml"},
    {"FlowSchema openshift-kube-apiserver-operator",
     "https://github.com/openshift/cluster-kube-apiserver-operator/blob/main/manifests/"
     "0000_20_kube-apiserver-operator_08_flowschema.yaml"},
    {"FlowSchema openshift-oauth-apiserver-sar",
     "https://github.com/openshift/cluster-authentication-operator/blob/main/manifests/09_flowschema.yaml"},
    {"FlowSchema openshift-oauth-apiserver",
     "https://github.com/openshift/cluster-authentication-operator/blob/main/manifests/09_flowschema.yaml"},
    {"FlowSchema openshift-authentication-operator",
     "https://github.com/openshift/cluster-authentication-operator/blob/main/manifests/09_flowschema.yaml"},
    {"FlowSchema openshift-oauth-server",
     "https://github.com/openshift/cluster-authentication-operator/blob/main/manifests/09_flowschema.yaml"},
    {"FlowSchema openshift-etcd-operator",
     "https://github.com/openshift/cluster-etcd-operator/blob/main/manifests/0000_20_etcd-operator_10_flowschema.yaml"},
    {"FlowSchema openshift-ovn-kubernetes",
     "https://github.com/openshift/cluster-network-operator/tree/main/bindata (007-flowschema.yaml)"},
    {"FlowSchema openshift-apiserver-sar",
     "https://github.com/openshift/cluster-openshift-apiserver-operator/blob/main/manifests/09_flowschema.yaml"},
    {"FlowSchema openshift-apiserver",
     "https://github.com/openshift/cluster-openshift-apiserver-operator/blob/main/manifests/09_flowschema.yaml"},
    {"FlowSchema openshift-apiserver-operator",
     "https://github.com/openshift/cluster-openshift-apiserver-operator/blob/main/manifests/09_flowschema.yaml"},
};

}  // namespace apf
