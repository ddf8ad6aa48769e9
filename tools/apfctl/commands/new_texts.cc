#include "commands/new_texts.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include <apf/output.h>

namespace apfctl {

std::string yaml_name(const std::string& name) {
  constexpr std::string_view kWords[] = {"false", "n", "no", "null", "off", "on", "true", "y", "yes"};
  const bool plain = !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
                     std::find(std::begin(kWords), std::end(kWords), name) == std::end(kWords);
  return plain ? name : apf::JsonWriter().value(name).take();
}

std::string new_event_rate_limit_text() {
  return R"(# Limits of events, which a component that fails in a loop writes by the thousand. A refused event gets a 429.
# kube-apiserver --enable-admission-plugins=EventRateLimit --admission-control-config-file=/etc/kubernetes/admission.yaml
# What it does to the events of a log: apfctl replay audit.log --event-rate-limit admission.yaml
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits:
    # All events that a server takes. An event passes only if every limit lets it.
    - type: Server
      qps: 500
      burst: 5000
    # Of each namespace. cacheSize: for how many of them the server remembers what is left.
    - type: Namespace
      qps: 50
      burst: 500
      cacheSize: 4096
    # Of one source about one object, such as a pod that restarts. The client has a limit like this, too.
    - type: SourceAndObject
      qps: 1
      burst: 25
      cacheSize: 4096
)";
}

std::string new_audit_policy_text() {
  return R"(# The least that 'apfctl replay' and 'apfctl log' need: who asked what, when, and when it ended.
# kube-apiserver --audit-policy-file=/etc/kubernetes/audit-policy.yaml --audit-log-path=/var/log/kubernetes/audit.log
#   --audit-log-maxsize=500 --audit-log-maxbackup=10 --audit-log-compress
apiVersion: audit.k8s.io/v1
kind: Policy
# Half of the volume. ResponseComplete has the times of both; watches also write ResponseStarted, which is needed.
omitStages:
- RequestReceived
omitManagedFields: true
rules:
# EventRateLimit and ResourceQuota look at objects: to replay them, too, take these rules in.
# - level: Request
#   verbs: [create, update, patch]
#   resources:
#   - group: ""
#     resources: [events, pods, services, persistentvolumeclaims]
# Requests that have no line are missing from a replay: no user, node or lease is left out.
- level: Metadata
)";
}

std::string new_quota_text(const std::string& name, const std::string& ns) {
  return fmt::format(
      R"(# What the pods and other objects of a namespace may take together. kube-apiserver refuses what goes beyond (403).
# The admission plugin ResourceQuota is on by default. Do manifests fit? apfctl quota -f quota.yaml manifests/
apiVersion: v1
kind: ResourceQuota
metadata:
  name: {0}
  namespace: {1}
spec:
  hard:
    pods: "50"
    # With these, every container has to say how much it requests, and its limit of memory: see the LimitRange.
    requests.cpu: "10"
    requests.memory: 20Gi
    limits.memory: 40Gi
    requests.storage: 100Gi
    persistentvolumeclaims: "10"
    services.loadbalancers: "2"
    # Objects that are left behind: the count of any resource is count/RESOURCE.GROUP.
    count/jobs.batch: "100"
---
# For containers that do not say it.
apiVersion: v1
kind: LimitRange
metadata:
  name: {0}
  namespace: {1}
spec:
  limits:
  - type: Container
    defaultRequest:
      cpu: 100m
      memory: 128Mi
    default:
      memory: 256Mi
)",
      yaml_name(name), yaml_name(ns));
}

std::string new_test_text(const std::vector<std::string>& files) {
  std::string config;
  for (const std::string& file : files)
    config += (config.empty() ? "config: [" : ", ") + apf::JsonWriter().value(file).take();
  return "# Tests of a configuration: apfctl test tests.yaml. Of today's requests: apfctl test --generate audit.log\n" +
         (config.empty() ? std::string("# config: [flowcontrol/]\n") : config + "]\n") +
         R"(tests:
# Nodes and the control plane keep what protects them.
- {as: "node:worker-1", request: update leases.coordination.k8s.io worker-1 -n kube-node-lease, expect: system-node-high}
- {as: "sa:kube-system/coredns", request: list services -A, expect: kube-system-service-accounts}
- name: controllers of the control plane
  as: system:kube-controller-manager
  request: list pods -A
  expect: kube-controller-manager/workload-high
# Yours: where should it go?
# - {as: "sa:team-e/app", request: list pods -n team-e, expect: team-e}
- limits: {node-high: {nominal: ">= 30"}}
)" + (config.empty() ? "" : "- lint: {fail-on: error}\n");
}

}  // namespace apfctl
