// Writes the audit log of the example: two calm minutes of a server with seats to spare. Applications read and write,
// nodes renew their leases, and for 40 s a batch job reads as fast as it can. Nothing waits and nothing is refused.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::int64_t kMs = 1000, kSecond = 1000 * kMs;  // µs
constexpr int kSeconds = 120, kApps = 12, kNodes = 20;

struct Request {
  std::int64_t time = 0, duration = 0;  // µs after 12:00
  std::string verb, uri, user, group, agent;
};

// The same numbers everywhere.
class Random {
 public:
  std::int64_t below(std::int64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_ = 20261121;
};

std::string timestamp(std::int64_t micros) {
  char text[64];
  std::snprintf(text, sizeof text, "2026-11-20T12:%02d:%02d.%06dZ", static_cast<int>(micros / kSecond / 60),
                static_cast<int>(micros / kSecond % 60), static_cast<int>(micros % kSecond));
  return text;
}

std::vector<Request> requests() {
  std::vector<Request> out;
  Random random;
  const auto some = [&](int second) { return second * kSecond + random.below(kSecond); };
  for (int s = 0; s < kSeconds; ++s) {
    for (int app = 0; app < kApps; ++app) {
      const std::string ns = "team-" + std::to_string(app);
      const std::string user = "system:serviceaccount:" + ns + ":app", group = "system:serviceaccounts";
      out.push_back({some(s), 20 * kMs + random.below(200 * kMs), "get", "/api/v1/namespaces/" + ns + "/configmaps/app",
                     user, group, "app/v1"});
      if (s % 3 == 0)
        out.push_back({some(s), 30 * kMs + random.below(100 * kMs), "update",
                       "/api/v1/namespaces/" + ns + "/configmaps/state", user, group, "app/v1"});
    }
    for (int node = s % 10; node < kNodes; node += 10) {
      const std::string name = "node-" + std::to_string(node);
      out.push_back({some(s), 5 * kMs + random.below(10 * kMs), "update",
                     "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" + name, "system:node:" + name,
                     "system:nodes", "kubelet/v1.36"});
    }
    if (s < 40 || s >= 80) continue;
    for (int i = 0; i < 60; ++i)
      out.push_back({some(s), 150 * kMs + random.below(500 * kMs), "get",
                     "/api/v1/namespaces/batch/secrets/input-" + std::to_string(i),
                     "system:serviceaccount:batch:runner", "system:serviceaccounts", "runner/v3"});
  }
  return out;
}

void write(std::ostream& out, std::vector<Request> requests) {
  std::sort(requests.begin(), requests.end(), [](const Request& a, const Request& b) {
    return a.time + a.duration < b.time + b.duration;  // lines are written when requests end
  });
  int count = 0;
  for (const Request& r : requests) {
    char id[48];
    std::snprintf(id, sizeof id, "0f0f0000-0000-4000-8000-%012d", ++count);
    out << R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":")" << id
        << R"(","stage":"ResponseComplete","requestURI":")" << r.uri << R"(","verb":")" << r.verb
        << R"(","user":{"username":")" << r.user << R"(","groups":[")" << r.group
        << R"(","system:authenticated"]},"sourceIPs":["10.0.0.1"],"userAgent":")" << r.agent
        << R"(","responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":")" << timestamp(r.time)
        << R"(","stageTimestamp":")" << timestamp(r.time + r.duration) << "\"";
    if (r.duration > 500 * kMs)
      out << R"(,"annotations":{"apiserver.latency.k8s.io/total":")" << static_cast<double>(r.duration) / kMs
          << R"(ms"})";
    out << "}\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "-o") {
    std::ofstream file(argv[2]);
    write(file, requests());
    return file.good() ? 0 : 1;
  }
  write(std::cout, requests());
  return 0;
}
