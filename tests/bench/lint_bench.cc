// lint over 10,000 FlowSchemas and levels, reading included, against what yaml-cpp needs to parse the same bytes.
// Bars: at most 1.5 times that, for configurations of several shapes.
#include <apf/lint.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

constexpr int kObjects = 10'000;
constexpr int kRounds = 3;
constexpr double kBar = 1.5;

// Processor time: the machine may have other things to do.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds(const auto& run) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const double start = now();
    run();
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  return times[kRounds / 2];
}

std::string level(int number) {
  return fmt::format(R"(---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: level-{}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    lendablePercent: 50
    limitResponse:
      type: Queue
      queuing:
        queues: 64
        handSize: 6
        queueLengthLimit: 50
)",
                     number);
}

std::string schema(int number, int precedence, const std::string& subject, const std::string& resources,
                   const std::string& namespaces) {
  return fmt::format(R"(---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: schema-{0}
spec:
  matchingPrecedence: {1}
  distinguisherMethod:
    type: ByUser
  priorityLevelConfiguration:
    name: level-{2}
  rules:
  - subjects:
    - {3}
    resourceRules:
    - verbs: ["get", "list", "watch", "create"]
      apiGroups: ["", "apps"]
      resources: {4}
      namespaces: {5}
    nonResourceRules:
    - verbs: ["get"]
      nonResourceURLs: ["/custom/{0}/*"]
)",
                     number, precedence, number % (kObjects / 5), subject, resources, namespaces);
}

// Four FlowSchemas for each level.
template <class Schema>
std::string configuration(Schema make) {
  std::string out;
  for (int i = 0; i < kObjects / 5; ++i) out += level(i);
  for (int i = 0; i < kObjects * 4 / 5; ++i) out += make(i);
  return out;
}

bool measure(const char* shape, const std::string& text) {
  const double parse = seconds([&] { YAML::LoadAll(text); });
  const apf::ConfigText texts[] = {{"bench.yaml", text}};
  std::size_t findings = 0;
  double read = 0;
  const double whole = seconds([&] {
    const double start = now();
    const apf::LoadedConfig loaded = apf::load_config(texts);
    read = now() - start;
    findings = apf::lint(loaded, texts, {}).findings.size();
  });
  const double ratio = whole / parse;
  fmt::print(
      "{} {:24} {:5.1f} MB, yaml-cpp {:.2f} s, read and lint {:.2f} s (read {:.2f} s), {} findings: {:.2f}x (bar: at "
      "most {}x)\n",
      ratio <= kBar ? "ok    " : "MISSED", shape, static_cast<double>(text.size()) / 1e6, parse, whole, read, findings,
      ratio, kBar);
  return ratio <= kBar;
}

}  // namespace

int main() {
  const std::string account = "{{kind: ServiceAccount, serviceAccount: {{namespace: team-{}, name: \"*\"}}}}";
  const std::string everybody = "{kind: Group, group: {name: system:serviceaccounts}}";
  bool met = true;
  met &= measure("a subject each", configuration([&](int i) {
                   return schema(i, 1000 + i % 7000, fmt::format(fmt::runtime(account), i),
                                 "[\"pods\", \"deployments\"]", "[\"*\"]");
                 }));
  met &= measure("one subject", configuration([&](int i) {
                   return schema(i, 1000 + i % 7000, everybody, "[\"pods\", \"deployments\"]",
                                 fmt::format("[\"team-{}\"]", i));
                 }));
  met &= measure("one precedence", configuration([&](int i) {
                   return schema(i, 1000, everybody, fmt::format("[\"pods\", \"crd-{}\"]", i), "[\"*\"]");
                 }));
  met &=
      measure("all the same", configuration([&](int i) { return schema(i, 1 + i, everybody, "[\"*\"]", "[\"*\"]"); }));
  return met ? 0 : 1;
}
