// The built-in objects of kube-apiserver (k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go, v1.29 to v1.36).
// From v1.34 on the suggested schemas workload-leader-election and endpoint-controller are gone.
#include <apf/config.h>

#include <unordered_map>
#include <utility>
#include "base/releases.h"
#include "config/api_dialect.h"
#include "config/dialect.h"

namespace apf {

namespace {

constexpr const char* kByUser = "ByUser";
constexpr const char* kByNamespace = "ByNamespace";

ObjectMeta built_in(const char* name) {
  ObjectMeta meta;
  meta.api_version = "flowcontrol.apiserver.k8s.io/v1";
  meta.name = name;
  meta.annotations = {{"apf.kubernetes.io/autoupdate-spec", "true"}};
  return meta;
}

Subject user(const char* name) { return {"User", name, {}, {}}; }
Subject group(const char* name) { return {"Group", {}, name, {}}; }
Subject account(const char* ns, const char* name) {
  return {"ServiceAccount", {}, {}, Subject::ServiceAccount{ns, name}};
}

using Names = std::vector<std::string>;

ResourceRule namespaced(Names verbs, const char* api_group, Names resources) {
  return {std::move(verbs), {api_group}, std::move(resources), {"*"}, false};
}

PolicyRule everything(std::vector<Subject> subjects) {
  return {std::move(subjects), {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {{{"*"}, {"*"}}}};
}

FlowSchema schema(const char* name, const char* level, std::int32_t precedence, const char* distinguisher,
                  PolicyRule rule) {
  FlowSchema result;
  result.meta = built_in(name);
  result.priority_level = level;
  result.matching_precedence = precedence;
  if (distinguisher) result.distinguisher_method = distinguisher;
  result.rules.push_back(std::move(rule));
  return result;
}

PriorityLevel limited(const char* name, std::int32_t shares, std::int32_t lendable_percent,
                      std::optional<Queuing> queuing) {
  PriorityLevel level;
  level.meta = built_in(name);
  level.type = "Limited";
  level.limited = LimitedLevel{shares, lendable_percent, {}, queuing ? "Queue" : "Reject", queuing};
  return level;
}

PriorityLevel exempt_level() {
  PriorityLevel level;
  level.meta = built_in("exempt");
  level.type = "Exempt";
  level.exempt = ExemptLevel{0, 0};
  return level;
}

void add_mandatory(Config& config) {
  const Subject anyone[] = {group("system:unauthenticated"), group("system:authenticated")};
  config.flow_schemas.push_back(schema("exempt", "exempt", 1, nullptr, everything({group("system:masters")})));
  config.flow_schemas.push_back(schema("catch-all", "catch-all", 10000, kByUser, everything({anyone[0], anyone[1]})));
  config.priority_levels.push_back(limited("catch-all", 5, 0, {}));
  config.priority_levels.push_back(exempt_level());
}

void add_suggested_levels(std::vector<PriorityLevel>& levels) {
  //                         name               shares  lendable  queues, hand size, queue length limit
  levels.push_back(limited("system", 30, 33, Queuing{64, 6, 50}));
  levels.push_back(limited("node-high", 40, 25, Queuing{64, 6, 50}));
  levels.push_back(limited("leader-election", 10, 0, Queuing{16, 4, 50}));
  levels.push_back(limited("workload-high", 40, 50, Queuing{128, 6, 50}));
  levels.push_back(limited("workload-low", 100, 90, Queuing{128, 6, 50}));
  levels.push_back(limited("global-default", 20, 50, Queuing{128, 6, 50}));
}

PolicyRule node_rule() {
  ResourceRule nodes = namespaced({"*"}, "", {"nodes", "nodes/status"});
  nodes.cluster_scope = true;
  return {{group("system:nodes")}, {nodes, namespaced({"*"}, "coordination.k8s.io", {"leases"})}, {}};
}

PolicyRule probe_rule() {
  return {{group("system:unauthenticated"), group("system:authenticated")},
          {},
          {{{"get"}, {"/healthz", "/readyz", "/livez"}}}};
}

void add_suggested_schemas(std::vector<FlowSchema>& schemas, KubeVersion version) {
  const Names edits = {"get", "create", "update"};
  const Subject controller_manager = user("system:kube-controller-manager");
  const Subject scheduler = user("system:kube-scheduler");
  const Subject kube_system = account("kube-system", "*");
  const ResourceRule leases = namespaced(edits, "coordination.k8s.io", {"leases"});

  schemas.push_back(schema("system-nodes", "system", 500, kByUser, everything({group("system:nodes")})));
  schemas.push_back(schema("system-node-high", "node-high", 400, kByUser, node_rule()));
  schemas.push_back(schema("probes", "exempt", 2, nullptr, probe_rule()));
  schemas.push_back(schema("system-leader-election", "leader-election", 100, kByUser,
                           {{controller_manager, scheduler, kube_system}, {leases}, {}}));
  if (has(version, Feature::endpoint_flow_schemas)) {
    schemas.push_back(schema("workload-leader-election", "leader-election", 200, kByUser,
                             {{kube_system}, {namespaced(edits, "", {"endpoints", "configmaps"}), leases}, {}}));
    schemas.push_back(schema("endpoint-controller", "workload-high", 150, kByUser,
                             {{controller_manager, account("kube-system", "endpoint-controller"),
                               account("kube-system", "endpointslicemirroring-controller")},
                              {namespaced(edits, "", {"endpoints"})},
                              {}}));
  }
  schemas.push_back(
      schema("kube-controller-manager", "workload-high", 800, kByNamespace, everything({controller_manager})));
  schemas.push_back(schema("kube-scheduler", "workload-high", 800, kByNamespace, everything({scheduler})));
  schemas.push_back(
      schema("kube-system-service-accounts", "workload-high", 900, kByNamespace, everything({kube_system})));
  schemas.push_back(
      schema("service-accounts", "workload-low", 9000, kByUser, everything({group("system:serviceaccounts")})));
  schemas.push_back(schema("global-default", "global-default", 9900, kByUser,
                           everything({group("system:unauthenticated"), group("system:authenticated")})));
}

// Objects of `own` take the place of those of `all` with their names; the others follow.
template <class Object>
void replace_by_name(std::vector<Object>& all, std::vector<Object>& own) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) places.emplace(all[i].meta.name, i);
  for (Object& object : own) {
    const auto place = places.find(object.meta.name);
    if (place == places.end()) all.push_back(std::move(object));
    else all[place->second] = std::move(object);
  }
}

}  // namespace

Config bootstrap_config(KubeVersion version, Builtins builtins) {
  Config config;
  if (builtins == Builtins::none) return config;
  add_mandatory(config);
  if (builtins == Builtins::mandatory) return config;
  add_suggested_schemas(config.flow_schemas, version);
  add_suggested_levels(config.priority_levels);
  return config;
}

Config with_builtins(Config config, KubeVersion version, Builtins builtins) {
  const Dialect& dialect = dialect_of(config);
  return dialect.with_builtins(std::move(config), version, builtins);
}

Config over_builtins(Config config, KubeVersion version, Builtins builtins) {
  Config all = bootstrap_config(version, builtins);
  replace_by_name(all.flow_schemas, config.flow_schemas);
  replace_by_name(all.priority_levels, config.priority_levels);
  return all;
}

}  // namespace apf
