#include "lint/decoding_rules.h"

#include "config/codes.h"

namespace apf {

namespace {

constexpr const char* kNothingApplied =
    "kubectl and the server refuse the file, or the document, as a whole: nothing in it takes effect.";

constexpr RuleInfo kPages[] = {
    {kSyntaxError.code.data(), kSyntaxError.name.data(), Severity::error, "the text is neither YAML nor JSON",
     "The text cannot be read up to its end. The finding stands where reading stopped and says what was expected "
     "there.",
     kNothingApplied,
     R"(metadata:
  name: ci
   labels: {}
)",
     R"(metadata:
  name: ci
  labels: {}
)"},
    {kUnknownField.code.data(), kUnknownField.name.data(), Severity::warning,
     "an object has a field that the API does not know",
     "A key is no field of this kind in this API version: misspelt, indented wrongly, or of another version.",
     "With strict field validation (kubectl's default) the server refuses the object; otherwise it drops the field and "
     "says nothing.",
     R"(spec:
  matchingPrecedance: 1000
)",
     R"(spec:
  matchingPrecedence: 1000
)"},
    {kDuplicateField.code.data(), kDuplicateField.name.data(), Severity::warning, "a key stands twice in one mapping",
     "The same key occurs more than once in a mapping. The last one counts.",
     "With strict field validation the server refuses the object; otherwise one of the two values is lost without a "
     "word.",
     R"(spec:
  matchingPrecedence: 1000
  matchingPrecedence: 2000
)",
     "Keep one of them."},
    {kWrongType.code.data(), kWrongType.name.data(), Severity::error, "a value is of another type than its field",
     "A string stands where a number belongs, a number in quotes, a list where one value belongs, or a number that the "
     "field cannot hold.",
     "The server cannot decode the object and refuses it.",
     R"(spec:
  matchingPrecedence: "1000"
)",
     R"(spec:
  matchingPrecedence: 1000
)"},
    {kUnknownApiVersion.code.data(), kUnknownApiVersion.name.data(), Severity::error,
     "no API has this kind in this apiVersion",
     "apiVersion is not a version of flowcontrol.apiserver.k8s.io, or kind is none of its kinds.",
     "The server answers that no such kind is registered.",
     R"(apiVersion: flowcontrol.apiserver.k8s.io/v2
kind: FlowSchema
)",
     R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)"},
    {kMissingKind.code.data(), kMissingKind.name.data(), Severity::error, "an object does not say what it is",
     "kind or apiVersion is missing or empty.", "Neither kubectl nor the server can tell what the object is.",
     R"(kind: FlowSchema
metadata:
  name: ci
)",
     R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
)"},
    {kDuplicateObject.code.data(), kDuplicateObject.name.data(), Severity::warning, "an object is given twice",
     "Two objects of the same kind and name are among the given files. The later one counts.",
     "Which of them the cluster ends up with depends on the order in which they are applied.",
     R"(kind: FlowSchema
metadata: {name: ci}
---
kind: FlowSchema
metadata: {name: ci}
)",
     "Keep one, or rename one."},
    {kHelmTemplate.code.data(), kHelmTemplate.name.data(), Severity::error, "the file is a template, not a manifest",
     "The text holds {{ … }}, which Helm replaces before there is YAML.",
     "What the values will be is not known, so nothing can be said about the objects.",
     R"(metadata:
  name: {{ .Release.Name }}
)",
     "Render it first: `helm template RELEASE CHART | apfctl lint -`."},
    {kNotUtf8.code.data(), kNotUtf8.name.data(), Severity::error, "the file is not UTF-8",
     "Some bytes are no UTF-8, as in files written in Latin-1 or UTF-16.", kNothingApplied,
     "A comment or a name with an umlaut, saved as Latin-1.", "Save the file as UTF-8."},
    {kNestedTooDeep.code.data(), kNestedTooDeep.name.data(), Severity::error, "the document is nested too deep",
     "Brackets or aliases nest deeper than any object of the API can.", "No such object decodes; reading stops there.",
     "[[[[[[[[[[ … ]]]]]]]]]]", "Look for an unclosed bracket or a generator that loops."},
    {kExcessiveAliases.code.data(), kExcessiveAliases.name.data(), Severity::error, "YAML aliases blow the document up",
     "Aliases of aliases would make the document many times larger than it is.",
     "The server refuses such documents, because unfolding them takes all memory.",
     R"(a: &a [x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b]
)",
     "Write the values out."},
    {kNotAnObject.code.data(), kNotAnObject.name.data(), Severity::error, "a document is no Kubernetes object",
     "The document, or an item of a List, is a list or a single value and not a mapping with apiVersion and kind.",
     "kubectl cannot send it to the server.",
     R"(- apiVersion: flowcontrol.apiserver.k8s.io/v1
  kind: FlowSchema
)",
     R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)"},
    {kTooLarge.code.data(), kTooLarge.name.data(), Severity::error,
     "an object or a list of findings is larger than what is looked into",
     "An object holds more than 20000 values, or a file has more than 10000 faults, or a rule more than 10000 "
     "findings. "
     "What is beyond that is not looked into, and the finding says where that begins.",
     "No FlowSchema that people write comes near it; it is what a generator that loops writes, or another file.",
     "A FlowSchema with 30000 subjects.",
     "Mend what writes the file, or split it: several FlowSchemas can lead to one level."},
    {kInvalidQuantity.code.data(), kInvalidQuantity.name.data(), Severity::error, "an amount is no quantity",
     "A quantity is a number with at most one suffix: n u m k M G T P E (powers of 1000), Ki Mi Gi Ti Pi Ei (powers of "
     "1024) or an exponent such as e3. The message says at which character it goes wrong.",
     "The server cannot read the object at all. Some suffixes look right and are not: K, KB, GB, gi, mi. m is a "
     "thousandth, M a million.",
     R"(spec:
  hard:
    requests.memory: 10GB
)",
     R"(spec:
  hard:
    requests.memory: 10Gi
)"},
};
static_assert(std::size(kPages) == kDecodingPages);

}  // namespace

std::span<const RuleInfo> decoding_rules() { return kPages; }

}  // namespace apf
