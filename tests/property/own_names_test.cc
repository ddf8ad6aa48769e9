// Names that people give their namespaces, users and groups are none of Kubernetes' own, misspelt: lint must not call
// them so. The words are those of public charts and of teams; one slip in a name of Kubernetes' own is one.
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "lint/system_names.h"
#include "support/vectors.h"

using namespace apf;

namespace {

const std::vector<std::string> kNameWords = {
    "kube",       "system",  "public",   "default", "node",    "lease",    "admin",   "cert",     "manager",
    "monitoring", "ingress", "nginx",    "istio",   "flux",    "argocd",   "velero",  "vault",    "prometheus",
    "grafana",    "loki",    "keda",     "linkerd", "cilium",  "calico",   "tigera",  "operator", "team",
    "a",          "b",       "payments", "shop",    "prod",    "dev",      "staging", "qa",       "test",
    "ci",         "build",   "runner",   "proxy",   "storage", "longhorn", "rook",    "ceph",     "openebs",
    "metallb",    "harbor",  "registry", "logging", "elastic", "kafka",    "redis",   "data",     "ml",
    "scheduler",  "batch",   "jobs",     "web",     "api",     "gateway"};

class OwnNames {
 public:
  explicit OwnNames(std::uint64_t seed) : random_(seed) {}

  // "team-payments-2", "kube-prometheus"
  std::string next() {
    std::string out = word();
    const std::size_t more = pick(3);
    for (std::size_t i = 0; i < more; ++i) out += "-" + word();
    if (pick(4) == 0) out += (pick(2) == 0 ? "-" : "") + std::to_string(pick(20));
    return out;
  }

 private:
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  const std::string& word() { return kNameWords[pick(kNameWords.size())]; }
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("names that people give are not called misspelt names of Kubernetes' own", "[property][lint][names]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  OwnNames names(seed);
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = names.next();
    CAPTURE(name);
    CHECK(meant_system_namespace(name).empty());
    if (name == "kube-scheduler" || name == "kube-proxy") continue;  // these are users without their prefix
    for (const NameKind kind : {NameKind::user, NameKind::group}) {
      const auto meant = meant_system_name(kind, name);
      CHECK((!meant || meant->severity == Severity::info));
      CHECK_FALSE(meant_system_name(kind, "oidc:" + name).has_value());
    }
  }
}

TEST_CASE("one slip in a namespace of every cluster is found", "[property][lint][names]") {
  for (const std::string known : {"kube-system", "kube-public", "kube-node-lease", "default"}) {
    CHECK(meant_system_namespace(known).empty());
    for (std::size_t i = 1; i + 1 < known.size(); ++i) {
      std::string dropped = known, swapped = known;
      dropped.erase(i, 1);
      std::swap(swapped[i], swapped[i - 1]);
      CAPTURE(dropped, swapped);
      CHECK(meant_system_namespace(dropped) == known);
      CHECK((swapped == known || meant_system_namespace(swapped) == known));
    }
  }
}
