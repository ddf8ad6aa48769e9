#include "logs/api_vocabulary.h"

#include <apf/time.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/api_resources.h"
#include "base/text.h"

namespace apf {
namespace {

using Words = std::set<std::string_view>;

constexpr std::string_view kGroups[] = {
    "apidiscovery.k8s.io",
    "authentication.k8s.io",
    "custom.metrics.k8s.io",
    "external.metrics.k8s.io",
    "extensions",
    "gateway.networking.k8s.io",
    "internal.apiserver.k8s.io",
    "metrics.k8s.io",
    "snapshot.storage.k8s.io",
    "storagemigration.k8s.io",
    "core",
};

constexpr std::string_view kResources[] = {
    "podsecuritypolicies",   "podcertificaterequests", "clustertrustbundles",      "leasecandidates",
    "devicetaintrules",      "storageversions",        "storageversionmigrations", "volumesnapshots",
    "volumesnapshotclasses", "volumesnapshotcontents", "resourceclaimparameters",  "resourceclassparameters",
    "podschedulingcontexts", "resourceclasses",        "priorityclasses",          "podpresets",
};

constexpr std::string_view kSubresources[] = {
    "approval",    "attach", "binding",  "ephemeralcontainers",
    "eviction",    "exec",   "finalize", "log",
    "portforward", "proxy",  "resize",   "rollback",
    "scale",       "status", "token",
};

constexpr std::string_view kPathWords[] = {
    "*",
    ".well-known",
    "api",
    "apis",
    "autoregister-completion",
    "cmdline",
    "debug",
    "etcd",
    "etcd-readiness",
    "flags",
    "goroutine",
    "healthz",
    "heap",
    "index.html",
    "informer-sync",
    "jwks",
    "livez",
    "logs",
    "metrics",
    "openapi",
    "openid",
    "openid-configuration",
    "ping",
    "poststarthook",
    "pprof",
    "profile",
    "readyz",
    "shutdown",
    "slis",
    "statusz",
    "flagz",
    "swagger-2.0.0.json",
    "swagger-2.0.0.pb-v1",
    "swagger.json",
    "swaggerapi",
    "symbol",
    "trace",
    "ui",
    "v",
    "v2",
    "v3",
    "version",
    "watch",
    "apiservice-openapi-controller",
    "apiservice-openapiv3-controller",
    "apiservice-registration-controller",
    "apiservice-status-available-controller",
    "apiservice-discovery-controller",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "bootstrap-controller",
    "crd-informer-synced",
    "generic-apiserver-start-informers",
    "kube-apiserver-autoregistration",
    "priority-and-fairness-config-consumer",
    "priority-and-fairness-config-producer",
    "priority-and-fairness-filter",
    "rbac",
    "bootstrap-roles",
    "scheduling",
    "bootstrap-system-priority-classes",
    "start-apiextensions-controllers",
    "start-apiextensions-informers",
    "start-cluster-authentication-info-controller",
    "start-kube-aggregator-informers",
    "start-kube-apiserver-admission-initializer",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "start-system-namespaces-controller",
    "storage-object-count-tracker-hook",
    "aggregator-reload-proxy-client-cert",
    "start-encryption-provider-config-automatic-reload",
    "start-deprecated-kube-apiserver-identity-lease-garbage-collector",
};

constexpr std::string_view kWordsOfVerbs[] = {
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "proxy",
    "post",
    "put",
    "head",
    "options",
    "connect",
    "trace",
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "CONNECT",
    "TRACE",
    "LIST",
    "WATCH",
    "WATCHLIST",
    "APPLY",
    "DELETECOLLECTION",
    "PROXY",
    "watchlist",
    "apply",
};

constexpr std::string_view kFields[] = {
    "metadata.name",
    "metadata.namespace",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "spec.unschedulable",
    "spec.signerName",
    "spec.clusterIP",
    "spec.type",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
    "status.successful",
    "status.replicas",
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "reportingController",
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "source",
    "type",
};

constexpr std::string_view kParameters[] = {
    "allowWatchBookmarks",
    "as",
    "command",
    "container",
    "continue",
    "dryRun",
    "exclude",
    "fieldManager",
    "fieldSelector",
    "fieldValidation",
    "follow",
    "force",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "includeObject",
    "includeUninitialized",
    "insecureSkipTLSVerifyBackend",
    "labelSelector",
    "limit",
    "limitBytes",
    "orphanDependents",
    "path",
    "pod",
    "ports",
    "pretty",
    "previous",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "seconds",
    "sendInitialEvents",
    "shard",
    "sinceSeconds",
    "sinceTime",
    "stderr",
    "stdin",
    "stdout",
    "stream",
    "tailLines",
    "timeout",
    "timeoutSeconds",
    "timestamps",
    "tty",
    "verbose",
    "watch",
};

constexpr std::string_view kValues[] = {
    "true",   "false",    "True",       "False",      "TRUE",   "FALSE",        "t",     "f",      "T",
    "F",      "All",      "Background", "Foreground", "Orphan", "NotOlderThan", "Exact", "Strict", "Warn",
    "Ignore", "Metadata", "None",       "Object",
};

constexpr std::string_view kSystemNames[] = {
    "anonymous",
    "apiserver",
    "aggregator",
    "auth-delegator",
    "authenticated",
    "basic-user",
    "bootstrap",
    "bootstrappers",
    "cloud-controller-manager",
    "cloud-provider",
    "controller",
    "coredns",
    "discovery",
    "heapster",
    "kube-aggregator",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-dns",
    "kube-proxy",
    "kube-scheduler",
    "kubelet-api-admin",
    "kubelet",
    "masters",
    "monitoring",
    "node",
    "node-admins",
    "node-bootstrapper",
    "node-problem-detector",
    "node-proxier",
    "nodes",
    "public-info-viewer",
    "serviceaccount",
    "serviceaccounts",
    "unauthenticated",
    "unsecured",
    "volume-scheduler",
    "kube-controller-manager-leader-election",
    "konnectivity-server",
    "metrics-server",
};

constexpr std::string_view kSystemServiceAccounts[] = {
    "attachdetach-controller",
    "bootstrap-signer",
    "certificate-controller",
    "cloud-controller-manager",
    "cloud-provider",
    "clusterrole-aggregation-controller",
    "coredns",
    "cronjob-controller",
    "daemon-set-controller",
    "default",
    "deployment-controller",
    "disruption-controller",
    "endpoint-controller",
    "endpointslice-controller",
    "endpointslicemirroring-controller",
    "ephemeral-volume-controller",
    "expand-controller",
    "generic-garbage-collector",
    "horizontal-pod-autoscaler",
    "job-controller",
    "kube-dns",
    "kube-proxy",
    "legacy-service-account-token-cleaner",
    "metrics-server",
    "namespace-controller",
    "node-controller",
    "node-ipam-controller",
    "persistent-volume-binder",
    "pod-garbage-collector",
    "pv-protection-controller",
    "pvc-protection-controller",
    "replicaset-controller",
    "replication-controller",
    "resource-claim-controller",
    "resourcequota-controller",
    "root-ca-cert-publisher",
    "route-controller",
    "selinux-warning-controller",
    "service-account-controller",
    "service-cidrs-controller",
    "service-controller",
    "statefulset-controller",
    "storage-version-migrator-controller",
    "storageversion-garbage-collector",
    "tokens-controller",
    "token-cleaner",
    "ttl-after-finished-controller",
    "ttl-controller",
    "validatingadmissionpolicy-status-controller",
    "volumeattributesclass-protection-controller",
    "kube-controller-manager",
    "kube-scheduler",
    "device-taint-eviction-controller",
    "podcertificaterequest-cleaner-controller",
    "kube-apiserver-serving-clustertrustbundle-publisher",
};

Words api_words() {
  Words words;
  for (const auto& list :
       {std::span<const std::string_view>(kGroups), std::span<const std::string_view>(kResources),
        std::span<const std::string_view>(kSubresources), std::span<const std::string_view>(kPathWords)})
    words.insert(list.begin(), list.end());
  for (const ApiResource& resource : api_resources()) {
    words.insert(resource.name);
    words.insert(resource.group);
  }
  return words;
}

// Takes digits without a leading zero off the front.
bool take_number(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const bool sound = size > 0 && size <= 3 && text[0] != '0';
  text.remove_prefix(size);
  return sound;
}

}  // namespace

bool is_api_word(std::string_view segment) {
  static const Words words = api_words();
  return words.contains(segment);
}

bool is_api_version(std::string_view segment) {
  if (!segment.starts_with('v')) return false;
  segment.remove_prefix(1);
  if (!take_number(segment)) return false;
  if (segment.empty()) return true;
  if (segment.starts_with("alpha")) segment.remove_prefix(5);
  else if (segment.starts_with("beta")) segment.remove_prefix(4);
  else return false;
  return take_number(segment) && segment.empty();
}

bool is_request_verb(std::string_view verb) { return is_one_of(kWordsOfVerbs, verb); }

bool is_selector_field(std::string_view field) { return is_one_of(kFields, field); }

bool is_query_parameter(std::string_view name) { return is_one_of(kParameters, name); }

bool is_plain_value(std::string_view value) {
  if (value.empty() || is_one_of(kValues, value)) return true;
  std::string_view digits = value;
  if (digits[0] == '-' || digits[0] == '+') digits.remove_prefix(1);
  if (!digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit)) return true;
  return parse_go_duration(value).has_value();
}

bool is_system_name(std::string_view name) { return is_one_of(kSystemNames, name); }

bool is_system_service_account(std::string_view name) { return is_one_of(kSystemServiceAccounts, name); }

}  // namespace apf
