// The fields of metadata, as tables (k8s.io/apimachinery/pkg/apis/meta/v1).
#pragma once

#include "config/field_schema.h"

namespace apf {

inline constexpr FieldSchema kOwnerReferenceFields[] = {
    {"apiVersion", FieldType::string, "string"}, {"kind", FieldType::string, "string"},
    {"name", FieldType::string, "string"},       {"uid", FieldType::string, "types.UID"},
    {"controller", FieldType::boolean, "bool"},  {"blockOwnerDeletion", FieldType::boolean, "bool"},
};
inline constexpr StructSchema kOwnerReference{"OwnerReference", kOwnerReferenceFields};

inline constexpr FieldSchema kManagedFieldsFields[] = {
    {"manager", FieldType::string, "string"},     {"operation", FieldType::string, "v1.ManagedFieldsOperationType"},
    {"apiVersion", FieldType::string, "string"},  {"time", FieldType::time, "v1.Time"},
    {"fieldsType", FieldType::string, "string"},  {"fieldsV1", FieldType::any, "v1.FieldsV1"},
    {"subresource", FieldType::string, "string"},
};
inline constexpr StructSchema kManagedFields{"ManagedFieldsEntry", kManagedFieldsFields};

inline constexpr FieldSchema kMetadataFields[] = {
    {"name", FieldType::string, "string"},
    {"generateName", FieldType::string, "string"},
    {"namespace", FieldType::string, "string"},
    {"selfLink", FieldType::string, "string"},
    {"uid", FieldType::string, "types.UID"},
    {"resourceVersion", FieldType::string, "string"},
    {"generation", FieldType::int64, "int64"},
    {"creationTimestamp", FieldType::time, "v1.Time"},
    {"deletionTimestamp", FieldType::time, "v1.Time"},
    {"deletionGracePeriodSeconds", FieldType::int64, "int64"},
    {"labels", FieldType::string_map, "map[string]string"},
    {"annotations", FieldType::string_map, "map[string]string"},
    {"ownerReferences", FieldType::object_list, "v1.OwnerReference", &kOwnerReference},
    {"finalizers", FieldType::string_list, "string"},
    {"managedFields", FieldType::object_list, "v1.ManagedFieldsEntry", &kManagedFields},
};
inline constexpr StructSchema kMetadata{"ObjectMeta", kMetadataFields};

}  // namespace apf
