// The built-in objects of kube-apiserver (k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go, v1.20 to v1.37).
#include <apf/config.h>

#include <unordered_map>
#include <utility>
#include "base/releases.h"
#include "config/api_dialect.h"
#include "config/dialect.h"
#include "config/maintenance.h"

namespace apf {

namespace {

constexpr const char* kByUser = "ByUser";
constexpr const char* kByNamespace = "ByNamespace";

ObjectMeta built_in(const char* name, KubeVersion version) {
  ObjectMeta meta;
  meta.api_version = "flowcontrol.apiserver.k8s.io/v1";  // the form of the model
  meta.name = name;
  if (has(version, Feature::autoupdate_annotation)) meta.annotations = {{"apf.kubernetes.io/autoupdate-spec", "true"}};
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

// Builds the objects of a release.
class BuiltIns {
 public:
  explicit BuiltIns(KubeVersion version) : version_(version) {}

  void add_mandatory();
  void add_suggested_schemas();
  void add_suggested_levels();
  Config take() { return std::move(config_); }

 private:
  bool has(Feature feature) const { return apf::has(version_, feature); }
  void schema(const char* name, const char* level, std::int32_t precedence, const char* distinguisher, PolicyRule rule);
  void limited(const char* name, std::int32_t shares, std::int32_t lendable_percent, std::optional<Queuing> queuing);
  void exempt_level();

  const KubeVersion version_;
  Config config_;
};

void BuiltIns::schema(const char* name, const char* level, std::int32_t precedence, const char* distinguisher,
                      PolicyRule rule) {
  FlowSchema result;
  result.meta = built_in(name, version_);
  result.priority_level = level;
  result.matching_precedence = precedence;
  if (distinguisher) result.distinguisher_method = distinguisher;
  result.rules.push_back(std::move(rule));
  config_.flow_schemas.push_back(std::move(result));
}

void BuiltIns::limited(const char* name, std::int32_t shares, std::int32_t lendable_percent,
                       std::optional<Queuing> queuing) {
  PriorityLevel level;
  level.meta = built_in(name, version_);
  level.type = "Limited";
  level.limited = LimitedLevel{shares, {}, {}, queuing ? "Queue" : "Reject", queuing};
  if (has(Feature::borrowing)) level.limited->lendable_percent = lendable_percent;
  config_.priority_levels.push_back(std::move(level));
}

void BuiltIns::exempt_level() {
  PriorityLevel level;
  level.meta = built_in("exempt", version_);
  level.type = "Exempt";
  if (has(Feature::exempt_level_has_seats)) level.exempt = ExemptLevel{0, 0};
  config_.priority_levels.push_back(std::move(level));
}

void BuiltIns::add_mandatory() {
  const Subject anyone[] = {group("system:unauthenticated"), group("system:authenticated")};
  schema("exempt", "exempt", 1, nullptr, everything({group("system:masters")}));
  schema("catch-all", "catch-all", 10000, kByUser, everything({anyone[0], anyone[1]}));
  limited("catch-all", 5, 0, {});
  exempt_level();
}

void BuiltIns::add_suggested_levels() {
  //      name               shares  lendable  queues, hand size, queue length limit
  limited("system", 30, 33, Queuing{64, 6, 50});
  if (has(Feature::node_high_level)) limited("node-high", 40, 25, Queuing{64, 6, 50});
  limited("leader-election", 10, 0, Queuing{16, 4, 50});
  limited("workload-high", 40, 50, Queuing{128, 6, 50});
  limited("workload-low", 100, 90, Queuing{128, 6, 50});
  limited("global-default", 20, 50, Queuing{128, 6, 50});
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

void BuiltIns::add_suggested_schemas() {
  const Names edits = {"get", "create", "update"};
  const Subject controller_manager = user("system:kube-controller-manager");
  const Subject scheduler = user("system:kube-scheduler");
  const Subject kube_system = account("kube-system", "*");
  const ResourceRule leases = namespaced(edits, "coordination.k8s.io", {"leases"});
  const ResourceRule endpoints = namespaced(edits, "", {"endpoints", "configmaps"});
  ResourceRule of_kube_system = endpoints;
  of_kube_system.namespaces = {"kube-system"};
  const bool old_election = has(Feature::endpoints_for_leader_election);

  schema("system-nodes", "system", 500, kByUser, everything({group("system:nodes")}));
  if (has(Feature::node_high_level)) schema("system-node-high", "node-high", 400, kByUser, node_rule());
  if (has(Feature::probes_flow_schema)) schema("probes", "exempt", 2, nullptr, probe_rule());
  schema("system-leader-election", "leader-election", 100, kByUser,
         {{controller_manager, scheduler, kube_system},
          old_election ? std::vector{of_kube_system, leases} : std::vector{leases},
          {}});
  if (has(Feature::workload_leader_election_schema))
    schema("workload-leader-election", "leader-election", 200, kByUser, {{kube_system}, {endpoints, leases}, {}});
  if (has(Feature::endpoint_controller_schema)) {
    schema("endpoint-controller", "workload-high", 150, kByUser,
           {{controller_manager, account("kube-system", "endpoint-controller"),
             account("kube-system", "endpointslicemirroring-controller")},
            {namespaced(edits, "", {"endpoints"})},
            {}});
  }
  schema("kube-controller-manager", "workload-high", 800, kByNamespace, everything({controller_manager}));
  schema("kube-scheduler", "workload-high", 800, kByNamespace, everything({scheduler}));
  schema("kube-system-service-accounts", "workload-high", 900, kByNamespace, everything({kube_system}));
  schema("service-accounts", "workload-low", 9000, kByUser, everything({group("system:serviceaccounts")}));
  schema("global-default", "global-default", 9900, kByUser,
         everything({group("system:unauthenticated"), group("system:authenticated")}));
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
  BuiltIns objects(version);
  if (builtins == Builtins::none) return objects.take();
  objects.add_mandatory();
  if (builtins == Builtins::mandatory) return objects.take();
  objects.add_suggested_schemas();
  objects.add_suggested_levels();
  return objects.take();
}

Config with_builtins(Config config, KubeVersion version, Builtins builtins) {
  const Dialect& dialect = dialect_of(config);
  return dialect.with_builtins(std::move(config), version, builtins);
}

Config over_builtins(Config config, KubeVersion version, Builtins builtins) {
  if (builtins == Builtins::enforced) remove_maintained(config, version);
  Config all = bootstrap_config(version, builtins);
  apply_defaults(all);
  replace_by_name(all.flow_schemas, config.flow_schemas);
  replace_by_name(all.priority_levels, config.priority_levels);
  return all;
}

}  // namespace apf
