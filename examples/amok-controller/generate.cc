// Writes the audit log of a cluster in which one controller runs amok (README.md tells the story). The same options
// give the same bytes. More requests make the log span more time: the rate and the memory needed stay the same.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "audit_event.h"

namespace {

using namespace amok;

constexpr Micros kStart = 1'795'168'800 * kSecond;  // 2026-11-20T10:00:00Z
constexpr Micros kCycle = 330 * kSecond;            // the story happens once in a cycle
constexpr Micros kAmokFrom = 60 * kSecond, kAmokUntil = 240 * kSecond;
constexpr Micros kStormAt = 262 * kSecond;
constexpr int kNodes = 150, kTeams = 24, kAmokWorkers = 48, kStormPages = 12;

// --- the log -----------------------------------------------------------------------------------

// Lines stand in a log in the order of the ends of their stages.
class Log {
 public:
  explicit Log(std::FILE* out, std::int64_t limit) : out_(out), limit_(limit) {}

  bool full() const { return requests_ >= limit_; }

  // One request: its events are written when the clock has passed them.
  void request(const Client& client, const Target& target, Micros received, Micros duration, int code, Random& random) {
    if (full()) return;
    ++requests_;
    last_ = std::max(last_, received);
    const std::string id = uuid(random);
    Event event{&client, &target, id, EventStage::response_complete, code, received, received + duration};
    const std::string_view verb = target.verb;
    const bool long_running = verb == "watch" || target.subresource == "exec" || target.subresource == "log";
    if (long_running || code == 401) {  // a refused log-in ends with the start of its response
      event.stage = EventStage::response_started;
      event.stage_time = code == 401 ? event.stage_time : received + random.between(180, 900);
      hold(event, random);
      event.stage = EventStage::response_complete;
      event.stage_time = received + duration;
    }
    if (code != 401) hold(event, random);
  }

  void write_until(Micros now) {
    while (!held_.empty() && held_.top().time <= now) {
      std::fwrite(held_.top().text->data(), 1, held_.top().text->size(), out_);
      held_.pop();
    }
  }
  // The log ends a little after its last request: what is open then has no end in it.
  void finish() { write_until(last_ + 3 * kSecond); }

 private:
  struct Line {
    Micros time = 0;
    std::uint64_t order = 0;
    std::shared_ptr<const std::string> text;
    bool operator<(const Line& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  void hold(const Event& event, Random& random) {
    auto text = std::make_shared<std::string>();
    text->reserve(1400);
    append_event(*text, event, random);
    text->shrink_to_fit();
    held_.push({event.stage_time, order_++, std::move(text)});
  }

  std::FILE* out_;
  std::int64_t limit_, requests_ = 0;
  std::uint64_t order_ = 0;
  Micros last_ = kStart;
  std::priority_queue<Line> held_;
};

// --- who asks ----------------------------------------------------------------------------------

std::string source(const std::string& ip, const std::string& agent) {
  std::string out = fmt::format(R"("sourceIPs":["{}"],"userAgent":")", ip);
  append_escaped(out, agent);
  return out + '"';
}

Client node_client(int node, Random& random) {
  return {
      fmt::format(
          R"({{"username":"system:node:node-{:03}","groups":["system:nodes","system:authenticated"],)"
          R"("extra":{{"authentication.kubernetes.io/credential-id":["X509SHA256={:016x}{:016x}{:016x}{:016x}"]}}}})",
          node, random.next(), random.next(), random.next(), random.next()),
      source(fmt::format("10.1.{}.{}", node / 200, node % 200 + 10),
             "kubelet/v1.36.2 (linux/amd64) kubernetes/7f3a9d1"),
      "", ""};
}

Client component_client(const std::string& name, const std::string& agent) {
  return {
      fmt::format(R"({{"username":"system:{0}","groups":["system:authenticated"]}})", name),
      source("10.1.0.2", fmt::format("{}/v1.36.2 (linux/amd64) kubernetes/7f3a9d1/{}", name, agent)),
      fmt::format(
          R"(RBAC: allowed by ClusterRoleBinding \"system:{0}\" of ClusterRole \"system:{0}\" to User \"system:{0}\")",
          name),
      ""};
}

Client service_account(const std::string& ns, const std::string& name, const std::string& agent, int node,
                       Random& random) {
  return {
      fmt::format(
          R"({{"username":"system:serviceaccount:{0}:{1}","uid":"{2}","groups":["system:serviceaccounts","system:serviceaccounts:{0}",)"
          R"("system:authenticated"],"extra":{{"authentication.kubernetes.io/credential-id":["JTI={3}"],)"
          R"("authentication.kubernetes.io/node-name":["node-{4:03}"],"authentication.kubernetes.io/node-uid":["{5}"],)"
          R"("authentication.kubernetes.io/pod-name":["{1}-{6:08x}"],"authentication.kubernetes.io/pod-uid":["{7}"]}}}})",
          ns, name, uuid(random), uuid(random), node, uuid(random), random.next() >> 32, uuid(random)),
      source(fmt::format("10.244.{}.{}", node, random.between(2, 250)), agent),
      fmt::format(R"(RBAC: allowed by ClusterRoleBinding \"{1}\" of ClusterRole \"{1}\" to ServiceAccount \"{1}/{0}\")",
                  ns, name),
      ""};
}

Client person(const std::string& name, const std::string& groups, const std::string& ip) {
  return {fmt::format(R"({{"username":"{}","groups":[{}"system:authenticated"]}})", name, groups),
          source(ip, "kubectl/v1.36.1 (linux/amd64) kubernetes/2c4e1b7"),
          fmt::format(R"(RBAC: allowed by RoleBinding \"developers/team-03\" of ClusterRole \"edit\" to User \"{}\")",
                      name),
          ""};
}

// --- what is asked -----------------------------------------------------------------------------

struct Resource {
  const char* group;  // "" = core
  const char* version;
  const char* name;
};
constexpr Resource kPods{"", "v1", "pods"}, kNodesResource{"", "v1", "nodes"}, kConfigMaps{"", "v1", "configmaps"},
    kSecrets{"", "v1", "secrets"}, kServices{"", "v1", "services"}, kEvents{"", "v1", "events"},
    kLeases{"coordination.k8s.io", "v1", "leases"}, kDeployments{"apps", "v1", "deployments"},
    kReplicaSets{"apps", "v1", "replicasets"}, kSlices{"discovery.k8s.io", "v1", "endpointslices"},
    kOrders{"shop.example.com", "v1", "orders"}, kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews"};

Target target(const char* verb, const Resource& resource, const std::string& ns, const std::string& name,
              const std::string& query = "", const std::string& subresource = "") {
  Target t;
  t.verb = verb;
  t.uri = *resource.group ? fmt::format("/apis/{}/{}", resource.group, resource.version)
                          : fmt::format("/api/{}", resource.version);
  if (!ns.empty()) t.uri += "/namespaces/" + ns;
  t.uri += fmt::format("/{}", resource.name);
  const bool creates = std::string_view(verb) == "create" && subresource.empty();
  t.subresource = subresource;
  if (!name.empty() && !creates) t.uri += "/" + name;
  if (!subresource.empty()) t.uri += "/" + subresource;
  if (!query.empty()) t.uri += "?" + query;
  t.object = fmt::format(R"({{"resource":"{}")", resource.name);
  if (!ns.empty()) t.object += fmt::format(R"(,"namespace":"{}")", ns);
  if (!name.empty()) t.object += fmt::format(R"(,"name":"{}")", name);
  if (*resource.group) t.object += fmt::format(R"(,"apiGroup":"{}")", resource.group);
  t.object += fmt::format(R"(,"apiVersion":"{}")", resource.version);
  if (!subresource.empty()) t.object += fmt::format(R"(,"subresource":"{}")", subresource);
  t.object += '}';
  return t;
}

Target path(const char* uri) { return {uri, "get", "", ""}; }

// Most answers take about `usual`, some several times that, a few ten times.
Micros latency(Micros usual, Random& random) {
  const std::int64_t luck = random.below(1000);
  if (luck < 800) return usual * random.between(600, 1300) / 1000;
  if (luck < 985) return usual * random.between(1200, 3000) / 1000;
  return usual * random.between(3000, 10000) / 1000;
}

std::string watch_query(Random& random, Micros length, const std::string& selector = "") {
  return fmt::format("allowWatchBookmarks=true{}&resourceVersion={}&timeout={}m{}s&timeoutSeconds={}&watch=true",
                     selector, 18'400'000 + random.below(90'000), length / kSecond / 60, length / kSecond % 60,
                     length / kSecond);
}

// --- the cluster -------------------------------------------------------------------------------

// Somebody who asks again and again: called at a time, it asks and returns when it is to be called next.
using Actor = std::function<Micros(Micros)>;

class Cluster {
 public:
  Cluster(Log& log, std::uint64_t seed) : log_(log), random_(seed) {
    add_nodes();
    add_control_plane();
    add_workloads();
    add_people();
    add_amok_controller();
    add_list_storm();
  }

  void run() {
    while (!log_.full()) {
      const Next next = agenda_.top();
      agenda_.pop();
      log_.write_until(next.time);
      agenda_.push({actors_[next.actor](next.time), next.actor});
    }
    log_.finish();
  }

 private:
  struct Next {
    Micros time = 0;
    std::size_t actor = 0;
    bool operator<(const Next& other) const { return time != other.time ? time > other.time : actor > other.actor; }
  };

  void add_actor(Micros first, Actor act) {
    agenda_.push({kStart + first, actors_.size()});
    actors_.push_back(std::move(act));
  }
  const Client* keep(Client client) {
    clients_.push_back(std::make_unique<Client>(std::move(client)));
    return clients_.back().get();
  }
  void ask(const Client* client, const Target& what, Micros at, Micros usual, int code = 200) {
    log_.request(*client, what, at, latency(usual, random_), code, random_);
  }
  // Periodic: about every `period`, one of `choices` requests.
  using Choice = std::function<void(Micros)>;
  void every(Micros period, const Choice& choice) {
    add_actor(random_.below(period), [this, period, choice](Micros now) {
      choice(now);
      return now + period * random_.between(900, 1100) / 1000;
    });
  }
  // A watch that is opened again whenever it ends, `least` to twice that later (5 to 10 minutes where the server ends
  // it).
  void watch(const Client* client, const Resource& resource, const std::string& ns, const std::string& selector = "",
             std::int64_t least = 300) {
    add_actor(random_.below(least * kSecond), [=, this, &resource](Micros now) {
      const Micros length = random_.between(least, 2 * least) * kSecond;
      log_.request(*client, target("watch", resource, ns, "", watch_query(random_, length, selector)), now,
                   length + random_.below(900 * kMs), 200, random_);
      return now + length + kSecond + random_.below(kSecond);
    });
  }
  std::string item(const char* prefix, int count) { return fmt::format("{}-{:04}", prefix, random_.below(count)); }

  void add_nodes() {
    for (int i = 0; i < kNodes; ++i) {
      const Client* node = keep(node_client(i, random_));
      const std::string name = fmt::format("node-{:03}", i);
      every(10 * kSecond, [=, this](Micros now) {
        ask(node, target("update", kLeases, "kube-node-lease", name, "timeout=10s"), now, 6 * kMs);
      });
      every(10 * kSecond, [=, this](Micros now) {
        ask(node, target("get", kNodesResource, "", name, "resourceVersion=0&timeout=10s"), now, 2 * kMs);
        if (random_.one_in(3))
          ask(node, target("patch", kNodesResource, "", name, "timeout=10s", "status"), now + 9 * kMs, 12 * kMs);
      });
      every(20 * kSecond, [=, this](Micros now) {
        const std::string pod = item("app", 4000);
        ask(node, target("get", kPods, fmt::format("team-{:02}", random_.below(kTeams)), pod), now, 4 * kMs);
        ask(node, target("patch", kPods, fmt::format("team-{:02}", random_.below(kTeams)), pod, "", "status"),
            now + 8 * kMs, 14 * kMs);
      });
      watch(node, kPods, "", fmt::format("&fieldSelector=spec.nodeName%3D{}", name));
      watch(node, kServices, "");
      const Client* proxy = keep(service_account("kube-system", "kube-proxy",
                                                 "kube-proxy/v1.36.2 (linux/amd64) kubernetes/7f3a9d1", i, random_));
      watch(proxy, kSlices, "");
    }
  }

  void add_control_plane() {
    for (const char* name : {"kube-controller-manager", "kube-scheduler"}) {
      const Client* leader = keep(component_client(name, "leader-election"));
      every(2 * kSecond, [=, this](Micros now) {
        ask(leader, target("get", kLeases, "kube-system", name, "timeout=5s"), now, 2 * kMs);
        ask(leader, target("update", kLeases, "kube-system", name, "timeout=5s"), now + 4 * kMs, 6 * kMs);
      });
    }
    const Client* scheduler = keep(component_client("kube-scheduler", "scheduler"));
    every(250 * kMs, [=, this](Micros now) {
      const std::string ns = fmt::format("team-{:02}", random_.below(kTeams)), pod = item("app", 4000);
      ask(scheduler, target("create", kPods, ns, pod, "", "binding"), now, 15 * kMs, 201);
      ask(scheduler, target("create", kEvents, ns, "", ""), now + 18 * kMs, 9 * kMs, 201);
    });
    for (const char* name :
         {"deployment-controller", "replicaset-controller", "endpointslice-controller", "node-controller",
          "generic-garbage-collector", "horizontal-pod-autoscaler", "namespace-controller", "job-controller"}) {
      const Client* controller = keep(service_account(
          "kube-system", name,
          fmt::format(
              "kube-controller-manager/v1.36.2 (linux/amd64) kubernetes/7f3a9d1/system:serviceaccount:kube-system:{}",
              name),
          0, random_));
      every(220 * kMs, [=, this](Micros now) {
        const std::string ns = fmt::format("team-{:02}", random_.below(kTeams));
        switch (random_.below(5)) {
          case 0:
            ask(controller, target("get", kDeployments, ns, item("web", 300)), now, 3 * kMs);
            break;
          case 1:
            ask(controller, target("update", kReplicaSets, ns, item("web", 600), "", "status"), now, 14 * kMs);
            break;
          case 2:
            ask(controller, target("update", kSlices, ns, item("web", 300)), now, 16 * kMs);
            break;
          case 3:
            ask(controller, target("create", kPods, ns, ""), now, 22 * kMs, 201);
            break;
          default:
            ask(controller, target("delete", kPods, ns, item("app", 4000)), now, 18 * kMs);
            break;
        }
      });
      watch(controller, kReplicaSets, "");
      watch(controller, kPods, "");
    }
    const Client* prober = keep({R"({"username":"system:anonymous","groups":["system:unauthenticated"]})",
                                 source("10.1.0.2", "kube-probe/1.36"), "", ""});
    for (const char* uri : {"/livez", "/readyz"}) {
      every(kSecond, [=, this](Micros now) { ask(prober, path(uri), now, kMs); });
    }
  }

  void add_workloads() {
    for (int i = 0; i < kTeams; ++i) {
      const std::string ns = fmt::format("team-{:02}", i);
      const Client* app =
          keep(service_account(ns, "app", "app/v2.8.1 (linux/amd64) client-go/v0.35.0", 10 + i, random_));
      every(345 * kMs, [=, this](Micros now) {
        switch (random_.below(6)) {
          case 0:
            ask(app, target("list", kPods, ns, "", "labelSelector=app%3Dweb&resourceVersion=0"), now, 25 * kMs);
            break;
          case 1:
            ask(app, target("update", kConfigMaps, ns, item("state", 40)), now, 12 * kMs,
                random_.one_in(40) ? 409 : 200);
            break;
          case 2:
            ask(app, target("patch", kDeployments, ns, item("web", 12), "fieldManager=app"), now, 18 * kMs);
            break;
          case 3:
            ask(app, target("get", kSecrets, ns, item("token", 20)), now, 4 * kMs, random_.one_in(30) ? 404 : 200);
            break;
          default:
            ask(app, target("get", kConfigMaps, ns, item("state", 40)), now, 4 * kMs);
            break;
        }
      });
      watch(app, kConfigMaps, ns, "", 45);
    }
    // Operators hold leases too. Since release 1.34 no built-in FlowSchema lifts these out of the service accounts'
    // level.
    for (int i = 0; i < 12; ++i) {
      const std::string ns = fmt::format("operator-{:02}", i), lease = fmt::format("operator-{:02}.example.com", i);
      const Client* holder = keep(service_account(
          ns, "operator", "operator/v0.19.4 (linux/amd64) client-go/v0.35.0/leader-election", 40 + i, random_));
      every(2 * kSecond, [=, this](Micros now) {
        ask(holder, target("get", kLeases, ns, lease, "timeout=5s"), now, 2 * kMs);
        ask(holder, target("update", kLeases, ns, lease, "timeout=5s"), now + 4 * kMs, 6 * kMs);
      });
    }
    const Client* monitor = keep(service_account("monitoring", "prometheus", "Prometheus/3.5.0", 60, random_));
    every(15 * kSecond, [=, this](Micros now) { ask(monitor, path("/metrics"), now, 380 * kMs); });
    const Client* gateway = keep(service_account("ingress", "gateway", "gateway/v1.14.0 (linux/amd64)", 61, random_));
    every(700 * kMs,
          [=, this](Micros now) { ask(gateway, target("create", kTokenReviews, "", "", ""), now, 5 * kMs, 201); });
  }

  void add_people() {
    const Client* masters = keep(person("kubernetes-admin", R"("system:masters",)", "192.0.2.10"));
    every(20 * kSecond,
          [=, this](Micros now) { ask(masters, target("list", kNodesResource, "", "", "limit=500"), now, 60 * kMs); });
    for (const char* name : {"alice@example.com", "bob@example.com", "carol@example.com"}) {
      const Client* developer = keep(person(name, R"("developers",)", "192.0.2.44"));
      every(3 * kSecond, [=, this](Micros now) {
        const std::string ns = "team-03";
        switch (random_.below(5)) {
          case 0:
            ask(developer, path("/apis?timeout=32s"), now, 2 * kMs);
            break;
          case 1:
            ask(developer, target("list", kDeployments, ns, "", "limit=500"), now, 30 * kMs);
            break;
          case 2:
            ask(developer, target("get", kSecrets, "kube-system", item("token", 9)), now, 2 * kMs, 403);
            break;
          default:
            ask(developer, target("list", kPods, ns, "", "limit=500"), now, 45 * kMs);
            break;
        }
      });
    }
    const Client* alice = keep(person("alice@example.com", R"("developers",)", "192.0.2.44"));
    every(25 * kSecond, [=, this](Micros now) {
      const std::string pod = item("app", 4000);
      Target logs = target("get", kPods, "team-03", pod, "container=web&follow=true", "log");
      log_.request(*alice, logs, now, random_.between(2, 40) * kSecond, 200, random_);
      Target shell =
          target("create", kPods, "team-03", pod, "command=sh&container=web&stdin=true&stdout=true&tty=true", "exec");
      log_.request(*alice, shell, now + 3 * kSecond, random_.between(5, 60) * kSecond, 101, random_);
    });
    Client robot = service_account("ci", "deployer", "helm/v4.0.1", 62, random_);
    robot.impersonated = R"({"username":"jane@example.com","groups":["developers","system:authenticated"]})";
    const Client* jane = keep(std::move(robot));
    every(4 * kSecond, [=, this](Micros now) {
      ask(jane, target("patch", kDeployments, "team-03", item("web", 12), "fieldManager=helm&force=true"), now,
          24 * kMs);
    });
    const Client* expired = keep({"{}", source("192.0.2.77", "python-requests/2.32.3"), "", ""});
    every(4 * kSecond, [=, this](Micros now) { ask(expired, target("list", kPods, "", ""), now, kMs / 2, 401); });
  }

  // order-sync in namespace shop: lists all orders, writes a few with a stale resourceVersion, gets a conflict,
  // and begins anew at once, in every one of its workers.
  void add_amok_controller() {
    const Client* sync =
        keep(service_account("shop", "order-sync", "order-sync/v3.0.0 (linux/amd64) client-go/v0.35.0", 70, random_));
    for (int i = 0; i < kAmokWorkers; ++i) {
      add_actor(kAmokFrom + random_.below(8 * kSecond), [=, this](Micros now) {
        const Micros list = random_.between(620, 1100) * kMs;
        log_.request(*sync, target("list", kOrders, "shop", ""), now, list, 200, random_);
        for (int k = 0; k < 3; ++k) {
          const int code = random_.one_in(8) ? 200 : 409;
          ask(sync, target("update", kOrders, "shop", item("order", 3000), "", "status"), now + list + k * 25 * kMs,
              15 * kMs, code);
        }
        const Micros again = now + list + 80 * kMs, phase = (again - kStart) % kCycle;
        return phase < kAmokUntil ? again : again - phase + kCycle + kAmokFrom + random_.below(8 * kSecond);
      });
    }
  }

  // A new image of the log shipper: its pods restart on all nodes, and each reads all pods of the cluster, page by
  // page.
  void add_list_storm() {
    for (int i = 0; i < kNodes; ++i) {
      const Client* shipper = keep(
          service_account("logging", "log-shipper", "log-shipper/v1.9.0 (linux/amd64) client-go/v0.35.0", i, random_));
      auto page = std::make_shared<int>(0);
      add_actor(kStormAt + random_.below(12 * kSecond), [=, this](Micros now) {
        const std::string token =
            *page == 0
                ? ""
                : fmt::format("continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTg0{:011x}fQ&", random_.next() >> 20);
        const Micros took = random_.between(550, 1200) * kMs;
        log_.request(*shipper, target("list", kPods, "", "", token + "limit=500"), now, took, 200, random_);
        if (++*page < kStormPages) return now + took + 5 * kMs;
        *page = 0;
        return now - (now - kStart) % kCycle + kCycle + kStormAt + random_.below(12 * kSecond);
      });
    }
  }

  Log& log_;
  Random random_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<Actor> actors_;
  std::priority_queue<Next> agenda_;
};

int usage(const char* complaint) {
  std::fprintf(stderr, "%susage: generate [--requests N] [--seed N] [-o FILE]   (default 100000, 1, standard output)\n",
               complaint);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t requests = 100'000;
  std::uint64_t seed = 1;
  std::FILE* out = stdout;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "-h" || option == "--help") return (usage(""), 0);
    if (i + 1 == argc) return usage((option + " needs a value; ").c_str());
    char* end = nullptr;
    if (option == "--requests") {
      requests = std::strtoll(argv[i + 1], &end, 10);
    } else if (option == "--seed") {
      seed = std::strtoull(argv[i + 1], &end, 10);
    } else if (option == "-o") {
      out = std::fopen(argv[i + 1], "wb");
      if (!out) return std::fprintf(stderr, "%s: %s\n", argv[i + 1], std::strerror(errno)), 2;
    } else {
      return usage(("unknown option " + option + "; ").c_str());
    }
    if (end && (*end || end == argv[i + 1] || requests < 1))
      return usage((option + " needs a positive number; ").c_str());
  }
  std::setvbuf(out, nullptr, _IOFBF, 1 << 20);
  Log log(out, requests);
  Cluster(log, seed).run();
  if (std::fflush(out) != 0 || std::ferror(out))
    return std::fprintf(stderr, "cannot write the log: %s\n", std::strerror(errno)), 2;
  return 0;
}
