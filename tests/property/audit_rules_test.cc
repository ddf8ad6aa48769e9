// Rules of an audit policy that lint calls unreached must decide about no request of a universe that has a value for
// everything that the policies name and one that none names; and where one earlier rule alone matches all requests that
// a rule matches, lint must say so.
#include <apf/classify.h>
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

using Names = std::vector<std::string>;

const Names kAuditUsers = {"alice", "bob", "unnamed"};
const std::vector<Names> kAuditGroups = {{"system:unauthenticated"},
                                         {"system:authenticated"},
                                         {"system:authenticated", "dev"},
                                         {"system:authenticated", "ops"},
                                         {"system:authenticated", "dev", "ops"}};
const Names kAuditVerbs = {"get", "list", "unnamed"};
const Names kAuditNamespaces = {"", "ci", "unnamed"};
const Names kAuditApiGroups = {"", "apps", "unnamed"};
const std::vector<std::pair<std::string, std::string>> kAuditResources = {
    {"pods", ""},    {"pods", "log"}, {"pods", "unnamed"}, {"jobs", ""},
    {"jobs", "log"}, {"unnamed", ""}, {"unnamed", "log"}};
const Names kAuditObjects = {"", "a", "unnamed"};
const Names kAuditPaths = {"/healthz", "/healthz/etcd", "/healthz/unnamed", "/healthzunnamed", "/metrics", "/unnamed"};

class PolicySource {
 public:
  explicit PolicySource(std::uint64_t seed) : random_(seed) {}

  AuditPolicy policy() {
    AuditPolicy out;
    for (std::size_t n = 2 + below(4); n > 0; --n) out.rules.push_back(rule());
    return out;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  Names some(const Names& from, std::size_t percent) {
    Names out;
    if (!chance(percent)) return out;
    for (std::size_t n = 1 + below(2); n > 0; --n) out.push_back(from[below(from.size())]);
    return out;
  }

  AuditRule rule() {
    AuditRule out;
    out.level = static_cast<AuditLevel>(below(3));
    out.users = some({"alice", "bob"}, 30);
    out.user_groups = some({"dev", "ops", "system:authenticated", "system:unauthenticated"}, 30);
    out.verbs = some({"get", "list"}, 40);
    if (chance(20)) {
      out.non_resource_urls = some({"/healthz", "/healthz*", "/healthz/*", "/metrics", "*", "/*"}, 100);
      return out;
    }
    out.namespaces = some({"", "ci"}, 25);
    if (chance(30)) return out;
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      AuditResources& of_group = out.resources.emplace_back();
      of_group.group = Names{"", "apps", "*"}[below(3)];
      of_group.resources = some({"pods", "pods/log", "pods/*", "*/log", "*", "jobs"}, 70);
      of_group.resource_names = some({"a"}, 15);
    }
    return out;
  }

  std::mt19937_64 random_;
};

struct AskedRequest {
  RequestInfo info;
  User user;
};

std::vector<AskedRequest> audit_universe() {
  std::vector<AskedRequest> out;
  std::vector<RequestInfo> requests;
  for (const std::string& verb : kAuditVerbs) {
    for (const std::string& path : kAuditPaths) {
      RequestInfo& info = requests.emplace_back();
      info.verb = verb;
      info.path = path;
    }
    for (const std::string& ns : kAuditNamespaces)
      for (const std::string& group : kAuditApiGroups)
        for (const auto& [resource, subresource] : kAuditResources)
          for (const std::string& name : kAuditObjects) {
            RequestInfo& info = requests.emplace_back();
            info.is_resource_request = true;
            info.verb = verb;
            info.ns = ns;
            info.api_group = group;
            info.resource = resource;
            info.subresource = subresource;
            info.name = name;
          }
  }
  for (const std::string& user : kAuditUsers)
    for (const Names& groups : kAuditGroups)
      for (const RequestInfo& request : requests) {
        AskedRequest& asked = out.emplace_back();
        asked.info = request;
        asked.user.name = user;
        asked.user.groups = groups;
      }
  return out;
}

// By rule: which requests it alone would match.
std::vector<std::vector<bool>> matched_alone(const AuditPolicy& policy, const std::vector<AskedRequest>& universe) {
  std::vector<std::vector<bool>> out;
  for (const AuditRule& rule : policy.rules) {
    AuditPolicy alone;
    alone.rules = {rule};
    std::vector<bool>& matched = out.emplace_back();
    for (const AskedRequest& asked : universe)
      matched.push_back(audit_verdict(alone, asked.info, asked.user).rule.has_value());
  }
  return out;
}

bool is_subset(const std::vector<bool>& of, const std::vector<bool>& all) {
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i] && !all[i]) return false;
  return true;
}

bool is_catch_all(const std::vector<bool>& matched) {
  return std::find(matched.begin(), matched.end(), false) == matched.end();
}

}  // namespace

TEST_CASE("audit rules that lint calls unreached are", "[property][lint][audit]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  PolicySource source(seed);
  const std::vector<AskedRequest> universe = audit_universe();
  std::size_t found = 0, missed = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    LoadedConfig loaded;
    loaded.audit_policies.push_back(source.policy());
    const AuditPolicy& policy = loaded.audit_policies.front();
    LintOptions options;
    options.select = {"APF952"};
    std::set<std::string> said;
    for (const Diagnostic& d : lint(loaded, {}, options).findings) said.insert(d.field);
    const std::vector<std::vector<bool>> matched = matched_alone(policy, universe);
    bool behind_all = false;  // said once
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
      bool unreached = false;
      for (std::size_t j = 0; j < i; ++j) unreached = unreached || is_subset(matched[i], matched[j]);
      CAPTURE(i);
      const bool is_said = said.contains("rules[" + std::to_string(i) + "]");
      if (is_said) CHECK(unreached);
      found += unreached;
      missed += unreached && !is_said && !behind_all;
      for (std::size_t j = 0; j < i; ++j) behind_all = behind_all || (unreached && is_catch_all(matched[j]));
    }
  }
  CHECK(found > 20);
  // Conditions that hold of no request in the universe are compared as texts.
  CHECK(missed * 20 <= found);
}

namespace {

// What a server's own parser makes of methods and paths, so no verb, group or resource is invented here.
std::vector<RequestInfo> parsed_requests() {
  std::vector<RequestInfo> out;
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    for (const char* uri :
         {"/healthz", "/api", "/api/v1/pods", "/api/v1/pods?watch=true", "/api/v1/namespaces/ci/pods",
          "/api/v1/namespaces/ci/pods/a", "/api/v1/namespaces/ci/pods/a/exec", "/api/v1/watch/pods",
          "/api/v1/namespaces/core", "/api/v1/proxy/namespaces/ci/pods/a", "/apis/apps/v1/namespaces/ci/deployments",
          "/apis/apps/v1/namespaces/ci/deployments/a/scale", "/apis/stable.example.com/v1/namespaces/ci/cts"}) {
      ParsedRequest request;
      parse_request(method, uri, request);
      if (request.error().empty()) out.push_back(request.info);
    }
  }
  return out;
}

bool decides(const AuditRule& rule, const std::vector<RequestInfo>& requests) {
  AuditPolicy policy;
  policy.rules = {rule};
  return std::any_of(requests.begin(), requests.end(), [&](const RequestInfo& request) {
    return audit_verdict(policy, request, User{"alice", {"system:authenticated", "dev"}}).rule.has_value();
  });
}

bool is_said_to_match_nothing(const AuditRule& rule) {
  LoadedConfig loaded;
  AuditPolicy& policy = loaded.audit_policies.emplace_back();
  policy.rules = {rule};
  LintOptions options;
  options.select = {"APF953"};
  return !lint(loaded, {}, options).findings.empty();
}

}  // namespace

TEST_CASE("entries of audit rules that lint says match nothing do so, and those of real requests are not named",
          "[property][lint][audit]") {
  const std::vector<RequestInfo> requests = parsed_requests();
  const auto check = [&](const AuditRule& rule, bool matches) {
    CHECK(decides(rule, requests) == matches);
    CHECK(is_said_to_match_nothing(rule) != matches);
  };
  for (const bool of_resources : {false, true}) {
    for (const std::string verb : {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
                                   "proxy", "GET", "List", "*", "head", "post", "put", "options", "exec"}) {
      AuditRule rule;
      rule.verbs = {verb};
      if (of_resources) rule.resources = {{"", {}, {}}, {"apps", {}, {}}};
      CAPTURE(verb, of_resources);
      // A request for a path may have any method in lower case.
      if (verb == "exec" && !of_resources) continue;
      check(rule, decides(rule, requests));
    }
  }
  for (const std::string group : {"", "apps", "stable.example.com", "core", "v1", "app"}) {
    CAPTURE(group);
    AuditRule rule;
    rule.resources = {{group, {}, {}}};
    check(rule, group.empty() || group == "apps" || group == "stable.example.com");
  }
  for (const std::string resource : {"pods", "pods/*", "*/exec", "*", "pods/exec", "pod", "Pods", "po", "po/exec"}) {
    CAPTURE(resource);
    AuditRule rule;
    rule.resources = {{"", {resource}, {}}};
    check(rule, decides(rule, requests));
  }
  AuditRule rule;
  rule.namespaces = {"*"};
  check(rule, false);
  rule.namespaces = {"ci", ""};
  check(rule, true);
  rule.users = {"ali*"};
  check(rule, false);
  rule.users = {"alice"};
  rule.user_groups = {"*"};
  check(rule, false);
}
