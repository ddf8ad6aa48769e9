// What resource quota needs to know of an object: taken from its tree once, after which the tree may go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/time.h>

#include "admission/limit_range.h"
#include "admission/usage_list.h"
#include "config/tree.h"

namespace apf {

struct GroupResource {
  std::string group, resource;  // "" = core; plural
  std::string str() const { return group.empty() ? resource : resource + "." + group; }
  bool operator==(const GroupResource&) const = default;
};

// Which evaluator measures a resource; all others are only counted.
enum class QuotaKind : std::uint8_t { counted, pods, services, claims, resource_claims };
QuotaKind quota_kind(const GroupResource& resource);

// A value that the server could not decode, or would not accept.
struct ObjectFault {
  const ConfigNode* at = nullptr;
  std::string field;  // "spec.containers[0].resources.requests[cpu]"
  std::string message;
  std::size_t position = 0;  // within the value's text
  bool decodes = false;      // but validation refuses it
};

struct QuotaSubject {
  GroupResource resource;
  QuotaKind kind = QuotaKind::counted;
  std::string name, generate_name, ns;
  bool has_resource_version = false;
  bool counts_only = false;  // its object is not known: nothing but that it is one more
  UsageList usage;

  // Pods.
  bool terminating = false;  // activeDeadlineSeconds is set
  bool best_effort = false;
  bool cross_namespace_affinity = false;
  bool pod_level_resources = false;  // then no container need specify anything
  std::string priority_class;
  // Of cpu, memory, requests.cpu, …, limits.memory: what a container does not set. By resource, then container; each
  // once.
  std::vector<std::pair<std::string_view, std::string>> unspecified;

  // What a LimitRange of its namespace says against it; empty: nothing.
  std::string limit_range_fault;

  // Claims.
  std::vector<std::string> attribute_classes;
  std::optional<Quantity> allocated_storage;
};

// What other admission plugins add to an object before quota looks at it. (What a log shows has it already.)
struct EarlierAdmission {
  std::optional<Nanos> now;  // decides whether a pod's grace period is over; without it none is
  // LimitRanger's: what containers are given that say nothing themselves.
  UsageList default_requests, default_limits;
  std::vector<LimitRangeRules> limit_ranges;  // in their order
  std::string storage_class;                  // DefaultStorageClass's
  std::string priority_class;                 // Priority's
};

// Decodes and defaults as the server does (core/v1), as far as quota looks. What cannot be decoded is added to `faults`
// and left out.
QuotaSubject measure_object(const GroupResource& resource, const ConfigNode& object, const EarlierAdmission& earlier,
                            std::vector<ObjectFault>& faults);

// An object of which nothing is known but its resource and name.
QuotaSubject count_object(const GroupResource& resource, std::string_view ns, std::string_view name);

// The evaluators' parts.
void measure_pod(QuotaSubject& subject, const ConfigNode& pod, const EarlierAdmission& earlier,
                 std::vector<ObjectFault>& faults);
void measure_service(QuotaSubject& subject, const ConfigNode& service);
void measure_claim(QuotaSubject& subject, const ConfigNode& claim, const EarlierAdmission& earlier,
                   std::vector<ObjectFault>& faults);
void measure_resource_claim(QuotaSubject& subject, const ConfigNode& claim);

// Reading trees as the server's decoder does, for what quota needs.
const ConfigNode* find_path(const ConfigNode& node, std::initializer_list<std::string_view> keys);
std::string_view text_at(const ConfigNode& node, std::string_view key);
// resources.requests and their like: each amount rounded up to whole milli units, as core/v1 defaulting does.
UsageList read_amounts(const ConfigNode* list, const std::string& field, std::vector<ObjectFault>& faults);

// "count/pods", "count/deployments.apps", …; for configmaps, secrets, … the older name besides.
std::string count_name(const GroupResource& resource);
std::string_view count_alias(const GroupResource& resource);  // empty: none

}  // namespace apf
