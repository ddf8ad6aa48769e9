// lint over 10,000 FlowSchemas and levels, from the text to the report, against what yaml-cpp needs to parse the same
// bytes. Bars: at most 2.5 times that, for configurations of several shapes.
//
//   lint_bench              all shapes
//   lint_bench write FILE   the shape of most clusters into a file, for measuring whole processes
//   lint_bench parse FILE   what is measured against: read the file and let yaml-cpp parse it
#include <apf/lint.h>
#include <apf/report.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <time.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kObjects = 10'000;
constexpr int kRounds = 3;
constexpr double kBar = 2.5;

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

// Numbers that are the same everywhere: the standard's distributions are not.
class Dice {
 public:
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  // Some of the words as a list in brackets.
  std::string some(std::vector<std::string> words, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) std::swap(words[i], words[i + below(words.size() - i)]);
    words.resize(count);
    return fmt::format("[{}]", fmt::join(words, ", "));
  }

 private:
  std::mt19937 engine_{20261120};
};

std::string rule(const std::string& subjects, const std::string& parts) {
  return fmt::format("  - subjects: [{}]\n{}", subjects, parts);
}

std::string with_rules(int number, int precedence, const std::string& rules) {
  return fmt::format(R"(---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: schema-{0}
spec:
  matchingPrecedence: {1}
  distinguisherMethod: {{type: ByUser}}
  priorityLevelConfiguration:
    name: level-{2}
  rules:
{3})",
                     number, precedence, number % (kObjects / 5), rules);
}

const std::vector<std::string> kVerbs = {"get", "list", "watch", "create", "update", "patch", "delete"};
const std::vector<std::string> kResources = {"pods",   "deployments", "configmaps", "secrets",   "events",
                                             "leases", "nodes",       "services",   "endpoints", "jobs"};

// What a cluster of many teams holds: accounts, groups and people, rules of all widths, in any order.
std::string mixed() {
  Dice dice;
  return configuration([&](int i) {
    const int team = i % 500;
    const std::string subjects[] = {
        fmt::format("{{kind: ServiceAccount, serviceAccount: {{namespace: team-{}, name: \"*\"}}}}", team),
        fmt::format("{{kind: ServiceAccount, serviceAccount: {{namespace: team-{0}, name: app-{1}}}}}, {{kind: "
                    "ServiceAccount, serviceAccount: {{namespace: team-{0}, name: job-{1}}}}}",
                    team, i),
        fmt::format("{{kind: Group, group: {{name: group-{}}}}}", i % 200),
        fmt::format("{{kind: User, user: {{name: user-{}}}}}, {{kind: User, user: {{name: jane}}}}", i),
    };
    std::string parts = "    resourceRules:\n";
    for (std::size_t k = 0, n = 1 + dice.below(3); k < n; ++k) {
      parts +=
          fmt::format("    - verbs: {}\n      apiGroups: [\"\", apps]\n      resources: {}\n      namespaces: [{}]\n",
                      dice.some(kVerbs, 1 + dice.below(5)), dice.some(kResources, 1 + dice.below(4)),
                      i % 3 != 0 ? "\"*\"" : fmt::format("team-{}", team));
    }
    return with_rules(i, 2 + static_cast<int>(dice.below(9990)), rule(subjects[i % 4], parts));
  });
}

// Rules of few groups that overlap in every way.
std::string tangled() {
  Dice dice;
  std::vector<std::string> namespaces;
  for (int i = 0; i < 30; ++i) namespaces.push_back(fmt::format("ns-{}", i));
  return configuration([&](int i) {
    std::string parts = "    resourceRules:\n";
    for (int k = 0; k < 2; ++k) {
      parts += fmt::format("    - verbs: {}\n      apiGroups: {}\n      resources: {}\n      namespaces: {}\n",
                           dice.some(kVerbs, 3), dice.some({"\"\"", "apps", "batch", "x", "y", "z"}, 3),
                           dice.some(kResources, 5), dice.some(namespaces, 12));
    }
    return with_rules(i, 2 + static_cast<int>(dice.below(9990)),
                      rule(fmt::format("{{kind: Group, group: {{name: group-{}}}}}", dice.below(6)), parts));
  });
}

std::string many_subjects() {
  return configuration([](int i) {
    std::string subjects;
    for (int k = 0; k < 30; ++k)
      subjects += fmt::format("{}{{kind: ServiceAccount, serviceAccount: {{namespace: team-{}, name: app-{}}}}}",
                              k > 0 ? ", " : "", i, k);
    return with_rules(i, 1000 + i % 7000,
                      rule(subjects,
                           "    resourceRules:\n    - {verbs: [\"*\"], apiGroups: [\"*\"], resources: [\"*\"], "
                           "namespaces: [\"*\"]}\n"));
  });
}

std::string many_paths() {
  return configuration([](int i) {
    std::string paths;
    for (int k = 0; k < 20; ++k) paths += fmt::format("{}/site/{}/{}/*", k > 0 ? ", " : "", i, k);
    return with_rules(
        i, 1000 + i % 7000,
        rule("{kind: Group, group: {name: \"system:authenticated\"}}",
             fmt::format("    nonResourceRules:\n    - {{verbs: [get], nonResourceURLs: [{}]}}\n", paths)));
  });
}

std::string all_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
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
    const apf::LintResult result = apf::lint(loaded, texts, {});
    findings = result.findings.size();
    if (apf::render_text(result.findings, texts, {}).empty() && findings > 0) throw std::logic_error("no report");
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

int main(int count, char** arguments) {
  const std::string_view what = count == 3 ? arguments[1] : "";
  if (what == "write") return (std::ofstream(arguments[2], std::ios::binary) << mixed()) ? 0 : 1;
  if (what == "parse") return YAML::LoadAll(all_of(arguments[2])).size() == kObjects ? 0 : 1;
  const std::string account = "{{kind: ServiceAccount, serviceAccount: {{namespace: team-{}, name: \"*\"}}}}";
  const std::string everybody = "{kind: Group, group: {name: system:serviceaccounts}}";
  bool met = measure("mixed", mixed());
  met &= measure("tangled", tangled());
  met &= measure("30 subjects each", many_subjects());
  met &= measure("20 paths each", many_paths());
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
