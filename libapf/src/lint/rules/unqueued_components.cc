// APF231: a FlowSchema for components of the cluster whose level rejects what does not fit, or has few seats.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/identities.h"
#include "lint/given_levels.h"
#include "lint/reach/reach.h"
#include "lint/system_users.h"

namespace apf {

namespace {

constexpr std::string_view kComponentUsers[] = {"system:cloud-controller-manager", "system:kube-controller-manager",
                                                "system:kube-proxy", "system:kube-scheduler"};
constexpr std::string_view kProxyGroup = "system:node-proxier", kKubeSystem = "kube-system",
                           kAccountPrefix = "system:serviceaccount:kube-system:",
                           kAccountsGroup = "system:serviceaccounts:kube-system", kProxyUser = "system:kube-proxy",
                           kProxyAccount = "system:serviceaccount:kube-system:kube-proxy";
// Those of kube-proxy list Services and EndpointSlices on all nodes at once after a restart of the server.
constexpr int kFewSeats = 10;

// A user of the component that a subject names; nothing if it names none.
std::optional<User> component_of(const Subject& subject) {
  if (subject.kind == "ServiceAccount" && subject.service_account && subject.service_account->ns == kKubeSystem) {
    const std::string& name = subject.service_account->name;
    return system_user((std::string(kAccountPrefix) + (name == "*" ? "any" : name)).c_str(), nullptr);
  }
  if (subject.kind == "User" && subject.user) {
    const std::string& name = *subject.user;
    if (name.starts_with(kNodePrefix)) return system_user(name.c_str(), kNodesGroup.data());
    const bool known = std::binary_search(std::begin(kComponentUsers), std::end(kComponentUsers), name);
    if (known || name.starts_with(kAccountPrefix)) return system_user(name.c_str(), nullptr);
  }
  if (subject.kind != "Group" || !subject.group) return std::nullopt;
  if (*subject.group == kNodesGroup) return system_user(kAnyNode, kNodesGroup.data());
  if (*subject.group == kProxyGroup) return system_user(kProxyUser.data(), kProxyGroup.data());
  if (*subject.group == kAccountsGroup) return system_user(kKubeSystemAccount, nullptr);
  return std::nullopt;
}

bool is_proxy(const std::optional<User>& user) {
  return user && (user->name == kProxyUser || user->name == kProxyAccount);
}

void check_unqueued_components(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.find(schema->priority_level);
    const std::optional<std::uint32_t> index = context.reach().index_of(schema->meta.name);
    const LevelLimits* limits = limits_of(context.limits, schema->priority_level);
    const bool few = limits && limits->nominal_cl < kFewSeats;
    if (!level || level->exempt || !index || (!level->rejects && !few)) continue;
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const std::vector<Subject>& subjects = schema->rules[i].subjects;
      std::vector<std::optional<User>> users;
      for (const Subject& subject : subjects) users.push_back(component_of(subject));
      if (!level->rejects)
        for (std::optional<User>& user : users)
          if (!is_proxy(user)) user.reset();
      TakenUsers taken = taken_users(context, users, *index, i);
      if (taken.users.empty()) continue;
      std::string names;
      for (const std::size_t subject : taken.users) names += (names.empty() ? "" : ", ") + to_words(subjects[subject]);
      Diagnostic& d = findings.add(
          *schema, subject_field(i, taken.users.front()),
          level->rejects
              ? fmt::format("{}: these requests go to the level \"{}\", which rejects what does not fit into its {}",
                            names, schema->priority_level, seats_in(context, schema->priority_level))
              : fmt::format(
                    "{}: these requests go to the level \"{}\", which has {} for the lists of all nodes after a "
                    "restart of the server",
                    names, schema->priority_level, seats_in(context, schema->priority_level)));
      d.witness = std::move(taken.witness);
    }
  }
}

}  // namespace

extern const Rule rule_unqueued_components = {
    .code = "APF231",
    .name = "unqueued-components",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary =
        "requests of the cluster's own components go to a level that rejects, or those of kube-proxy to a small one",
    .what = R"(A FlowSchema names kube-proxy, nodes, kube-controller-manager, kube-scheduler, the cloud controller
manager or service accounts of kube-system, gets requests of theirs, and its level has the limitResponse Reject. Or it
names kube-proxy, and its level has fewer than 10 seats of its own.)",
    .why = R"(Such a level answers 429 as soon as its seats are in use, however short the burst. A rejected kube-proxy
keeps stale rules and breaks running workloads, rejected heartbeats make nodes look dead, rejected controllers stop,
and a rejected lease costs a component its leadership. kube-proxy runs on every node: after a restart of the server all
of them list Services and EndpointSlices at once, and with few seats the last ones get theirs late.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: proxies}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    limitResponse: {type: Reject}
)",
    .instead = R"(spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .check = check_unqueued_components,
};

}  // namespace apf
