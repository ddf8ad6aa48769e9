// What the rules about references, precedence, matching and versions find in one line that is changed, and what not.
#include <apf/lint.h>

#include "catch.h"

using namespace apf;

namespace {

struct Parts {
  std::string name = "ci", precedence = "1000", level = "workload-low", method = "{type: ByUser}",
              subjects = "{kind: Group, group: {name: developers}}", rules = "", annotations = "{}", version = "v1";
};

constexpr const char* kUsual =
    R"(resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true}])";

std::string text_of(const Parts& parts) {
  return "apiVersion: flowcontrol.apiserver.k8s.io/" + parts.version +
         "\nkind: FlowSchema\nmetadata: {name: " + parts.name + ", annotations: " + parts.annotations +
         "}\nspec:\n  matchingPrecedence: " + parts.precedence +
         "\n  priorityLevelConfiguration: {name: " + parts.level + "}\n" +
         (parts.method.empty() ? "" : "  distinguisherMethod: " + parts.method + "\n") + "  rules:\n  - subjects: [" +
         parts.subjects + "]\n    " + (parts.rules.empty() ? kUsual : parts.rules) + "\n";
}

// "APF210 spec.rules[0]…", in their order.
std::string found(const std::string& text, LintOptions options = {}) {
  const ConfigText texts[] = {{"a.yaml", text}};
  options.today = "2026-11-20";
  std::string out;
  for (const Diagnostic& d : lint(load_config(texts), texts, options).findings) {
    std::string field = d.field;
    for (const std::string_view prefix :
         {"spec.rules[0].resourceRules[0].", "spec.rules[0].nonResourceRules[0].", "spec.rules[0].", "spec."}) {
      if (field.starts_with(prefix)) field.erase(0, prefix.size());
    }
    out += (out.empty() ? "" : " ") + d.code + " " + field;
  }
  return out;
}

std::string found(const Parts& parts) { return found(text_of(parts)); }

std::string with_rule(const std::string& rule) {
  Parts parts;
  parts.rules = "resourceRules: [" + rule + "]";
  return found(parts);
}
std::string with_resource(const std::string& resources, const std::string& groups = "\"\"") {
  return with_rule("{verbs: [get, create], apiGroups: [" + groups + "], resources: [" + resources +
                   "], namespaces: [\"*\"]}");
}
std::string with_urls(const std::string& urls, const std::string& verbs = "get") {
  Parts parts;
  parts.rules = "nonResourceRules: [{verbs: [" + verbs + "], nonResourceURLs: [" + urls + "]}]";
  return found(parts);
}
std::string with_subjects(const std::string& subjects) {
  Parts parts;
  parts.subjects = subjects;
  return found(parts);
}
std::string user(const std::string& name) { return "{kind: User, user: {name: \"" + name + "\"}}"; }
std::string group(const std::string& name) { return "{kind: Group, group: {name: \"" + name + "\"}}"; }

}  // namespace

TEST_CASE("a sensible FlowSchema gives no finding", "[lint]") { CHECK(found(Parts{}) == ""); }

TEST_CASE("wildcards within names are found wherever they can stand", "[lint]") {
  CHECK(with_resource("\"pods/*\"") == "APF210 resources[0]");
  CHECK(with_resource("\"*/scale\"") == "APF210 resources[0]");
  CHECK(with_resource("\"*/*\"") == "APF210 resources[0]");
  CHECK(with_resource("pods", "\"*.example.com\"") == "APF210 apiGroups[0]");
  CHECK(with_subjects(group("system:*")) == "APF210 subjects[0].group.name");
  CHECK(with_subjects(group("team-*")) == "APF210 subjects[0].group.name");
  CHECK(with_subjects(user("system:node:*") + ", " + group("a")) == "APF210 subjects[0].user.name");
  // Beside others the server refuses it.
  CHECK(with_resource("\"*\", pods").substr(0, 4) == "APF0");
  CHECK(with_subjects(group("*")) == "");
}

TEST_CASE("resources that no request names", "[lint]") {
  CHECK(with_resource("pods, pods/status, pods/eviction") == "");
  for (const char* name : {"pod", "Pod", "Pods", "PODS", "po"}) CHECK(with_resource(name) == "APF212 resources[0]");
  CHECK(with_resource("deployment", "apps") == "APF212 resources[0]");
  CHECK(with_resource("deploy", "apps") == "APF212 resources[0]");
  CHECK(with_resource("Pod/status") == "APF212 resources[0]");
  // A resource of one's own may be called anything, but not with capitals.
  CHECK(with_resource("po, pod", "example.com") == "");
  CHECK(with_resource("Widget", "example.com") == "APF212 resources[0]");
  CHECK(with_resource("apps/deployments", "apps") == "APF213 resources[0]");
  CHECK(with_resource("apps/v1/deployments", "\"*\"") == "APF213 resources[0]");
  CHECK(with_resource("deployments.apps", "apps") == "APF213 resources[0]");
  CHECK(with_resource("v1/pods") == "APF213 resources[0]");
  CHECK(with_resource("deployments", "apps/v1") == "APF214 apiGroups[0]");
  CHECK(with_resource("pods", "v1") == "APF214 apiGroups[0]");
  CHECK(with_resource("pods", "core") == "APF214 apiGroups[0]");
  CHECK(with_resource("pods/log, pods/exec") == "APF219 resources[0]");
  CHECK(with_resource("pods, pods/log") == "APF219 resources[1]");
}

TEST_CASE("a resource without the subresource that the FlowSchema's name speaks of", "[lint]") {
  Parts parts;
  parts.name = "node-heartbeats";
  parts.rules = "resourceRules: [{verbs: [patch], apiGroups: [\"\"], resources: [nodes], clusterScope: true}]";
  CHECK(found(parts) == "APF211 resources[0]");
  parts.rules =
      "resourceRules: [{verbs: [patch], apiGroups: [\"\"], resources: [nodes, nodes/status], clusterScope: true}]";
  CHECK(found(parts) == "");
  // A status page is no status of pods, and other verbs are not those of the subresource.
  parts.name = "statuspage";
  parts.rules = "resourceRules: [{verbs: [patch], apiGroups: [\"\"], resources: [pods], namespaces: [\"*\"]}]";
  CHECK(found(parts) == "");
  parts.name = "pod-status";
  parts.rules =
      "resourceRules: [{verbs: [list], apiGroups: [\"\"], resources: [pods], namespaces: [\"*\"], clusterScope: true}]";
  CHECK(found(parts) == "");
}

TEST_CASE("verbs that requests of the sort cannot have", "[lint]") {
  CHECK(with_urls("/metrics", "list") == "APF215 verbs[0]");
  CHECK(with_urls("/metrics", "get, watch") == "APF215 verbs[1]");
  CHECK(with_urls("/metrics", "get, post") != "");  // the server takes its own list of verbs only
  CHECK(with_rule("{verbs: [post], apiGroups: [\"\"], resources: [pods], namespaces: [\"*\"]}").substr(0, 4) == "APF0");
  CHECK(with_rule("{verbs: [proxy], apiGroups: [\"\"], resources: [pods], namespaces: [\"*\"]}") == "APF215 verbs[0]");
}

TEST_CASE("users that no service account has, and kinds that are mixed up", "[lint]") {
  for (const char* name :
       {"system:serviceaccount:builder", "system:serviceaccount::builder",
        "system:serviceaccount:ci:", "system:serviceaccount:ci:*", "system:serviceaccount:CI:builder"}) {
    CHECK(with_subjects(user(name) + ", " + group("a")) == "APF216 subjects[0].user.name");
  }
  CHECK(with_subjects(user("default") + ", " + group("a")) == "APF216 subjects[0].user.name");
  CHECK(with_subjects(user("builder") + ", {kind: ServiceAccount, serviceAccount: {namespace: ci, name: builder}}") ==
        "APF216 subjects[0].user.name");
  CHECK(with_subjects(user("alice") + ", " + user("system:serviceaccount:ci:builder")) == "");
  CHECK(with_subjects(user("system:serviceaccounts:ci") + ", " + group("a")) == "APF224 subjects[0].user.name");
  CHECK(with_subjects(group("system:kube-scheduler")) == "APF224 subjects[0].group.name");
}

TEST_CASE("scopes that the rule leaves out", "[lint]") {
  const auto rule = [](const char* verbs, const char* resource, const char* scope) {
    return with_rule(std::string("{verbs: [") + verbs + "], apiGroups: [\"\"], resources: [" + resource + "], " +
                     scope + "}");
  };
  CHECK(rule("get", "nodes", "namespaces: [\"*\"]") == "APF217 resources[0]");
  CHECK(rule("get", "nodes", "namespaces: [\"*\"], clusterScope: true") == "");
  CHECK(rule("get", "nodes/status", "namespaces: [ci]") == "APF217 resources[0]");
  CHECK(rule("get", "pods", "clusterScope: true") == "APF217 resources[0]");
  CHECK(rule("list, watch", "pods", "clusterScope: true") == "");
  CHECK(rule("get, list", "pods", "clusterScope: true") == "APF217 resources[0]");
  CHECK(rule("get", "namespaces", "namespaces: [\"*\"]") == "");
  // Nobody knows what of another group is.
  CHECK(with_rule("{verbs: [get], apiGroups: [example.com], resources: [nodes], namespaces: [\"*\"]}") == "");
}

TEST_CASE("paths that cover less or more than they look like", "[lint]") {
  CHECK(with_urls("/metrics") == "");
  CHECK(with_urls("/metrics, \"/metrics/*\"") == "");
  CHECK(with_urls("\"/metrics/*\"") == "APF225 nonResourceURLs[0]");
  CHECK(with_urls("/metrics/") == "APF225 nonResourceURLs[0]");
  CHECK(with_urls("\"/openapi/v3/*\"") == "APF225 nonResourceURLs[0]");
  CHECK(with_urls("\"/my/own/*\"") == "");
  CHECK(with_urls("/, /version") == "APF226 nonResourceURLs[0]");
  CHECK(with_urls("/openapi, /openapi/v2") == "APF116 nonResourceURLs[1]");
  CHECK(with_urls("/api/v1/pods") == "APF218 nonResourceURLs[0]");
  CHECK(with_urls("\"/apis/apps/v1/*\"") == "APF218 nonResourceURLs[0]");
  CHECK(with_urls("/api, /apis") == "");
  CHECK(with_urls("/version, /healthz") == "APF113 nonResourceURLs[1]");
}

TEST_CASE("flow distinguishers", "[lint]") {
  Parts parts;
  parts.method = "";
  CHECK(found(parts) == "APF222 spec");
  parts.subjects = user("alice");
  CHECK(found(parts) == "");
  parts.method = "{type: ByUser}";
  CHECK(found(parts) == "");
  LintOptions options;
  options.select = {"APF2"};
  CHECK(found(text_of(parts), options) == "");
  options.select = {"by-user-one-flow"};
  CHECK(found(text_of(parts), options) == "APF221 distinguisherMethod.type");
  options.select.clear();
  options.enabled = {"APF221"};
  CHECK(found(text_of(parts), options) == "APF221 distinguisherMethod.type");
  parts.subjects = user("alice") + ", " + user("bob");
  CHECK(found(parts) == "");
  parts.method = "{type: ByNamespace}";
  CHECK(found(parts) == "");
  parts.rules = "resourceRules: [{verbs: [get], apiGroups: [\"\"], resources: [nodes], clusterScope: true}]";
  CHECK(found(parts) == "APF220 distinguisherMethod.type");
  parts.rules = "nonResourceRules: [{verbs: [get], nonResourceURLs: [/version]}]";
  CHECK(found(parts) == "APF220 distinguisherMethod.type");
  parts = {};
  parts.level = "exempt";
  CHECK(found(parts) == "APF223 distinguisherMethod.type APF204 subjects[0]");
}

TEST_CASE("precedence before and behind the server's own", "[lint]") {
  Parts parts;
  parts.subjects = group("system:authenticated");
  CHECK(found(parts) == "");
  parts.precedence = "9500";  // what is left for people
  CHECK(found(parts) == "APF201 matchingPrecedence");
  parts.precedence = "9950";
  CHECK(found(parts) == "APF110 matchingPrecedence");
  parts.precedence = "300";
  CHECK(found(parts) == "APF202 matchingPrecedence APF203 subjects[0]");
  parts.precedence = "600";  // behind system-nodes, before kube-controller-manager
  CHECK(found(parts) == "APF203 subjects[0]");
  parts.precedence = "50";
  CHECK(found(parts) == "APF202 matchingPrecedence APF202 matchingPrecedence APF203 subjects[0]");
  parts.rules = "nonResourceRules: [{verbs: [get], nonResourceURLs: [/healthz]}]";
  CHECK(found(parts) == "APF110 matchingPrecedence");
  parts.precedence = "2";  // "ci" sorts before "probes"
  CHECK(found(parts) == "APF120 matchingPrecedence APF202 matchingPrecedence");
  parts = {};
  parts.subjects = group("system:masters");
  CHECK(found(parts) == "APF110 matchingPrecedence");
  parts.subjects += ", " + group("developers");
  CHECK(found(parts) == "APF112 subjects[0]");
  parts.subjects = "{kind: ServiceAccount, serviceAccount: {namespace: ci, name: \"*\"}}";
  parts.precedence = "9001";
  CHECK(found(parts) == "APF110 matchingPrecedence");
}

TEST_CASE("values that the server replaces, versions that go and objects that it looks after", "[lint]") {
  Parts parts;
  parts.precedence = "0";
  CHECK(found(parts) == "APF503 matchingPrecedence");
  parts = {};
  parts.annotations = "{apf.kubernetes.io/autoupdate-spec: \"true\"}";
  CHECK(found(parts) == "APF505 metadata.annotations[apf.kubernetes.io/autoupdate-spec]");
  parts.name = "endpoint-controller";
  CHECK(found(parts) == "APF506 metadata.name");
  parts.name = "global-default";
  parts.precedence = "9900";
  CHECK(found(parts) == "APF121 metadata.name APF504 metadata.annotations[apf.kubernetes.io/autoupdate-spec]");
  parts.annotations = "{apf.kubernetes.io/autoupdate-spec: \"false\"}";
  CHECK(found(parts) == "APF121 metadata.name");
  // What is mandatory cannot be another.
  parts.name = "catch-all";
  CHECK(found(parts).substr(0, 4) == "APF0");
  parts = {};
  parts.name = "system-leader-election";
  parts.annotations = "{apf.kubernetes.io/autoupdate-spec: \"false\"}";
  parts.rules =
      "resourceRules: [{verbs: [get, create, update], apiGroups: [\"\"], resources: [endpoints, configmaps], "
      "namespaces: [kube-system]}]";
  CHECK(found(parts).find("APF506 resourceRules[0]") != std::string::npos);
  parts = {};
  parts.version = "v1beta3";
  LintOptions options;
  options.version = KubeVersion{31};
  CHECK(found(text_of(parts), options) == "APF502 apiVersion");
  options.version = KubeVersion{32};
  CHECK(found(text_of(parts), options) == "APF014 apiVersion");
  options.version = KubeVersion{28};
  CHECK(found(text_of(parts), options) == "");
}

TEST_CASE("lists across all namespaces escape a rule without clusterScope", "[lint]") {
  Parts parts;
  const auto rule = [](const std::string& verbs, const std::string& resources, const std::string& namespaces) {
    return "resourceRules: [{verbs: [" + verbs + "], apiGroups: [\"\"], resources: [" + resources + "], namespaces: [" +
           namespaces + "]}]";
  };
  for (const char* verbs : {"list", "watch", "\"*\"", "get, list"}) {
    parts.rules = rule(verbs, "pods", "\"*\"");
    CHECK(found(parts) == "APF227 namespaces");
  }
  // No request of these spans namespaces.
  for (const char* verbs : {"get", "create, update, patch, delete", "deletecollection"}) {
    parts.rules = rule(verbs, "pods", "\"*\"");
    CHECK(found(parts) == "");
  }
  parts.rules = rule("list", "pods/status", "\"*\"");
  CHECK(found(parts) == "APF215 verbs");
  // Named on purpose.
  parts.rules = rule("list", "pods", "ci");
  CHECK(found(parts) == "");
  // They go to the same level.
  parts = {};
  parts.level = "global-default";
  parts.rules = rule("list", "pods", "\"*\"");
  CHECK(found(parts) == "");
}

TEST_CASE("names almost like those of Kubernetes itself", "[lint]") {
  const std::string of_user = "APF228 subjects[0].user.name", of_group = "APF228 subjects[0].group.name";
  for (const char* name : {"system:node", "system:serviceaccount", "system:authenicated", "System:masters",
                           "system:serviceacounts:ci", "system:serviceaccounts:ci:builder", "system-nodes"})
    CHECK(with_subjects(group(name)) == of_group);
  for (const char* name : {"system:node", "kube-scheduler", "system:kube-schedular", "system:nodes:worker-1",
                           "system:serviceaccounts:ci:builder", "system:serviceaccount"})
    CHECK(with_subjects(user(name)) == of_user);
  for (const char* name : {"team-nodes", "masters", "oidc:developers", "system:bootstrappers:kubeadm", "system:foo",
                           "system:serviceaccounts:ci", "kubeadm:cluster-admins"})
    CHECK(with_subjects(group(name)).find("APF228") == std::string::npos);
  for (const char* name : {"alice", "system:gke-controller", "system:node:worker-1", "system:bootstrap:abcdef",
                           "system:kube-vip", "kubernetes-admin"})
    CHECK(with_subjects(user(name) + ", " + user("bob")).find("APF228") == std::string::npos);
  CHECK(with_subjects(group("system:serviceaccount:ci")) == "APF224 subjects[0].group.name");
  CHECK(with_subjects(user("istio-system:istiod") + ", " + user("bob")) == "APF216 subjects[0].user.name");
  CHECK(with_subjects(user("oidc:alice") + ", " + user("bob")) == "");
}

TEST_CASE("resources that the API group does not have", "[lint]") {
  CHECK(with_resource("pods", "apps") == "APF229 resources[0]");
  CHECK(with_resource("secrets", "batch") == "APF229 resources[0]");
  CHECK(with_resource("pods, deployments", "\"\", apps") == "");
  CHECK(with_resource("exec") == "APF229 resources[0]");
  CHECK(with_resource("pods/logs") == "APF229 resources[0]");
  CHECK(with_resource("deploy") == "APF229 resources[0]");
  CHECK(with_resource("deploy", "\"*\"") == "APF229 resources[0]");
  CHECK(with_resource("widgets", "example.com") == "");
  CHECK(with_resource("pods", "apps, example.com") == "");
  CHECK(with_resource("volumesnapshots", "snapshot.storage.k8s.io") == "");
  CHECK(with_resource("workloads", "scheduling.k8s.io") == "");
  LintOptions options;
  options.version = KubeVersion{29};
  Parts parts;
  parts.rules =
      "resourceRules: [{verbs: [get], apiGroups: [scheduling.k8s.io], resources: [workloads], "
      "namespaces: [\"*\"]}]";
  CHECK(found(text_of(parts), options) == "APF229 resources[0]");
}
