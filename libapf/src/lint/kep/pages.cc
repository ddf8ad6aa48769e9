// The pages of what reading and validating a configuration in the KEP's own dialect find (config/codes.h).
#include "lint/pages.h"
#include "config/codes.h"

namespace apf {

namespace {

constexpr const char* kLeftOut =
    "No server ever read the dialect, so nothing drops or repairs the field silently: the object is left out, and "
    "commands that need the configuration stop.";

constexpr Rule kPages[] = {
    {
        .code = kKepUnknownField.code.data(),
        .name = kKepUnknownField.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "an object of the KEP's dialect has an unknown field, test or attribute",
        .what = R"(A key isn't a field of RequestPriority or FlowSchema as KEP-1040 first described them, the name of
an atomic test isn't one of the eight, or `field` isn't an attribute of a request.)",
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
        .summary = "a field is missing in an object of the KEP's dialect",
        .what = R"(meta.name, requestPriority.name, match, a test's field or the value that it compares with is
missing. Or a priority that isn't exempt lacks assuredConcurrencyShares, queues or queueLengthLimit, or handSize if it
has several queues.)",
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
        .summary = "a field of the KEP's dialect has an invalid value",
        .what = R"(A value has the wrong type or is out of range, a test for single values is used on the set
`groups`, one entry has two tests, or an exempt priority has queues or shares.)",
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
        .summary = "a pattern isn't a regular expression",
        .what = R"(The pattern of patternMatch, notPatternMatch or a flow distinguisher isn't in RE2's syntax. The
finding points at the invalid characters and gives RE2's reason.)",
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
        .summary = "one configuration mixes two dialects",
        .what = R"(Objects of flowcontrol.apiserver.k8s.io are mixed with RequestPriority objects or FlowSchemas of
the KEP's dialect. The first object decides. Objects in the other dialect are left out.)",
        .why = "The two have different built-in objects and rules. No server reads both.",
        .example = R"(kind: RequestPriority
meta: {name: system-top}
spec: {exempt: true}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: ci}
)",
        .instead = "Put them into separate files, or rewrite one with `apfctl convert --to v1`.",
    },
    {
        .code = kKepDanglingPriority.code.data(),
        .name = kKepDanglingPriority.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "a FlowSchema of the KEP's dialect names a priority that does not exist",
        .what = "No RequestPriority, given, created or implied, has the name in spec.requestPriority.name.",
        .why = "The FlowSchema matches no requests as long as its priority doesn't exist.",
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
        .what = "More than one RequestPriority is marked as the one for requests that no FlowSchema matches.",
        .why = "The backstop can use only one of them, and nothing says which.",
        .example = R"(kind: RequestPriority
meta: {name: a}
spec: {catchAll: true, assuredConcurrencyShares: 1, queues: 1, queueLengthLimit: 10}
---
kind: RequestPriority
meta: {name: b}
spec: {catchAll: true, assuredConcurrencyShares: 1, queues: 1, queueLengthLimit: 10}
)",
        .instead = "Keep catchAll only on the priority that is for everything else.",
    },
    {
        .code = kKepUndealableHand.code.data(),
        .name = kKepUndealableHand.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "handSize doesn't suit the number of queues",
        .what =
            R"(handSize is less than 1 or more than queues, or there are 2^60 hands or more: then a 64-bit hash can't
choose the queues evenly.)",
        .why = "The priority can't choose a queue.",
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
        .severity = Severity::warning,
        .group = RuleGroup::kep,
        .dialect = RuleDialect::kep,
        .summary = "the name of an implied priority is already used",
        .what = R"(Without an exempt RequestPriority, one like system-top is implied; without any other, one like
workload-low. A given priority of the other kind has that name; the implied one is called system-top-backstop or
workload-low-backstop.)",
        .why = R"(The FlowSchema system-top that is created leads to the given priority: requests of system:masters wait
like others.)",
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
        .summary = "there is no priority for requests that no FlowSchema matches",
        .what = R"(There are RequestPriority objects, but none, given or created, has catchAll: true, and the
FlowSchemas, given and created, don't match everything. Without an exempt one, workload-low is created and has it.)",
        .why = "The backstop for the remaining requests has no priority to use.",
        .example = R"(kind: RequestPriority
meta: {name: top}
spec: {exempt: true}
---
kind: RequestPriority
meta: {name: ci}
spec: {assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)",
        .instead = R"(spec: {catchAll: true, assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)",
    },
};

}  // namespace

std::span<const Rule> kep_pages() { return kPages; }

}  // namespace apf
