// Writes the audit log of the example: two minutes of a small cluster in which pods of one team fail, so that kubelets
// post events by the thousand, while somebody's report lists all pods over and over.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t kBegin = 1'795'176'000'000'000;  // µs: 2026-11-20T12:00:00Z
constexpr std::int64_t kSecond = 1'000'000;
constexpr int kNodes = 20, kDevelopers = 30;

struct Request {
  std::int64_t time = 0, duration = 0;  // µs
  std::string verb, uri, user, groups, agent, object;
};

std::string timestamp(std::int64_t micros) {
  const std::int64_t day = (micros - kBegin) + 12 * 3600 * kSecond;  // it never gets midnight
  char text[64];
  std::snprintf(text, sizeof text, "2026-11-20T%02d:%02d:%02d.%06dZ", static_cast<int>(day / kSecond / 3600),
                static_cast<int>(day / kSecond / 60 % 60), static_cast<int>(day / kSecond % 60),
                static_cast<int>(day % kSecond));
  return text;
}

class Log {
 public:
  explicit Log(std::ostream& out) : out_(out) {}
  void write(const Request& r) {
    char id[48];
    std::snprintf(id, sizeof id, "0f0f0000-0000-4000-8000-%012d", ++count_);
    const int code = r.verb == "create" ? 201 : 200;
    out_ << R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":")" << id
         << R"(","stage":"ResponseComplete","requestURI":")" << r.uri << R"(","verb":")" << r.verb
         << R"(","user":{"username":")" << r.user << R"(","groups":[)" << r.groups
         << R"(]},"sourceIPs":["10.0.0.1"],"userAgent":")" << r.agent << R"(","responseStatus":{"metadata":{},"code":)"
         << code << "}";
    if (!r.object.empty()) out_ << R"(,"requestObject":)" << r.object;
    out_ << R"(,"requestReceivedTimestamp":")" << timestamp(r.time) << R"(","stageTimestamp":")"
         << timestamp(r.time + r.duration) << R"(","annotations":{"apiserver.latency.k8s.io/apf-queue-wait":"0s"}})"
         << '\n';
  }

 private:
  std::ostream& out_;
  int count_ = 0;
};

// The same numbers everywhere.
class Random {
 public:
  std::int64_t below(std::int64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_ = 20261120;
};

std::string two_digits(std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); }

class Cluster {
 public:
  std::vector<Request> second(int s) {
    std::vector<Request> out;
    developers(s, out);
    controllers(s, out);
    nodes(s, out);
    if (s >= 30 && s < 90) events(s, out);
    if (s >= 60) reports(s, out);
    return out;
  }

 private:
  std::int64_t within(int s) { return kBegin + s * kSecond + random_.below(kSecond); }
  void developers(int s, std::vector<Request>& out) {
    for (int i = 0; i < kDevelopers; ++i) {
      out.push_back({within(s),
                     20'000 + random_.below(20'000),
                     "get",
                     "/api/v1/namespaces/team-" + two_digits(i % 5) + "/pods/web-0",
                     "dev-" + two_digits(i),
                     R"("developers","system:authenticated")",
                     "kubectl/v1.36.0 (linux/amd64)",
                     {}});
    }
  }
  void controllers(int s, std::vector<Request>& out) {
    for (int i = 0; i < 20; ++i) {
      out.push_back({within(s),
                     30'000,
                     "update",
                     "/apis/apps/v1/namespaces/team-" + two_digits(i % 5) + "/deployments/web/status",
                     "system:serviceaccount:kube-system:deployment-controller",
                     R"("system:serviceaccounts","system:serviceaccounts:kube-system","system:authenticated")",
                     "kube-controller-manager/v1.36.0",
                     {}});
    }
  }
  void nodes(int s, std::vector<Request>& out) {
    for (int i = 0; i < kNodes; ++i) {
      if (i % 10 != s % 10) continue;
      const std::string name = "node-" + two_digits(i);
      out.push_back({within(s),
                     8'000,
                     "update",
                     "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" + name,
                     "system:node:" + name,
                     R"("system:nodes","system:authenticated")",
                     "kubelet/v1.36.0",
                     {}});
    }
  }
  // Most are of the team whose pods fail.
  void events(int s, std::vector<Request>& out) {
    for (int i = 0; i < kNodes * 10; ++i) {
      const std::string node = "node-" + two_digits(i % kNodes);
      const std::string team = "team-" + two_digits(random_.below(10) < 8 ? 0 : 1 + random_.below(4));
      const std::string pod = "web-" + std::to_string(random_.below(40));
      const std::string object = R"({"kind":"Event","apiVersion":"v1","metadata":{"namespace":")" + team +
                                 R"("},"involvedObject":{"kind":"Pod","namespace":")" + team + R"(","name":")" + pod +
                                 R"("},"reason":"BackOff","source":{"component":"kubelet","host":")" + node + R"("}})";
      out.push_back({within(s), 150'000, "create", "/api/v1/namespaces/" + team + "/events", "system:node:" + node,
                     R"("system:nodes","system:authenticated")", "kubelet/v1.36.0", object});
    }
  }
  void reports(int s, std::vector<Request>& out) {
    for (int i = 0; i < 30; ++i) {
      out.push_back({within(s),
                     4'000'000,
                     "list",
                     "/api/v1/pods",
                     "system:serviceaccount:reports:builder",
                     R"("system:serviceaccounts","system:serviceaccounts:reports","system:authenticated")",
                     "report-builder/2.1",
                     {}});
    }
  }
  Random random_;
};

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "-o") == 0) path = argv[i + 1];
  if (path.empty()) {
    std::cerr << "generate-four-limits -o FILE\n";
    return 2;
  }
  std::ofstream out(path);
  Log log(out);
  Cluster cluster;
  for (int s = 0; s < 120; ++s)
    for (const Request& request : cluster.second(s)) log.write(request);
  out.close();
  if (!out) {
    std::cerr << "cannot write " << path << '\n';
    return 2;
  }
  return 0;
}
