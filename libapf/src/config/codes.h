// The codes of what the API server would reject (0xx): while reading an object (APF001 …) and while validating it
// (APF014, APF020 …). A code is never reused; a name says what the problem is.
#pragma once

#include <string_view>

namespace apf {

struct ConfigCode {
  std::string_view code;
  std::string_view name;
  bool decoding = false;  // the server reports it when an object does not decode: with a message, without field errors
};

inline constexpr ConfigCode kSyntaxError{"APF001", "syntax-error", true};
inline constexpr ConfigCode kUnknownField{"APF002", "unknown-field", true};
inline constexpr ConfigCode kDuplicateField{"APF003", "duplicate-field", true};
inline constexpr ConfigCode kWrongType{"APF004", "wrong-type", true};
inline constexpr ConfigCode kUnknownApiVersion{"APF005", "unknown-api-version", true};
inline constexpr ConfigCode kMissingKind{"APF006", "missing-kind", true};
inline constexpr ConfigCode kDuplicateObject{"APF007", "duplicate-object", true};
inline constexpr ConfigCode kHelmTemplate{"APF008", "helm-template", true};
// APF009 said that the KEP's dialect is not read.
inline constexpr ConfigCode kNotUtf8{"APF010", "not-utf-8"};
inline constexpr ConfigCode kNestedTooDeep{"APF011", "nested-too-deep"};
inline constexpr ConfigCode kExcessiveAliases{"APF012", "excessive-aliases"};
inline constexpr ConfigCode kNotAnObject{"APF013", "not-an-object"};
inline constexpr ConfigCode kTooLarge{"APF015", "too-large"};
inline constexpr ConfigCode kInvalidQuantity{"APF016", "invalid-quantity"};

// validation
inline constexpr ConfigCode kNotServed{"APF014", "not-served-version"};
// metadata, of both kinds
inline constexpr ConfigCode kInvalidName{"APF020", "invalid-name"};
inline constexpr ConfigCode kNamespaceOnClusterScoped{"APF021", "namespace-on-cluster-scoped"};
inline constexpr ConfigCode kInvalidMetadata{"APF022", "invalid-metadata"};
inline constexpr ConfigCode kInvalidLabel{"APF023", "invalid-label"};
inline constexpr ConfigCode kInvalidAnnotation{"APF024", "invalid-annotation"};
inline constexpr ConfigCode kReservedAnnotation{"APF025", "reserved-annotation"};
inline constexpr ConfigCode kImmutableField{"APF026", "changed-immutable-field"};
// FlowSchema
inline constexpr ConfigCode kInvalidPrecedence{"APF030", "invalid-precedence"};
inline constexpr ConfigCode kReservedPrecedence{"APF031", "reserved-precedence"};
inline constexpr ConfigCode kInvalidDistinguisher{"APF032", "invalid-distinguisher"};
inline constexpr ConfigCode kInvalidLevelReference{"APF033", "invalid-level-reference"};
inline constexpr ConfigCode kNoSubjects{"APF034", "no-subjects"};
inline constexpr ConfigCode kInvalidSubjectKind{"APF035", "invalid-subject-kind"};
inline constexpr ConfigCode kInvalidSubject{"APF036", "invalid-subject"};
inline constexpr ConfigCode kMisplacedSubjectMember{"APF037", "misplaced-subject-member"};
inline constexpr ConfigCode kEmptyRule{"APF038", "empty-rule"};
inline constexpr ConfigCode kInvalidVerbs{"APF039", "invalid-verbs"};
inline constexpr ConfigCode kInvalidApiGroups{"APF040", "invalid-api-groups"};
inline constexpr ConfigCode kInvalidResources{"APF041", "invalid-resources"};
inline constexpr ConfigCode kInvalidNamespaces{"APF042", "invalid-namespaces"};
inline constexpr ConfigCode kInvalidNonResourceUrls{"APF043", "invalid-non-resource-urls"};
inline constexpr ConfigCode kChangedMandatoryObject{"APF044", "changed-mandatory-object"};
inline constexpr ConfigCode kInvalidCondition{"APF045", "invalid-status-condition"};
// PriorityLevelConfiguration
inline constexpr ConfigCode kMisplacedExemptType{"APF050", "misplaced-exempt-type"};
inline constexpr ConfigCode kInvalidLevelType{"APF051", "invalid-level-type"};
inline constexpr ConfigCode kMismatchedStanza{"APF052", "mismatched-level-stanza"};
inline constexpr ConfigCode kInvalidShares{"APF053", "invalid-shares"};
inline constexpr ConfigCode kInvalidLimitResponse{"APF054", "invalid-limit-response"};
inline constexpr ConfigCode kMismatchedQueuing{"APF055", "mismatched-queuing"};
inline constexpr ConfigCode kInvalidQueues{"APF056", "invalid-queues"};
inline constexpr ConfigCode kInvalidHandSize{"APF057", "invalid-hand-size"};
inline constexpr ConfigCode kInvalidQueueLengthLimit{"APF058", "invalid-queue-length-limit"};
inline constexpr ConfigCode kInvalidPercent{"APF059", "invalid-percent"};
// configurations of admission plugins
inline constexpr ConfigCode kNoEventLimits{"APF060", "no-event-limits"};
inline constexpr ConfigCode kInvalidEventLimitType{"APF061", "invalid-event-limit-type"};
inline constexpr ConfigCode kInvalidEventLimit{"APF062", "invalid-event-limit"};
inline constexpr ConfigCode kMissingPluginFile{"APF063", "missing-plugin-file"};
// ResourceQuota and ResourceQuotaConfiguration
inline constexpr ConfigCode kInvalidNamespace{"APF070", "invalid-namespace"};
inline constexpr ConfigCode kInvalidQuotaResource{"APF071", "invalid-quota-resource"};
inline constexpr ConfigCode kInvalidQuotaAmount{"APF072", "invalid-quota-amount"};
inline constexpr ConfigCode kInvalidQuotaScope{"APF073", "invalid-quota-scope"};
inline constexpr ConfigCode kInvalidScopeSelector{"APF074", "invalid-scope-selector"};
inline constexpr ConfigCode kInvalidLimitedResource{"APF075", "invalid-limited-resource"};
inline constexpr ConfigCode kInvalidLimitRange{"APF076", "invalid-limit-range"};
// audit policies
inline constexpr ConfigCode kInvalidAuditRule{"APF080", "invalid-audit-rule"};
inline constexpr ConfigCode kIgnoredDocument{"APF081", "ignored-document"};

inline constexpr ConfigCode kConfigCodes[] = {
    kSyntaxError,
    kUnknownField,
    kDuplicateField,
    kWrongType,
    kUnknownApiVersion,
    kMissingKind,
    kDuplicateObject,
    kHelmTemplate,
    kNotUtf8,
    kNestedTooDeep,
    kExcessiveAliases,
    kNotAnObject,
    kTooLarge,
    kInvalidQuantity,
    kNotServed,
    kInvalidName,
    kNamespaceOnClusterScoped,
    kInvalidMetadata,
    kInvalidLabel,
    kInvalidAnnotation,
    kReservedAnnotation,
    kImmutableField,
    kInvalidPrecedence,
    kReservedPrecedence,
    kInvalidDistinguisher,
    kInvalidLevelReference,
    kNoSubjects,
    kInvalidSubjectKind,
    kInvalidSubject,
    kMisplacedSubjectMember,
    kEmptyRule,
    kInvalidVerbs,
    kInvalidApiGroups,
    kInvalidResources,
    kInvalidNamespaces,
    kInvalidNonResourceUrls,
    kChangedMandatoryObject,
    kInvalidCondition,
    kMisplacedExemptType,
    kInvalidLevelType,
    kMismatchedStanza,
    kInvalidShares,
    kInvalidLimitResponse,
    kMismatchedQueuing,
    kInvalidQueues,
    kInvalidHandSize,
    kInvalidQueueLengthLimit,
    kInvalidPercent,
    kNoEventLimits,
    kInvalidEventLimitType,
    kInvalidEventLimit,
    kMissingPluginFile,
    kInvalidNamespace,
    kInvalidQuotaResource,
    kInvalidQuotaAmount,
    kInvalidQuotaScope,
    kInvalidScopeSelector,
    kInvalidLimitedResource,
    kInvalidLimitRange,
    kInvalidAuditRule,
    kIgnoredDocument,
};

// Whether it is a code of an object that does not decode.
constexpr bool is_decode_code(std::string_view code) {
  for (const ConfigCode& known : kConfigCodes) {
    if (known.decoding && code == known.code) return true;
  }
  return false;
}

// The KEP's own dialect (8xx): no server is there to reject it; these are its rules as KEP-1040 describes them.
inline constexpr ConfigCode kKepUnknownField{"APF801", "kep-unknown-field"};
inline constexpr ConfigCode kKepMissingField{"APF802", "kep-missing-field"};
inline constexpr ConfigCode kKepWrongValue{"APF803", "kep-wrong-value"};
inline constexpr ConfigCode kKepBrokenPattern{"APF804", "kep-broken-pattern"};
inline constexpr ConfigCode kMixedDialects{"APF805", "mixed-dialects"};
inline constexpr ConfigCode kKepDanglingPriority{"APF806", "kep-dangling-priority"};
inline constexpr ConfigCode kKepTwoCatchAlls{"APF807", "kep-two-catch-alls"};
inline constexpr ConfigCode kKepUndealableHand{"APF808", "kep-undealable-hand"};
inline constexpr ConfigCode kKepTakenName{"APF809", "kep-taken-name"};
inline constexpr ConfigCode kKepNoCatchAll{"APF810", "kep-no-catch-all"};

inline constexpr ConfigCode kKepCodes[] = {
    kKepUnknownField,     kKepMissingField, kKepWrongValue,     kKepBrokenPattern, kMixedDialects,
    kKepDanglingPriority, kKepTwoCatchAlls, kKepUndealableHand, kKepTakenName,     kKepNoCatchAll,
};

}  // namespace apf
