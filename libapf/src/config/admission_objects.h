// Configurations of admission plugins: EventRateLimit's own, and the AdmissionConfiguration that says which plugin has
// which (eventratelimit.admission.k8s.io/v1alpha1, apiserver.config.k8s.io/v1).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/version.h>

#include "config/schema.h"
#include "config/tree.h"

namespace apf {

inline constexpr std::string_view kEventRateLimitGroup = "eventratelimit.admission.k8s.io";
inline constexpr std::string_view kEventRateLimitPlugin = "EventRateLimit";
inline constexpr std::string_view kResourceQuotaPlugin = "ResourceQuota";

// Whether an object of that group and kind is one of these, in any version.
bool is_admission_object(std::string_view group, std::string_view kind);

// Takes the object, `label` says what it calls itself, into `out`, or what is wrong with it. Returns inline
// configurations of other plugins that are known here: objects of their own.
std::vector<const ConfigNode*> load_admission_object(const ConfigNode& object, const ObjectLabel& label,
                                                     const std::shared_ptr<const ConfigTree>& tree, LoadedConfig& out);

// After all texts: paths that lead nowhere.
void check_plugin_paths(LoadedConfig& loaded);

// Their fields; a limit is an item of the former's `limits`.
const StructSchema& event_rate_limit_schema();
const StructSchema& event_limit_schema();
const StructSchema& admission_configuration_schema();

// What kube-apiserver says when it starts.
void validate_object(const EventRateLimitConfiguration& object, KubeVersion version, std::vector<Diagnostic>& out);
void validate_object(const AdmissionConfiguration& object, KubeVersion version, std::vector<Diagnostic>& out);

}  // namespace apf
