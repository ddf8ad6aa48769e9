#include "admission/string_fields.h"

#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "admission/workloads.h"
#include "config/schema.h"

namespace apf {

namespace {

using Paths = std::span<const std::string_view>;

// [] stands for the items of a list, * for the values of a map.
constexpr std::string_view kMetadataNames[] = {"name",
                                               "generateName",
                                               "namespace",
                                               "uid",
                                               "resourceVersion",
                                               "labels.*",
                                               "annotations.*",
                                               "finalizers[]",
                                               "selfLink",
                                               "ownerReferences[].apiVersion",
                                               "ownerReferences[].kind",
                                               "ownerReferences[].name",
                                               "ownerReferences[].uid"};

constexpr std::string_view kContainer[] = {
    "name",
    "image",
    "imagePullPolicy",
    "restartPolicy",
    "workingDir",
    "command[]",
    "args[]",
    "env[].name",
    "env[].value",
    "env[].valueFrom.configMapKeyRef.name",
    "env[].valueFrom.configMapKeyRef.key",
    "env[].valueFrom.secretKeyRef.name",
    "env[].valueFrom.secretKeyRef.key",
    "env[].valueFrom.fieldRef.fieldPath",
    "envFrom[].prefix",
    "envFrom[].configMapRef.name",
    "envFrom[].secretRef.name",
    "ports[].name",
    "ports[].protocol",
    "volumeMounts[].name",
    "volumeMounts[].mountPath",
    "volumeMounts[].subPath",
    "terminationMessagePath",
    "terminationMessagePolicy",
};
constexpr std::string_view kPod[] = {
    "priorityClassName",
    "preemptionPolicy",
    "restartPolicy",
    "dnsPolicy",
    "serviceAccountName",
    "serviceAccount",
    "nodeName",
    "hostname",
    "subdomain",
    "schedulerName",
    "runtimeClassName",
    "nodeSelector.*",
    "tolerations[].key",
    "tolerations[].operator",
    "tolerations[].value",
    "tolerations[].effect",
    "imagePullSecrets[].name",
    "volumes[].name",
    "volumes[].configMap.name",
    "volumes[].secret.secretName",
    "volumes[].persistentVolumeClaim.claimName",
};
constexpr std::string_view kClaim[] = {"storageClassName",          "volumeName",    "volumeMode",
                                       "volumeAttributesClassName", "accessModes[]", "selector.matchLabels.*"};
constexpr std::string_view kService[] = {"type",         "clusterIP",    "externalName",     "loadBalancerClass",
                                         "selector.*",   "ports[].name", "ports[].protocol", "sessionAffinity",
                                         "externalIPs[]"};
constexpr std::string_view kDeviceRequests[] = {"name",
                                                "deviceClassName",
                                                "allocationMode",
                                                "exactly.deviceClassName",
                                                "exactly.allocationMode",
                                                "firstAvailable[].name",
                                                "firstAvailable[].deviceClassName",
                                                "firstAvailable[].allocationMode"};
constexpr std::string_view kWorkload[] = {
    "selector.matchLabels.*", "strategy.type", "updateStrategy.type", "serviceName", "podManagementPolicy",
    "completionMode",         "schedule",      "concurrencyPolicy",   "timeZone"};
constexpr std::string_view kData[] = {"data.*", "stringData.*", "type", "binaryData.*"};
constexpr std::string_view kLimitRange[] = {"limits[].type"};
constexpr std::string_view kQuota[] = {"scopes[]", "scopeSelector.matchExpressions[].scopeName",
                                       "scopeSelector.matchExpressions[].operator",
                                       "scopeSelector.matchExpressions[].values[]"};

class StringCheck {
 public:
  explicit StringCheck(std::vector<ObjectFault>& faults) : faults_(faults) {}

  // Each of `paths` below `at`.
  void check(const ConfigNode& object, std::string_view at, Paths paths) {
    for (const std::string_view path : paths)
      walk(object, at.empty() ? std::string(path) : fmt::format("{}.{}", at, path), {});
  }
  void check_metadata(const ConfigNode& object, const std::string& at) {
    check(object, at + "metadata", kMetadataNames);
  }
  void check_claim(const ConfigNode& object, const std::string& at) {
    check_metadata(object, at);
    check(object, at + "spec", kClaim);
  }
  // Of a Pod, or of the template of one.
  void check_pod(const ConfigNode& object, const std::string& at) {
    check_metadata(object, at);
    check(object, at + "spec", kPod);
    for (const char* list : {"containers[]", "initContainers[]", "ephemeralContainers[]"})
      check(object, at + "spec." + list, kContainer);
    check_claim(object, at + "spec.volumes[].ephemeral.volumeClaimTemplate.");
  }

 private:
  void walk(const ConfigNode& node, std::string_view path, const std::string& field) {
    if (path.empty()) return check_string(node, field);
    const std::size_t dot = path.find('.');
    std::string_view step = path.substr(0, dot);
    const std::string_view rest = dot == path.npos ? std::string_view() : path.substr(dot + 1);
    if (step == "*") {
      for (const ConfigEntry& entry : node.entries())
        walk(entry.value, rest, fmt::format("{}[{}]", field, entry.key.text()));
      return;
    }
    const bool is_list = step.ends_with("[]");
    if (is_list) step.remove_suffix(2);
    const ConfigNode* value = node.find_present(step);
    if (!value) return;
    const std::string here = field.empty() ? std::string(step) : fmt::format("{}.{}", field, step);
    if (!is_list) return walk(*value, rest, here);
    std::size_t i = 0;
    for (const ConfigNode& item : value->items()) walk(item, rest, fmt::format("{}[{}]", here, i++));
  }

  void check_string(const ConfigNode& node, const std::string& field) {
    if (node.is_null() || node.is_string()) return;
    faults_.push_back({&node, field,
                       fmt::format("expected a string, found {}{}", found_words(node),
                                   node.is_scalar() ? "; write it in quotes" : ""),
                       0, false});
  }

  std::vector<ObjectFault>& faults_;
};

// Where a kind has the template of its pods.
std::string pod_template(const Manifest& m) {
  if (m.kind == "CronJob") return "spec.jobTemplate.spec.template.";
  return "spec.template.";
}

}  // namespace

void check_strings(const Manifest& m, std::vector<ObjectFault>& faults) {
  StringCheck strings(faults);
  const ConfigNode& object = *m.object;
  const bool core = m.resource.group.empty();
  if (quota_kind(m.resource) == QuotaKind::pods) return strings.check_pod(object, "");
  if (quota_kind(m.resource) == QuotaKind::claims) return strings.check_claim(object, "");
  strings.check_metadata(object, "");
  if (is_workload(m)) {
    strings.check(object, "spec", kWorkload);
    strings.check_pod(object, pod_template(m));
    if (m.kind == "StatefulSet") strings.check_claim(object, "spec.volumeClaimTemplates[].");
  } else if (quota_kind(m.resource) == QuotaKind::services) {
    strings.check(object, "spec", kService);
  } else if (quota_kind(m.resource) == QuotaKind::resource_claims) {
    strings.check(object, "spec.devices.requests[]", kDeviceRequests);
  } else if (core && (m.kind == "ConfigMap" || m.kind == "Secret")) {
    strings.check(object, "", kData);
  } else if (core && m.kind == "LimitRange") {
    strings.check(object, "spec", kLimitRange);
  } else if (core && m.kind == "ResourceQuota") {
    strings.check(object, "spec", kQuota);
  }
}

}  // namespace apf
