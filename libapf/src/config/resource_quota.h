// Reading and validating ResourceQuotas and the configuration of their admission plugin.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/version.h>

#include "config/tree.h"
#include "config/validate_object.h"

namespace apf {

inline constexpr std::string_view kResourceQuotaKind = "ResourceQuota";
inline constexpr std::string_view kResourceQuotaConfigurationKind = "ResourceQuotaConfiguration";

// The names of is_standard_quota_resource but for huge pages, which have their size in the name.
std::span<const std::string_view> standard_quota_resources();

// The object must have passed check_fields.
ResourceQuota decode_resource_quota(const ConfigNode& object, std::string api_version);
// A map of amounts, as fields of type quantity_map hold it.
ResourceList decode_amounts(const ConfigNode* object, std::string_view name);
// As the registry validates it; `old` matters for updates.
void validate_object(const ResourceQuota& object, Operation operation, KubeVersion version, const ResourceQuota* old,
                     std::vector<Diagnostic>& out);

// Whether an object is, or means to be, the plugin's configuration.
bool is_resource_quota_configuration(std::string_view api_version, std::string_view kind);
// The configuration as the plugin loads it, strictly: every fault is an error, and then there is no configuration.
// `source` points at the object, alone in its document or inside an AdmissionConfiguration.
std::optional<ResourceQuotaConfiguration> decode_resource_quota_configuration(const ObjectSource& source,
                                                                              std::vector<Diagnostic>& diagnostics);
void validate_object(const ResourceQuotaConfiguration& object, KubeVersion version, std::vector<Diagnostic>& out);

}  // namespace apf
