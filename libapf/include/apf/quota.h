// Quotas: whether manifests fit into the ResourceQuotas of their namespaces, as kube-apiserver (v1.36) would take them
// one after the other.
//
//   const std::vector<std::string> quota_files = {"quota.yaml"}, manifests = {"deploy/"};
//   const apf::LoadedConfig loaded = apf::load_config(apf::read_config_files(quota_files));
//   const apf::QuotaReport report =
//       apf::check_quota(loaded.resource_quotas, nullptr, apf::read_config_files(manifests), apf::QuotaCheckOptions{});
//   for (const apf::QuotaDenial& denial : report.denials) std::puts(denial.message.c_str());
//
// Amounts are Quantities as the API writes them ("500m", "1Gi"). Results are values. Several threads may check at once.
// What is wrong in a manifest is a Diagnostic of the report; nothing is thrown but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>
#include <apf/version.h>

namespace apf {

enum class QuotaStart : std::uint8_t {
  automatic,  // from the status where a quota has one, else from zero
  status,     // what status.used says
  zero,       // an empty namespace
};

struct QuotaCheckOptions {
  std::string ns;  // of objects and quotas that name none; empty: that of the quotas where it is one, else "default"
  QuotaStart start = QuotaStart::automatic;
  bool expand = true;         // workloads to what their controllers create
  std::uint64_t nodes = 0;    // pods of a DaemonSet; 0: unknown, they are not counted
  std::string storage_class;  // of claims that name none
};

struct ManifestReference {
  std::string api_version, kind, name, ns;
  Span span;
  int document = 0;
};

// A line of `kubectl describe quota`, and what all of the manifests together would make of it.
struct QuotaAmount {
  std::string resource;
  Quantity start, used, demand, hard;  // demand: used, had nothing been denied
  bool tracked = true;                 // false: the server counts nothing by this name
};

struct QuotaTable {
  std::string name, ns;
  Span span;
  std::vector<std::string> scopes;          // sorted, as kubectl shows them
  std::vector<std::string> scope_selector;  // "PriorityClass In (high, low)"
  bool from_status = false;
  std::vector<QuotaAmount> amounts;  // by resource
};

struct QuotaExcess {
  std::string resource;
  Quantity requested, used, hard;
};

// What the server says to an object; of objects that a controller creates alike, to the first that it denies.
struct QuotaDenial {
  ManifestReference manifest;
  std::string created;  // "Pod"; empty: it is the object itself
  std::uint64_t first = 1, of = 1, denied = 1;
  std::string reason;  // "exceeded", "must-specify", "limit-range", …
  int code = 403;
  std::string message, quota;
  std::vector<QuotaExcess> exceeded;
};

struct UncountedObject {
  ManifestReference manifest;
  std::string created;  // as above
  std::string reason;
};

// What a workload means beside itself.
struct WorkloadCount {
  ManifestReference manifest;
  std::string created;  // "3 Pods", "1 ReplicaSet and 3 Pods"
};

struct APF_API QuotaReport {
  std::vector<QuotaTable> quotas;  // by namespace and name
  // Of several namespaces: what all of them use, need and may use together, by resource. Each counts with the tightest
  // of its quotas without scopes.
  std::vector<QuotaAmount> total;
  std::size_t namespaces = 0;              // that are in `total`
  std::vector<QuotaDenial> denials;        // in order
  std::vector<UncountedObject> uncounted;  // in order
  std::vector<WorkloadCount> workloads;    // in order
  std::vector<Remark> notes;
  std::vector<Diagnostic> diagnostics;  // with an error, nothing else is filled
  std::uint64_t objects = 0, created = 0, denied = 0;
  bool has_errors() const;
};

// `quotas` and `configuration` (null: the plugin has none) are not validated again: whoever calls has done so.
// LimitRanges (their defaults, minima, maxima and ratios), PriorityClasses and StorageClasses among the manifests hold
// for all of their objects, wherever they stand.
APF_API QuotaReport check_quota(std::span<const ResourceQuota> quotas, const ResourceQuotaConfiguration* configuration,
                                std::span<const ConfigText> manifests, const QuotaCheckOptions& options);

}  // namespace apf
