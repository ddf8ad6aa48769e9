// The pages of what reading a file finds (config/codes.h).
#include "lint/pages.h"

#include "config/codes.h"

namespace apf {

namespace {

constexpr const char* kNothingApplied =
    "kubectl and the server refuse the file, or the document, as a whole: nothing in it takes effect.";

constexpr Rule kPages[] = {
    {
        .code = kSyntaxError.code.data(),
        .name = kSyntaxError.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "the text is neither YAML nor JSON",
        .what = R"(The text cannot be read up to its end. The finding stands where reading stopped and says what was
expected there.)",
        .why = kNothingApplied,
        .example = R"(metadata:
  name: ci
   labels: {}
)",
        .instead = R"(metadata:
  name: ci
  labels: {}
)",
    },
    {
        .code = kUnknownField.code.data(),
        .name = kUnknownField.name.data(),
        .severity = Severity::warning,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "an object has a field that the API does not know",
        .what = R"(A key is no field of this kind in this API version: misspelt, indented wrongly, or of another
version.)",
        .why = R"(With strict field validation (kubectl's default) the server refuses the object; otherwise it drops
the field and says nothing.)",
        .example = R"(spec:
  matchingPrecedance: 1000
)",
        .instead = R"(spec:
  matchingPrecedence: 1000
)",
    },
    {
        .code = kDuplicateField.code.data(),
        .name = kDuplicateField.name.data(),
        .severity = Severity::warning,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "a key stands twice in one mapping",
        .what = "The same key occurs more than once in a mapping. The last one counts.",
        .why = R"(With strict field validation the server refuses the object; otherwise one of the two values is lost
without a word.)",
        .example = R"(spec:
  matchingPrecedence: 1000
  matchingPrecedence: 2000
)",
        .instead = "Keep one of them.",
    },
    {
        .code = kWrongType.code.data(),
        .name = kWrongType.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "a value is of another type than its field",
        .what = R"(A string stands where a number belongs, a number in quotes, a list where one value belongs, or a
number that the field cannot hold.)",
        .why = "The server cannot decode the object and refuses it.",
        .example = R"(spec:
  matchingPrecedence: "1000"
)",
        .instead = R"(spec:
  matchingPrecedence: 1000
)",
    },
    {
        .code = kUnknownApiVersion.code.data(),
        .name = kUnknownApiVersion.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "no API has this kind in this apiVersion",
        .what = "apiVersion is not a version of flowcontrol.apiserver.k8s.io, or kind is none of its kinds.",
        .why = "The server answers that no such kind is registered.",
        .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v2
kind: FlowSchema
)",
        .instead = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)",
    },
    {
        .code = kMissingKind.code.data(),
        .name = kMissingKind.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "an object does not say what it is",
        .what = "kind or apiVersion is missing or empty.",
        .why = "Neither kubectl nor the server can tell what the object is.",
        .example = R"(kind: FlowSchema
metadata:
  name: ci
)",
        .instead = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
)",
    },
    {
        .code = kDuplicateObject.code.data(),
        .name = kDuplicateObject.name.data(),
        .severity = Severity::warning,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "an object is given twice",
        .what = "Two objects of the same kind and name are among the given files. The later one counts.",
        .why = "Which of them the cluster ends up with depends on the order in which they are applied.",
        .example = R"(kind: FlowSchema
metadata: {name: ci}
---
kind: FlowSchema
metadata: {name: ci}
)",
        .instead = "Keep one, or rename one.",
    },
    {
        .code = kHelmTemplate.code.data(),
        .name = kHelmTemplate.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "the file is a template, not a manifest",
        .what = "The text holds {{ … }}, which Helm replaces before there is YAML.",
        .why = "What the values will be is not known, so nothing can be said about the objects.",
        .example = R"(metadata:
  name: {{ .Release.Name }}
)",
        .instead = "Render it first: `helm template RELEASE CHART | apfctl lint -`.",
    },
    {
        .code = kNotUtf8.code.data(),
        .name = kNotUtf8.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "the file is not UTF-8",
        .what = "Some bytes are no UTF-8, as in files written in Latin-1 or UTF-16.",
        .why = kNothingApplied,
        .example = "A comment or a name with an umlaut, saved as Latin-1.",
        .instead = "Save the file as UTF-8.",
    },
    {
        .code = kNestedTooDeep.code.data(),
        .name = kNestedTooDeep.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "the document is nested too deep",
        .what = "Brackets or aliases nest deeper than any object of the API can.",
        .why = "No such object decodes; reading stops there.",
        .example = "[[[[[[[[[[ … ]]]]]]]]]]",
        .instead = "Look for an unclosed bracket or a generator that loops.",
    },
    {
        .code = kExcessiveAliases.code.data(),
        .name = kExcessiveAliases.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "YAML aliases blow the document up",
        .what = "Aliases of aliases would make the document many times larger than it is.",
        .why = "The server refuses such documents, because unfolding them takes all memory.",
        .example = R"(a: &a [x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b]
)",
        .instead = "Write the values out.",
    },
    {
        .code = kNotAnObject.code.data(),
        .name = kNotAnObject.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "a document is no Kubernetes object",
        .what = R"(The document, or an item of a List, is a list or a single value and not a mapping with apiVersion
and kind.)",
        .why = "kubectl cannot send it to the server.",
        .example = R"(- apiVersion: flowcontrol.apiserver.k8s.io/v1
  kind: FlowSchema
)",
        .instead = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
)",
    },
    {
        .code = kTooLarge.code.data(),
        .name = kTooLarge.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "an object or a list of findings is larger than what is looked into",
        .what = R"(An object holds more than 20000 values, or a file has more than 10000 faults, or a rule more than
10000 findings. What is beyond that is not looked into, and the finding says where that begins.)",
        .why = R"(No FlowSchema that people write comes near it; it is what a generator that loops writes, or another
file.)",
        .example = "A FlowSchema with 30000 subjects.",
        .instead = "Mend what writes the file, or split it: several FlowSchemas can lead to one level.",
    },
    {
        .code = kInvalidQuantity.code.data(),
        .name = kInvalidQuantity.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "an amount is no quantity",
        .what = R"(A quantity is a number with at most one suffix: n u m k M G T P E (powers of 1000), Ki Mi Gi Ti Pi
Ei (powers of 1024) or an exponent such as e3. The message says at which character it goes wrong.)",
        .why = R"(The server cannot read the object at all. Some suffixes look right and are not: K, KB, GB, gi, mi. m
is a thousandth, M a million.)",
        .example = R"(spec:
  hard:
    requests.memory: 10GB
)",
        .instead = R"(spec:
  hard:
    requests.memory: 10Gi
)",
    },
};
static_assert(std::size(kPages) == kDecodingPages);

}  // namespace

std::span<const Rule> decoding_pages() { return kPages; }

}  // namespace apf
