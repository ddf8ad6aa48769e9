// The codes of what the API server would reject while reading an object (0xx, decoding only). A code is
// never reused; a name says what the problem is.
#pragma once

#include <string_view>

namespace apf {

struct ConfigCode {
  std::string_view code;
  std::string_view name;
};

inline constexpr ConfigCode kSyntaxError{"APF001", "syntax-error"};
inline constexpr ConfigCode kUnknownField{"APF002", "unknown-field"};
inline constexpr ConfigCode kDuplicateField{"APF003", "duplicate-field"};
inline constexpr ConfigCode kWrongType{"APF004", "wrong-type"};
inline constexpr ConfigCode kUnknownApiVersion{"APF005", "unknown-api-version"};
inline constexpr ConfigCode kMissingKind{"APF006", "missing-kind"};
inline constexpr ConfigCode kDuplicateObject{"APF007", "duplicate-object"};
inline constexpr ConfigCode kHelmTemplate{"APF008", "helm-template"};
inline constexpr ConfigCode kKepDialect{"APF009", "kep-dialect"};
inline constexpr ConfigCode kNotUtf8{"APF010", "not-utf-8"};
inline constexpr ConfigCode kNestedTooDeep{"APF011", "nested-too-deep"};
inline constexpr ConfigCode kExcessiveAliases{"APF012", "excessive-aliases"};
inline constexpr ConfigCode kNotAnObject{"APF013", "not-an-object"};

inline constexpr ConfigCode kConfigCodes[] = {
    kSyntaxError,  kUnknownField, kDuplicateField, kWrongType,     kUnknownApiVersion, kMissingKind, kDuplicateObject,
    kHelmTemplate, kKepDialect,   kNotUtf8,        kNestedTooDeep, kExcessiveAliases,  kNotAnObject,
};

}  // namespace apf
