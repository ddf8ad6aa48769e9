// APF202 and APF203: FlowSchemas that come before the system's own and take requests from them.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "lint/given_schemas.h"
#include "lint/reach.h"
#include "lint/reach_witness.h"

namespace apf {

namespace {

// Requests on whose quick answer the cluster depends, and the built-in FlowSchema that is for them.
struct VitalRequest {
  const char* what;
  const char* built_in;
  const char* user;
  const char* group;
  const char* verb;
  const char* path;
};
constexpr const char *kHeartbeats = "the heartbeats of nodes", *kElection = "the leader election of system components",
                     *kProbes = "health checks";
constexpr const char *kNode = "system:node:any", *kNodes = "system:nodes",
                     *kAccount = "system:serviceaccount:kube-system:any";
constexpr VitalRequest kVital[] = {
    {kHeartbeats, "system-node-high", kNode, kNodes, "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any"},
    {kHeartbeats, "system-node-high", kNode, kNodes, "get",
     "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any"},
    {kHeartbeats, "system-node-high", kNode, kNodes, "patch", "/api/v1/nodes/any/status"},
    {kElection, "system-leader-election", "system:kube-controller-manager", nullptr, "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"},
    {kElection, "system-leader-election", "system:kube-scheduler", nullptr, "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"},
    {kElection, "system-leader-election", kAccount, nullptr, "update",
     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/any"},
    {kProbes, "probes", "system:anonymous", nullptr, "get", "/healthz"},
    {kProbes, "probes", "system:anonymous", nullptr, "get", "/livez"},
    {kProbes, "probes", "system:anonymous", nullptr, "get", "/readyz"},
    {kProbes, "probes", "any", nullptr, "get", "/healthz"},
    {kProbes, "probes", "any", nullptr, "get", "/livez"},
    {kProbes, "probes", "any", nullptr, "get", "/readyz"},
};

User user_of(const char* name, const char* group) {
  User user{name, {}};
  if (group) user.groups.emplace_back(group);
  add_implied_groups(user);
  return user;
}

// Not a built-in of any sort, and not as good a place as the built-in one.
bool is_worse_place(const LintContext& context, const EffectiveLevels& levels, const FlowSchema& taker,
                    const FlowSchema& built_in) {
  if (!is_given(taker.meta) || find_schema(context.builtins, taker.meta.name)) return false;
  const LevelUse* level = levels.find(taker.priority_level);
  return level && !level->exempt && taker.priority_level != built_in.priority_level;
}

bool comes_before(const std::vector<const FlowSchema*>& schemas, std::int32_t precedence) {
  return std::any_of(schemas.begin(), schemas.end(),
                     [&](const FlowSchema* s) { return s->matching_precedence <= precedence; });
}

void check_vital(const LintContext& context, Findings& findings) {
  const FlowSchema* last = find_schema(context.effective, "system-node-high");
  if (!last || !comes_before(own_schemas(context), last->matching_precedence)) return;
  const EffectiveLevels levels(context);
  const Reach& reach = context.reach();
  std::vector<std::pair<std::uint32_t, const char*>> reported;
  for (const VitalRequest& vital : kVital) {
    const FlowSchema* built_in = find_schema(context.effective, vital.built_in);
    ParsedRequest request;
    parse_audited_request(vital.verb, vital.path, request);
    const User user = user_of(vital.user, vital.group);
    const std::optional<std::uint32_t> taker = reach.first_match(user, request.info);
    if (!taker || !built_in) continue;
    const FlowSchema& schema = *reach.consulted()[*taker];
    if (!is_worse_place(context, levels, schema, *built_in)) continue;
    if (std::find(reported.begin(), reported.end(), std::pair(*taker, vital.what)) != reported.end()) continue;
    reported.emplace_back(*taker, vital.what);
    Diagnostic& d =
        findings.add(schema, "spec.matchingPrecedence",
                     fmt::format("takes {} from the built-in FlowSchema \"{}\", which comes later at precedence {}",
                                 vital.what, vital.built_in, built_in->matching_precedence));
    d.witness = explain_command(user, request.info, context.reach().command_flags());
  }
}

// Components that are in the broad groups without anybody thinking of them.
struct Component {
  const char* what;
  const char* built_in;
  const char* user;
  const char* group;
};
constexpr Component kComponents[] = {
    {"kubelets", "system-nodes", kNode, kNodes},
    {"kube-controller-manager", "kube-controller-manager", "system:kube-controller-manager", nullptr},
    {"kube-scheduler", "kube-scheduler", "system:kube-scheduler", nullptr},
    {"the service accounts of kube-system", "kube-system-service-accounts", kAccount, nullptr},
};
constexpr std::size_t kTries = 8, kParts = 8;  // requests per part, parts per rule

// A request for a built-in resource under this rule that the component makes and the FlowSchema takes.
std::string taken_request(const LintContext& context, const User& user, std::uint32_t schema, std::size_t rule) {
  const Reach& reach = context.reach();
  const auto [begin, end] = reach.index().parts_of(schema, static_cast<std::uint32_t>(rule));
  for (std::uint32_t part = begin; part < std::min<std::uint32_t>(end, begin + kParts); ++part) {
    std::size_t tries = kTries;
    for (const RequestInfo& request :
         likely_requests(reach.index(), reach.index().target_of(reach.index().parts()[part]))) {
      if (tries-- == 0) break;
      const std::string_view group = request.api_group;
      const ApiResource* known = request.is_resource_request ? find_api_resource(request.resource, &group) : nullptr;
      if (!known || known->name != request.resource || reach.first_match(user, request) != schema) continue;
      const std::string command = explain_command(user, request, context.reach().command_flags());
      if (!command.empty()) return command;
    }
  }
  return {};
}

struct Caught {
  std::vector<std::string_view> components;
  std::string witness;
};
// "a, b and c".
std::string in_words(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

Caught caught_by(const LintContext& context, const EffectiveLevels& levels, const FlowSchema& schema,
                 std::uint32_t index, std::size_t rule, const Subject& subject) {
  Caught out;
  for (const Component& component : kComponents) {
    const FlowSchema* built_in = find_schema(context.effective, component.built_in);
    const bool is_account = component.user == std::string_view(kAccount);
    if (!built_in || (!is_everybody(subject) && !is_account)) continue;
    if (!is_worse_place(context, levels, schema, *built_in)) continue;
    const std::string witness = taken_request(context, user_of(component.user, component.group), index, rule);
    if (witness.empty()) continue;
    out.components.push_back(component.what);
    if (out.witness.empty()) out.witness = witness;
  }
  return out;
}

void check_components(const LintContext& context, Findings& findings) {
  const FlowSchema* last = find_schema(context.effective, "kube-system-service-accounts");
  if (!last) return;
  const EffectiveLevels levels(context);
  for (const FlowSchema* schema : own_schemas(context)) {
    if (schema->matching_precedence > last->matching_precedence) continue;
    const std::optional<std::uint32_t> index = context.reach().index_of(schema->meta.name);
    if (!index) continue;
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const std::vector<Subject>& subjects = schema->rules[i].subjects;
      const auto broad = std::find_if(subjects.begin(), subjects.end(),
                                      [](const Subject& s) { return is_everybody(s) || is_all_service_accounts(s); });
      if (broad == subjects.end()) continue;
      Caught caught = caught_by(context, levels, *schema, *index, i, *broad);
      if (caught.components.empty()) continue;
      Diagnostic& d = findings.add(
          *schema, subject_field(i, static_cast<std::size_t>(broad - subjects.begin())),
          fmt::format("{} holds {} too: at precedence {} their requests go here instead of to their own FlowSchemas",
                      to_words(*broad), in_words(caught.components), schema->matching_precedence));
      d.witness = std::move(caught.witness);
    }
  }
}

}  // namespace

extern const Rule rule_takes_vital_traffic = {
    {"APF202", "takes-system-traffic", Severity::warning,
     "heartbeats, leader election or health checks go to a workload's FlowSchema",
     "A FlowSchema comes before system-node-high, system-leader-election or probes and takes requests that those are "
     "for, "
     "to a level that is neither exempt nor theirs.",
     "These requests are few and must be answered in time. Where they wait behind others, nodes are taken for dead and "
     "their pods evicted, controllers lose their leases and start anew, and the server is restarted by its own probe, "
     "all "
     "of it when the load is highest.",
     R"(spec:
  matchingPrecedence: 50
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:authenticated"}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
)",
     "Use a precedence of 1000 or above, or name subjects and resources so that these requests are left out."},
    check_vital};

extern const Rule rule_catches_components = {
    {"APF203", "catches-components", Severity::warning,
     "a FlowSchema for everybody also catches the cluster's own components",
     "A FlowSchema with subject system:authenticated, system:serviceaccounts or \"*\" comes before system-nodes, "
     "kube-controller-manager, kube-scheduler or kube-system-service-accounts, and takes requests for built-in "
     "resources from "
     "their users, to a level that is neither exempt nor theirs.",
     "Kubelets, kube-controller-manager and kube-scheduler are members of system:authenticated, and what runs in "
     "kube-system "
     "of system:serviceaccounts. Limited together with workloads, they stand still when a workload is busy.",
     R"(metadata:
  name: lists-of-pods
spec:
  matchingPrecedence: 400
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:authenticated"}
    resourceRules:
    - verbs: [list]
      apiGroups: [""]
      resources: [pods]
      clusterScope: true
)",
     R"(spec:
  matchingPrecedence: 1000
)"},
    check_components};

}  // namespace apf
