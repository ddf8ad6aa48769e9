// The pages of what validation finds (config/codes.h): the rules of pkg/apis/flowcontrol/validation (v1.36).
#include "config/codes.h"
#include "lint/pages.h"

namespace apf {

namespace {

constexpr Rule kValidationPages[] = {
    {
        .code = kNotServed.code.data(),
        .name = kNotServed.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "the release doesn't serve the object's API version",
        .what = R"(The release given by --kubernetes-version doesn't serve this version of
flowcontrol.apiserver.k8s.io: it has been removed, or doesn't exist yet.)",
        .why = "kubectl finds no such kind on that server, and the object isn't applied.",
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
        .summary = "an object's name is missing or isn't a DNS subdomain",
        .what = "metadata.name is missing, or has characters other than lower-case letters, digits, '-' and '.'.",
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
        .why = R"(Validation forbids it, but the server clears the field in what kubectl sends before it validates. So
the object works, but the line misleads its readers.)",
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
        .summary = "part of the metadata is invalid",
        .what = R"(Owner references, finalizers, managed fields or the generation break the rules that apply to all
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
        .summary = "a label's key or value is invalid",
        .what = R"(A label key isn't a qualified name, or a label value has characters other than letters, digits,
'-', '_' and '.', or is longer than 63.)",
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
        .summary = "an annotation's key is invalid, or the annotations are too large",
        .what = "An annotation key isn't a qualified name, or all annotations together are larger than 256 KiB.",
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
        .summary = "an annotation isn't allowed in this release",
        .what = R"(The annotation that preserves zero shares in an older API version is set on an object that must not
have it.)",
        .why = kRefused,
        .example = R"(metadata:
  annotations:
    flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: ""
)",
        .instead = "Remove the annotation. To give a level 0 shares, write the object in v1.",
    },
    {
        .code = kImmutableField.code.data(),
        .name = kImmutableField.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "an update changes an immutable field",
        .what = R"(Compared with the old object, a name, uid, creation time or another immutable part of the metadata
is different.)",
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
        .what = "spec.matchingPrecedence is below 1 or above 10000. The default is 1000.",
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
        .summary = "a FlowSchema has the precedence reserved for exempt",
        .what = "Only the FlowSchema named exempt may have matchingPrecedence 1.",
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
        .what = "spec.distinguisherMethod.type is missing, misspelled or in the wrong case.",
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
        .summary = "a FlowSchema names no priority level, or has an invalid name for it",
        .what = "spec.priorityLevelConfiguration.name is missing or isn't a DNS subdomain.",
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
        .what = "rules[].subjects is missing or empty, so the rule could match nobody.",
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
        .what = "subjects[].kind is missing, misspelled or in the wrong case.",
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
        .summary = "a subject's name is missing or invalid",
        .what = R"(The member for the subject's kind is missing, its name or namespace is empty, or a service
account's name or namespace isn't a valid DNS name.)",
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
        .what = "A subject may have only the member for its own kind: user, group or serviceAccount.",
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
        .what = "The rule has subjects, but no requests to match.",
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
        .summary = "a list of verbs is empty, mixes '*' with others, or has an unknown verb",
        .what = R"(verbs must be exactly ["*"], or some of create, delete, deletecollection, get, list, patch, proxy,
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
        .what = R"(apiGroups must be exactly ["*"] or a list of groups. The core group, of pods and services, is "".)",
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
        .what = R"(resources must be exactly ["*"], or a list of plural names, with /SUBRESOURCE for a subresource.)",
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
        .summary = "a list of namespaces is missing, mixes '*' with others, or has an invalid name",
        .what =
            R"(Without clusterScope a resourceRule needs namespaces: exactly ["*"], or names of namespaces. A rule of
RBAC has no such field, and a copy of one is refused. namespaces: ["*"] is for requests in any namespace; clusterScope:
true is for requests without one, which are those for cluster-scoped resources and lists across all namespaces. Most
rules need both.)",
        .why = kRefused,
        .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: ["*"]
  resources: ["*"]
)",
        .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: ["*"]
  resources: ["*"]
  namespaces: ["*"]      # or [team-a, team-b]; there are no patterns such as team-*
  clusterScope: true
)",
    },
    {
        .code = kInvalidNonResourceUrls.code.data(),
        .name = kInvalidNonResourceUrls.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a list of paths is empty, mixes '*' with others, or has an invalid path",
        .what = "A path starts with '/', has no spaces and no '//', and may end in /*. There is no other wildcard.",
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
        .summary = "a mandatory object differs from its fixed spec",
        .what = R"(The specs of the FlowSchemas exempt and catch-all, and of the levels with these names, are fixed,
except for the few fields that the release allows to change.)",
        .why = kRefused,
        .example = R"(metadata:
  name: catch-all
spec:
  matchingPrecedence: 9000
)",
        .instead = "Leave these objects alone, and add your own FlowSchema before catch-all.",
    },
    {
        .code = kInvalidCondition.code.data(),
        .name = kInvalidCondition.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a condition in the status is invalid",
        .what = "status.conditions has a type twice, or an entry without a type.",
        .why = kRefused,
        .example = R"(status:
  conditions:
  - {type: "", status: "True"}
)",
        .instead = "Leave status out of manifests. The server maintains it.",
    },
    {
        .code = kMisplacedExemptType.code.data(),
        .name = kMisplacedExemptType.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .summary = "a level's name and its type Exempt don't match",
        .what = "The level named exempt must have type Exempt, and no other level may have it.",
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
        .what = "spec.type is missing, misspelled or in the wrong case.",
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
        .summary = "a level has the wrong stanza for its type",
        .what = R"(A level of type Limited needs `limited` and must not have `exempt`. For type Exempt it is the other
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
        .what = R"(nominalConcurrencyShares (assuredConcurrencyShares before v1beta3) is negative, or 0 in a version
that doesn't allow it.)",
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
        .what = "spec.limited.limitResponse.type is missing, misspelled or in the wrong case.",
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
        .summary = "queuing doesn't match limitResponse",
        .what = "A limitResponse of type Queue needs `queuing`. One of type Reject must not have it.",
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
        .what = "queuing.queues must be between 1 and 10,000,000.",
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
        .summary = "handSize is out of range",
        .what = R"(queuing.handSize must be at least 1 and at most the number of queues. handSize times log2(queues),
rounded up, must not exceed 60, the number of bits in the hash that chooses the queues.)",
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
        .what = "lendablePercent must be between 0 and 100. borrowingLimitPercent must not be negative.",
        .why = kRefused,
        .example = R"(limited:
  lendablePercent: 120
)",
        .instead = R"(limited:
  lendablePercent: 100
)",
    },
};

}  // namespace

std::span<const Rule> validation_pages() { return kValidationPages; }

}  // namespace apf
