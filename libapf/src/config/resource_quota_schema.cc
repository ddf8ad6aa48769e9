// The fields of ResourceQuota and LimitRange (k8s.io/api/core/v1) and ResourceQuotaConfiguration (k8s.io/apiserver,
// plugin/resourcequota/apis), as tables.
#include "config/metadata_schema.h"
#include "config/schema.h"

namespace apf {

namespace {

using enum FieldType;

constexpr FieldSchema kRequirementFields[] = {{"scopeName", string, "v1.ResourceQuotaScope"},
                                              {"operator", string, "v1.ScopeSelectorOperator"},
                                              {"values", string_list, "string"}};
constexpr StructSchema kRequirement{"ScopedResourceSelectorRequirement", kRequirementFields};
constexpr FieldSchema kSelectorFields[] = {
    {"matchExpressions", object_list, "v1.ScopedResourceSelectorRequirement", &kRequirement}};
constexpr StructSchema kSelector{"ScopeSelector", kSelectorFields};

constexpr FieldSchema kSpecFields[] = {{"hard", quantity_map, "v1.ResourceList"},
                                       {"scopes", string_list, "v1.ResourceQuotaScope"},
                                       {"scopeSelector", object, "v1.ScopeSelector", &kSelector}};
constexpr StructSchema kSpec{"ResourceQuotaSpec", kSpecFields};
constexpr FieldSchema kStatusFields[] = {{"hard", quantity_map, "v1.ResourceList"},
                                         {"used", quantity_map, "v1.ResourceList"}};
constexpr StructSchema kStatus{"ResourceQuotaStatus", kStatusFields};
constexpr FieldSchema kQuotaFields[] = {{"kind", string, "string"},
                                        {"apiVersion", string, "string"},
                                        {"metadata", object, "v1.ObjectMeta", &kMetadata},
                                        {"spec", object, "v1.ResourceQuotaSpec", &kSpec},
                                        {"status", object, "v1.ResourceQuotaStatus", &kStatus}};
constexpr StructSchema kQuota{"ResourceQuota", kQuotaFields};

constexpr FieldSchema kItemFields[] = {{"type", string, "v1.LimitType"},
                                       {"max", quantity_map, "v1.ResourceList"},
                                       {"min", quantity_map, "v1.ResourceList"},
                                       {"default", quantity_map, "v1.ResourceList"},
                                       {"defaultRequest", quantity_map, "v1.ResourceList"},
                                       {"maxLimitRequestRatio", quantity_map, "v1.ResourceList"}};
constexpr StructSchema kLimitRangeItem{"LimitRangeItem", kItemFields};
constexpr FieldSchema kRangeSpecFields[] = {{"limits", object_list, "v1.LimitRangeItem", &kLimitRangeItem}};
constexpr StructSchema kRangeSpec{"LimitRangeSpec", kRangeSpecFields};
constexpr FieldSchema kRangeFields[] = {{"kind", string, "string"},
                                        {"apiVersion", string, "string"},
                                        {"metadata", object, "v1.ObjectMeta", &kMetadata},
                                        {"spec", object, "v1.LimitRangeSpec", &kRangeSpec}};
constexpr StructSchema kRange{"LimitRange", kRangeFields};

constexpr FieldSchema kLimitedFields[] = {
    {"apiGroup", string, "string"},
    {"resource", string, "string"},
    {"matchContains", string_list, "string"},
    {"matchScopes", object_list, "v1.ScopedResourceSelectorRequirement", &kRequirement}};
constexpr StructSchema kLimited{"LimitedResource", kLimitedFields};
constexpr FieldSchema kConfigurationFields[] = {{"kind", string, "string"},
                                                {"apiVersion", string, "string"},
                                                {"limitedResources", object_list, "@.LimitedResource", &kLimited}};
constexpr StructSchema kConfiguration{"ResourceQuotaConfiguration", kConfigurationFields};

}  // namespace

const StructSchema& resource_quota_schema() { return kQuota; }
const StructSchema& limit_range_schema() { return kRange; }
const StructSchema& limit_range_item_schema() { return kLimitRangeItem; }
const StructSchema& resource_quota_configuration_schema() { return kConfiguration; }

}  // namespace apf
