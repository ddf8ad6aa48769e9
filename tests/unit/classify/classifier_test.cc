// Which FlowSchemas are consulted, where requests go, and what explain() says about it.
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/hand.h>

#include "catch.h"

using namespace apf;

namespace {

PriorityLevel limited(std::string name, int queues, int hand_size) {
  PriorityLevel level;
  level.meta.name = std::move(name);
  level.type = "Limited";
  level.limited.emplace();
  level.limited->limit_response = queues > 0 ? "Queue" : "Reject";
  if (queues > 0) level.limited->queuing = Queuing{queues, hand_size, 50};
  return level;
}

FlowSchema schema(std::string name, int precedence, std::string level, std::vector<PolicyRule> rules) {
  FlowSchema out;
  out.meta.name = std::move(name);
  out.matching_precedence = precedence;
  out.priority_level = std::move(level);
  out.rules = std::move(rules);
  return out;
}

Subject user_subject(std::string name) { return {"User", std::move(name), {}, {}}; }
Subject group_subject(std::string name) { return {"Group", {}, std::move(name), {}}; }
Subject account_subject(std::string ns, std::string name) {
  return {"ServiceAccount", {}, {}, Subject::ServiceAccount{std::move(ns), std::move(name)}};
}

ResourceRule rule(std::vector<std::string> verbs, std::vector<std::string> resources,
                  std::vector<std::string> namespaces, bool cluster = false) {
  return {std::move(verbs), {"*"}, std::move(resources), std::move(namespaces), cluster};
}

RequestInfo get(std::string_view uri) {
  ParsedRequest out;
  parse_request("GET", uri, out);
  return out.info;
}

std::string chosen(const Classifier& classifier, std::string_view uri, const User& user) {
  return classifier.schemas()[classifier.match(get(uri), user).schema].name;
}

std::string because(const Explanation& explanation, std::string_view name) {
  for (const TraceEntry& entry : explanation.trace) {
    if (entry.flow_schema == name) return entry.because;
  }
  return "not in the trace";
}

}  // namespace

TEST_CASE("malformed levels", "[classify]") {
  CHECK(malformed_reason(limited("a", 64, 6)).empty());
  CHECK(malformed_reason(limited("a", 0, 0)).empty());
  CHECK(malformed_reason(limited("a", 4, 5)).starts_with("its queues cannot be dealt: "));
  CHECK(malformed_reason(limited("a", 1 << 26, 10)).starts_with("its queues cannot be dealt: "));
  PriorityLevel level = limited("a", 64, 6);
  level.limited->queuing->queues = 0;  // the server deals nothing without queues, so nothing is wrong with that
  CHECK(malformed_reason(level).empty());
  level.limited->limit_response = "Reject";
  CHECK(malformed_reason(level) == "its limitResponse is Reject but has `queuing`");
  level.limited->limit_response = "Queue";
  level.limited->queuing.reset();
  CHECK(malformed_reason(level) == "its limitResponse is not Reject but has no `queuing`");
  level.limited.reset();
  CHECK(malformed_reason(level) == "its type is Limited but it has no `limited`");
  level.type = "Exempt";
  level.exempt.emplace();
  CHECK(malformed_reason(level) == "only the level named exempt may be of type Exempt");
  level.meta.name = "exempt";
  CHECK(malformed_reason(level).empty());
  CHECK(malformed_reason(limited("exempt", 0, 0)) == "the level named exempt must be of type Exempt");
  level.limited.emplace();
  CHECK(malformed_reason(level) == "it has `limited` but its type is Exempt");
  level.type = "Foo";
  CHECK(malformed_reason(level) == "its type is neither Limited nor Exempt");
}

TEST_CASE("the mandatory objects are supplied, after dangling schemas went", "[classify]") {
  Config config;
  config.priority_levels = {limited("good", 4, 2), limited("bad", 4, 5)};
  config.flow_schemas = {schema("late", 20000, "good", {}), schema("early", -5, "good", {}),
                         schema("also", 20000, "good", {}), schema("dangling", 1, "none", {}),
                         schema("broken", 1, "bad", {}),    schema("catch-all", 1, "catch-all", {})};
  const Classifier classifier(config);
  std::vector<std::string> order;
  for (const auto& s : classifier.schemas()) order.push_back(s.name);
  CHECK(order == std::vector<std::string>{"exempt", "early", "also", "late", "catch-all"});
  REQUIRE(classifier.dropped().size() == 3);
  CHECK(classifier.dropped()[0].reason == "there is no PriorityLevelConfiguration \"none\"");
  CHECK(classifier.dropped()[1].reason.starts_with(
      "PriorityLevelConfiguration \"bad\" is malformed: its queues cannot be dealt"));
  CHECK(classifier.dropped()[2].name == "catch-all");
  std::vector<std::string> levels;
  for (const auto& level : classifier.levels()) levels.push_back(level.name);
  CHECK(levels == std::vector<std::string>{"catch-all", "exempt", "good"});
  CHECK(classifier.levels()[0].reject);
  CHECK(classifier.levels()[1].exempt);
  CHECK(classifier.levels()[2].uses_flows());
}

TEST_CASE("nothing matches: catch-all is taken regardless", "[classify]") {
  const Classifier classifier{Config()};
  const User nobody{"nobody", {}};
  const Classifier::Match match = classifier.match(get("/api/v1/pods"), nobody);
  CHECK(match.fallback);
  CHECK(classifier.schemas()[match.schema].name == "catch-all");
  const Explanation explanation = explain(classifier, get("/api/v1/pods"), nobody);
  CHECK(explanation.fallback);
  CHECK_FALSE(explanation.trace[1].matches);
  CHECK(because(explanation, "catch-all") ==
        "no subject matches user \"nobody\" (no groups); rules[0].resourceRules[0] would, but is for Group "
        "system:unauthenticated, "
        "Group system:authenticated; used because nothing else matches");
}

TEST_CASE("service accounts are matched by their user names", "[classify]") {
  Config config;
  config.priority_levels = {limited("l", 4, 2)};
  const auto any = [](Subject subject) {
    return PolicyRule{{std::move(subject)}, {rule({"*"}, {"*"}, {"*"}, true)}, {{{"*"}, {"*"}}}};
  };
  config.flow_schemas = {schema("one", 1, "l", {any(account_subject("ns", "sa"))}),
                         schema("all", 2, "l", {any(account_subject("ns", "*"))}),
                         schema("odd", 3, "l", {any(account_subject("a:b", "*"))}),
                         schema("user", 4, "l", {any(user_subject("*"))})};
  const Classifier classifier(config);
  CHECK(chosen(classifier, "/api/v1/pods", {"system:serviceaccount:ns:sa", {}}) == "one");
  CHECK(chosen(classifier, "/api/v1/pods", {"system:serviceaccount:ns:other", {}}) == "all");
  CHECK(chosen(classifier, "/api/v1/pods", {"system:serviceaccount:ns:", {}}) == "all");
  CHECK(chosen(classifier, "/api/v1/pods", {"system:serviceaccount:ns", {}}) == "user");
  CHECK(chosen(classifier, "/api/v1/pods", {"system:serviceaccount:n:sa", {}}) == "user");
  CHECK(chosen(classifier, "/api/v1/pods", {"system:serviceaccount:a:b:c", {}}) == "odd");
  CHECK(chosen(classifier, "/api/v1/pods", {"ns:sa", {}}) == "user");
}

TEST_CASE("non-resource paths", "[classify]") {
  Config config;
  config.priority_levels = {limited("l", 4, 2)};
  config.flow_schemas = {
      schema("s", 1, "l", {{{user_subject("*")}, {}, {{{"get"}, {"/healthz", "/version*", "/logs/*", "//odd"}}}}})};
  const Classifier classifier(config);
  const User user{"u", {}};
  for (const char* uri : {"/healthz", "/healthz/etcd", "/healthz/", "/version/x", "/version*", "/logs/", "/logs/a/b",
                          "/logs/*", "//odd", "//odd/x"}) {
    INFO(uri);
    CHECK(chosen(classifier, uri, user) == "s");
  }
  for (const char* uri : {"/healthzz", "/version", "/versions", "/logs", "/", "", "/odd"}) {
    INFO(uri);
    CHECK(chosen(classifier, uri, user) == "catch-all");
  }
}

TEST_CASE("explanations name the rule, or the nearest miss", "[classify]") {
  Config config;
  config.priority_levels = {limited("l", 64, 6)};
  config.flow_schemas = {
      schema("verbs", 10, "l",
             {{{user_subject("alice")}, {rule({"*"}, {"*"}, {"*"}, true)}, {}},
              {{user_subject("bob")}, {rule({"get", "watch"}, {"*"}, {"*"})}, {}}}),
      schema("scope", 20, "l", {{{group_subject("devs")}, {rule({"*"}, {"pods", "pods/status"}, {"*"})}, {}}}),
      schema("url", 30, "l", {{{user_subject("bob")}, {}, {{{"get"}, {"/healthz"}}}}}),
      schema("chosen", 40, "l",
             {{{user_subject("eve"), group_subject("devs")},
               {rule({"list"}, {"nodes"}, {}), rule({"list"}, {"pods"}, {"ns"}, true)},
               {}}}),
      schema("empty", 50, "l", {}),
      schema("later", 60, "l", {{{user_subject("*")}, {rule({"*"}, {"*"}, {"*"}, true)}, {{{"*"}, {"*"}}}}})};
  config.flow_schemas[3].distinguisher_method = "ByUser";
  const Classifier classifier(config);
  const User bob{"bob", {"devs", "system:authenticated"}};
  const Explanation list = explain(classifier, get("/api/v1/pods"), bob);
  CHECK(list.flow_schema == "chosen");
  CHECK(list.priority_level == "l");
  CHECK(list.flow_distinguisher == "bob");
  CHECK(list.has_flow);
  CHECK(list.hash == flow_hash("chosen", "bob"));
  CHECK(list.hand == deal_hand(list.hash, 64, 6));
  CHECK(because(list, "exempt") ==
        "no subject matches user \"bob\" (groups: devs, system:authenticated); rules[0].resourceRules[0] would, but is "
        "for Group system:masters");
  CHECK(because(list, "verbs") ==
        "rules[1].resourceRules[0]: verb \"list\" not in [get, watch]; namespace \"\" needs clusterScope: true");
  CHECK(because(list, "scope") == "rules[0].resourceRules[0]: namespace \"\" needs clusterScope: true");
  CHECK(because(list, "url") == "rules[0]: has no resourceRules, and this is a resource request");
  CHECK(because(list, "chosen") == "rules[0]: subject Group devs, resourceRules[1]");
  CHECK(because(list, "empty") == "it has no rules");
  CHECK(because(list, "later") == "rules[0]: subject User *, resourceRules[0]; not reached, chosen comes first");
  REQUIRE(list.trace.size() == 8);
  CHECK(list.trace[1].field == "spec.rules[1].resourceRules[0].verbs");
  CHECK(list.trace[2].field == "spec.rules[0].resourceRules[0].clusterScope");
  CHECK(list.trace[4].field == "spec.rules[0].resourceRules[1]");
  CHECK(list.trace[6].matches);

  const Explanation health = explain(classifier, get("/readyz"), bob);
  CHECK(because(health, "url") == "rules[0].nonResourceRules[0]: path \"/readyz\" not under [/healthz]");
  CHECK(because(health, "scope") == "rules[0]: has no nonResourceRules, and this is a non-resource request");
  CHECK(because(explain(classifier, get("/api/v1/namespaces/x/pods/p/exec"), bob), "chosen") ==
        "rules[0].resourceRules[0]: verb \"get\" not in [list]; resource \"pods/exec\" not in [nodes]; namespace \"x\" "
        "not in []");
}

TEST_CASE("candidates are shared by users of the same rules", "[classify]") {
  const Classifier classifier(bootstrap_config(kNewestKubeVersion));
  const std::vector<std::string> groups = {"system:nodes", "system:authenticated"};
  const auto one = classifier.candidates({"system:node:a", groups});
  CHECK(one == classifier.candidates({"system:node:b", groups}));
  CHECK(one != classifier.candidates({"system:node:b", {"system:authenticated"}}));
}
