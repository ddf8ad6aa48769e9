// APF713: a key of a quota that another key of the same quota stops first.
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

constexpr std::string_view kServices = "services", kNodePorts = "services.nodeports",
                           kLoadBalancers = "services.loadbalancers", kClassInfix = ".storageclass.storage.k8s.io/";

const Quantity* hard_of(const ResourceQuota& quota, std::string_view key) {
  const auto at = quota.spec.hard.find(key);
  return at == quota.spec.hard.end() ? nullptr : &at->second;
}

// The key whose objects include all that `key` counts; empty: there is none.
std::string_view wider_key(std::string_view key) {
  if (key == kLoadBalancers) return kServices;
  const std::size_t infix = key.find(kClassInfix);
  if (infix == key.npos) return {};
  return key.substr(infix + kClassInfix.size());  // persistentvolumeclaims, requests.storage
}

// Each load balancer takes a node port for each of its ports, unless it says that it needs none.
void check_node_ports(const ResourceQuota& quota, Findings& findings) {
  const Quantity *balancers = hard_of(quota, kLoadBalancers), *ports = hard_of(quota, kNodePorts);
  if (!balancers || !ports || balancers->is_zero() || !ports->is_zero()) return;
  Diagnostic& d = add_at_key(
      findings, quota, kLoadBalancers,
      fmt::format("{} allowed and node ports are not: a Service of type LoadBalancer takes node ports",
                  balancers->str() == "1" ? "1 load balancer is" : balancers->str() + " load balancers are"));
  d.severity = Severity::info;
  d.notes.push_back({"with allocateLoadBalancerNodePorts: false it takes none", {}});
  d.notes.push_back(note_at(quota.meta, hard_field(kNodePorts), "node ports are forbidden here"));
}

void check_key_never_reached(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    check_node_ports(quota, findings);
    for (const auto& [key, amount] : quota.spec.hard) {
      const std::string_view wider = is_valid_key(key) ? wider_key(key) : std::string_view();
      const Quantity* of_all = wider.empty() ? nullptr : hard_of(quota, wider);
      if (!of_all || *of_all >= amount) continue;
      Diagnostic& d = add_at_key(findings, quota, key,
                                 fmt::format("{} of {} is never reached: {}, which counts the same objects and others, "
                                             "allows {}",
                                             amount.str(), key, wider, of_all->str()));
      d.notes.push_back(note_at(quota.meta, hard_field(wider), "it is here"));
    }
  }
}

}  // namespace

extern const Rule rule_key_never_reached = {
    .code = "APF713",
    .name = "key-never-reached",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "another key of the same quota is always reached first",
    .what = R"(In one ResourceQuota, services allows fewer than services.loadbalancers, or persistentvolumeclaims or
requests.storage less than the same of one storage class. Load balancers that are allowed beside services.nodeports 0
are an info. Requests above limits are the concern of APF703, other quotas that of APF706.)",
    .why = R"(Everything that the one key counts, the other counts, too, and it allows less. Raising the first has no
effect. A Service of type LoadBalancer takes a node port for each of its ports, unless
allocateLoadBalancerNodePorts is false: where node ports are forbidden, it is refused.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: objects, namespace: team-a}
spec:
  hard:
    services: "5"
    services.loadbalancers: "10"
)",
    .instead = R"(spec:
  hard:
    services: "20"
    services.loadbalancers: "10"
)",
    .check = check_key_never_reached,
};

}  // namespace apf
