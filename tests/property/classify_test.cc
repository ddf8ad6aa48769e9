// The index and the plain reading of FlowSchemas must agree on any configuration and any request.
#include <apf/classify.h>

#include <algorithm>
#include <random>

#include "catch.h"
#include "classify/match.h"
#include "support/vectors.h"

using namespace apf;

namespace {

// Small vocabularies, so that things meet; every odd case (wildcards among others, empty strings) included.
class SchemaSource {
 public:
  explicit SchemaSource(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }
  std::vector<std::string> list(const std::vector<std::string>& from) {
    if (chance(35)) return {"*"};
    std::vector<std::string> out;
    for (std::size_t n = below(chance(10) ? 24 : 4); n > 0; --n) out.push_back(chance(5) ? "*" : pick(from));
    return out;
  }

  Subject subject() {
    Subject out;
    out.kind = pick({"User", "Group", "ServiceAccount", "User", "Group", "ServiceAccount", "Robot", ""});
    if (chance(90)) out.user = pick(kUsers);
    if (chance(90)) out.group = pick(kGroups);
    if (chance(90))
      out.service_account =
          Subject::ServiceAccount{pick({"ns1", "ns2", "ns", "", "a:b"}), pick({"sa", "sb", "*", "", "b:c"})};
    return out;
  }

  FlowSchema schema(int number) {
    FlowSchema out;
    out.meta.name = chance(2) ? pick({"exempt", "catch-all"}) : "s" + std::to_string(number);
    out.matching_precedence = static_cast<std::int32_t>(below(40));
    out.priority_level = chance(95) ? "level" : "missing";
    for (std::size_t n = below(4); n > 0; --n) {
      PolicyRule& rule = out.rules.emplace_back();
      for (std::size_t m = below(4); m > 0; --m) rule.subjects.push_back(subject());
      for (std::size_t m = below(4); m > 0; --m) {
        rule.resource_rules.push_back(
            {list(kVerbTexts), list(kApiGroups), list(kResources), list(kNamespaces), chance(50)});
      }
      for (std::size_t m = below(4); m > 0; --m) rule.non_resource_rules.push_back({list(kVerbTexts), list(kUrls)});
    }
    return out;
  }

  RequestInfo request() {
    RequestInfo info;
    info.is_resource_request = chance(65);
    info.verb = pick(kVerbTexts);
    info.path = pick(kUrls);
    if (chance(30)) info.path += pick({"/", "/x", "x", "/*"});
    info.api_group = pick(kApiGroups);
    info.resource = pick({"pods", "nodes", "r1", "r2", "", "pods/status", std::string(300, 'r')});
    if (chance(40)) info.subresource = pick({"status", "log", std::string(300, 'r')});
    info.ns = pick(kNamespaces);
    return info;
  }

  User user() {
    User out{pick(kUsers), {}};
    for (std::size_t n = below(4); n > 0; --n) out.groups.push_back(pick(kGroups));
    return out;
  }

 private:
  static inline const std::vector<std::string> kVerbTexts = {
      "get",   "list", "watch", "create",  "update",  "patch", "delete", "deletecollection",
      "proxy", "post", "put",   "options", "connect", "head",  "",       "frobnicate",
      "Get",   "*",    "trace"};
  static inline const std::vector<std::string> kUsers = {"u1",
                                                         "u2",
                                                         "*",
                                                         "",
                                                         "system:serviceaccount:ns1:sa",
                                                         "system:serviceaccount:ns2:sb",
                                                         "system:serviceaccount:a:b:c",
                                                         "system:serviceaccount:ns:",
                                                         "system:serviceaccount:ns"};
  static inline const std::vector<std::string> kGroups = {"g1", "g2", "g3", "*", "", "system:authenticated"};
  static inline const std::vector<std::string> kApiGroups = {"", "apps", "batch", "g.example.com"};
  static inline const std::vector<std::string> kResources = {"pods",        "nodes",    "r1", "r2",
                                                             "pods/status", "pods/log", "*",  ""};
  static inline const std::vector<std::string> kNamespaces = {"", "", "ns1", "ns2", "ns3", "kube-system"};
  static inline const std::vector<std::string> kUrls = {"/healthz", "/version", "/version*",     "/api/*", "/api",
                                                        "/*",       "/",        "//x",           "x",      "x*",
                                                        "**",       "",         "/healthz/etcd", "/a/b/*", "/a"};
  std::mt19937_64 random_;
};

std::uint32_t plain_match(const Classifier& classifier, const RequestInfo& info, const User& user, bool& fallback) {
  std::uint32_t catch_all = 0;
  for (std::uint32_t i = 0; i < classifier.schemas().size(); ++i) {
    if (matches_flow_schema(classifier.schemas()[i].object, info, user)) {
      fallback = false;
      return i;
    }
    if (classifier.schemas()[i].name == "catch-all") catch_all = i;
  }
  fallback = true;
  return catch_all;
}

}  // namespace

TEST_CASE("indexed matching equals plain matching", "[classify][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  SchemaSource source(test::seed());
  std::size_t fallbacks = 0, matches = 0;
  for (int round = 0; round < test::rounds(300); ++round) {
    Config config;
    PriorityLevel level;
    level.meta.name = "level";
    level.type = "Limited";
    level.limited.emplace().limit_response = "Reject";
    config.priority_levels.push_back(level);
    const std::size_t schemas = 1 + source.below(source.chance(10) ? 60 : 8);
    for (std::size_t i = 0; i < schemas; ++i) config.flow_schemas.push_back(source.schema(static_cast<int>(i)));
    const Classifier classifier(config);
    for (int n = 0; n < 100; ++n) {
      const RequestInfo info = source.request();
      const User user = source.user();
      bool fallback = false;
      const std::uint32_t wanted = plain_match(classifier, info, user, fallback);
      const Classifier::Match got = classifier.match(info, user);
      RequestView view;
      view_request(info, nullptr, view);
      const Classifier::Match by_view = match_view(classifier, view, *classifier.candidates(user));
      if (got.schema != wanted || got.fallback != fallback || by_view.schema != wanted ||
          by_view.fallback != fallback) {
        INFO("round " << round << ": " << info.verb << ' ' << info.api_group << '/' << info.resource << '/'
                      << info.subresource << " ns=" << info.ns << " path=" << info.path << " user=" << user.name);
        REQUIRE(got.schema == wanted);
        REQUIRE(got.fallback == fallback);
        REQUIRE(by_view.schema == wanted);
        REQUIRE(by_view.fallback == fallback);
      }
      ++(fallback ? fallbacks : matches);
      if (n % 10 == 0) {
        const Explanation explanation = explain(classifier, info, user);
        REQUIRE(explanation.match.schema == wanted);
        for (std::size_t i = 0; i < explanation.trace.size(); ++i) {
          REQUIRE(explanation.trace[i].matches == matches_flow_schema(classifier.schemas()[i].object, info, user));
        }
      }
    }
  }
  // The vocabularies meet often enough for the comparison to mean something.
  CHECK(matches > test::rounds(3000u));
  CHECK(fallbacks > test::rounds(3000u));
}
