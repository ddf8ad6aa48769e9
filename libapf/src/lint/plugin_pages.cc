// The pages of what validation finds in the objects and configurations of admission plugins (config/codes.h):
// EventRateLimit and ResourceQuota.
#include "config/codes.h"
#include "lint/pages.h"

namespace apf {

namespace {

constexpr const char* kNoStart = "kube-apiserver doesn't start with this configuration.";

constexpr Rule kPluginPages[] = {
    {
        .code = kNoEventLimits.code.data(),
        .name = kNoEventLimits.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "EventRateLimit has no limits",
        .what = R"(limits is missing or empty in the plugin's Configuration, or an AdmissionConfiguration names the
plugin with neither configuration nor path.)",
        .why = kNoStart,
        .example = R"(apiVersion: eventratelimit.admission.k8s.io/v1alpha1
kind: Configuration
limits: []
)",
        .instead = R"(limits:
- type: Namespace
  qps: 50
  burst: 100
)",
    },
    {
        .code = kInvalidEventLimitType.code.data(),
        .name = kInvalidEventLimitType.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an event limit has an unknown type",
        .what = R"(limits[].type is missing, misspelled, in the wrong case, or spelled as in the plugin's design
proposal.)",
        .why = kNoStart,
        .example = R"(limits:
- type: source+object
)",
        .instead = R"(limits:
- type: SourceAndObject
)",
    },
    {
        .code = kInvalidEventLimit.code.data(),
        .name = kInvalidEventLimit.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a number of an event limit is out of range",
        .what = R"(qps and burst must be positive, and cacheSize must not be negative. (For type Server, cacheSize is
ignored.))",
        .why = kNoStart,
        .example = R"(limits:
- {type: Server, qps: 0, burst: 10}
)",
        .instead = R"(limits:
- {type: Server, qps: 10, burst: 10}
)",
    },
    {
        .code = kMissingPluginFile.code.data(),
        .name = kMissingPluginFile.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an AdmissionConfiguration names a file that doesn't exist",
        .what = R"(plugins[].path of EventRateLimit names no file, or a file without the plugin's Configuration. A
relative path starts in the directory of the AdmissionConfiguration.)",
        .why = kNoStart,
        .example = R"(apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  path: evenconfig.yaml
)",
        .instead = R"(plugins:
- name: EventRateLimit
  path: eventconfig.yaml
)",
    },
    {
        .code = kInvalidNamespace.code.data(),
        .name = kInvalidNamespace.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an object's namespace is missing or isn't a DNS label",
        .what = R"(metadata.namespace of a ResourceQuota is missing, or has characters other than lower-case letters,
digits and '-'. A missing namespace has severity info, and lint doesn't report it: kubectl and the server fill in the
namespace of the request.)",
        .why = kRefused,
        .example = R"(metadata:
  name: compute
  namespace: Team_A
)",
        .instead = R"(metadata:
  name: compute
  namespace: team-a
)",
    },
    {
        .code = kInvalidQuotaResource.code.data(),
        .name = kInvalidQuotaResource.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a quota limits a resource that the server doesn't know",
        .what = R"(A key of spec.hard without a slash must be a resource that quotas know: cpu, memory and
ephemeral-storage, also with the prefix requests. or limits.; requests.storage, hugepages-SIZE, pods, services,
services.loadbalancers, services.nodeports, persistentvolumeclaims, configmaps, secrets, replicationcontrollers and
resourcequotas. Everything else needs the prefix count/ or the name of its group.)",
        .why = kRefused,
        .example = R"(spec:
  hard:
    limit.cpu: "10"
)",
        .instead = R"(spec:
  hard:
    limits.cpu: "10"
)",
    },
    {
        .code = kInvalidQuotaAmount.code.data(),
        .name = kInvalidQuotaAmount.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a quota's amount is negative, or a fraction of something that is counted",
        .what = R"(Amounts must not be negative. Counts (pods, services, count/..., and resources with a group) must
be whole numbers.)",
        .why = kRefused,
        .example = R"(spec:
  hard:
    pods: "1.5"
)",
        .instead = R"(spec:
  hard:
    pods: "2"
)",
    },
    {
        .code = kInvalidQuotaScope.code.data(),
        .name = kInvalidQuotaScope.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a quota's scopes are unknown, contradict one another or do not fit its resources",
        .what = R"(Each of spec.scopes must be known and fit every standard resource in spec.hard: BestEffort only
pods, VolumeAttributesClass only persistentvolumeclaims and requests.storage, the others pods, cpu and memory.
BestEffort with NotBestEffort, and Terminating with NotTerminating, exclude each other.)",
        .why = kRefused,
        .example = R"(spec:
  hard:
    requests.cpu: "4"
  scopes: [BestEffort]
)",
        .instead = R"(spec:
  hard:
    pods: "10"
  scopes: [BestEffort]
)",
    },
    {
        .code = kInvalidScopeSelector.code.data(),
        .name = kInvalidScopeSelector.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a quota's scopeSelector is invalid",
        .what = R"(The rules of spec.scopes apply here too. In addition, the operator must be Exists for all scopes
but PriorityClass and VolumeAttributesClass; In and NotIn need values; Exists and DoesNotExist must not have any.)",
        .why = kRefused,
        .example = R"(spec:
  scopeSelector:
    matchExpressions:
    - scopeName: PriorityClass
      operator: In
)",
        .instead = R"(spec:
  scopeSelector:
    matchExpressions:
    - scopeName: PriorityClass
      operator: In
      values: [high]
)",
    },
    {
        .code = kInvalidLimitedResource.code.data(),
        .name = kInvalidLimitedResource.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a limited resource of the quota plugin has no resource name",
        .what = "Each entry of limitedResources in a ResourceQuotaConfiguration needs a resource.",
        .why = "kube-apiserver does not start with this configuration.",
        .example = R"(apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:
- matchContains: [requests.storage]
)",
        .instead = R"(apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:
- resource: persistentvolumeclaims
  matchContains: [requests.storage]
)",
    },
    {
        .code = kInvalidLimitRange.code.data(),
        .name = kInvalidLimitRange.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a LimitRange contradicts itself",
        .what = R"(Each type comes once. In an item, min may not be above defaultRequest, default or max, nor
defaultRequest above default or max, nor default above max. Type Pod has no defaults, PersistentVolumeClaim needs min or
max of storage, and Container takes cpu, memory, ephemeral-storage, huge pages and names with a slash. A missing default
of type Container is the max, a missing defaultRequest the default, or else the min.)",
        .why = kRefused,
        .example = R"(spec:
  limits:
  - type: Container
    max: {cpu: "1"}
    defaultRequest: {cpu: "2"}
)",
        .instead = R"(spec:
  limits:
  - type: Container
    max: {cpu: "1"}
    defaultRequest: {cpu: 500m}
)",
    },
    {
        .code = kInvalidAuditRule.code.data(),
        .name = kInvalidAuditRule.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an audit policy has a rule that the server refuses",
        .what = R"(An audit policy needs at least one rule, and each rule a level (None, Metadata, Request or
RequestResponse). Stages are RequestReceived, ResponseStarted, ResponseComplete and Panic. A rule is for resources or
for non-resource URLs, not for both; a URL begins with / and has * only at its end; a group is a DNS subdomain without a
version; resourceNames need resources.)",
        .why = "kube-apiserver does not start with this policy.",
        .example = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources:
  - group: apps/v1
)",
        .instead = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources:
  - group: apps
)",
    },
    {
        .code = kIgnoredDocument.code.data(),
        .name = kIgnoredDocument.name.data(),
        .severity = Severity::warning,
        .group = RuleGroup::rejected,
        .summary = "the server ignores this document of a file",
        .what =
            "kube-apiserver reads the first document of its audit policy file. This policy comes later in its file.",
        .why = "The rules of this document never apply, and the server doesn't say so.",
        .example = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
---
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  verbs: [watch]
)",
        .instead = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  verbs: [watch]
- level: Metadata
)",
    },
};

}  // namespace

std::span<const Rule> plugin_pages() { return kPluginPages; }

}  // namespace apf
