// The course of a check: what check_quota() does object by object.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <apf/quota.h>

#include "admission/manifests.h"
#include "admission/quota_engine.h"
#include "admission/quota_start.h"
#include "admission/rolling_update.h"
#include "admission/workloads.h"

namespace apf {

class QuotaCheck {
 public:
  QuotaCheck(std::span<const ResourceQuota> quotas, const ResourceQuotaConfiguration* configuration,
             const ManifestSet& manifests, const QuotaCheckOptions& options);

  QuotaReport run();

 private:
  using ObjectKey = std::tuple<std::string, std::string, std::string>;  // resource, namespace, name

  void prepare();
  const EarlierAdmission& earlier_of(const std::string& ns);
  const std::string& namespace_of(const Manifest& manifest) const { return manifest.ns.empty() ? ns_ : manifest.ns; }
  ManifestReference reference(const Manifest& manifest) const;
  void tell_faults(const Manifest& manifest, const std::vector<ObjectFault>& faults);

  void apply(const Manifest& manifest);
  bool apply_quota(const Manifest& manifest);
  // False: it was denied.
  bool create(const Manifest& manifest, const QuotaSubject& subject);
  bool update(const Manifest& manifest, const QuotaSubject& subject, const QuotaSubject& old);
  void apply_workload(const Manifest& manifest, const Workload& workload);
  std::uint64_t create_rounds(const Workload& workload, const std::string& ns);
  bool create_all(const std::vector<CreatedObject>& objects, std::uint64_t round, const std::string& ns,
                  const Manifest* reported, std::uint64_t of);
  void demand(const QuotaSubject& subject, const std::string& ns);
  void deny(const Manifest& manifest, const QuotaVerdict& verdict, const QuotaRequest& request);
  // LimitRanger comes before quota. False: nothing is said against the object.
  bool deny_by_limit_range(const Manifest& manifest, const QuotaSubject& subject, const std::string& name);
  void tell_uncounted(const Manifest& manifest, const QuotaSubject& subject, std::string created);
  // Why the object leaves open whether all fits; nothing: it does not.
  std::optional<std::string> why_open(const Manifest& manifest) const;
  // Why no quota counts it; empty: one does.
  std::string why_uncounted(const QuotaSubject& subject, const std::string& ns) const;
  void fill_tables();
  void fill_total();

  const QuotaCheckOptions& options_;
  const ManifestSet& manifests_;
  std::string ns_;
  QuotaBeginning beginning_;
  QuotaEngine engine_;
  std::vector<UsageList> start_, demand_;            // by quota
  std::map<std::string, EarlierAdmission> earlier_;  // by namespace
  std::string storage_class_, priority_class_;
  std::set<ObjectKey> owners_;  // workloads whose objects are among the manifests
  std::map<ObjectKey, QuotaSubject> stored_;
  std::vector<std::pair<const Manifest*, Rollout>> rollouts_;  // of workloads that were created
  QuotaReport report_;
};

}  // namespace apf
