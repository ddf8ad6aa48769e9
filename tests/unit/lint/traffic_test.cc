// What of a log a finding is about.
#include <apf/lint.h>

#include "lint/traffic.h"

#include "catch.h"

using namespace apf;

namespace {

constexpr const char* kConfig = R"(
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: first}
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: {name: workload-high}
  rules:
  - subjects:
    - {kind: User, user: {name: jane}}
    - {kind: User, user: {name: joe}}
    resourceRules:
    - {verbs: ["get", "*"], apiGroups: ["", "*"], resources: ["pods", "nodes"], namespaces: ["shop", "*"], clusterScope: true}
    nonResourceRules:
    - {verbs: ["get"], nonResourceURLs: ["/version", "/logs/*"]}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: second}
spec:
  matchingPrecedence: 600
  priorityLevelConfiguration: {name: nowhere}
  rules:
  - subjects: [{kind: Group, group: {name: "system:authenticated"}}]
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
)";

Diagnostic finding(const std::string& kind, const std::string& name, const std::string& field,
                   const std::string& code = "APF112") {
  Diagnostic d;
  d.code = code;
  d.kind = kind;
  d.object_name = name;
  d.field = field;
  return d;
}

struct Logged {
  const char *user, *method, *uri;
};

std::vector<std::optional<Traffic>> count(const std::vector<Diagnostic>& findings, const std::vector<Logged>& log) {
  const ConfigText texts[] = {{"test.yaml", kConfig}};
  TrafficCounter counter(load_config(texts), findings);
  for (const Logged& logged : log) {
    ParsedRequest request;
    parse_request(logged.method, logged.uri, request);
    counter.count(request.info, {logged.user, {"system:authenticated"}});
  }
  return counter.result();
}

const std::vector<Logged> kLog = {
    {"jane", "GET", "/api/v1/namespaces/shop/pods/a"},   // first
    {"jane", "GET", "/api/v1/namespaces/other/pods/a"},  // the second "*" is no wildcard
    {"joe", "GET", "/api/v1/nodes/a"},                   // first, without a namespace
    {"joe", "DELETE", "/api/v1/namespaces/shop/pods/a"},
    {"joe", "GET", "/version"},
    {"joe", "GET", "/logs/a/b"},
    {"ann", "GET", "/api/v1/namespaces/shop/pods/a"},
};

}  // namespace

TEST_CASE("a finding counts the requests of what its field names", "[lint][traffic]") {
  const std::string part = "spec.rules[0].resourceRules[0]", url_part = "spec.rules[0].nonResourceRules[0]";
  const struct {
    std::string field;
    std::uint64_t requests;
  } expected[] = {
      {"spec.priorityLevelConfiguration.name", 4},
      {"metadata.name", 4},
      {"spec.rules[0]", 4},
      {"spec.rules[0].subjects[0]", 1},
      {"spec.rules[0].subjects[1].user.name", 3},
      {part, 2},
      {part + ".verbs[0]", 2},
      {part + ".verbs[1]", 0},
      {part + ".apiGroups[1]", 0},
      {part + ".resources[0]", 1},
      {part + ".resources[1]", 1},
      {part + ".namespaces[0]", 1},
      {part + ".namespaces[1]", 0},
      {part + ".clusterScope", 1},
      {url_part, 2},
      {url_part + ".nonResourceURLs[0]", 1},
      {url_part + ".nonResourceURLs[1]", 1},
      {"spec.rules[7].subjects[0]", 4},  // leads nowhere: the whole
  };
  std::vector<Diagnostic> findings;
  for (const auto& [field, requests] : expected) findings.push_back(finding("FlowSchema", "first", field));
  const auto counted = count(findings, kLog);
  REQUIRE(counted.size() == std::size(expected));
  for (std::size_t i = 0; i < counted.size(); ++i) {
    INFO(expected[i].field);
    REQUIRE(counted[i]);
    CHECK(counted[i]->requests == expected[i].requests);
    CHECK(counted[i]->taken == expected[i].requests);  // nobody is before it
    CHECK(counted[i]->of == kLog.size());
  }
}

TEST_CASE("what matches and is taken by another, levels, and findings about no request", "[lint][traffic]") {
  const auto counted = count(
      {
          finding("FlowSchema", "second", "spec.priorityLevelConfiguration.name"),
          finding("PriorityLevelConfiguration", "workload-high", "spec.limited.lendablePercent"),
          finding("PriorityLevelConfiguration", "nowhere", "metadata.name"),
          finding("FlowSchema", "first", "spec", "APF002"),
          finding("FlowSchema", "first", "spec", "APF901"),
          finding("FlowSchema", "unknown", "spec"),
          finding("", "", ""),
      },
      kLog);
  REQUIRE(counted.size() == 7);
  REQUIRE(counted[0]);
  CHECK(counted[0]->requests == 4);  // clusterScope is false
  CHECK(counted[0]->taken == 0);     // its level does not exist
  REQUIRE(counted[1]);
  CHECK(counted[1]->requests == 4);
  CHECK(counted[1]->taken == 4);
  for (std::size_t i = 2; i < counted.size(); ++i) CHECK_FALSE(counted[i]);
}

TEST_CASE("the counts do not depend on how many users there are", "[lint][traffic]") {
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.push_back("user-" + std::to_string(i));
  std::vector<Logged> log;
  for (const std::string& name : names) log.push_back({name.c_str(), "GET", "/api/v1/namespaces/shop/pods/a"});
  for (int i = 0; i < 3; ++i) log.push_back({"jane", "GET", "/api/v1/namespaces/shop/pods/a"});
  const auto counted =
      count({finding("FlowSchema", "first", "spec.rules"), finding("FlowSchema", "second", "spec.rules")}, log);
  REQUIRE((counted[0] && counted[1]));
  CHECK(counted[0]->requests == 3);
  CHECK(counted[1]->requests == 10'003);
}
