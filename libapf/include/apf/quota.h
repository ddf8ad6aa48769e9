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
// What is wrong in a manifest is a Diagnostic of the report; nothing is thrown but std::bad_alloc. At the end: what a
// replay reports of quotas (apf/replay.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>
#include <apf/remarks.h>
#include <apf/time.h>
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
  bool expand = true;       // workloads to what their controllers create
  std::uint64_t nodes = 0;  // pods of a DaemonSet; 0: unknown, they are not counted
  KubeVersion version = kNewestKubeVersion;
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

// What the server says to an object; of identical objects that a controller creates, to the first that it denies.
struct QuotaDenial {
  ManifestReference manifest;
  std::string created;  // "Pod"; empty: it is the object itself
  std::uint64_t first = 1, of = 1, denied = 1;
  std::string reason;  // "exceeded", "must-specify", "limit-range", …
  int code = 403;
  std::string message, quota;
  std::vector<QuotaExcess> exceeded;
  // Other quotas that would refuse it just so: the server asks them in no certain order, and may name one of these.
  std::vector<std::string> other_quotas;
  // Of "not-covered" and "scope-not-covered": what a quota of its namespace would have to limit, or to select.
  std::vector<std::string> uncovered_resources;
  std::vector<ScopeRequirement> uncovered_scopes;
};

// What a later rolling update of a workload would need beyond what its namespace then uses, and does not get.
struct RollingUpdate {
  struct Need {
    std::string resource;
    Quantity needed, hard;
  };
  ManifestReference manifest;
  std::string created;  // "Pod"; "ReplicaSet" if not even that fits
  std::uint64_t more = 0, max_surge = 0, max_unavailable = 0;
  bool stalls = false;      // it can't go on; else it goes on with fewer Pods
  std::vector<Need> needs;  // by resource
};

struct UncountedObject {
  ManifestReference manifest;
  std::string created;  // as above
  std::string reason;
  bool leaves_open = false;  // there are Pods of it, and nobody knows how many: what is counted may fit, the rest not
};

// What a workload creates in addition to itself.
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
  std::vector<RollingUpdate> updates;      // in order; of those that don't fit
  std::vector<Remark> notes;
  std::vector<Diagnostic> diagnostics;  // with an error, nothing else is filled
  std::uint64_t objects = 0, created = 0, denied = 0;
  bool has_errors() const;
  // Whether everything fits; nothing: objects that leave it open are not counted.
  std::optional<bool> fits() const;
};

// `quotas` and `configuration` (null: the plugin has none) are not validated again: the caller has done so.
// LimitRanges (their defaults, minima, maxima and ratios), PriorityClasses and StorageClasses among the manifests hold
// for all of their objects, wherever they stand.
APF_API QuotaReport check_quota(std::span<const ResourceQuota> quotas, const ResourceQuotaConfiguration* configuration,
                                std::span<const ConfigText> manifests, const QuotaCheckOptions& options);

// --- quotas in a replay ---

// A quota at the end of the replay.
struct QuotaStageReport {
  struct Resource {
    std::string name, start, used, peak, hard;  // as kube-apiserver prints them
  };
  std::string name, ns;
  bool from_status = false;
  std::vector<Resource> resources;  // by name
  std::uint64_t refused = 0;        // requests, by this quota
  std::uint64_t conflicts = 0;      // with ReplayOptions::quota_conflicts: updates of its status that failed
};

// Updates of quotas' statuses by servers of a cluster and by the quota controller, of which one may come between
// another one's reading and writing. A server tries again, from its cache, three times.
struct QuotaConflicts {
  Nanos lag = 0;                   // until a server's cache has what another one wrote
  Nanos write = 5 * kMillisecond;  // how long an update takes, > 0
};
struct QuotaConflictReport {
  QuotaConflicts of;
  std::uint64_t requests = 0;   // that change a quota's status
  std::uint64_t updates = 0;    // of statuses, each for one request or several
  std::uint64_t conflicts = 0;  // of them, that failed
  std::uint64_t retried = 0;    // requests that were admitted after a conflict
  std::uint64_t refused = 0;    // answered with 409 after three retries
  std::uint64_t timed_out = 0;  // with 500: they waited for 10 s
};
// The requests that want updates, and what they are answered (internal).
struct QuotaUpdates;
struct QuotaRound;

struct ResourceQuotaReport {
  std::vector<QuotaStageReport> quotas;  // by namespace and name
  std::uint64_t asked = 0, refused = 0;
  Nanos resync = 0;     // ReplayOptions::quota_resync
  bool shared = false;  // by several servers: amounts are of all of them together
  std::optional<QuotaConflictReport> conflicts;
  std::shared_ptr<const QuotaUpdates> updates;  // from which `conflicts` follow
  // Where answers depend on each other through other servers or conflicts, the log is replayed again with the answers
  // of the time before until they stay; requests whose last answer would still be another one.
  std::uint64_t unsettled = 0;
  // Requests that the log's server answered with 409 or 500 because updates of a quota's status failed or took too
  // long.
  std::uint64_t conflicts_in_log = 0, timed_out_in_log = 0;
  std::uint64_t before_recount = 0;  // of the refused: something of their namespace was free, but not counted yet
  // The object is not in the log: counts were decided, everything else could not be.
  std::uint64_t undecidable = 0;
  // Changes and deletions of objects that the log does not know, so that what they free is not known either.
  std::uint64_t unknown_changes = 0;
  std::uint64_t turned_away = 0;  // by the log, refused by other checks before
  // Against the log's own refusals by this plugin.
  std::uint64_t refused_in_both = 0, refused_only_in_log = 0, refused_only_in_replay = 0;
};

}  // namespace apf
