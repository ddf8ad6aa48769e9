// The pages of what validation finds (config/codes.h): the rules of pkg/apis/flowcontrol/validation (v1.36).
#include "config/codes.h"
#include "lint/decoding_rules.h"

namespace apf {

namespace {

constexpr const char* kRefused = "The server refuses the object, and whatever it held before stays in force.";

constexpr const char* kNoStart = "kube-apiserver does not start with it.";

constexpr RuleInfo page(const ConfigCode& code, const char* summary, const char* what, const char* why,
                        const char* example, const char* instead, Severity severity = Severity::error) {
  return {code.code.data(), code.name.data(), severity, summary, what, why, example, instead};
}

constexpr RuleInfo kPages[] = {
    page(kNotServed, "an object's API version is not served by the release",
         "The release given by --kubernetes-version does not serve this version of flowcontrol.apiserver.k8s.io: it "
         "was removed, or does not exist yet.",
         "kubectl finds no such kind on that server, and nothing of the object is applied.",
         R"(apiVersion: flowcontrol.apiserver.k8s.io/v1beta3   # with 1.32
kind: FlowSchema
)",
         R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)"),
    page(kInvalidName, "an object's name is missing or no DNS subdomain",
         "metadata.name is absent, or holds something else than lower-case letters, digits, '-' and '.'.", kRefused,
         R"(metadata:
  name: CI_Jobs
)",
         R"(metadata:
  name: ci-jobs
)"),
    page(kNamespaceOnClusterScoped, "a cluster-scoped object has a namespace",
         "metadata.namespace is set, but FlowSchemas and PriorityLevelConfigurations belong to the cluster.",
         "Validation forbids it, but the server clears the field of what kubectl sends before it validates: the object "
         "works, and the line misleads its readers. lint says so as information.",
         R"(metadata:
  name: ci
  namespace: ci
)",
         R"(metadata:
  name: ci
)",
         Severity::info),
    page(kInvalidMetadata, "a part of the metadata is malformed",
         "Owner references, finalizers, managed fields or the generation break the rules that hold for all objects.",
         kRefused, R"(metadata:
  name: ci
  finalizers: [cleanup]
)",
         R"(metadata:
  name: ci
  finalizers: [example.com/cleanup]
)"),
    page(kInvalidLabel, "a label's key or value is malformed",
         "A label key is no qualified name, or its value holds more than letters, digits, '-', '_' and '.' (63 at "
         "most).",
         kRefused, R"(metadata:
  labels:
    team: "CI & CD"
)",
         R"(metadata:
  labels:
    team: ci-cd
)"),
    page(kInvalidAnnotation, "an annotation's key is malformed, or all are too large",
         "An annotation key is no qualified name, or the annotations are larger than 256 KiB together.", kRefused,
         R"(metadata:
  annotations:
    "who wrote this": alice
)",
         R"(metadata:
  annotations:
    example.com/author: alice
)"),
    page(kReservedAnnotation, "an annotation stands where the release does not allow it",
         "The annotation that keeps a zero in a share of an older API version is set on an object that must not have "
         "it.",
         kRefused, R"(metadata:
  annotations:
    flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: ""
)",
         "Leave the annotation out; write the object in v1 if its shares are to be 0."),
    page(kImmutableField, "an update changes what cannot be changed",
         "Compared with the old object, a name, uid, creation time or another immutable part of the metadata differs.",
         kRefused, R"(metadata:
  name: ci
  uid: another-than-before
)",
         "Leave the field out of the manifest, or create a new object."),
    page(kInvalidPrecedence, "matchingPrecedence is not between 1 and 10000",
         "spec.matchingPrecedence is below 1 or above 10000. Absent, it is 1000.", kRefused, R"(spec:
  matchingPrecedence: 0
)",
         R"(spec:
  matchingPrecedence: 100
)"),
    page(kReservedPrecedence, "a FlowSchema has the precedence of exempt",
         "matchingPrecedence 1 belongs to the FlowSchema named exempt alone.", kRefused, R"(metadata:
  name: ci
spec:
  matchingPrecedence: 1
)",
         R"(spec:
  matchingPrecedence: 2
)"),
    page(kInvalidDistinguisher, "distinguisherMethod is neither ByUser nor ByNamespace",
         "spec.distinguisherMethod.type is missing, misspelt or in the wrong case.", kRefused, R"(spec:
  distinguisherMethod:
    type: byUser
)",
         R"(spec:
  distinguisherMethod:
    type: ByUser
)"),
    page(kInvalidLevelReference, "a FlowSchema names no priority level, or with an impossible name",
         "spec.priorityLevelConfiguration.name is missing or no DNS subdomain.", kRefused, R"(spec:
  matchingPrecedence: 1000
)",
         R"(spec:
  priorityLevelConfiguration:
    name: workload-low
)"),
    page(kNoSubjects, "a rule has no subjects",
         "rules[].subjects is absent or empty, so that the rule could match nobody.", kRefused, R"(rules:
- resourceRules:
  - {verbs: [get], apiGroups: [""], resources: [pods], namespaces: ["*"]}
)",
         R"(rules:
- subjects:
  - {kind: Group, group: {name: ci}}
  resourceRules:
  - {verbs: [get], apiGroups: [""], resources: [pods], namespaces: ["*"]}
)"),
    page(kInvalidSubjectKind, "a subject's kind is not User, Group or ServiceAccount",
         "subjects[].kind is missing, misspelt or in the wrong case.", kRefused, R"(subjects:
- kind: Serviceaccount
)",
         R"(subjects:
- kind: ServiceAccount
)"),
    page(kInvalidSubject, "a subject lacks its name or has an impossible one",
         "The member that belongs to the subject's kind is missing, its name or namespace is empty, or a service "
         "account's name or namespace is no DNS name.",
         kRefused, R"(subjects:
- kind: ServiceAccount
  serviceAccount: {name: builder}
)",
         R"(subjects:
- kind: ServiceAccount
  serviceAccount: {namespace: ci, name: builder}
)"),
    page(kMisplacedSubjectMember, "a subject has the member of another kind",
         "A subject may only have the member of its own kind: user, group or serviceAccount.", kRefused, R"(subjects:
- kind: Group
  user: {name: alice}
  group: {name: ci}
)",
         R"(subjects:
- kind: Group
  group: {name: ci}
- kind: User
  user: {name: alice}
)"),
    page(kEmptyRule, "a rule has neither resourceRules nor nonResourceRules",
         "The rule names subjects but nothing that they may ask for.", kRefused, R"(rules:
- subjects:
  - {kind: Group, group: {name: ci}}
)",
         R"(rules:
- subjects:
  - {kind: Group, group: {name: ci}}
  nonResourceRules:
  - {verbs: [get], nonResourceURLs: [/metrics]}
)"),
    page(kInvalidVerbs, "a list of verbs is empty, mixes '*' with others, or holds an unknown one",
         "verbs must be exactly [\"*\"] or some of create, delete, deletecollection, get, list, patch, proxy, update "
         "and watch.",
         kRefused, R"(verbs: [get, "*"]
)",
         R"(verbs: ["*"]
)"),
    page(kInvalidApiGroups, "a list of API groups is empty or mixes '*' with others",
         "apiGroups must be exactly [\"*\"] or a list of groups; the core group is \"\".", kRefused, R"(apiGroups: []
)",
         R"(apiGroups: [""]
)"),
    page(kInvalidResources, "a list of resources is empty or mixes '*' with others",
         "resources must be exactly [\"*\"] or a list of plural names, with /SUBRESOURCE for a subresource.", kRefused,
         R"(resources: [pods, "*"]
)",
         R"(resources: ["*"]
)"),
    page(kInvalidNamespaces, "a list of namespaces is missing, mixes '*' with others, or holds an impossible name",
         "Without clusterScope a resourceRule needs namespaces: exactly [\"*\"] or names of namespaces.", kRefused,
         R"(namespaces: ["team-*"]
)",
         R"(namespaces: [team-a, team-b]
)"),
    page(kInvalidNonResourceUrls, "a list of paths is empty, mixes '*' with others, or holds an impossible one",
         "A path begins with '/', holds no blank and no '//', and may end in /*; there is no other wildcard.", kRefused,
         R"(nonResourceURLs: [healthz, /api*]
)",
         R"(nonResourceURLs: [/healthz, /api/*]
)"),
    page(kChangedMandatoryObject, "a mandatory object differs from what it must be",
         "The specs of the FlowSchemas exempt and catch-all and of the levels of these names are fixed, but for the "
         "few fields that the release lets one change.",
         kRefused, R"(metadata:
  name: catch-all
spec:
  matchingPrecedence: 9000
)",
         "Leave these objects alone and put a FlowSchema of your own before catch-all."),
    page(kInvalidCondition, "a condition in the status is malformed",
         "status.conditions holds a type twice or an entry without a type.", kRefused, R"(status:
  conditions:
  - {type: "", status: "True"}
)",
         "Leave status out of manifests; the server keeps it."),
    page(kMisplacedExemptType, "a level's name and its type Exempt do not go together",
         "The level named exempt must be of type Exempt, and no other may be.", kRefused, R"(metadata:
  name: fast
spec:
  type: Exempt
)",
         R"(spec:
  type: Limited
)"),
    page(kInvalidLevelType, "a level's type is neither Limited nor Exempt",
         "spec.type is missing, misspelt or in the wrong case.", kRefused, R"(spec:
  type: limited
)",
         R"(spec:
  type: Limited
)"),
    page(kMismatchedStanza, "a level's stanza does not fit its type",
         "A level of type Limited needs `limited` and must not have `exempt`; one of type Exempt the other way round.",
         kRefused, R"(spec:
  type: Limited
)",
         R"(spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    limitResponse: {type: Reject}
)"),
    page(kInvalidShares, "a level's shares are out of range",
         "nominalConcurrencyShares (assuredConcurrencyShares before v1beta3) is negative, or 0 where the version does "
         "not allow it.",
         kRefused, R"(limited:
  nominalConcurrencyShares: -1
)",
         R"(limited:
  nominalConcurrencyShares: 10
)"),
    page(kInvalidLimitResponse, "limitResponse is neither Queue nor Reject",
         "spec.limited.limitResponse.type is missing, misspelt or in the wrong case.", kRefused, R"(limitResponse:
  type: queue
)",
         R"(limitResponse:
  type: Queue
)"),
    page(kMismatchedQueuing, "queuing does not fit limitResponse",
         "A limitResponse of type Queue needs `queuing`, one of type Reject must not have it.", kRefused,
         R"(limitResponse:
  type: Reject
  queuing: {queues: 64}
)",
         R"(limitResponse:
  type: Queue
  queuing: {queues: 64}
)"),
    page(kInvalidQueues, "the number of queues is out of range",
         "queuing.queues must be at least 1 and at most 10000000.", kRefused, R"(queuing:
  queues: -1
)",
         R"(queuing:
  queues: 64
)"),
    page(kInvalidHandSize, "handSize cannot be dealt",
         "queuing.handSize must be at least 1, at most the number of queues, and small enough that a 60-bit hash deals "
         "it: log2(queues) rounded up, times handSize.",
         kRefused, R"(queuing:
  queues: 4
  handSize: 8
)",
         R"(queuing:
  queues: 64
  handSize: 6
)"),
    page(kInvalidQueueLengthLimit, "queueLengthLimit is not positive", "queuing.queueLengthLimit must be at least 1.",
         kRefused, R"(queuing:
  queueLengthLimit: -1
)",
         R"(queuing:
  queueLengthLimit: 50
)"),
    page(kInvalidPercent, "a percentage is out of range",
         "lendablePercent must be between 0 and 100, borrowingLimitPercent not negative.", kRefused, R"(limited:
  lendablePercent: 120
)",
         R"(limited:
  lendablePercent: 100
)"),
    page(kNoEventLimits, "EventRateLimit has no limits",
         "limits of the plugin's Configuration is absent or empty, or an AdmissionConfiguration names the plugin with "
         "neither configuration nor path.",
         kNoStart, R"(apiVersion: eventratelimit.admission.k8s.io/v1alpha1
kind: Configuration
limits: []
)",
         R"(limits:
- type: Namespace
  qps: 50
  burst: 100
)"),
    page(kInvalidEventLimitType, "a limit of events is of no type that there is",
         "limits[].type is missing, misspelt, in the wrong case, or spelt as in the proposal of the plugin.", kNoStart,
         R"(limits:
- type: source+object
)",
         R"(limits:
- type: SourceAndObject
)"),
    page(kInvalidEventLimit, "a number of a limit of events is out of range",
         "qps and burst must be positive, cacheSize not negative (of type Server it is not looked at).", kNoStart,
         R"(limits:
- {type: Server, qps: 0, burst: 10}
)",
         R"(limits:
- {type: Server, qps: 10, burst: 10}
)"),
    page(kMissingPluginFile, "an AdmissionConfiguration names a file that is not there",
         "plugins[].path of EventRateLimit leads to no file, or to one without its Configuration. A relative path "
         "begins in "
         "the directory of the AdmissionConfiguration.",
         kNoStart, R"(apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  path: evenconfig.yaml
)",
         R"(plugins:
- name: EventRateLimit
  path: eventconfig.yaml
)"),
    page(kInvalidNamespace, "an object's namespace is missing or no DNS label",
         "metadata.namespace of a ResourceQuota holds something else than lower-case letters, digits and '-', or is "
         "absent. "
         "Absent is information only, and lint does not say it: kubectl and the server fill in the namespace of the "
         "request.",
         kRefused, R"(metadata:
  name: compute
  namespace: Team_A
)",
         R"(metadata:
  name: compute
  namespace: team-a
)"),
    page(kInvalidQuotaResource, "a quota limits a resource that the server does not know",
         "A key of spec.hard without a slash must be one of the resources that quotas know: cpu, memory, "
         "ephemeral-storage and "
         "these with requests. or limits. before them, requests.storage, hugepages-SIZE, pods, services, "
         "services.loadbalancers, services.nodeports, persistentvolumeclaims, configmaps, secrets, "
         "replicationcontrollers and resourcequotas. Everything else needs count/ or the name of its group.",
         kRefused, R"(spec:
  hard:
    limit.cpu: "10"
)",
         R"(spec:
  hard:
    limits.cpu: "10"
)"),
    page(kInvalidQuotaAmount, "a quota's amount is negative, or a fraction of something counted",
         "Amounts must not be negative. Counts (pods, services, count/..., and resources with a group) must be whole.",
         kRefused, R"(spec:
  hard:
    pods: "1.5"
)",
         R"(spec:
  hard:
    pods: "2"
)"),
    page(kInvalidQuotaScope, "a quota's scopes are unknown, contradict one another or do not fit its resources",
         "Each of spec.scopes must be known and fit every standard resource in spec.hard: BestEffort only pods, "
         "VolumeAttributesClass only persistentvolumeclaims and requests.storage, the others pods, cpu and memory. "
         "BestEffort with NotBestEffort, and Terminating with NotTerminating, exclude each other.",
         kRefused, R"(spec:
  hard:
    requests.cpu: "4"
  scopes: [BestEffort]
)",
         R"(spec:
  hard:
    pods: "10"
  scopes: [BestEffort]
)"),
    page(kInvalidScopeSelector, "a quota's scopeSelector is malformed",
         "As for spec.scopes; besides, the operator must be Exists for all scopes but PriorityClass and "
         "VolumeAttributesClass, In and NotIn need values, and Exists and DoesNotExist must have none.",
         kRefused, R"(spec:
  scopeSelector:
    matchExpressions:
    - scopeName: PriorityClass
      operator: In
)",
         R"(spec:
  scopeSelector:
    matchExpressions:
    - scopeName: PriorityClass
      operator: In
      values: [high]
)"),
    page(kInvalidLimitedResource, "a limited resource of the quota plugin names no resource",
         "Each of limitedResources in a ResourceQuotaConfiguration needs a resource.",
         "kube-apiserver does not start with this configuration.", R"(apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:
- matchContains: [requests.storage]
)",
         R"(apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:
- resource: persistentvolumeclaims
  matchContains: [requests.storage]
)"),
};
static_assert(kDecodingPages + std::size(kPages) == std::size(kConfigCodes));

}  // namespace

std::span<const RuleInfo> validation_rules() { return kPages; }

}  // namespace apf
