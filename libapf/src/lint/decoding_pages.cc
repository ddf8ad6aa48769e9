// The pages of what reading a file finds (config/codes.h).
#include "lint/pages.h"

#include "config/codes.h"

namespace apf {

namespace {

constexpr const char* kNothingApplied =
    "kubectl and the server reject the file, or the document, as a whole: nothing in it is applied.";

constexpr Rule kDecodingPages[] = {
    {
        .code = kSyntaxError.code.data(),
        .name = kSyntaxError.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "the text is neither valid YAML nor JSON",
        .what = R"(The text can't be parsed to its end. The finding points at the place where parsing stopped and says
what was expected there.)",
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
        .what = R"(A key isn't a field of this kind in this API version: it is misspelled, indented wrongly, or
belongs to another version.)",
        .why = R"(With strict field validation (kubectl's default) the server rejects the object. Without it, the
server silently drops the field.)",
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
        .summary = "a key occurs twice in one mapping",
        .what = "The same key occurs more than once in a mapping. The last value is used.",
        .why = R"(With strict field validation the server rejects the object. Without it, one of the two values is
silently lost.)",
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
        .summary = "a value has the wrong type for its field",
        .what = R"(A field has a value of the wrong type: a string instead of a number, a number in quotes, a list
instead of a single value, or a number that the field can't hold.)",
        .why = "The server can't decode the object and rejects it.",
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
        .what = R"(The kind is one of those that apfctl reads, and the apiVersion is of another group or of no version
of it; or the apiVersion is right, and the kind is nearly one of them (ResourceQuotas, AuditPolicy).)",
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
        .summary = "an object has no kind or no apiVersion",
        .what = "kind or apiVersion is missing or empty.",
        .why = "Neither kubectl nor the server can know what the object is.",
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
        .summary = "an object is defined twice",
        .what = "Two objects of the same kind and name are among the given files. The later one is used.",
        .why = "Which of them the cluster ends up with depends on the order in which they are applied.",
        .example = R"(kind: FlowSchema
metadata: {name: ci}
---
kind: FlowSchema
metadata: {name: ci}
)",
        .instead = "Remove or rename one of them.",
    },
    {
        .code = kHelmTemplate.code.data(),
        .name = kHelmTemplate.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "the file is a template, not a manifest",
        .what = "The text contains {{ … }}, which Helm replaces before the file is YAML.",
        .why = "The values aren't known yet, so the objects can't be checked.",
        .example = R"(metadata:
  name: {{ .Release.Name }}
)",
        .instead = "Render the template first, by what fills it in; of a chart: `helm template RELEASE CHART | apfctl "
                   "lint -`.",
    },
    {
        .code = kNotUtf8.code.data(),
        .name = kNotUtf8.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "the file is not UTF-8",
        .what = "The file contains bytes that aren't valid UTF-8, as files written in Latin-1 or UTF-16 do.",
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
        .summary = "the document is nested too deeply",
        .what = "Brackets or aliases nest deeper than any object of the API can.",
        .why = "No such object can be decoded. Reading stops there.",
        .example = "[[[[[[[[[[ … ]]]]]]]]]]",
        .instead = "Look for an unclosed bracket, or for a loop in the generator that wrote the file.",
    },
    {
        .code = kExcessiveAliases.code.data(),
        .name = kExcessiveAliases.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "YAML aliases make the document too large",
        .what = "Aliases of aliases expand the document to many times its size.",
        .why = "The server rejects such documents, because expanding them would use up its memory.",
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
        .summary = "a document isn't a Kubernetes object",
        .what = R"(The document, or an item of a List, is a list or a single value instead of a mapping with
apiVersion and kind.)",
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
        .summary = "an object or a list of findings is too large to check",
        .what = R"(An object has more than 20,000 values, a file more than 10,000 errors, or a rule more than 10,000
findings. The rest isn't checked. The finding points at the place where checking stopped.)",
        .why = R"(FlowSchemas written by people are far smaller. The file is probably something else, or was written
by a generator with a loop.)",
        .example = "A FlowSchema with 30,000 subjects.",
        .instead = "Fix the generator, or split the object: several FlowSchemas can use one priority level.",
    },
    {
        .code = kInvalidQuantity.code.data(),
        .name = kInvalidQuantity.name.data(),
        .severity = Severity::error,
        .group = RuleGroup::rejected,
        .dialect = RuleDialect::any,
        .summary = "an amount isn't a valid quantity",
        .what = R"(A quantity is a number with at most one suffix: n u m k M G T P E (powers of 1000), Ki Mi Gi Ti Pi
Ei (powers of 1024) or an exponent such as e3. The message names the character where it goes wrong.)",
        .why = R"(The server can't decode the object. Some suffixes look right but aren't: K, KB, GB, gi, mi. m means
a thousandth, M a million.)",
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

}  // namespace

std::span<const Rule> decoding_pages() { return kDecodingPages; }

}  // namespace apf
