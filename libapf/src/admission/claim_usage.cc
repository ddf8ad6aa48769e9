// What claims use: PersistentVolumeClaims by storage class, ResourceClaims by device class
// (pkg/quota/v1/evaluator/core/persistent_volume_claims.go and resource_claims.go, v1.36).
#include <algorithm>
#include <map>

#include "admission/quota_subject.h"

namespace apf {

namespace {

constexpr std::string_view kStorageClassInfix = ".storageclass.storage.k8s.io/";
constexpr std::string_view kDeviceClassSuffix = ".deviceclass.resource.k8s.io/devices";
// The most devices that a request may be given (AllocationResultsMaxSize), which "All" is charged with.
constexpr std::int64_t kMostDevices = 32;

// The annotation is older than the field, and wins even when it is empty. An empty field means no class.
std::string_view storage_class(const ConfigNode& claim, const EarlierAdmission& earlier) {
  const ConfigNode* annotations = find_path(claim, {"metadata", "annotations"});
  const ConfigNode* beta = annotations ? annotations->find("volume.beta.kubernetes.io/storage-class") : nullptr;
  if (beta) return beta->is_string() ? beta->text() : std::string_view();
  const ConfigNode* spec = claim.find_present("spec");
  const ConfigNode* name = spec ? spec->find_present("storageClassName") : nullptr;
  if (!name) return earlier.storage_class;
  return name->is_string() ? name->text() : std::string_view();
}

void add_class(std::vector<std::string>& classes, std::string_view name) {
  if (name.empty()) return;
  const auto at = std::lower_bound(classes.begin(), classes.end(), name);
  if (at == classes.end() || *at != name) classes.emplace(at, name);
}

}  // namespace

void measure_claim(QuotaSubject& subject, const ConfigNode& claim, const EarlierAdmission& earlier,
                   std::vector<ObjectFault>& faults) {
  const std::string prefix = std::string(storage_class(claim, earlier)).append(kStorageClassInfix);
  const bool has_class = prefix.size() > kStorageClassInfix.size();
  subject.usage.set("persistentvolumeclaims", Quantity(1));
  if (has_class) subject.usage.set(prefix + "persistentvolumeclaims", Quantity(1));

  const UsageList requests =
      read_amounts(find_path(claim, {"spec", "resources", "requests"}), "spec.resources.requests", faults);
  subject.limit_range_fault = limit_range_faults(earlier.limit_ranges, {{"PersistentVolumeClaim", &requests, nullptr}});
  const UsageList allocated =
      read_amounts(find_path(claim, {"status", "allocatedResources"}), "status.allocatedResources", faults);
  if (const Quantity* storage = allocated.find("storage")) subject.allocated_storage = *storage;
  if (const Quantity* storage = requests.find("storage")) {
    Quantity bytes = *storage;
    bytes.round_up(0);
    if (subject.allocated_storage && *subject.allocated_storage > bytes) {
      bytes = *subject.allocated_storage;
      bytes.round_up(0);
    }
    subject.usage.set("requests.storage", bytes);
    if (has_class) subject.usage.set(prefix + "requests.storage", bytes);
  }

  if (const ConfigNode* spec = claim.find_present("spec")) {
    add_class(subject.attribute_classes, text_at(*spec, "volumeAttributesClassName"));
  }
  if (const ConfigNode* status = claim.find_present("status")) {
    add_class(subject.attribute_classes, text_at(*status, "currentVolumeAttributesClassName"));
    if (const ConfigNode* modify = status->find_present("modifyVolumeStatus")) {
      add_class(subject.attribute_classes, text_at(*modify, "targetVolumeAttributesClassName"));
    }
  }
}

namespace {

std::int64_t device_count(const ConfigNode& request) {
  const std::string_view mode = text_at(request, "allocationMode");
  if (mode == "All") return kMostDevices;
  if (!mode.empty() && mode != "ExactCount") return 0;  // a newer server's
  const ConfigNode* count = request.find_present("count");
  const std::int64_t given = count ? count->integer().value_or(0) : 0;
  return given == 0 ? 1 : given;  // API defaulting
}

}  // namespace

void measure_resource_claim(QuotaSubject& subject, const ConfigNode& claim) {
  const ConfigNode* requests = find_path(claim, {"spec", "devices", "requests"});
  if (!requests) return;
  for (const ConfigNode& request : requests->items()) {
    std::map<std::string, std::int64_t> by_class;
    const ConfigNode* alternatives = request.find_present("firstAvailable");
    if (alternatives && !alternatives->items().empty()) {
      for (const ConfigNode& one : alternatives->items()) {
        std::int64_t& most = by_class[std::string(text_at(one, "deviceClassName"))];
        most = std::max(most, device_count(one));
      }
    } else {
      // Before v1beta2 these members are in the request itself.
      const ConfigNode* exactly = request.find_present("exactly");
      const ConfigNode& one = exactly ? *exactly : request;
      if (one.find_present("deviceClassName"))
        by_class[std::string(text_at(one, "deviceClassName"))] = device_count(one);
    }
    for (const auto& [name, count] : by_class) {
      subject.usage.add(name + std::string(kDeviceClassSuffix), Quantity(count));
    }
  }
}

}  // namespace apf
