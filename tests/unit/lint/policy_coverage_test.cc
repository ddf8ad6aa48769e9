// Which requests of each FlowSchema an audit policy never records: policies in use, and random ones against asking the
// policy about each request.
#include <apf/classify.h>
#include <apf/lint.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "catch.h"
#include "report/logs/coverage.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Recorded = PolicySchema::Recorded;

AuditPolicy policy_of(const std::string& rules) {
  const LoadedAuditPolicy loaded = load_audit_policy(
      {"policy.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\n" + rules});
  REQUIRE(loaded.policy);
  return *loaded.policy;
}

const PolicySchema& schema_of(const PolicyCoverage& coverage, const std::string& name) {
  const auto at = std::find_if(coverage.schemas.begin(), coverage.schemas.end(),
                               [&](const PolicySchema& schema) { return schema.name == name; });
  REQUIRE(at != coverage.schemas.end());
  return *at;
}

PolicyCoverage of_built_in(const std::string& rules) {
  return policy_coverage(bootstrap_config(kNewestKubeVersion), policy_of(rules));
}

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool holds(const TextSet& set, const std::string& text) { return has(set.names, text) != set.others; }

// The resources and subresources that a FlowSchema or the policy names.
struct Named {
  std::vector<std::string> resources, subresources;
  void add(const std::string& entry) {
    const std::size_t slash = entry.find('/');
    resources.push_back(entry.substr(0, slash));
    if (slash != entry.npos) subresources.push_back(entry.substr(slash + 1));
  }
};

Named named_by(const Config& config, const AuditPolicy& policy) {
  Named out;
  for (const FlowSchema& schema : config.flow_schemas)
    for (const PolicyRule& rule : schema.rules)
      for (const ResourceRule& part : rule.resource_rules)
        for (const std::string& entry : part.resources) out.add(entry);
  for (const AuditRule& rule : policy.rules)
    for (const AuditResources& of_group : rule.resources)
      for (const std::string& entry : of_group.resources) out.add(entry);
  return out;
}

// "pods", "pods/log", "pods/*", "*/log", "configmaps name"; a resource "other" and a subresource "…" are any that is
// not named.
bool holds_resource(const TextSet& set, const RequestInfo& info, const Named& named) {
  const std::string resource = has(named.resources, info.resource) ? info.resource : "other";
  std::string path = resource;
  if (!info.subresource.empty())
    path += '/' + (has(named.subresources, info.subresource) ? info.subresource : std::string("…"));
  const bool listed = has(set.names, resource + "/*") || has(set.names, path) ||
                      (!info.subresource.empty() && has(set.names, "*" + path.substr(resource.size()))) ||
                      has(set.names, path + ' ' + info.name);
  return listed != set.others;
}

bool holds_path(const TextSet& set, const std::string& path) {
  const bool named = std::any_of(set.names.begin(), set.names.end(), [&](const std::string& name) {
    return name == path || (name.ends_with('*') && path.starts_with(name.substr(0, name.size() - 1)));
  });
  return named != set.others;
}

bool holds(const RequestSet& set, const RequestInfo& info, const std::string& user, const Named& named) {
  if (set.is_path == info.is_resource_request || !holds(set.users, user) || !holds(set.verbs, info.verb)) return false;
  if (set.is_path) return holds_path(set.paths, info.path);
  return holds(set.groups, info.api_group) && holds(set.namespaces, info.ns) &&
         holds_resource(set.resources, info, named);
}

bool holds(const std::vector<RequestSet>& sets, const RequestInfo& info, const std::string& user, const Named& named) {
  return std::any_of(sets.begin(), sets.end(), [&](const RequestSet& set) { return holds(set, info, user, named); });
}

}  // namespace

TEST_CASE("A policy that records everything leaves nothing out", "[coverage]") {
  const PolicyCoverage coverage = of_built_in("rules: [{level: Metadata}]");
  CHECK(std::all_of(coverage.schemas.begin(), coverage.schemas.end(),
                    [](const PolicySchema& schema) { return schema.recorded == Recorded::all; }));
  CHECK_FALSE(coverage.has_gaps());
  CHECK(coverage.without_objects);
}

TEST_CASE("Rules about groups, users and resources leave out FlowSchemas and parts of them", "[coverage]") {
  const PolicyCoverage coverage = of_built_in(R"(rules:
- {level: None, userGroups: ["system:nodes"], verbs: [get, list, watch]}
- {level: None, resources: [{group: coordination.k8s.io, resources: [leases]}]}
- {level: None, users: ["system:kube-scheduler"]}
- {level: None, nonResourceURLs: ["/healthz*", "/livez*", "/readyz*"]}
- {level: Metadata}
)");
  CHECK(schema_of(coverage, "system-leader-election").recorded == Recorded::nothing);
  CHECK(schema_of(coverage, "kube-scheduler").recorded == Recorded::nothing);
  CHECK(schema_of(coverage, "probes").recorded == Recorded::nothing);
  CHECK(schema_of(coverage, "kube-controller-manager").recorded == Recorded::part);  // its own leases elsewhere
  const PolicySchema& nodes = schema_of(coverage, "system-nodes");
  CHECK(nodes.recorded == Recorded::part);
  CHECK(nodes.never.front().rule == std::size_t{0});
  CHECK(nodes.never.front().verbs == TextSet{false, {"get", "list", "watch"}});
}

TEST_CASE("No rule is as good as a rule of level None", "[coverage]") {
  const PolicyCoverage coverage = of_built_in("rules: [{level: Metadata, userGroups: [\"system:nodes\"]}]");
  CHECK(schema_of(coverage, "system-nodes").recorded == Recorded::all);
  CHECK(schema_of(coverage, "service-accounts").recorded == Recorded::nothing);
  CHECK_FALSE(schema_of(coverage, "service-accounts").never.front().rule);
}

TEST_CASE("Where one group is recorded the others are named, not all but that one", "[coverage]") {
  // Whoever is in two groups is recorded, too.
  const PolicyCoverage coverage = of_built_in("rules: [{level: Metadata, userGroups: [devs]}]");
  const TextSet& users = schema_of(coverage, "global-default").never.front().users;
  CHECK_FALSE(users.others);
  CHECK(has(users.names, "Group system:authenticated"));
  CHECK_FALSE(has(users.names, "Group devs"));
}

TEST_CASE("Stages that a replay needs", "[coverage]") {
  const PolicyCoverage coverage =
      of_built_in("rules: [{level: Metadata, omitStages: [ResponseStarted, ResponseComplete]}]");
  const PolicySchema& nodes = schema_of(coverage, "system-nodes");
  CHECK(nodes.recorded == Recorded::all);
  CHECK(nodes.without_end.size() > 0);
  CHECK(nodes.watches_without_start);
  CHECK(coverage.has_gaps());
}

TEST_CASE("Every request is where the sets say", "[coverage][property]") {
  const std::vector<std::string> verbs = {"get", "list", "watch", "update", "frobnicate"},
                                 groups = {"", "apps", "coordination.k8s.io", "unnamed.example.com"},
                                 resources = {"pods", "nodes", "leases", "configmaps", "unnamed"},
                                 subresources = {"", "status", "log", "unnamed"},
                                 namespaces = {"", "kube-system", "ci", "unnamed"},
                                 names = {"", "controller-leader", "unnamed"},
                                 paths = {"/healthz", "/healthz/etcd", "/version", "/api", "/apis/x", "/unnamed"};
  struct Who {
    User user;
    std::string label;
  };
  std::vector<Who> users = {{{"unnamed", {"system:nodes"}}, "Group system:nodes"},
                            {{"system:kube-scheduler", {}}, "User system:kube-scheduler"},
                            {{"system:kube-proxy", {}}, "User system:kube-proxy"},
                            {{"system:serviceaccount:kube-system:x9", {}}, "Group system:serviceaccounts:kube-system"},
                            {{"system:serviceaccount:u:x9", {}}, "Group system:serviceaccounts"},
                            {{"unnamed", {}}, "Group system:authenticated"}};
  for (Who& who : users) add_implied_groups(who.user);
  users.front().user.name = "system:node:n9";
  const Config config = bootstrap_config(kNewestKubeVersion);
  const Classifier classifier(config);
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  const auto any = [&](const std::vector<std::string>& list) { return list[random() % list.size()]; };
  const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  for (int round = 0; round < 60; ++round) {
    AuditPolicy policy;
    for (std::size_t i = 0; i < 1 + random() % 5; ++i) {
      AuditRule& rule = policy.rules.emplace_back();
      rule.level = chance(50) ? AuditLevel::none : AuditLevel::metadata;
      if (chance(30)) rule.users = {chance(50) ? "system:kube-scheduler" : "system:kube-proxy"};
      if (chance(30)) rule.user_groups = {chance(50) ? "system:nodes" : "system:serviceaccounts:kube-system"};
      if (chance(40)) rule.verbs = {any({"get", "list", "watch", "update"})};
      if (chance(20)) {
        rule.non_resource_urls = {any({"/healthz*", "/version", "/api*", "*", "/healthz/etcd"})};
        continue;
      }
      if (chance(25)) rule.namespaces = {any({"", "kube-system", "ci"})};
      if (!chance(70)) continue;
      AuditResources& entry = rule.resources.emplace_back();
      entry.group = any({"", "apps", "coordination.k8s.io", "*"});
      if (chance(80))
        entry.resources = {any({"pods", "nodes/status", "leases", "*", "*/status", "pods/*", "configmaps"})};
      if (!entry.resources.empty() && chance(20)) entry.resource_names = {"controller-leader"};
    }
    const PolicyCoverage coverage = policy_coverage(config, policy);
    const Named named = named_by(config, policy);
    // No FlowSchema names this user: without a rule that does, it is one of all others.
    const bool names_proxy = std::any_of(policy.rules.begin(), policy.rules.end(),
                                         [](const AuditRule& rule) { return has(rule.users, "system:kube-proxy"); });
    users[2].label = names_proxy ? "User system:kube-proxy" : "Group system:authenticated";
    for (int i = 0; i < 400; ++i) {
      RequestInfo info;
      info.verb = any(verbs);
      info.is_resource_request = chance(80);
      if (info.is_resource_request) {
        info.api_group = any(groups);
        info.resource = any(resources);
        info.subresource = any(subresources);
        info.ns = any(namespaces);
        info.name = any(names);
      } else {
        info.path = any(paths);
      }
      const Who& who = users[random() % users.size()];
      const auto match = classifier.match(info, who.user);
      const PolicySchema& schema = schema_of(coverage, classifier.schemas()[match.schema].name);
      const bool written = audit_verdict(policy, info, who.user).level != AuditLevel::none;
      INFO("round " << round << " request " << i << ": " << schema.name << ", " << who.label << ", " << info.verb << " "
                    << info.api_group << " " << info.resource << "/" << info.subresource << " " << info.name << " in '"
                    << info.ns << "', " << info.path);
      std::string sets;
      for (const RequestSet& set : schema.never) sets += "\nnever " + in_words(set);
      for (const RequestSet& set : schema.still) sets += "\nstill " + in_words(set);
      INFO(sets);
      if (match.fallback) continue;
      if (schema.recorded == Recorded::all) CHECK(written);
      if (schema.recorded == Recorded::nothing) CHECK_FALSE(written);
      const bool vague =
          std::any_of(schema.never.begin(), schema.never.end(), [](const RequestSet& s) { return s.some; }) ||
          std::any_of(schema.still.begin(), schema.still.end(), [](const RequestSet& s) { return s.some; });
      if (schema.recorded != Recorded::part || vague) continue;
      if (written) CHECK(holds(schema.still, info, who.label, named));
      else CHECK(holds(schema.never, info, who.label, named));
    }
  }
}
