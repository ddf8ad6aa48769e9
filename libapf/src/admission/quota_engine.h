// The ResourceQuota admission plugin: which quotas apply to an object, whether it fits, and the server's answer
// otherwise (plugin/resourcequota of k8s.io/apiserver, v1.36). And the quota controller's recount.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>

#include "admission/quota_subject.h"
#include "admission/usage_list.h"

namespace apf {

// As Go prints it: "{PriorityClass In [high]}".
std::string scope_text(const ScopeRequirement& scope);

// An entry of ResourceQuotaConfiguration: what may not be used without a quota that covers it.
using LimitedResource = ResourceQuotaConfiguration::LimitedResource;

// A quota as the plugin sees it. `hard` and `used` are of the status, which the quota controller writes.
struct QuotaState {
  std::string name, ns;
  std::vector<ScopeRequirement> scopes;  // spec.scopes mean Exists
  UsageList spec_hard;
  UsageList hard, used;
};
QuotaState quota_state(const ResourceQuota& quota, std::string_view default_namespace);

enum class QuotaOperation : std::uint8_t { create, update, remove };

struct QuotaRequest {
  QuotaOperation operation = QuotaOperation::create;
  std::string_view ns, name, subresource;
  bool dry_run = false;
  const QuotaSubject* object = nullptr;
  const QuotaSubject* old = nullptr;  // null: there is none
};

enum class QuotaRefusal : std::uint8_t {
  none,
  exceeded,
  must_specify,    // containers without requests or limits that the quota counts
  status_unknown,  // the quota controller has not counted yet
  negative,
  no_old_object,
  not_covered,        // limitedResources: no quota covers what is used
  scope_not_covered,  // the same by scope; not a 403
};
const char* to_string(QuotaRefusal refusal);

struct QuotaShortfall {
  std::string resource;
  Quantity requested, used, hard;
};

struct QuotaVerdict {
  bool evaluated = false;  // the plugin looked at it at all
  QuotaRefusal refusal = QuotaRefusal::none;
  int code = 0;         // 403; 0 for an error that becomes a 500
  std::string message;  // the server's, whole
  std::string quota;    // that refused
  std::vector<QuotaShortfall> exceeded;
  std::vector<std::string> uncovered_resources;    // of not_covered
  std::vector<ScopeRequirement> uncovered_scopes;  // of scope_not_covered: entries of the configuration
  std::vector<std::size_t> matched;                // numbers of the quotas it falls under
  std::vector<std::size_t> charged;                // of them, those whose status changes
  bool admitted() const { return refusal == QuotaRefusal::none; }
};

class QuotaEngine {
 public:
  // `quotas` are asked in the order given; the server lists them in no certain one.
  explicit QuotaEngine(std::vector<QuotaState> quotas, std::vector<LimitedResource> limited = {});

  const std::vector<QuotaState>& quotas() const { return quotas_; }
  // Numbers of the quotas of a namespace.
  std::span<const std::size_t> quotas_of(std::string_view ns) const;
  bool has_limited_resources() const { return !limited_.empty(); }

  // Checks, and charges what is admitted.
  QuotaVerdict admit(const QuotaRequest& request);
  // What spec.hard and the objects of its namespace would make status.used.
  UsageList recount(const QuotaState& quota, std::span<const QuotaSubject* const> objects) const;
  // The quota controller writes status: spec.hard becomes its hard, the recount its used.
  void resync(std::size_t quota, UsageList used);
  void set_used(std::size_t quota, UsageList used) { quotas_[quota].used = std::move(used); }
  // A deleted object, counted no more; never below 0. Returns whether that changes the quota's status.
  bool release(std::size_t quota, const QuotaSubject& subject);

  // Whether a quota's keys and scopes are such that it limits the object.
  static bool covers(const QuotaState& quota, const QuotaSubject& subject);
  // Of an object that is not known: whether more than its being there may matter to the quota.
  static bool is_undecidable(const QuotaState& quota, const QuotaSubject& subject);
  // What of `usage` the quota tracks.
  static UsageList tracked_usage(const UsageList& hard, const UsageList& usage);
  // Whether the plugin looks at requests like this one.
  static bool handles(const QuotaRequest& request, KubeVersion version = kNewestKubeVersion);
  // Whether quota measures any object by this key of `hard`.
  static bool is_tracked_key(std::string_view key, KubeVersion version = kNewestKubeVersion);
  void set_version(KubeVersion version) { version_ = version; }

 private:
  std::vector<QuotaState> quotas_;
  std::vector<LimitedResource> limited_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_namespace_;
  KubeVersion version_ = kNewestKubeVersion;
};

// The keys of `hard` that the evaluator of this object's resource tracks.
std::vector<std::string_view> matching_resources(const UsageList& hard, const QuotaSubject& subject);
bool matches_scope(const ScopeRequirement& scope, const QuotaSubject& subject);

}  // namespace apf
