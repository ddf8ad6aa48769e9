// Manifests against quotas: what controllers create, what other plugins add first, and what is reported.
#include "catch.h"

#include <apf/quota.h>
#include <apf/report.h>

#include "admission/manifests.h"
#include "admission/quota_engine.h"
#include "config/reader.h"

using namespace apf;

namespace {

ResourceQuota quota(const std::vector<std::pair<std::string, std::string>>& hard, const std::string& name = "q",
                    const std::string& ns = "shop") {
  ResourceQuota out;
  out.meta.name = name;
  out.ns = ns;
  for (const auto& [key, amount] : hard) out.spec.hard[key] = *Quantity::parse(amount);
  return out;
}

QuotaReport check(const std::vector<ResourceQuota>& quotas, const std::string& text, QuotaCheckOptions options = {}) {
  const std::vector<ConfigText> texts{{"all.yaml", text}};
  return check_quota(quotas, nullptr, texts, options);
}

std::string used(const QuotaReport& report, const std::string& resource, std::size_t table = 0) {
  for (const QuotaAmount& a : report.quotas.at(table).amounts) {
    if (a.resource == resource) return a.used.str();
  }
  return "absent";
}

std::string demand(const QuotaReport& report, const std::string& resource) {
  for (const QuotaAmount& a : report.quotas.at(0).amounts) {
    if (a.resource == resource) return a.demand.str();
  }
  return "absent";
}

std::string workload(const std::string& kind, const std::string& api, const std::string& spec,
                     const std::string& pod = "containers: [{name: c, resources: {requests: {cpu: 500m}}}]") {
  return "apiVersion: " + api + "\nkind: " + kind + "\nmetadata: {name: web}\nspec:\n  " + spec +
         "\n  template:\n    spec: {" + pod + "}\n";
}

QuotaSubject measured(const std::string& pod, const EarlierAdmission& earlier = {}) {
  std::vector<Diagnostic> diagnostics;
  const auto tree = read_tree({"pod.yaml", pod}, diagnostics);
  REQUIRE(diagnostics.empty());
  std::vector<ObjectFault> faults;
  QuotaSubject subject = measure_object({"", "pods"}, *tree->documents().at(0).root, earlier, faults);
  CHECK(faults.empty());
  return subject;
}

std::string amount(const QuotaSubject& subject, const char* name) {
  const Quantity* found = subject.usage.find(name);
  return found ? found->str() : "absent";
}

}  // namespace

TEST_CASE("a Deployment counts with its ReplicaSet and its Pods", "[admission][quota]") {
  const std::vector<ResourceQuota> quotas{
      quota({{"count/deployments.apps", "5"}, {"count/replicasets.apps", "5"}, {"pods", "10"}, {"requests.cpu", "2"}})};
  const QuotaReport report = check(quotas, workload("Deployment", "apps/v1", "replicas: 6"));
  CHECK(used(report, "count/deployments.apps") == "1");
  CHECK(used(report, "count/replicasets.apps") == "1");
  CHECK(used(report, "pods") == "4");
  CHECK(used(report, "requests.cpu") == "2");
  CHECK(demand(report, "requests.cpu") == "3");
  REQUIRE(report.denials.size() == 1);
  const QuotaDenial& denial = report.denials[0];
  CHECK(denial.created == "Pod");
  CHECK(denial.first == 5);
  CHECK(denial.of == 6);
  CHECK(denial.denied == 2);
  CHECK(report.denied == 2);
  CHECK(denial.message ==
        "pods \"web-<hash>-<id>\" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=2, "
        "limited: requests.cpu=2");
  CHECK(denial.manifest.span.line == 2);
  REQUIRE(denial.exceeded.size() == 1);
  CHECK(denial.exceeded[0].requested.str() == "500m");

  QuotaCheckOptions as_it_stands;
  as_it_stands.expand = false;
  const QuotaReport alone = check(quotas, workload("Deployment", "apps/v1", "replicas: 6"), as_it_stands);
  CHECK(used(alone, "pods") == "0");
  CHECK(used(alone, "count/deployments.apps") == "1");
  CHECK(alone.denied == 0);
}

TEST_CASE("how many pods other controllers create", "[admission][quota]") {
  const std::vector<ResourceQuota> quotas{quota({{"pods", "100"}, {"count/jobs.batch", "9"}})};
  const auto pods = [&](const std::string& text, QuotaCheckOptions options = {}) {
    return used(check(quotas, text, options), "pods");
  };
  CHECK(pods(workload("Deployment", "apps/v1", "paused: false")) == "1");
  CHECK(pods(workload("ReplicaSet", "apps/v1", "replicas: 3")) == "3");
  CHECK(pods(workload("ReplicationController", "v1", "replicas: 0")) == "0");
  CHECK(pods(workload("Job", "batch/v1", "parallelism: 4")) == "4");
  CHECK(pods(workload("Job", "batch/v1", "parallelism: 4\n  completions: 3")) == "3");
  CHECK(pods(workload("Job", "batch/v1", "parallelism: 4\n  suspend: true")) == "0");
  CHECK(pods(workload("DaemonSet", "apps/v1", "minReadySeconds: 1")) == "0");
  QuotaCheckOptions nodes;
  nodes.nodes = 7;
  CHECK(pods(workload("DaemonSet", "apps/v1", "minReadySeconds: 1"), nodes) == "7");
  const auto daemons = [&](const std::vector<ResourceQuota>& limits, const QuotaCheckOptions& options) {
    return check(limits, workload("DaemonSet", "apps/v1", "minReadySeconds: 1"), options);
  };
  CHECK_FALSE(daemons(quotas, {}).fits());
  CHECK(daemons(quotas, nodes).fits() == true);
  // No quota limits its Pods.
  const QuotaReport free = daemons({quota({{"count/jobs.batch", "9"}})}, {});
  CHECK(free.fits() == true);
  CHECK(free.notes.front().kind == RemarkKind::pods_depend_on_nodes);
  const QuotaReport cron = check(quotas,
                                 "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: n}\nspec:\n  jobTemplate:\n"
                                 "    spec: {parallelism: 2, template: {spec: {containers: [{name: c}]}}}\n");
  CHECK(used(cron, "pods") == "2");
  CHECK(used(cron, "count/jobs.batch") == "1");
}

TEST_CASE("a StatefulSet's claims come before its pods, and stop it", "[admission][quota]") {
  const std::vector<ResourceQuota> quotas{quota(
      {{"pods", "9"}, {"requests.storage", "25Gi"}, {"fast.storageclass.storage.k8s.io/requests.storage", "99Gi"}})};
  const QuotaReport report =
      check(quotas, workload("StatefulSet", "apps/v1",
                             "replicas: 4\n  volumeClaimTemplates:\n  - metadata: {name: data}\n"
                             "    spec: {storageClassName: fast, resources: {requests: {storage: 10Gi}}}"));
  CHECK(used(report, "pods") == "2");
  CHECK(used(report, "requests.storage") == "20Gi");
  CHECK(used(report, "fast.storageclass.storage.k8s.io/requests.storage") == "20Gi");
  CHECK(demand(report, "requests.storage") == "40Gi");
  REQUIRE(report.denials.size() == 1);
  CHECK(report.denials[0].created == "PersistentVolumeClaim");
  CHECK(report.denials[0].first == 3);
  CHECK(report.denials[0].message.find("persistentvolumeclaims \"data-web-2\" is forbidden: exceeded quota: q") == 0);
}

TEST_CASE("claims of ephemeral volumes come with each pod", "[admission][quota]") {
  const std::vector<ResourceQuota> quotas{quota({{"persistentvolumeclaims", "2"}})};
  const std::string pod =
      "containers: [{name: c}], volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: "
      "{storage: 1Gi}}}}}}]";
  const QuotaReport report = check(quotas, workload("ReplicaSet", "apps/v1", "replicas: 3", pod));
  CHECK(used(report, "persistentvolumeclaims") == "2");
  CHECK(report.denials.at(0).first == 3);
}

TEST_CASE("many replicas are counted together, exactly", "[admission][quota]") {
  const QuotaReport report =
      check({quota({{"requests.cpu", "1000000001"}})}, workload("Deployment", "apps/v1", "replicas: 2147483647"));
  CHECK(used(report, "requests.cpu") == "1000000001");
  CHECK(demand(report, "requests.cpu") == "1073741823500m");
  CHECK(report.denials.at(0).first == 2'000'000'003);
}

TEST_CASE("a LimitRange of the namespace speaks for containers that say nothing", "[admission][quota]") {
  const std::vector<ResourceQuota> quotas{
      quota({{"requests.cpu", "9"}, {"limits.cpu", "9"}, {"requests.memory", "9Gi"}})};
  const std::string pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n";
  const QuotaReport without = check(quotas, pod);
  REQUIRE(without.denials.size() == 1);
  CHECK(without.denials[0].reason == "must-specify");
  CHECK(without.denials[0].message ==
        "pods \"p\" is forbidden: failed quota: q: must specify limits.cpu for: c; requests.cpu for: c; "
        "requests.memory for: "
        "c");
  // It comes after the pod and holds all the same; max is the default limit, a limit the default request, min as
  // well.
  const auto limited = [&](const char* most_of_pod) {
    return check(quotas, pod +
                             "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec:\n  limits:\n"
                             "  - {type: Container, max: {cpu: 2}, defaultRequest: {cpu: 250m}, min: "
                             "{memory: 64Mi}}\n  - {type: Pod, max: {cpu: " +
                             most_of_pod + "}}\n");
  };
  const QuotaReport with = limited("2");
  CHECK(with.denied == 0);
  CHECK(used(with, "requests.cpu") == "250m");
  CHECK(used(with, "limits.cpu") == "2");
  CHECK(used(with, "requests.memory") == "64Mi");
  // What it gives to containers may be more than it allows to pods.
  const QuotaReport beyond = limited("1");
  REQUIRE(beyond.denials.size() == 1);
  CHECK(beyond.denials[0].reason == "limit-range");
  CHECK(beyond.denials[0].message == "pods \"p\" is forbidden: maximum cpu usage per Pod is 1, but limit is 2");
  CHECK(used(beyond, "requests.cpu") == "0");
  CHECK(beyond.uncounted.size() == 1);  // the LimitRange
}

TEST_CASE("an object given again is an update", "[admission][quota]") {
  const auto claim = [](const char* size) {
    return std::string(
               "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {resources: {requests: "
               "{storage: ") +
           size + "}}}\n";
  };
  const QuotaReport report = check({quota({{"persistentvolumeclaims", "1"}, {"requests.storage", "10Gi"}})},
                                   claim("4Gi") + "---\n" + claim("6Gi") + "---\n" + claim("9Gi"));
  CHECK(report.denied == 0);
  CHECK(used(report, "requests.storage") == "9Gi");
  CHECK(used(report, "persistentvolumeclaims") == "1");
}

TEST_CASE("objects that controllers have created stand for them", "[admission][quota]") {
  const QuotaReport report =
      check({quota({{"pods", "9"}})},
            workload("ReplicaSet", "apps/v1", "replicas: 2") +
                "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-a, ownerReferences: [{apiVersion: apps/v1, kind: "
                "ReplicaSet, "
                "name: web, controller: true}]}\nspec: {containers: [{name: c}]}\nstatus: {phase: Running}\n");
  CHECK(used(report, "pods") == "1");
}

TEST_CASE("where quotas start", "[admission][quota]") {
  ResourceQuota q = quota({{"pods", "9"}, {"resourcequotas", "3"}});
  const std::string pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n";
  CHECK(used(check({q}, pod), "pods") == "1");
  CHECK(used(check({q}, pod), "resourcequotas") == "1");  // itself
  q.status.hard["pods"] = Quantity(2);
  q.status.used["pods"] = Quantity(2);
  const QuotaReport report = check({q}, pod);
  CHECK(report.quotas[0].from_status);
  CHECK(report.denials.at(0).message ==
        "pods \"p\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2");
  QuotaCheckOptions zero;
  zero.start = QuotaStart::zero;
  CHECK(check({q}, pod, zero).denied == 0);
  q.status.used.clear();
  CHECK(check({q}, pod).denials.at(0).message ==
        "pods \"p\" is forbidden: status unknown for quota: q, resources: pods");
}

TEST_CASE("namespaces: the quota's stands for one that is left out, and others have no quota", "[admission][quota]") {
  const auto pod = [](const char* metadata) {
    return std::string("---\napiVersion: v1\nkind: Pod\nmetadata: ") + metadata + "\nspec: {containers: [{name: c}]}\n";
  };
  const QuotaReport report = check({quota({{"pods", "9"}})}, pod("{name: a}") + pod("{name: b, namespace: shop}") +
                                                                 pod("{name: c, namespace: other}"));
  CHECK(used(report, "pods") == "2");
  REQUIRE(report.uncounted.size() == 1);
  CHECK(report.uncounted[0].manifest.name == "c");
  CHECK(report.uncounted[0].reason == "namespace other has no quota");
  QuotaCheckOptions options;
  options.ns = "other";
  CHECK(used(check({quota({{"pods", "9"}})}, pod("{name: a}"), options), "pods") == "0");
}

TEST_CASE("kinds of the cluster, custom kinds and their definitions", "[admission][quota]") {
  const QuotaReport report =
      check({quota({{"count/widgets.example.com", "9"},
                    {"count/mice.example.com", "9"},
                    {"count/ingresses.networking.k8s.io", "9"}})},
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n---\n"
            "apiVersion: example.com/v1\nkind: Mouse\nmetadata: {name: a}\n---\n"
            "apiVersion: example.com/v1\nkind: Zone\nmetadata: {name: a}\n---\n"
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\n---\n"
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\n---\n"
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: mice.example.com}\n"
            "spec: {group: example.com, scope: Namespaced, names: {kind: Mouse, plural: mice}}\n---\n"
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: zones.example.com}\n"
            "spec: {group: example.com, scope: Cluster, names: {kind: Zone, plural: zones}}\n");
  CHECK(used(report, "count/widgets.example.com") == "1");
  CHECK(used(report, "count/mice.example.com") == "1");
  CHECK(used(report, "count/ingresses.networking.k8s.io") == "1");
  CHECK(report.uncounted.size() == 4);  // the zone, the role, two definitions
}

TEST_CASE("faults of manifests have their place", "[admission][quota]") {
  const QuotaReport report =
      check({quota({{"pods", "9"}})},
            workload("Deployment", "apps/v1", "replicas: -2",
                     "containers: [{name: c, resources: {requests: {cpu: 1.5Gii}, limits: {memory: -1}}}]"));
  REQUIRE(report.has_errors());
  REQUIRE(report.diagnostics.size() == 3);
  CHECK(report.diagnostics[0].message == "spec.replicas: must be greater than or equal to 0");
  CHECK(report.diagnostics[0].span.line == 5);
  CHECK(report.diagnostics[1].field == "spec.template.spec.containers[0].resources.requests[cpu]");
  CHECK(report.diagnostics[1].message.find("\"1.5Gii\" isn't a quantity") != std::string::npos);
  CHECK(report.diagnostics[2].message.find("must be greater than or equal to 0") != std::string::npos);
}

TEST_CASE("pods that run count what they were given while a resize is under way", "[admission][quota]") {
  const std::string head = "spec: {containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 2}}}]}\n";
  CHECK(amount(measured(head), "cpu") == "1");
  const QuotaSubject shrinking = measured(
      head +
      "status: {containerStatuses: [{name: c, allocatedResources: {cpu: 3}, resources: {requests: {cpu: 2}, limits: "
      "{cpu: 4}}}]}\n");
  CHECK(amount(shrinking, "requests.cpu") == "3");
  CHECK(amount(shrinking, "limits.cpu") == "4");
  const QuotaSubject infeasible = measured(
      "spec: {containers: [{name: c, resources: {requests: {cpu: 64}}}]}\n"
      "status: {conditions: [{type: PodResizePending, reason: Infeasible}], containerStatuses: [{name: c, resources: "
      "{requests: {cpu: 2}}}]}\n");
  CHECK(amount(infeasible, "requests.cpu") == "2");
}

TEST_CASE("a pod whose grace period is over uses nothing", "[admission][quota]") {
  const std::string pod =
      "metadata: {name: p, deletionTimestamp: \"2026-11-20T10:00:00Z\", deletionGracePeriodSeconds: 30}\n"
      "spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n";
  EarlierAdmission earlier;
  CHECK(amount(measured(pod, earlier), "cpu") == "1");
  earlier.now = *parse_rfc3339("2026-11-20T10:00:30Z");
  CHECK(amount(measured(pod, earlier), "cpu") == "1");
  earlier.now = *earlier.now + 1;
  CHECK(amount(measured(pod, earlier), "cpu") == "absent");
  CHECK(amount(measured(pod, earlier), "count/pods") == "1");
}

TEST_CASE("affinity to other namespaces", "[admission][quota]") {
  const auto crosses = [](const std::string& affinity) {
    return measured("spec: {affinity: {" + affinity + "}, containers: []}\n").cross_namespace_affinity;
  };
  CHECK(
      crosses("podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{podAffinityTerm: "
              "{namespaceSelector: {}}}]}"));
  CHECK(crosses("podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{namespaces: [a]}]}"));
  CHECK_FALSE(crosses("podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{namespaces: []}]}"));
  CHECK_FALSE(crosses("nodeAffinity: {}"));
}

TEST_CASE("a pod's own limits are what it requests, where nothing else says it", "[admission][quota]") {
  const QuotaSubject own = measured(
      "spec: {resources: {limits: {cpu: 2, memory: 1Gi, ephemeral-storage: 1Gi}}, containers: [{name: c, resources: "
      "{requests: {cpu: "
      "500m}}}]}\n");
  CHECK(amount(own, "requests.cpu") == "500m");
  CHECK(amount(own, "requests.memory") == "1Gi");
  CHECK(amount(own, "requests.ephemeral-storage") == "absent");
  CHECK(amount(own, "limits.cpu") == "2");
}

TEST_CASE("items of a typed list are of its kind", "[admission][quota]") {
  const QuotaReport report =
      check({quota({{"pods", "9"}, {"requests.cpu", "9"}})},
            "apiVersion: v1\nkind: PodList\nitems:\n"
            "- metadata: {name: a}\n  spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n"
            "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b}\n");
  CHECK(report.diagnostics.empty());
  CHECK(used(report, "pods") == "1");
  CHECK(used(report, "requests.cpu") == "1");
}

TEST_CASE("what a LimitRange denies is not there when it is given again", "[admission][quota]") {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: {limits: {cpu: "
      "2}}}]}\n";
  const QuotaReport report = check({quota({{"pods", "9"}})},
                                   "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec:\n  limits:\n"
                                   "  - {type: Pod, max: {cpu: 1}}\n---\n" +
                                       pod + "---\n" + pod);
  CHECK(report.denied == 2);
  CHECK(report.denials.size() == 2);
  CHECK(used(report, "pods") == "0");
}

TEST_CASE("subresources of Services and claims use no quota", "[admission][quota]") {
  for (const QuotaKind kind : {QuotaKind::services, QuotaKind::claims, QuotaKind::resource_claims}) {
    QuotaSubject object;
    object.kind = kind;
    object.resource = {"", kind == QuotaKind::services ? "services" : "claims"};
    QuotaRequest request;
    request.ns = "shop";
    request.object = &object;
    for (const QuotaOperation operation : {QuotaOperation::create, QuotaOperation::update}) {
      request.operation = operation;
      request.subresource = {};
      CHECK(QuotaEngine::handles(request));
      for (const char* subresource : {"status", "other"}) {
        request.subresource = subresource;
        CHECK_FALSE(QuotaEngine::handles(request));
      }
    }
  }
}

namespace {

std::string update_text(const std::vector<ResourceQuota>& quotas, const std::string& text) {
  QuotaCheckOptions options;
  options.nodes = 3;
  std::string out;
  for (const RollingUpdate& update : check(quotas, text, options).updates) {
    out += std::to_string(update.more) + " " + update.created + (update.stalls ? " stalls" : " goes on");
    for (const RollingUpdate::Need& need : update.needs)
      out += ", " + need.resource + " " + need.needed.str() + " of " + need.hard.str();
  }
  return out;
}

std::string deployment(int replicas, const std::string& strategy) {
  return workload("Deployment", "apps/v1", "replicas: " + std::to_string(replicas) + "\n  " + strategy);
}

}  // namespace

TEST_CASE("what a rolling update needs beyond what is there", "[admission][quota]") {
  const std::string none = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}";
  const std::vector<ResourceQuota> six{quota({{"requests.cpu", "3"}, {"pods", "7"}})};
  CHECK(update_text(six, deployment(6, none)) == "1 Pod stalls, requests.cpu 3500m of 3");
  CHECK(update_text(six, deployment(5, none)).empty());
  // 25 % each: 2 more for 6, and 1 may be away.
  CHECK(update_text(six, deployment(6, "paused: false")) == "2 Pod goes on, pods 8 of 7, requests.cpu 4 of 3");
  CHECK(update_text(six, deployment(5, "paused: false")) == "2 Pod goes on, requests.cpu 3500m of 3");
  CHECK(update_text(six, deployment(6, "strategy: {type: Recreate}")).empty());
  CHECK(update_text(six, deployment(6, "strategy: {rollingUpdate: {maxSurge: 0}}")).empty());
  CHECK(update_text(six, deployment(6, "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}")).empty());
  // One of the two that it may create fits: slower, but it goes on.
  const std::string two = "strategy: {rollingUpdate: {maxSurge: 34%, maxUnavailable: 0}}";
  CHECK(update_text(six, deployment(5, two)) == "2 Pod goes on, requests.cpu 3500m of 3");
  CHECK(update_text(six, deployment(6, two)) == "1 Pod stalls, requests.cpu 3500m of 3");
  // What does not fit at first has no update.
  CHECK(update_text(six, deployment(7, none)).empty());
  CHECK(update_text({quota({{"count/replicasets.apps", "1"}})}, deployment(2, "paused: false")) ==
        "1 ReplicaSet stalls, count/replicasets.apps 2 of 1");
  // The tightest of several quotas; what a later document needs counts, too.
  CHECK(update_text({quota({{"pods", "9"}}, "a"), quota({{"pods", "7"}}, "b")},
                    deployment(6, none) +
                        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: "
                        "c}]}\n") == "1 Pod stalls, pods 8 of 7");
  CHECK(update_text({quota({{"pods", "3"}})}, workload("DaemonSet", "apps/v1", "minReadySeconds: 1")).empty());
  CHECK(update_text(
            {quota({{"pods", "3"}})},
            workload("DaemonSet", "apps/v1", "updateStrategy: {rollingUpdate: {maxSurge: 50%, maxUnavailable: 0}}")) ==
        "1 Pod stalls, pods 4 of 3");
  CHECK(update_text({quota({{"pods", "3"}})}, workload("StatefulSet", "apps/v1", "replicas: 3")).empty());
}

TEST_CASE("quotas that would refuse the same object are named with the first", "[admission][quota]") {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: {requests: {cpu: "
      "2}}}]}\n";
  const auto others = [&](const std::vector<ResourceQuota>& quotas) {
    const QuotaReport report = check(quotas, pod);
    REQUIRE(report.denials.size() == 1);
    return report.denials[0].other_quotas;
  };
  const ResourceQuota cpu = quota({{"requests.cpu", "1"}}, "cpu"), pods = quota({{"pods", "0"}}, "pods"),
                      room = quota({{"pods", "5"}}, "room"), memory = quota({{"requests.memory", "1Gi"}}, "memory");
  CHECK(others({cpu, room, pods}) == std::vector<std::string>{"pods"});
  CHECK(others({cpu, room}).empty());
  // What must be specified is refused before anything is counted.
  CHECK(others({cpu, memory}).empty());
  CHECK(others({memory, quota({{"limits.cpu", "1"}}, "limits"), cpu}) == std::vector<std::string>{"limits"});
}

TEST_CASE("what the plugin limits is denied for want of a quota, which is described", "[admission][quota]") {
  ResourceQuotaConfiguration configuration;
  configuration.limited_resources.push_back({"", "pods", {}, {{"PriorityClass", "In", {"high", "low"}, true}}});
  configuration.limited_resources.push_back({"", "persistentvolumeclaims", {"requests.storage"}, {}});
  const std::vector<ConfigText> texts{
      {"all.yaml",
       "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\nspec: {priorityClassName: high, containers: "
       "[{name: "
       "c}]}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, namespace: b}\nspec: {resources: "
       "{requests: {storage: 1Gi}}}\n"}};
  const QuotaReport report = check_quota({}, &configuration, texts, {});
  REQUIRE(report.denials.size() == 2);
  CHECK(report.denials[0].reason == "scope-not-covered");
  REQUIRE(report.denials[0].uncovered_scopes.size() == 1);
  CHECK(report.denials[0].uncovered_scopes[0].values == std::vector<std::string>{"high"});
  CHECK(report.denials[1].uncovered_resources == std::vector<std::string>{"requests.storage"});
  const std::string text = render(document_of(report), Notation::text);
  CHECK(text.starts_with("2 objects: 2 denied\n"));
  CHECK(text.find("namespace a needs a ResourceQuota whose scopeSelector has scopeName") != text.npos);
  CHECK(text.find("namespace b needs a ResourceQuota that limits requests.storage") != text.npos);
}

TEST_CASE("a LimitRange that the server refuses does not apply", "[admission][quota]") {
  const auto faults = [](const std::string& items) {
    std::string out;
    const QuotaReport report =
        check({quota({{"pods", "5"}})},
              "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [" + items + "]}\n");
    for (const Diagnostic& d : report.diagnostics) out += d.message + "\n";
    return out;
  };
  CHECK(faults("{type: Container, min: {cpu: 100m}, max: {cpu: 1}, defaultRequest: {cpu: 200m}}").empty());
  CHECK(faults("{type: Container, min: {cpu: 2}, max: {cpu: 1}}")
            .find("spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1\n") !=
        std::string::npos);
  // The default request that is left out is the default limit.
  CHECK(
      faults("{type: Container, default: {cpu: 2}, max: {cpu: 1}}") ==
      "spec.limits[0].defaultRequest[cpu]: Invalid value: \"2\": default request value 2 is greater than max value 1\n"
      "spec.limits[0].default[cpu]: Invalid value: \"1\": default value 2 is greater than max value 1\n");
  CHECK(faults("{type: Pod, default: {cpu: 2}}") ==
        "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'\n");
  CHECK(faults("{type: Pods}") ==
        "spec.limits[0].type: Invalid value: \"Pods\": must be a standard limit type or fully qualified\n");
  CHECK(faults("{type: Pod, max: {cpu: 1}}, {type: Pod, max: {cpu: 2}}") ==
        "spec.limits[1].type: Duplicate value: \"Pod\"\n");
  CHECK(faults("{type: PersistentVolumeClaim}") ==
        "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was "
        "provided\n");
  CHECK(faults("{type: Container, maxLimitRequestRatio: {cpu: 500m}}") ==
        "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less than 1\n");
  CHECK(faults("{type: Pod, min: {cpu: 1}, max: {cpu: 3}, maxLimitRequestRatio: {cpu: 4}}") ==
        "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"4\": ratio 4 is greater than max/min = 3.000000\n");
  CHECK(faults("{type: Container, default: {nvidia.com/gpu: 2}, defaultRequest: {nvidia.com/gpu: 1}}") ==
        "spec.limits[0].defaultRequest[nvidia.com/gpu]: Invalid value: \"1\": default value 2 must equal to "
        "defaultRequest value 1 in nvidia.com/gpu\n");
  CHECK(faults("{type: Container, max: {pods: 1}}").find("must be a standard resource for containers") !=
        std::string::npos);
}
