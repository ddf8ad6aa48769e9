// The API versions of flowcontrol.apiserver.k8s.io, the fields of its objects, and checking a tree against them the way
// the API server decodes JSON (k8s.io/apimachinery json serializer, v1.36): unknown and duplicate fields, wrong types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <apf/findings.h>
#include <apf/version.h>

#include "config/field_schema.h"
#include "config/tree.h"

namespace apf {

// API versions, newest first.
enum class ApiVersion : std::uint8_t { v1, v1beta3, v1beta2, v1beta1, v1alpha1 };
inline constexpr std::string_view kApiGroup = "flowcontrol.apiserver.k8s.io";
inline constexpr std::string_view kFlowSchemaKind = "FlowSchema";
inline constexpr std::string_view kPriorityLevelKind = "PriorityLevelConfiguration";
inline constexpr std::string_view kApiVersionNames[] = {"v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha1"};
inline std::string_view api_version_name(ApiVersion version) {
  return kApiVersionNames[static_cast<std::size_t>(version)];
}
// Where shares are called assuredConcurrencyShares.
inline bool has_assured_shares(ApiVersion version) { return version >= ApiVersion::v1beta2; }

// Where the server registers its kinds; its message about one that it lacks names the place.
inline constexpr std::string_view kScheme = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30";

// v1beta3 cannot tell absent shares from zero; this annotation, with any value, says that zero is meant. It is
// dropped on conversion from v1beta3.
inline constexpr std::string_view kPreserveZeroAnnotation =
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

const StructSchema& flow_schema_schema();
const StructSchema& resource_quota_schema();
const StructSchema& limit_range_schema();
const StructSchema& limit_range_item_schema();
const StructSchema& resource_quota_configuration_schema();
// With the fields that the version has in the release.
const StructSchema& priority_level_schema(ApiVersion version, KubeVersion release = kNewestKubeVersion);

// What identifies an object in the diagnostics about it.
struct ObjectLabel {
  std::string api_version, kind, name;
  int document = 0;
};

// Checks `object` against `schema`. False if a value has a type that the server cannot decode.
bool check_fields(const ConfigNode& object, const StructSchema& schema, ApiVersion version, const ObjectLabel& label,
                  std::vector<Diagnostic>& diagnostics);

// What a node is in the words of YAML: "the boolean true", "a list".
std::string found_words(const ConfigNode& node);

}  // namespace apf
