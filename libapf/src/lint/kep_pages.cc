// The pages of what reading and validating a configuration in the KEP's own dialect find (config/codes.h).
#include "config/codes.h"
#include "lint/decoding_rules.h"

namespace apf {

namespace {

constexpr const char* kLeftOut =
    "The dialect was never served, so nothing drops or repairs it in silence: an object with this error is left out, "
    "and "
    "the commands that need the configuration stop.";

constexpr RuleInfo page(const ConfigCode& code, const char* summary, const char* what, const char* why,
                        const char* example, const char* instead) {
  return {code.code.data(), code.name.data(), Severity::error, summary, what, why, example, instead};
}

constexpr RuleInfo kPages[] = {
    page(kKepUnknownField, "an object of the KEP's dialect has a field, a test or an attribute that does not exist",
         "A key is no field of RequestPriority or FlowSchema as KEP-1040 first described them, the name of an atomic "
         "test is "
         "none of the eight, or `field` is no attribute of a request.",
         kLeftOut, R"(match:
- and:
  - equal:
    field: username
    value: alice
)",
         R"(match:
- and:
  - equals:
    field: user
    value: alice
)"),
    page(kKepMissingField, "an object of the KEP's dialect lacks a field",
         "meta.name, requestPriority.name, match, a test's field or what it compares with is absent; or, of a priority "
         "that "
         "is not exempt, assuredConcurrencyShares, queues, queueLengthLimit, or with several queues handSize.",
         kLeftOut, R"(kind: RequestPriority
meta:
  name: workload-high
spec:
  assuredConcurrencyShares: 30
  queues: 128
  queueLengthLimit: 100
)",
         R"(spec:
  assuredConcurrencyShares: 30
  queues: 128
  handSize: 6
  queueLengthLimit: 100
)"),
    page(kKepWrongValue, "a field of the KEP's dialect has a value that it cannot have",
         "A value is of another type or out of range, a scalar test is made of the set `groups`, one entry holds two "
         "tests, "
         "or an exempt priority has queues or shares.",
         kLeftOut, R"(match:
- and:
  - equals:
    field: groups
    value: system:nodes
)",
         R"(match:
- and:
  - superSet:
    field: groups
    set: [system:nodes]
)"),
    page(kKepBrokenPattern, "a pattern is no regular expression",
         "The pattern of patternMatch, notPatternMatch or of a flow distinguisher is not in RE2's syntax. The finding "
         "stands "
         "at the characters that are to blame, and says RE2's reason.",
         kLeftOut, R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:(.*:.*
)",
         R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:(.*):.*
)"),
    page(kMixedDialects, "one configuration is in two dialects",
         "Objects of flowcontrol.apiserver.k8s.io stand beside RequestPriority objects or FlowSchemas of the KEP's "
         "dialect. "
         "The first object decides; those of the other dialect are left out.",
         "The two have different built-in objects and rules; there is no server that reads both.",
         R"(kind: RequestPriority
meta: {name: system-top}
spec: {exempt: true}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: ci}
)",
         "Keep them in files of their own, or rewrite the one with `apfctl convert --to v1`."),
    page(kKepDanglingPriority, "a FlowSchema of the KEP's dialect leads to no priority",
         "No RequestPriority has the name in spec.requestPriority.name, given or implied.",
         "The FlowSchema matches no request while its priority is not there.", R"(kind: FlowSchema
meta: {name: kubectl}
spec:
  requestPriority: {name: workload-hihg}
  match:
  - and: []
)",
         R"(spec:
  requestPriority: {name: workload-high}
)"),
    page(kKepTwoCatchAlls, "two priorities have catchAll: true",
         "More than one RequestPriority is marked as the one for requests that no FlowSchema accepts.",
         "The backstop can lead to one only; which, would be chance.", R"(kind: RequestPriority
meta: {name: a}
spec: {catchAll: true, assuredConcurrencyShares: 1, queues: 1, queueLengthLimit: 10}
---
kind: RequestPriority
meta: {name: b}
spec: {catchAll: true, assuredConcurrencyShares: 1, queues: 1, queueLengthLimit: 10}
)",
         "Leave catchAll to the priority that is for everything else."),
    page(kKepUndealableHand, "a hand cannot be dealt from the queues",
         "handSize is less than 1 or more than queues, or so large that a hash of 64 bits does not deal it evenly.",
         "The priority has no way to choose a queue.", R"(queues: 4
handSize: 8
)",
         R"(queues: 64
handSize: 6
)"),
    page(kKepTakenName, "the name of an implied priority is taken",
         "Without an exempt RequestPriority one named system-top is implied, and workload-low without any other. The "
         "name "
         "belongs to a priority of the other sort.",
         "The implied priority cannot exist beside the given one, and its requests would get the wrong treatment.",
         R"(kind: RequestPriority
meta: {name: system-top}
spec: {assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)",
         R"(kind: RequestPriority
meta: {name: system-top}
spec: {exempt: true}
)"),
    page(kKepNoCatchAll, "there is no priority for requests that no FlowSchema accepts",
         "RequestPriority objects are given, none has catchAll: true, and no FlowSchema accepts everything.",
         "The backstop for what is left over has no priority to lead to.", R"(kind: RequestPriority
meta: {name: ci}
spec: {assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)",
         R"(spec: {catchAll: true, assuredConcurrencyShares: 100, queues: 1, queueLengthLimit: 50}
)"),
};
static_assert(std::size(kPages) == std::size(kKepCodes));

}  // namespace

std::span<const RuleInfo> kep_pages() { return kPages; }

}  // namespace apf
