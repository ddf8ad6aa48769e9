// Tests of random configurations: what coverage counts must be what each part alone matches; what is generated must
// hold, for every rule that a request of a small universe reaches.
#include <apf/classify.h>
#include <apf/test_file.h>

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "catch.h"
#include "support/vectors.h"
#include "test_file/coverage.h"

using namespace apf;

namespace {

using Names = std::vector<std::string>;
const Names kTestedVerbs = {"get", "list", "create"}, kTestedGroups = {"", "apps"},
            kTestedResources = {"pods", "deployments", "pods/log"};
const Names kTestedNamespaces = {"ns1", "ns2"}, kTestedPaths = {"/healthz", "/a/b", "/a"},
            kTestedUrls = {"/healthz", "/a/*", "/a", "*"};

class TestSource {
 public:
  explicit TestSource(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  std::string pick(const Names& from) { return from[below(from.size())]; }
  Names list(const Names& from) {
    if (below(3) == 0) return {"*"};
    std::set<std::string> out;
    for (std::size_t n = 1 + below(2); n > 0; --n) out.insert(pick(from));
    return {out.begin(), out.end()};
  }
  Subject subject() {
    if (below(2) == 0) return {"User", pick({"u1", "u2", "*"}), {}, {}};
    if (below(2) == 0) return {"Group", {}, pick({"g1", "system:authenticated"}), {}};
    return {"ServiceAccount", {}, {}, Subject::ServiceAccount{"ns1", pick({"a", "*"})}};
  }
  Config config() {
    Config out;
    PriorityLevel& level = out.priority_levels.emplace_back();
    level.meta.name = "level";
    level.type = "Limited";
    level.limited.emplace();
    level.limited->nominal_concurrency_shares = 10;
    level.limited->limit_response = "Reject";
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      FlowSchema& schema = out.flow_schemas.emplace_back();
      schema.meta.name = "s" + std::to_string(n);
      schema.matching_precedence = static_cast<std::int32_t>(2 + below(5));
      schema.priority_level = "level";
      for (std::size_t r = 1 + below(2); r > 0; --r) {
        PolicyRule& rule = schema.rules.emplace_back();
        for (std::size_t m = 1 + below(2); m > 0; --m) rule.subjects.push_back(subject());
        for (std::size_t m = below(3); m > 0; --m)
          rule.resource_rules.push_back({list(kTestedVerbs), list(kTestedGroups), list(kTestedResources),
                                         list(kTestedNamespaces), below(2) == 0});
        for (std::size_t m = below(2); m > 0; --m)
          rule.non_resource_rules.push_back({list(kTestedVerbs), list(kTestedUrls)});
      }
    }
    return out;
  }
  User user() {
    User out{pick({"u1", "u2", "u3", "system:serviceaccount:ns1:a", "system:serviceaccount:ns2:a"}), {}};
    if (out.name[0] == 'u' && below(2) == 0) out.groups.emplace_back("g1");
    add_implied_groups(out);
    return out;
  }
  // As a server can get it: paths by method, subresources of one object.
  RequestInfo request() {
    RequestInfo out;
    out.verb = pick(kTestedVerbs);
    if (below(4) == 0) {
      out.verb = "get";
      out.path = pick(kTestedPaths);
      return out;
    }
    out.is_resource_request = true;
    out.api_group = pick(kTestedGroups);
    const std::string resource = pick(kTestedResources);
    out.resource = resource.substr(0, resource.find('/'));
    if (resource.find('/') != std::string::npos) out.subresource = "log";
    if (!out.subresource.empty() && out.verb == "list") out.verb = "get";
    if (below(3) > 0) out.ns = pick(kTestedNamespaces);
    return out;
  }

 private:
  std::mt19937_64 random_;
};

// The FlowSchema with the item alone where it has many: what it matches, the item matches.
FlowSchema only(const FlowSchema& schema, const TestCoverage::Item& item) {
  FlowSchema out = schema;
  if (!item.rule) return out;
  const PolicyRule rule = schema.rules[*item.rule];
  out.rules = {rule};
  PolicyRule& one = out.rules[0];
  const std::string& field = item.field;
  const auto index = [&](const char* name) {
    const std::size_t at = field.find(std::string(name) + "[");
    return static_cast<std::size_t>(std::stoul(field.substr(at + std::string(name).size() + 1)));
  };
  if (item.kind == TestCoverage::Kind::subject) one.subjects = {rule.subjects[index("subjects")]};
  if (item.kind != TestCoverage::Kind::entry) return out;
  const auto keep = [&](Names& list, const char* name) {
    if (field.find(std::string(".") + name + "[") != std::string::npos) list = {list[index(name)]};
  };
  if (field.find("resourceRules[") != std::string::npos && field.find("nonResourceRules[") == std::string::npos) {
    ResourceRule part = rule.resource_rules[index("resourceRules")];
    keep(part.verbs, "verbs");
    keep(part.api_groups, "apiGroups");
    keep(part.resources, "resources");
    if (field.ends_with("clusterScope")) part.namespaces.clear();
    else if (field.find(".namespaces[") != std::string::npos) part.cluster_scope = false;
    keep(part.namespaces, "namespaces");
    one.resource_rules = {part};
    one.non_resource_rules.clear();
  } else {
    NonResourceRule part = rule.non_resource_rules[index("nonResourceRules")];
    keep(part.verbs, "verbs");
    keep(part.urls, "nonResourceURLs");
    one.non_resource_rules = {part};
    one.resource_rules.clear();
  }
  return out;
}

}  // namespace

TEST_CASE("coverage is what each part alone matches of what its FlowSchema takes", "[property][test_file]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    TestSource source(seed);
    const Config config = source.config();
    const Classifier classifier(config);
    CoverageCounter counter(config, classifier, kNewestKubeVersion);
    std::vector<std::pair<RequestInfo, User>> asked;
    std::vector<std::uint32_t> takers;
    for (std::size_t n = source.below(8); n > 0; --n) {
      asked.emplace_back(source.request(), source.user());
      takers.push_back(classifier.match(asked.back().first, asked.back().second).schema);
      counter.count(takers.back(), asked.back().first, asked.back().second);
    }
    const TestCoverage coverage = counter.take();
    REQUIRE_FALSE(coverage.items.empty());
    for (const TestCoverage::Item& item : coverage.items) {
      bool reached = false;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const FlowSchema& taker = classifier.schemas()[takers[i]].object;
        if (taker.meta.name != item.flow_schema) continue;
        reached = reached || (!item.rule && taker.meta.name == item.flow_schema) ||
                  matches_flow_schema(only(taker, item), asked[i].first, asked[i].second);
      }
      INFO(item.flow_schema << " " << item.field);
      CHECK(item.reached == reached);
      CHECK((item.reachable || !item.reached));
    }
  }
}

TEST_CASE("generated tests hold, and none is missing that a request shows", "[property][test_file]") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    TestSource source(seed);
    const Config config = source.config();
    const GeneratedTests generated = generate_tests(config, {});
    INFO(generated.text);
    const TestFile file = read_test_file({"generated.yaml", generated.text});
    if (generated.tests == 0) continue;
    REQUIRE(file.faults.empty());
    REQUIRE(file.cases.size() == generated.tests);
    TestJob job;
    job.file = &file;
    job.server.config = &config;
    const std::vector<TestRun> runs = run_tests({&job, 1}, {});
    for (const TestResult& test : runs.front().tests) {
      INFO(test.name << ": " << test.got);
      CHECK(test.passed);
    }
    // A rule that some request reaches is not said to be out of reach.
    const Classifier classifier(config);
    for (int i = 0; i < 200; ++i) {
      const RequestInfo request = source.request();
      const User user = source.user();
      const Classifier::Match match = classifier.match(request, user);
      if (match.fallback) continue;
      const FlowSchema& taker = classifier.schemas()[match.schema].object;
      for (std::size_t r = 0; r < taker.rules.size(); ++r) {
        FlowSchema one = taker;
        one.rules = {taker.rules[r]};
        if (!matches_flow_schema(one, request, user)) continue;
        CHECK(generated.text.find(fmt::format("# {} rules[{}]: no request reaches it", taker.meta.name, r)) ==
              std::string::npos);
      }
    }
  }
}
