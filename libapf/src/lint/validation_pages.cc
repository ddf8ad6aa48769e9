// The pages of what validation finds (config/codes.h): the rules of pkg/apis/flowcontrol/validation (v1.36).
#include "config/codes.h"
#include "lint/pages.h"

namespace apf {

namespace {

constexpr const char* kRefused = "The server refuses the object, and whatever it held before stays in force.";

constexpr const char* kNoStart = "kube-apiserver does not start with it.";

constexpr Rule kPages[] = {
    {
        .code = kNotServed.code.data(),
        .name = kNotServed.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an object's API version is not served by the release",
        .what = R"(The release given by --kubernetes-version does not serve this version of
flowcontrol.apiserver.k8s.io: it was removed, or does not exist yet.)",
        .why = "kubectl finds no such kind on that server, and nothing of the object is applied.",
        .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1beta3   # with 1.32
kind: FlowSchema
)",
        .instead = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)",
    },
    {
        .code = kInvalidName.code.data(),
        .name = kInvalidName.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an object's name is missing or no DNS subdomain",
        .what = "metadata.name is absent, or holds something else than lower-case letters, digits, '-' and '.'.",
        .why = kRefused,
        .example = R"(metadata:
  name: CI_Jobs
)",
        .instead = R"(metadata:
  name: ci-jobs
)",
    },
    {
        .code = kNamespaceOnClusterScoped.code.data(),
        .name = kNamespaceOnClusterScoped.name.data(),
        .severity = Severity::info,
        .group = RuleGroup::rejected,
        .summary = "a cluster-scoped object has a namespace",
        .what = "metadata.namespace is set, but FlowSchemas and PriorityLevelConfigurations belong to the cluster.",
        .why = R"(Validation forbids it, but the server clears the field of what kubectl sends before it validates:
the object works, and the line misleads its readers. lint says so as information.)",
        .example = R"(metadata:
  name: ci
  namespace: ci
)",
        .instead = R"(metadata:
  name: ci
)",
    },
    {
        .code = kInvalidMetadata.code.data(),
        .name = kInvalidMetadata.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a part of the metadata is malformed",
        .what = R"(Owner references, finalizers, managed fields or the generation break the rules that hold for all
objects.)",
        .why = kRefused,
        .example = R"(metadata:
  name: ci
  finalizers: [cleanup]
)",
        .instead = R"(metadata:
  name: ci
  finalizers: [example.com/cleanup]
)",
    },
    {
        .code = kInvalidLabel.code.data(),
        .name = kInvalidLabel.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a label's key or value is malformed",
        .what = R"(A label key is no qualified name, or its value holds more than letters, digits, '-', '_' and '.'
(63 at most).)",
        .why = kRefused,
        .example = R"(metadata:
  labels:
    team: "CI & CD"
)",
        .instead = R"(metadata:
  labels:
    team: ci-cd
)",
    },
    {
        .code = kInvalidAnnotation.code.data(),
        .name = kInvalidAnnotation.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an annotation's key is malformed, or all are too large",
        .what = "An annotation key is no qualified name, or the annotations are larger than 256 KiB together.",
        .why = kRefused,
        .example = R"(metadata:
  annotations:
    "who wrote this": alice
)",
        .instead = R"(metadata:
  annotations:
    example.com/author: alice
)",
    },
    {
        .code = kReservedAnnotation.code.data(),
        .name = kReservedAnnotation.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an annotation stands where the release does not allow it",
        .what = R"(The annotation that keeps a zero in a share of an older API version is set on an object that must
not have it.)",
        .why = kRefused,
        .example = R"(metadata:
  annotations:
    flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: ""
)",
        .instead = "Leave the annotation out; write the object in v1 if its shares are to be 0.",
    },
    {
        .code = kImmutableField.code.data(),
        .name = kImmutableField.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an update changes what cannot be changed",
        .what = R"(Compared with the old object, a name, uid, creation time or another immutable part of the metadata
differs.)",
        .why = kRefused,
        .example = R"(metadata:
  name: ci
  uid: another-than-before
)",
        .instead = "Leave the field out of the manifest, or create a new object.",
    },
    {
        .code = kInvalidPrecedence.code.data(),
        .name = kInvalidPrecedence.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "matchingPrecedence is not between 1 and 10000",
        .what = "spec.matchingPrecedence is below 1 or above 10000. Absent, it is 1000.",
        .why = kRefused,
        .example = R"(spec:
  matchingPrecedence: 0
)",
        .instead = R"(spec:
  matchingPrecedence: 100
)",
    },
    {
        .code = kReservedPrecedence.code.data(),
        .name = kReservedPrecedence.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a FlowSchema has the precedence of exempt",
        .what = "matchingPrecedence 1 belongs to the FlowSchema named exempt alone.",
        .why = kRefused,
        .example = R"(metadata:
  name: ci
spec:
  matchingPrecedence: 1
)",
        .instead = R"(spec:
  matchingPrecedence: 2
)",
    },
    {
        .code = kInvalidDistinguisher.code.data(),
        .name = kInvalidDistinguisher.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "distinguisherMethod is neither ByUser nor ByNamespace",
        .what = "spec.distinguisherMethod.type is missing, misspelt or in the wrong case.",
        .why = kRefused,
        .example = R"(spec:
  distinguisherMethod:
    type: byUser
)",
        .instead = R"(spec:
  distinguisherMethod:
    type: ByUser
)",
    },
    {
        .code = kInvalidLevelReference.code.data(),
        .name = kInvalidLevelReference.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a FlowSchema names no priority level, or with an impossible name",
        .what = "spec.priorityLevelConfiguration.name is missing or no DNS subdomain.",
        .why = kRefused,
        .example = R"(spec:
  matchingPrecedence: 1000
)",
        .instead = R"(spec:
  priorityLevelConfiguration:
    name: workload-low
)",
    },
    {
        .code = kNoSubjects.code.data(),
        .name = kNoSubjects.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a rule has no subjects",
        .what = "rules[].subjects is absent or empty, so that the rule could match nobody.",
        .why = kRefused,
        .example = R"(rules:
- resourceRules:
  - {verbs: [get], apiGroups: [""], resources: [pods], namespaces: ["*"]}
)",
        .instead = R"(rules:
- subjects:
  - {kind: Group, group: {name: ci}}
  resourceRules:
  - {verbs: [get], apiGroups: [""], resources: [pods], namespaces: ["*"]}
)",
    },
    {
        .code = kInvalidSubjectKind.code.data(),
        .name = kInvalidSubjectKind.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a subject's kind is not User, Group or ServiceAccount",
        .what = "subjects[].kind is missing, misspelt or in the wrong case.",
        .why = kRefused,
        .example = R"(subjects:
- kind: Serviceaccount
)",
        .instead = R"(subjects:
- kind: ServiceAccount
)",
    },
    {
        .code = kInvalidSubject.code.data(),
        .name = kInvalidSubject.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a subject lacks its name or has an impossible one",
        .what = R"(The member that belongs to the subject's kind is missing, its name or namespace is empty, or a
service account's name or namespace is no DNS name.)",
        .why = kRefused,
        .example = R"(subjects:
- kind: ServiceAccount
  serviceAccount: {name: builder}
)",
        .instead = R"(subjects:
- kind: ServiceAccount
  serviceAccount: {namespace: ci, name: builder}
)",
    },
    {
        .code = kMisplacedSubjectMember.code.data(),
        .name = kMisplacedSubjectMember.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a subject has the member of another kind",
        .what = "A subject may only have the member of its own kind: user, group or serviceAccount.",
        .why = kRefused,
        .example = R"(subjects:
- kind: Group
  user: {name: alice}
  group: {name: ci}
)",
        .instead = R"(subjects:
- kind: Group
  group: {name: ci}
- kind: User
  user: {name: alice}
)",
    },
    {
        .code = kEmptyRule.code.data(),
        .name = kEmptyRule.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a rule has neither resourceRules nor nonResourceRules",
        .what = "The rule names subjects but nothing that they may ask for.",
        .why = kRefused,
        .example = R"(rules:
- subjects:
  - {kind: Group, group: {name: ci}}
)",
        .instead = R"(rules:
- subjects:
  - {kind: Group, group: {name: ci}}
  nonResourceRules:
  - {verbs: [get], nonResourceURLs: [/metrics]}
)",
    },
    {
        .code = kInvalidVerbs.code.data(),
        .name = kInvalidVerbs.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a list of verbs is empty, mixes '*' with others, or holds an unknown one",
        .what = R"(verbs must be exactly ["*"] or some of create, delete, deletecollection, get, list, patch, proxy,
update and watch.)",
        .why = kRefused,
        .example = R"(verbs: [get, "*"]
)",
        .instead = R"(verbs: ["*"]
)",
    },
    {
        .code = kInvalidApiGroups.code.data(),
        .name = kInvalidApiGroups.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a list of API groups is empty or mixes '*' with others",
        .what = R"(apiGroups must be exactly ["*"] or a list of groups; the core group is "".)",
        .why = kRefused,
        .example = R"(apiGroups: []
)",
        .instead = R"(apiGroups: [""]
)",
    },
    {
        .code = kInvalidResources.code.data(),
        .name = kInvalidResources.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a list of resources is empty or mixes '*' with others",
        .what = R"(resources must be exactly ["*"] or a list of plural names, with /SUBRESOURCE for a subresource.)",
        .why = kRefused,
        .example = R"(resources: [pods, "*"]
)",
        .instead = R"(resources: ["*"]
)",
    },
    {
        .code = kInvalidNamespaces.code.data(),
        .name = kInvalidNamespaces.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a list of namespaces is missing, mixes '*' with others, or holds an impossible name",
        .what = R"(Without clusterScope a resourceRule needs namespaces: exactly ["*"] or names of namespaces.)",
        .why = kRefused,
        .example = R"(namespaces: ["team-*"]
)",
        .instead = R"(namespaces: [team-a, team-b]
)",
    },
    {
        .code = kInvalidNonResourceUrls.code.data(),
        .name = kInvalidNonResourceUrls.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a list of paths is empty, mixes '*' with others, or holds an impossible one",
        .what = "A path begins with '/', holds no blank and no '//', and may end in /*; there is no other wildcard.",
        .why = kRefused,
        .example = R"(nonResourceURLs: [healthz, /api*]
)",
        .instead = R"(nonResourceURLs: [/healthz, /api/*]
)",
    },
    {
        .code = kChangedMandatoryObject.code.data(),
        .name = kChangedMandatoryObject.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a mandatory object differs from what it must be",
        .what = R"(The specs of the FlowSchemas exempt and catch-all and of the levels of these names are fixed, but
for the few fields that the release lets one change.)",
        .why = kRefused,
        .example = R"(metadata:
  name: catch-all
spec:
  matchingPrecedence: 9000
)",
        .instead = "Leave these objects alone and put a FlowSchema of your own before catch-all.",
    },
    {
        .code = kInvalidCondition.code.data(),
        .name = kInvalidCondition.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a condition in the status is malformed",
        .what = "status.conditions holds a type twice or an entry without a type.",
        .why = kRefused,
        .example = R"(status:
  conditions:
  - {type: "", status: "True"}
)",
        .instead = "Leave status out of manifests; the server keeps it.",
    },
    {
        .code = kMisplacedExemptType.code.data(),
        .name = kMisplacedExemptType.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a level's name and its type Exempt do not go together",
        .what = "The level named exempt must be of type Exempt, and no other may be.",
        .why = kRefused,
        .example = R"(metadata:
  name: fast
spec:
  type: Exempt
)",
        .instead = R"(spec:
  type: Limited
)",
    },
    {
        .code = kInvalidLevelType.code.data(),
        .name = kInvalidLevelType.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a level's type is neither Limited nor Exempt",
        .what = "spec.type is missing, misspelt or in the wrong case.",
        .why = kRefused,
        .example = R"(spec:
  type: limited
)",
        .instead = R"(spec:
  type: Limited
)",
    },
    {
        .code = kMismatchedStanza.code.data(),
        .name = kMismatchedStanza.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a level's stanza does not fit its type",
        .what = R"(A level of type Limited needs `limited` and must not have `exempt`; one of type Exempt the other
way round.)",
        .why = kRefused,
        .example = R"(spec:
  type: Limited
)",
        .instead = R"(spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    limitResponse: {type: Reject}
)",
    },
    {
        .code = kInvalidShares.code.data(),
        .name = kInvalidShares.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a level's shares are out of range",
        .what = R"(nominalConcurrencyShares (assuredConcurrencyShares before v1beta3) is negative, or 0 where the
version does not allow it.)",
        .why = kRefused,
        .example = R"(limited:
  nominalConcurrencyShares: -1
)",
        .instead = R"(limited:
  nominalConcurrencyShares: 10
)",
    },
    {
        .code = kInvalidLimitResponse.code.data(),
        .name = kInvalidLimitResponse.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "limitResponse is neither Queue nor Reject",
        .what = "spec.limited.limitResponse.type is missing, misspelt or in the wrong case.",
        .why = kRefused,
        .example = R"(limitResponse:
  type: queue
)",
        .instead = R"(limitResponse:
  type: Queue
)",
    },
    {
        .code = kMismatchedQueuing.code.data(),
        .name = kMismatchedQueuing.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "queuing does not fit limitResponse",
        .what = "A limitResponse of type Queue needs `queuing`, one of type Reject must not have it.",
        .why = kRefused,
        .example = R"(limitResponse:
  type: Reject
  queuing: {queues: 64}
)",
        .instead = R"(limitResponse:
  type: Queue
  queuing: {queues: 64}
)",
    },
    {
        .code = kInvalidQueues.code.data(),
        .name = kInvalidQueues.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "the number of queues is out of range",
        .what = "queuing.queues must be at least 1 and at most 10000000.",
        .why = kRefused,
        .example = R"(queuing:
  queues: -1
)",
        .instead = R"(queuing:
  queues: 64
)",
    },
    {
        .code = kInvalidHandSize.code.data(),
        .name = kInvalidHandSize.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "handSize cannot be dealt",
        .what = R"(queuing.handSize must be at least 1, at most the number of queues, and small enough that a 60-bit
hash deals it: log2(queues) rounded up, times handSize.)",
        .why = kRefused,
        .example = R"(queuing:
  queues: 4
  handSize: 8
)",
        .instead = R"(queuing:
  queues: 64
  handSize: 6
)",
    },
    {
        .code = kInvalidQueueLengthLimit.code.data(),
        .name = kInvalidQueueLengthLimit.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "queueLengthLimit is not positive",
        .what = "queuing.queueLengthLimit must be at least 1.",
        .why = kRefused,
        .example = R"(queuing:
  queueLengthLimit: -1
)",
        .instead = R"(queuing:
  queueLengthLimit: 50
)",
    },
    {
        .code = kInvalidPercent.code.data(),
        .name = kInvalidPercent.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a percentage is out of range",
        .what = "lendablePercent must be between 0 and 100, borrowingLimitPercent not negative.",
        .why = kRefused,
        .example = R"(limited:
  lendablePercent: 120
)",
        .instead = R"(limited:
  lendablePercent: 100
)",
    },
    {
        .code = kNoEventLimits.code.data(),
        .name = kNoEventLimits.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "EventRateLimit has no limits",
        .what = R"(limits of the plugin's Configuration is absent or empty, or an AdmissionConfiguration names the
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
        .summary = "a limit of events is of no type that there is",
        .what = "limits[].type is missing, misspelt, in the wrong case, or spelt as in the proposal of the plugin.",
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
        .summary = "a number of a limit of events is out of range",
        .what = "qps and burst must be positive, cacheSize not negative (of type Server it is not looked at).",
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
        .summary = "an AdmissionConfiguration names a file that is not there",
        .what = R"(plugins[].path of EventRateLimit leads to no file, or to one without its Configuration. A relative
path begins in the directory of the AdmissionConfiguration.)",
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
        .summary = "an object's namespace is missing or no DNS label",
        .what = R"(metadata.namespace of a ResourceQuota holds something else than lower-case letters, digits and '-',
or is absent. Absent is information only, and lint does not say it: kubectl and the server fill in the namespace of
the request.)",
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
        .summary = "a quota limits a resource that the server does not know",
        .what = R"(A key of spec.hard without a slash must be one of the resources that quotas know: cpu, memory,
ephemeral-storage and these with requests. or limits. before them, requests.storage, hugepages-SIZE, pods, services,
services.loadbalancers, services.nodeports, persistentvolumeclaims, configmaps, secrets, replicationcontrollers and
resourcequotas. Everything else needs count/ or the name of its group.)",
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
        .summary = "a quota's amount is negative, or a fraction of something counted",
        .what = R"(Amounts must not be negative. Counts (pods, services, count/..., and resources with a group) must
be whole.)",
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
        .summary = "a quota's scopeSelector is malformed",
        .what = R"(As for spec.scopes; besides, the operator must be Exists for all scopes but PriorityClass and
VolumeAttributesClass, In and NotIn need values, and Exists and DoesNotExist must have none.)",
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
        .summary = "a limited resource of the quota plugin names no resource",
        .what = "Each of limitedResources in a ResourceQuotaConfiguration needs a resource.",
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
};
static_assert(kDecodingPages + std::size(kPages) == std::size(kConfigCodes));

}  // namespace

std::span<const Rule> validation_pages() { return kPages; }

}  // namespace apf
