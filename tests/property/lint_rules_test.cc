// Rules of lint that claim to be exact, against what Kubernetes does with the same objects, told here once more in the
// plainest way: verbs of subresources, names of API groups, requests outside of namespaces, scopes and amounts of
// quotas.
#include <apf/lint.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Texts = std::vector<std::string>;

class Choice {
 public:
  explicit Choice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  const std::string& one(const Texts& of) { return of[below(of.size())]; }
  // At least one, each once, in any order.
  Texts some(Texts of) {
    std::shuffle(of.begin(), of.end(), random_);
    of.resize(1 + below(of.size()));
    return of;
  }

 private:
  std::mt19937_64 random_;
};

bool has(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string flow(const Texts& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "\"" : ", \"") + text + "\"";
  return "[" + out + "]";
}

std::string schema_with(const std::string& rule) {
  return "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: ci}\nspec:\n"
         "  matchingPrecedence: 1000\n  priorityLevelConfiguration: {name: workload-low}\n"
         "  distinguisherMethod: {type: ByUser}\n  rules:\n"
         "  - subjects: [{kind: User, user: {name: jane}}]\n    resourceRules:\n    - " +
         rule + "\n";
}

// The fields of the findings of one rule.
std::multiset<std::string> fields_of(const char* code, const std::string& text, const char* release = nullptr) {
  const ConfigText texts[] = {{"a.yaml", text}};
  LintOptions options;
  options.select = {code};
  options.today = "2026-11-20";
  if (release) options.version = *KubeVersion::parse(release);
  std::multiset<std::string> out;
  for (const Diagnostic& d : lint(load_config(texts), texts, options).findings)
    if (d.code == code) out.insert(d.field);
  return out;
}

// What the API serves of pods and deployments, by hand.
Texts served_verbs(const std::string& subresource) {
  if (subresource == "eviction" || subresource == "binding" || subresource == "token") return {"create"};
  if (subresource == "status" || subresource == "scale") return {"get", "patch", "update"};
  return {"get", "create", "update", "patch", "delete"};
}

}  // namespace

TEST_CASE("Entries without a possible verb are those that lint names", "[property][lint][rules]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  Choice choice(seed);
  const Texts verbs = {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"};
  const std::vector<std::pair<std::string, std::string>> entries = {
      {"", "pods/eviction"},          {"", "pods/binding"},          {"", "pods/status"},
      {"", "serviceaccounts/token"},  {"apps", "deployments/scale"}, {"", "pods/log"},
      {"apps", "statefulsets/status"}};
  std::size_t found = 0;
  for (int round = 0; round < 400; ++round) {
    const auto& [group, entry] = entries[choice.below(entries.size())];
    const Texts of = choice.some(verbs), can = served_verbs(entry.substr(entry.find('/') + 1));
    const std::string field = "spec.rules[0].resourceRules[0].verbs";
    const auto idle = std::find_if_not(of.begin(), of.end(), [&](const std::string& verb) { return has(can, verb); });
    const bool dead = std::none_of(of.begin(), of.end(), [&](const std::string& verb) { return has(can, verb); });
    std::multiset<std::string> wanted;  // the list, or its first verb that no request has
    if (!has(of, "*") && idle != of.end())
      wanted.insert(dead ? field : field + "[" + std::to_string(idle - of.begin()) + "]");
    const std::string text = schema_with("{verbs: " + flow(of) + ", apiGroups: [\"" + group + "\"], resources: [" +
                                         entry + "], namespaces: [\"*\"]}");
    CAPTURE(text);
    CHECK(fields_of("APF215", text) == wanted);
    found += !wanted.empty();
  }
  CHECK(found > 30);
}

TEST_CASE("API groups that no server has are those that lint names", "[property][lint][rules]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  Choice choice(seed);
  const Texts without_dot = {"", "apps", "autoscaling", "batch", "policy"};
  const Texts groups = {"",
                        "apps",
                        "autoscaling",
                        "batch",
                        "policy",
                        "rbac.authorization.k8s.io",
                        "argoproj.io",
                        "extension5",
                        "coordination.k8s.io",
                        "networks",
                        "fleet",
                        "example.com"};
  std::size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    const Texts of = choice.some(groups);
    std::multiset<std::string> wanted;
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i].find('.') == of[i].npos && !has(without_dot, of[i]))
        wanted.insert("spec.rules[0].resourceRules[0].apiGroups[" + std::to_string(i) + "]");
    const std::string text =
        schema_with("{verbs: [get], apiGroups: " + flow(of) + ", resources: [\"*\"], namespaces: [\"*\"]}");
    CAPTURE(text);
    CHECK(fields_of("APF233", text, "1.34") == wanted);
    found += !wanted.empty();
  }
  CHECK(found > 50);
}

TEST_CASE("Everything of the cluster without namespaces misses what is in namespaces", "[property][lint][rules]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  Choice choice(seed);
  const Texts verbs = {"get", "list", "watch", "create", "update", "patch", "delete"};
  std::size_t found = 0;
  for (int round = 0; round < 200; ++round) {
    // Of apps all is in namespaces, of scheduling.k8s.io nothing.
    const std::string group = choice.one({"apps", "scheduling.k8s.io", "*"});
    const bool everywhere = choice.chance(30), all = choice.chance(70);
    const std::string text =
        schema_with("{verbs: " + flow(choice.some(verbs)) + ", apiGroups: [\"" + group + "\"], resources: [\"" +
                    (all               ? "*"
                     : group == "apps" ? "deployments"
                                       : "priorityclasses") +
                    "\"], clusterScope: true" + (everywhere ? ", namespaces: [\"*\"]}" : "}"));
    const bool wanted = all && !everywhere && group != "scheduling.k8s.io";
    CAPTURE(text);
    CHECK(fields_of("APF232", text).empty() == !wanted);
    found += wanted;
  }
  CHECK(found > 30);
}

TEST_CASE("Scopes that exclude each other are those that lint names", "[property][lint][rules]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  Choice choice(seed);
  // A Pod as scopes see it. An empty class: it has none.
  struct Seen {
    bool best_effort, terminating;
    std::string priority_class;
  };
  std::vector<Seen> pods;
  for (const bool best_effort : {false, true})
    for (const bool terminating : {false, true})
      for (const char* priority_class : {"", "a", "b", "c", "other"})
        pods.push_back({best_effort, terminating, priority_class});
  struct Term {
    std::string scope, op;
    Texts values;
    bool holds(const Seen& pod) const {
      if (scope == "BestEffort") return pod.best_effort;
      if (scope == "NotBestEffort") return !pod.best_effort;
      if (scope == "Terminating") return pod.terminating;
      if (scope == "NotTerminating") return !pod.terminating;
      if (op == "Exists") return !pod.priority_class.empty();
      if (op == "DoesNotExist") return pod.priority_class.empty();
      return has(values, pod.priority_class) == (op == "In");
    }
  };
  std::size_t found = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<Term> terms;
    std::string yaml;
    for (int n = 0; n < 2; ++n) {
      Term term;
      term.scope = choice.one(
          {"BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass", "PriorityClass"});
      const bool of_class = term.scope == "PriorityClass";
      term.op = of_class ? choice.one({"In", "NotIn", "Exists", "DoesNotExist"}) : "Exists";
      if (term.op == "In" || term.op == "NotIn") term.values = choice.some({"a", "b", "c"});
      yaml += "    - {scopeName: " + term.scope + ", operator: " + term.op +
              (term.values.empty() ? "}\n" : ", values: " + flow(term.values) + "}\n");
      terms.push_back(term);
    }
    const bool some = std::any_of(pods.begin(), pods.end(), [&](const Seen& pod) {
      return std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return term.holds(pod); });
    });
    const std::string text =
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: a}\nspec:\n  hard: {pods: \"5\"}\n"
        "  scopeSelector:\n    matchExpressions:\n" +
        yaml;
    CAPTURE(text);
    // The server itself refuses a scope and its opposite in one list: no second finding says it.
    const bool refused = terms[0].scope == "Not" + terms[1].scope || terms[1].scope == "Not" + terms[0].scope;
    CHECK(fields_of("APF074", text).empty() == !refused);
    CHECK(fields_of("APF711", text).empty() == (some || refused));
    found += !some && !refused;
  }
  CHECK(found > 20);
}

TEST_CASE("Amounts of quotas that are never reached are those that lint names", "[property][lint][rules]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  Choice choice(seed);
  std::size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t services = choice.below(6), balancers = choice.below(6), claims = choice.below(6),
                      gold = choice.below(6);
    const auto amount = [](std::size_t n) { return "\"" + std::to_string(n) + "\""; };
    const std::string text =
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: a}\nspec:\n  hard:\n    services: " +
        amount(services) + "\n    services.loadbalancers: " + amount(balancers) +
        "\n    persistentvolumeclaims: " + amount(claims) +
        "\n    gold.storageclass.storage.k8s.io/persistentvolumeclaims: " + amount(gold) + "\n";
    std::multiset<std::string> wanted;
    if (services < balancers) wanted.insert("spec.hard[services.loadbalancers]");
    if (claims < gold) wanted.insert("spec.hard[gold.storageclass.storage.k8s.io/persistentvolumeclaims]");
    CAPTURE(text);
    CHECK(fields_of("APF713", text) == wanted);
    found += !wanted.empty();
  }
  CHECK(found > 50);
}

TEST_CASE("A container of the least size that fits into no quota is what lint names", "[property][lint][rules]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  Choice choice(seed);
  std::size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t least = 1 + choice.below(4), hard = 1 + choice.below(4);
    const bool same = choice.chance(70);
    const std::string key = choice.one({"requests.cpu", "limits.cpu", "cpu", "requests.memory", "pods"});
    const std::string text =
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: a}\nspec: {hard: {" + key + ": \"" +
        std::to_string(hard) +
        "\"}}\n---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: r, namespace: " + (same ? "a" : "b") +
        "}\nspec: {limits: [{type: Container, min: {cpu: \"" + std::to_string(least) + "\"}}]}\n";
    const bool of_cpu = key.ends_with("cpu");
    const bool wanted = same && of_cpu && least > hard;
    CAPTURE(text);
    const std::multiset<std::string> fields = fields_of("APF712", text);
    CHECK(fields.contains("spec.limits[0].min[cpu]") == wanted);
    found += wanted;
  }
  CHECK(found > 30);
}
