// The configuration of the ResourceQuota admission plugin (k8s.io/apiserver/pkg/admission/plugin/resourcequota, v1.36):
// which resources may only be created under a quota.
#include <fmt/core.h>

#include "config/decode.h"
#include "config/reader.h"
#include "config/resource_quota.h"
#include "config/schema.h"

namespace apf {

namespace {

constexpr std::string_view kResourceQuotaGroup = "resourcequota.admission.k8s.io";
constexpr std::string_view kPluginScheme = "k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31";

struct Registered {
  std::string_view api_version, kind;
  ApiVersion version;
};
constexpr Registered kRegistered[] = {
    {"apiserver.config.k8s.io/v1", kResourceQuotaConfigurationKind, ApiVersion::v1},
    {"resourcequota.admission.k8s.io/v1beta1", "Configuration", ApiVersion::v1beta1},
    {"resourcequota.admission.k8s.io/v1alpha1", "Configuration", ApiVersion::v1alpha1},
};

const Registered* find_registered(std::string_view api_version, std::string_view kind) {
  for (const Registered& r : kRegistered)
    if (r.api_version == api_version && r.kind == kind) return &r;
  return nullptr;
}

void report_unregistered(const ObjectSource& source, const std::string& api_version, const std::string& kind,
                         std::vector<Diagnostic>& diagnostics) {
  Diagnostic& d = diagnostics.emplace_back();
  d.code = kUnknownApiVersion.code;
  d.name = kUnknownApiVersion.name;
  d.message = fmt::format("no kind \"{}\" is registered for version \"{}\"", kind, api_version);
  d.detail = fmt::format("{} in scheme \"{}\"", d.message, kPluginScheme);
  d.field = "kind";
  d.span = source.span_of("kind");
  d.document = source.document;
  d.api_version = api_version;
  d.kind = kind;
  d.notes.push_back(
      {fmt::format("write apiVersion: {} and kind: {}", kRegistered[0].api_version, kRegistered[0].kind), {}});
}

}  // namespace

bool is_resource_quota_configuration(std::string_view api_version, std::string_view kind) {
  return kind == kResourceQuotaConfigurationKind || api_version.substr(0, api_version.find('/')) == kResourceQuotaGroup;
}

std::optional<ResourceQuotaConfiguration> decode_resource_quota_configuration(const ObjectSource& source,
                                                                              std::vector<Diagnostic>& diagnostics) {
  const ConfigNode& object = *source.tree;
  const std::string api_version = decode_string(&object, "apiVersion"), kind = decode_string(&object, "kind");
  const Registered* registered = find_registered(api_version, kind);
  if (!registered) {
    report_unregistered(source, api_version, kind, diagnostics);
    return std::nullopt;
  }
  std::vector<Diagnostic> faults;
  const ObjectLabel label{api_version, kind, {}, source.document};
  check_fields(object, resource_quota_configuration_schema(), registered->version, label, faults);
  for (Diagnostic& d : faults) {
    d.severity = Severity::error;  // this file is decoded strictly
    diagnostics.push_back(std::move(d));
  }
  if (!faults.empty()) return std::nullopt;
  ResourceQuotaConfiguration result;
  result.meta.api_version = api_version;
  result.meta.source = source;
  const ConfigNode* limited = object.find_present("limitedResources");
  if (!limited) return result;
  for (const ConfigNode& item : limited->items()) {
    result.limited_resources.push_back({decode_string(&item, "apiGroup"), decode_string(&item, "resource"),
                                        decode_strings(&item, "matchContains"),
                                        decode_scope_requirements(item.find_present("matchScopes"))});
  }
  return result;
}

void validate_object(const ResourceQuotaConfiguration& object, KubeVersion version, std::vector<Diagnostic>& out) {
  const std::string kind = decode_string(object.meta.source.tree.get(), "kind");
  FieldErrors errors(object.meta, kind, version, out);
  const FieldPath path("limitedResources");
  for (std::size_t i = 0; i < object.limited_resources.size(); ++i) {
    const FieldPath item = path.at(i);
    if (object.limited_resources[i].resource.empty()) errors.required(kInvalidLimitedResource, item.child("resource"));
  }
}

}  // namespace apf
