#include "lint/system_traffic.h"

#include <algorithm>
#include <optional>

#include "base/identities.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

constexpr const char *kHeartbeats = "the heartbeats of nodes", *kElection = "the leader election of system components",
                     *kProbes = "health checks";
constexpr VitalRequest kVital[] = {
    {kHeartbeats, "system-node-high", kAnyNode, kNodesGroup.data(), "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any"},
    {kHeartbeats, "system-node-high", kAnyNode, kNodesGroup.data(), "get",
     "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any"},
    {kHeartbeats, "system-node-high", kAnyNode, kNodesGroup.data(), "patch", "/api/v1/nodes/any/status"},
    {kElection, "system-leader-election", "system:kube-controller-manager", nullptr, "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"},
    {kElection, "system-leader-election", "system:kube-scheduler", nullptr, "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"},
    {kElection, "system-leader-election", kKubeSystemAccount, nullptr, "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/any"},
    {kProbes, "probes", "system:anonymous", nullptr, "get", "/healthz"},
    {kProbes, "probes", "system:anonymous", nullptr, "get", "/livez"},
    {kProbes, "probes", "system:anonymous", nullptr, "get", "/readyz"},
    {kProbes, "probes", "any", nullptr, "get", "/healthz"},
    {kProbes, "probes", "any", nullptr, "get", "/livez"},
    {kProbes, "probes", "any", nullptr, "get", "/readyz"},
};

constexpr Component kComponents[] = {
    {"kubelets", "system-nodes", kAnyNode, kNodesGroup.data()},
    {"kube-controller-manager", "kube-controller-manager", "system:kube-controller-manager", nullptr},
    {"kube-scheduler", "kube-scheduler", "system:kube-scheduler", nullptr},
    {"the service accounts of kube-system", "kube-system-service-accounts", kKubeSystemAccount, nullptr},
};

// Which system traffic a FlowSchema takes, as it is and with clusterScope in one of its resourceRules.
class SystemTraffic {
 public:
  SystemTraffic(const LintContext& context, const ResourceRuleEntry& of)
      : context_(context),
        index_(context.reach().index_of(of.schema.meta.name)),
        schema_(of.schema),
        widened_(of.schema) {
    const auto part = &of.part - of.schema.rules[of.rule].resource_rules.data();
    widened_.rules[of.rule].resource_rules[static_cast<std::size_t>(part)].cluster_scope = true;
  }

  bool takes_some() const {
    if (!index_) return false;
    for (const VitalRequest& vital : vital_requests()) {
      if (is_taken(system_user(vital.user, vital.group), request_of(vital), vital.built_in)) return true;
    }
    return std::any_of(std::begin(kComponents), std::end(kComponents),
                       [&](const Component& component) { return takes_some_of(component); });
  }

 private:
  // Of what each part matches, the likeliest requests stand for all.
  bool takes_some_of(const Component& component) const {
    const User user = system_user(component.user, component.group);
    const ReachIndex& index = context_.reach().index();
    for (std::uint32_t rule = 0; rule < schema_.rules.size(); ++rule) {
      const auto [begin, end] = index.parts_of(*index_, rule);
      for (std::uint32_t part = begin; part < end; ++part) {
        std::size_t tries = kTriesPerPart;
        for (RequestInfo request : LikelyRequests(index, part)) {
          if (tries-- == 0) break;
          if (is_taken(user, request, component.built_in)) return true;
          request.ns.clear();
          if (is_taken(user, request, component.built_in)) return true;
        }
      }
    }
    return false;
  }

  bool is_taken(const User& user, const RequestInfo& request, const char* built_in) const {
    if (!matches_flow_schema(widened_, request, user)) return false;
    const FlowSchema* own = find_schema(context_.effective, built_in);
    if (!own || !is_worse_place(context_, context_.levels(), schema_, *own)) return false;
    const std::optional<std::uint32_t> taker = context_.reach().first_match(user, request);
    return !taker || *taker >= *index_;
  }

  const LintContext& context_;
  const std::optional<std::uint32_t> index_;
  const FlowSchema& schema_;
  FlowSchema widened_;
};

}  // namespace

std::span<const VitalRequest> vital_requests() { return kVital; }

RequestInfo request_of(const VitalRequest& vital) {
  ParsedRequest parsed;
  parse_audited_request(vital.verb, vital.path, parsed);
  return parsed.info;
}

std::span<const Component> components() { return kComponents; }

bool takes_system_traffic(const LintContext& context, const ResourceRuleEntry& of) {
  return SystemTraffic(context, of).takes_some();
}

}  // namespace apf
