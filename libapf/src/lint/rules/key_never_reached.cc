// APF713: a key of a quota that another key, of it or of another quota of the namespace, stops first.
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "lint/namespace_limits.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

constexpr std::string_view kServices = "services", kNodePorts = "services.nodeports",
                           kLoadBalancers = "services.loadbalancers", kClassInfix = ".storageclass.storage.k8s.io/";

// The key whose objects include all that `key` counts; empty: there is none.
std::string_view wider_key(std::string_view key) {
  if (key == kLoadBalancers) return kServices;
  const std::size_t infix = key.find(kClassInfix);
  if (infix == key.npos) return {};
  return key.substr(infix + kClassInfix.size());  // persistentvolumeclaims, requests.storage
}

std::string of_quota(const QuotaEntry& entry, const ResourceQuota& here) {
  return entry.quota == &here ? "" : fmt::format(" of ResourceQuota \"{}\"", entry.quota->meta.name);
}

// Each load balancer takes a node port for each of its ports, unless it says that it needs none.
void check_node_ports(const NamespaceLimits& limits, const ResourceQuota& quota, const Quantity& balancers,
                      Findings& findings) {
  const QuotaEntry ports = least_amount(limits, quota, kNodePorts);
  if (!ports.quota || balancers <= *ports.amount) return;
  const bool none = ports.amount->is_zero();
  Diagnostic& d =
      add_at_key(findings, quota, kLoadBalancers,
                 fmt::format("{} allowed and {}: a Service of type LoadBalancer takes {}",
                             balancers.str() == "1" ? "1 load balancer is" : balancers.str() + " load balancers are",
                             none ? "node ports are not" : "no more than " + ports.amount->str() + " node ports",
                             none ? "node ports" : "one for each of its ports"));
  d.severity = Severity::info;
  d.notes.push_back({"with allocateLoadBalancerNodePorts: false it takes none", {}});
  d.notes.push_back(note_at(ports.quota->meta, hard_field(ports.key),
                            none ? "node ports are forbidden here" : "node ports are limited here"));
  d.notes.push_back(smallest_change(
      fmt::format("{}: {}{}, or Services that allocate none", kNodePorts, balancers.str(), of_quota(ports, quota))));
}

// A Deployment has a ReplicaSet from its creation on, and a second one while it is rolled out.
void check_replica_sets(const NamespaceLimits& limits, const ResourceQuota& quota, std::string_view key,
                        const Quantity& deployments, Findings& findings) {
  const QuotaEntry sets = least_amount(limits, quota, "count/replicasets.apps");
  if (!sets.quota || deployments <= *sets.amount) return;
  Diagnostic& d =
      add_at_key(findings, quota, key,
                 fmt::format("{} of {} is never reached: each Deployment has a ReplicaSet, and {}{} allows {}",
                             deployments.str(), key, sets.key, of_quota(sets, quota), sets.amount->str()));
  d.notes.push_back(note_at(sets.quota->meta, hard_field(sets.key), "it is here"));
  d.notes.push_back({"a Deployment keeps 10 old ReplicaSets (revisionHistoryLimit), which count, too", {}});
  d.notes.push_back(smallest_change(fmt::format("{}: {}{}", sets.key, deployments.str(), of_quota(sets, quota))));
}

void check_keys(const NamespaceLimits& limits, const ResourceQuota& quota, Findings& findings) {
  for (const auto& [key, amount] : quota.spec.hard) {
    if (!is_valid_key(key)) continue;
    if (key == kLoadBalancers) check_node_ports(limits, quota, amount, findings);
    if (key == "count/deployments.apps") check_replica_sets(limits, quota, key, amount, findings);
    const std::string_view wider = wider_key(key);
    const QuotaEntry of_all = wider.empty() ? QuotaEntry() : least_amount(limits, quota, wider);
    if (!of_all.quota || *of_all.amount >= amount) continue;
    Diagnostic& d =
        add_at_key(findings, quota, key,
                   fmt::format("{} of {} is never reached: {}{}, which counts the same objects and others, "
                               "allows {}",
                               amount.str(), key, of_all.key, of_quota(of_all, quota), of_all.amount->str()));
    d.notes.push_back(note_at(of_all.quota->meta, hard_field(of_all.key), "it is here"));
    d.notes.push_back(
        smallest_change(fmt::format("{}: {}, or {}: {}", key, of_all.amount->str(), of_all.key, amount.str())));
  }
}

void check_key_never_reached(const LintContext& context, Findings& findings) {
  for (const NamespaceLimits& limits : namespaces_of(context.loaded))
    for (const ResourceQuota* quota : limits.quotas) check_keys(limits, *quota, findings);
}

}  // namespace

extern const Rule rule_key_never_reached = {
    .code = "APF713",
    .name = "key-never-reached",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "another key of a namespace's quotas is always reached first",
    .what = R"(In the ResourceQuotas of one namespace, services allows fewer than services.loadbalancers,
persistentvolumeclaims or requests.storage less than the same of one storage class, or count/replicasets.apps fewer than
count/deployments.apps. More load balancers than services.nodeports are an info. Requests above limits are the concern of
APF703, the same key in two quotas that of APF706.)",
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
