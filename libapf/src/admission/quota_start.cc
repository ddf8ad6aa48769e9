#include "admission/quota_start.h"

#include <set>

#include "admission/quota_denial.h"

namespace apf {

namespace {

using Key = std::pair<std::string, std::string>;  // namespace, name

struct Beginner {
  const std::vector<LimitedResource>& limited;
  KubeVersion version;
  QuotaBeginning out;
  std::map<std::string, std::vector<std::size_t>> by_namespace = {};  // numbers of states

  // The quotas of a namespace, as the server knows them now.
  QuotaEngine engine_of(const std::string& ns) {
    std::vector<QuotaState> states;
    for (const std::size_t i : by_namespace[ns]) states.push_back(out.states[i]);
    return QuotaEngine(std::move(states), limited);
  }

  // True: no quota that is there denies it.
  bool create(const QuotaState& state) {
    const QuotaSubject subject = count_object({"", "resourcequotas"}, state.ns, state.name);
    QuotaEngine engine = engine_of(state.ns);
    QuotaRequest request;
    request.ns = state.ns;
    request.name = state.name;
    request.object = &subject;
    const QuotaVerdict verdict = engine.admit(request);
    if (!verdict.admitted()) {
      out.denied.emplace(Key{state.ns, state.name}, denial_of(verdict, request, engine));
      return false;
    }
    const std::vector<std::size_t>& numbers = by_namespace[state.ns];
    for (std::size_t i = 0; i < numbers.size(); ++i) out.states[numbers[i]] = engine.quotas()[i];
    return true;
  }

  void add(const ResourceQuota& quota, QuotaState state, bool from_status) {
    by_namespace[state.ns].push_back(out.states.size());
    out.quotas.push_back(quota);
    out.states.push_back(std::move(state));
    out.from_status.push_back(from_status);
  }

  // An empty namespace holds its quotas, `others` beside this one.
  void count_quotas_alone(QuotaState& state, std::size_t others) const {
    QuotaEngine engine({state});
    engine.set_version(version);
    UsageList used = engine.recount(state, {});
    for (const char* name : {"count/resourcequotas", "resourcequotas"}) {
      if (used.has(name) && state.scopes.empty()) used.set(name, Quantity(static_cast<std::int64_t>(others + 1)));
    }
    engine.resync(0, std::move(used));
    state = engine.quotas().front();
  }
};

}  // namespace

QuotaBeginning begin_quotas(std::span<const ResourceQuota> quotas, const ManifestSet& manifests,
                            const std::vector<LimitedResource>& limited, const QuotaCheckOptions& options,
                            const std::string& ns) {
  std::set<Key> among_manifests;
  for (const Manifest& m : manifests.manifests) {
    if (m.resource == GroupResource{"", "resourcequotas"}) among_manifests.emplace(m.ns.empty() ? ns : m.ns, m.name);
  }
  Beginner beginner{limited, options.version, {}};
  std::vector<const ResourceQuota*> created;
  std::map<std::string, std::size_t> there;  // by namespace
  const auto is_counted = [&](const ResourceQuota& quota) {
    return options.start != QuotaStart::zero && !quota.status.hard.empty();
  };
  const auto is_created = [&](const ResourceQuota& quota, const QuotaState& state) {
    return !is_counted(quota) && among_manifests.contains({state.ns, state.name});
  };
  for (const ResourceQuota& quota : quotas) {
    if (options.start == QuotaStart::status && quota.status.hard.empty())
      beginner.out.notes.push_back(
          {.kind = RemarkKind::quota_without_status, .name = "ResourceQuota " + quota.meta.name});
    const QuotaState state = quota_state(quota, ns);
    if (is_created(quota, state)) created.push_back(&quota);
    else ++there[state.ns];
  }
  for (const ResourceQuota& quota : quotas) {
    QuotaState state = quota_state(quota, ns);
    if (is_created(quota, state)) continue;
    const bool from_status = is_counted(quota);
    if (!from_status) beginner.count_quotas_alone(state, there[state.ns] - 1);
    beginner.add(quota, std::move(state), from_status);
  }
  for (const ResourceQuota* quota : created) {
    QuotaState state = quota_state(*quota, ns);
    if (!beginner.create(state)) continue;
    beginner.count_quotas_alone(state, beginner.by_namespace[state.ns].size());
    beginner.add(*quota, std::move(state), false);
  }
  return std::move(beginner.out);
}

}  // namespace apf
