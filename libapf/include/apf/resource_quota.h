// ResourceQuota objects and the configuration of the admission plugin that enforces them.
// Mirrors core/v1 ResourceQuota and apiserver.config.k8s.io/v1 ResourceQuotaConfiguration (v1.36).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/object_meta.h>
#include <apf/quantity.h>
#include <apf/version.h>

namespace apf {

// Amounts by resource name ("pods", "requests.cpu", "count/deployments.apps"), in the order of the names. A Quantity
// prints as the server would; where it stands in the text says the source's span of "spec.hard[NAME]".
using ResourceList = std::map<std::string, Quantity, std::less<>>;

// One term of a scopeSelector (ScopedResourceSelectorRequirement).
struct ScopeRequirement {
  std::string scope_name;  // "PriorityClass"
  std::string op;          // "In", "NotIn", "Exists", "DoesNotExist"
  std::vector<std::string> values;
  bool has_values = false;  // written, if as an empty list
};

struct ResourceQuota {
  ObjectMeta meta;
  std::string ns;  // empty: whatever namespace the request that creates it names

  struct Spec {
    ResourceList hard;
    std::vector<std::string> scopes;
    bool has_scopes = false;                                      // written, if as an empty list
    std::optional<std::vector<ScopeRequirement>> scope_selector;  // its matchExpressions
    bool has_match_expressions = false;
  } spec;
  struct Status {
    ResourceList hard, used;
  } status;
};

// What must have a quota before it may be created at all (the plugin's configuration).
struct ResourceQuotaConfiguration {
  struct LimitedResource {
    std::string api_group, resource;
    std::vector<std::string> match_contains;
    std::vector<ScopeRequirement> match_scopes;
  };
  ObjectMeta meta;  // the name is empty
  std::vector<LimitedResource> limited_resources;
};

// pods, cpu, requests.storage, hugepages-2Mi, …: the names without a slash that a quota may limit.
APF_API bool is_standard_quota_resource(std::string_view name);
// Names whose amounts must be whole numbers: the counts and the extended resources (which count/… is taken for).
APF_API bool is_integer_resource(std::string_view name);
// A resource that is neither Kubernetes' own nor begins with "requests.": example.com/gpu.
APF_API bool is_extended_resource(std::string_view name);
// Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass, CrossNamespacePodAffinity,
// VolumeAttributesClass.
APF_API bool is_quota_scope(std::string_view scope);
// Whether the server accepts a standard resource under a scope.
APF_API bool scope_fits_resource(std::string_view scope, std::string_view resource);

}  // namespace apf
