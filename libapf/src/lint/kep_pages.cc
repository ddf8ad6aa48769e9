// The pages of what reading and validating a configuration in the KEP's own dialect find (config/codes.h).
#include "config/codes.h"
#include "lint/pages.h"

namespace apf {

namespace {

constexpr const char* kLeftOut =
    "The dialect was never served, so nothing drops or repairs it in silence: an object with this error is left out, "
    "and "
    "the commands that need the configuration stop.";

constexpr Rule kPages[] = {
    {
        .code = kKepUnknownField.code.data(),
        .name = kKepUnknownField.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "an object of the KEP's dialect has a field, a test or an attribute that does not exist",
        .what = R"(A key is no field of RequestPriority or FlowSchema as KEP-1040 first described them, the name of an
atomic test is none of the eight, or `field` is no attribute of a request.)",
        .why = kLeftOut,
        .example = R"(match:
- and:
  - equal:
    field: username
    value: alice
)",
        .instead = R"(match:
- and:
  - equals:
    field: user
    value: alice
)",
    },
    {
        .code = kKepMissingField.code.data(),
        .name = kKepMissingField.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "an object of the KEP's dialect lacks a field",
        .what = R"(meta.name, requestPriority.name, match, a test's field or what it compares with is absent; or, of a
priority that is not exempt, assuredConcurrencyShares, queues, queueLengthLimit, or with several queues handSize.)",
        .why = kLeftOut,
        .example = R"(kind: RequestPriority
meta:
  name: workload-high
spec:
  assuredConcurrencyShares: 30
  queues: 128
  queueLengthLimit: 100
)",
        .instead = R"(spec:
  assuredConcurrencyShares: 30
  queues: 128
  handSize: 6
  queueLengthLimit: 100
)",
    },
    {
        .code = kKepWrongValue.code.data(),
        .name = kKepWrongValue.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "a field of the KEP's dialect has a value that it cannot have",
        .what = R"(A value is of another type or out of range, a scalar test is made of the set `groups`, one entry
holds two tests, or an exempt priority has queues or shares.)",
        .why = kLeftOut,
        .example = R"(match:
- and:
  - equals:
    field: groups
    value: system:nodes
)",
        .instead = R"(match:
- and:
  - superSet:
    field: groups
    set: [system:nodes]
)",
    },
    {
        .code = kKepBrokenPattern.code.data(),
        .name = kKepBrokenPattern.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "a pattern is no regular expression",
        .what = R"(The pattern of patternMatch, notPatternMatch or of a flow distinguisher is not in RE2's syntax. The
finding stands at the characters that are to blame, and says RE2's reason.)",
        .why = kLeftOut,
        .example = R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:(.*:.*
)",
        .instead = R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:(.*):.*
)",
    },
    {
        .code = kMixedDialects.code.data(),
        .name = kMixedDialects.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "one configuration is in two dialects",
        .what = R"(Objects of flowcontrol.apiserver.k8s.io stand beside RequestPriority objects or FlowSchemas of the
KEP's dialect. The first object decides; those of the other dialect are left out.)",
        .why = "The two have different built-in objects and rules; there is no server that reads both.",
        .example = R"(kind: RequestPriority
meta: {name: system-top}
spec: {exempt: true}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: ci}
)",
        .instead = "Keep them in files of their own, or rewrite the one with `apfctl convert --to v1`.",
    },
    {
        .code = kKepDanglingPriority.code.data(),
        .name = kKepDanglingPriority.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "a FlowSchema of the KEP's dialect leads to no priority",
        .what = "No RequestPriority has the name in spec.requestPriority.name, given or implied.",
        .why = "The FlowSchema matches no request while its priority is not there.",
        .example = R"(kind: FlowSchema
meta: {name: kubectl}
spec:
  requestPriority: {name: workload-hihg}
  match:
  - and: []
)",
        .instead = R"(spec:
  requestPriority: {name: workload-high}
)",
    },
    {
        .code = kKepTwoCatchAlls.code.data(),
        .name = kKepTwoCatchAlls.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "two priorities have catchAll: true",
        .what = "More than one RequestPriority is marked as the one for requests that no FlowSchema accepts.",
        .why = "The backstop can lead to one only; which, would be chance.",
        .example = R"(kind: RequestPriority
meta: {name: a}
spec: {catchAll: true, assuredConcurrencyShares: 1, queues: 1, queueLengthLimit: 10}
---
kind: RequestPriority
meta: {name: b}
spec: {catchAll: true, assuredConcurrencyShares: 1, queues: 1, queueLengthLimit: 10}
)",
        .instead = "Leave catchAll to the priority that is for everything else.",
    },
    {
        .code = kKepUndealableHand.code.data(),
        .name = kKepUndealableHand.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "a hand cannot be dealt from the queues",
        .what = R"(handSize is less than 1 or more than queues, or so large that a hash of 64 bits does not deal it
evenly.)",
        .why = "The priority has no way to choose a queue.",
        .example = R"(queues: 4
handSize: 8
)",
        .instead = R"(queues: 64
handSize: 6
)",
    },
    {
        .code = kKepTakenName.code.data(),
        .name = kKepTakenName.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "the name of an implied priority is taken",
        .what = R"(Without an exempt RequestPriority one named system-top is implied, and workload-low without any
other. The name belongs to a priority of the other sort.)",
        .why = R"(The implied priority cannot exist beside the given one, and its requests would get the wrong
treatment.)",
        .example = R"(kind: RequestPriority
meta: {name: system-top}
spec: {assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)",
        .instead = R"(kind: RequestPriority
meta: {name: system-top}
spec: {exempt: true}
)",
    },
    {
        .code = kKepNoCatchAll.code.data(),
        .name = kKepNoCatchAll.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "there is no priority for requests that no FlowSchema accepts",
        .what = "RequestPriority objects are given, none has catchAll: true, and no FlowSchema accepts everything.",
        .why = "The backstop for what is left over has no priority to lead to.",
        .example = R"(kind: RequestPriority
meta: {name: ci}
spec: {assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)",
        .instead = R"(spec: {catchAll: true, assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)",
    },
};
static_assert(std::size(kPages) == std::size(kKepCodes));

}  // namespace

std::span<const Rule> kep_pages() { return kPages; }

}  // namespace apf
