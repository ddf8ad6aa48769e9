// What a diff of random configurations says must be what trying every request of a small universe on both sides shows:
// no region missed, none invented, and each witness goes where its region says.
#include <apf/change.h>
#include <apf/classify.h>
#include <apf/config.h>

#include <algorithm>
#include <random>

#include "catch.h"
#include "change/moves.h"
#include "lint/reach/box_text.h"
#include "lint/reach/cover.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Names = std::vector<std::string>;

// The configurations name all but the last of each, which stands for what nobody names.
const Names kComparedVerbs = {"get", "watch", "list", "create", "update"};
const Names kComparedGroups = {"", "apps", "*", "unnamed.example.com"};
const Names kComparedResources = {"pods", "pods/log", "deployments", "unnamed"};
const Names kComparedNamespaces = {"ns1", "ns2", "unnamed"};
const Names kComparedUrls = {"/healthz", "/healthz/*", "/a/b", "/a/*",          "/a",
                             "/a*",      "/*",         "*",    "/healthz/etcd", "/api/v1/*"};
const Names kComparedPaths = {"/healthz",   "/healthz/", "/healthz/*", "/healthz/etcd", "/healthz/etcd/x",
                              "/healthz/x", "/a",        "/a*",        "/a/",           "/a/*",
                              "/a/b",       "/a/b/",     "/a/b/x",     "/a/x",          "/a/bunnamed",
                              "/unnamed",   "/",         "/api/v1/"};

class ConfigSource {
 public:
  explicit ConfigSource(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  std::string pick(const Names& from) { return from[below(from.size())]; }

  FlowSchema schema(const std::string& name) {
    FlowSchema out;
    out.meta.name = name;
    out.matching_precedence = static_cast<std::int32_t>(2 + below(6));
    out.priority_level = chance(90) ? pick({"level", "other"}) : "missing";
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      PolicyRule& rule = out.rules.emplace_back();
      for (std::size_t m = 1 + below(2); m > 0; --m) rule.subjects.push_back(subject());
      for (std::size_t m = below(3); m > 0; --m)
        rule.resource_rules.push_back({list(kComparedVerbs), list(kComparedGroups), list(kComparedResources),
                                       list(kComparedNamespaces), chance(50)});
      for (std::size_t m = below(2); m > 0; --m) {
        NonResourceRule& part = rule.non_resource_rules.emplace_back();
        part.verbs = list(kComparedVerbs);
        for (std::size_t k = 1 + below(2); k > 0; --k) part.urls.push_back(pick(kComparedUrls));
      }
    }
    return out;
  }

  Config config() {
    Config out;
    for (const char* level : {"level", "other"}) {
      PriorityLevel& object = out.priority_levels.emplace_back();
      object.meta.name = level;
      object.type = "Limited";
      object.limited.emplace();
      object.limited->nominal_concurrency_shares = 10;
      object.limited->limit_response = "Reject";
    }
    for (std::size_t n = 1 + below(5); n > 0; --n) out.flow_schemas.push_back(schema("s" + std::to_string(n)));
    return out;
  }

  // Mostly a few changes of the old one.
  Config changed(const Config& old_config) {
    if (chance(15)) return config();
    Config out = old_config;
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      if (out.flow_schemas.empty()) break;
      FlowSchema& some = out.flow_schemas[below(out.flow_schemas.size())];
      switch (below(6)) {
        case 0:
          some.matching_precedence = static_cast<std::int32_t>(2 + below(6));
          break;
        case 1:
          some.priority_level = pick({"level", "other", "missing"});
          break;
        case 2:
          some.rules = schema("x").rules;
          break;
        case 3:
          some.meta.name = "renamed";
          break;
        case 4:
          std::erase_if(out.flow_schemas, [&](const FlowSchema& s) { return &s == &some; });
          break;
        default:
          out.flow_schemas.push_back(schema("new"));
          break;
      }
    }
    return out;
  }

 private:
  Names list(const Names& from) {
    if (chance(35)) return {"*"};
    Names out;
    for (std::size_t n = 1 + below(3); n > 0; --n) out.push_back(from[below(from.size() - 1)]);
    return out;
  }
  Subject subject() {
    switch (below(3)) {
      case 0:
        return {"User",
                pick({"u1", "u2", "*", "system:anonymous", "system:serviceaccount:ns1:sa", "system:node:a",
                      "system:kube-scheduler"}),
                {},
                {}};
      case 1:
        return {"Group",
                {},
                pick({"g1", "g2", "g1", "*", "system:nodes", "system:authenticated", "system:unauthenticated",
                      "system:serviceaccounts", "system:serviceaccounts:ns1"}),
                {}};
      default:
        return {"ServiceAccount", {}, {}, Subject::ServiceAccount{pick({"ns1", "ns2"}), pick({"sa", "*"})}};
    }
  }

  std::mt19937_64 random_;
};

std::vector<User> all_compared_users() {
  std::vector<User> out;
  for (const char* name : {"u1", "u2", "nobody"}) {
    for (const Names& groups : {Names{}, Names{"g1"}, Names{"g2"}, Names{"g1", "g2"}}) out.push_back({name, groups});
  }
  for (const char* name : {"ns1:sa", "ns1:unnamed", "ns2:sa", "ns2:unnamed", "unnamed:unnamed"})
    out.push_back({std::string("system:serviceaccount:") + name, {}});
  out.push_back({"system:anonymous", {}});
  out.push_back({"system:node:a", {"system:nodes"}});
  out.push_back({"system:kube-scheduler", {}});
  out.push_back({"system:node:b", {"system:nodes"}});
  for (User& user : out) add_implied_groups(user);
  return out;
}

// By methods and URIs, as servers get them.
std::vector<RequestInfo> all_compared_requests() {
  std::vector<RequestInfo> out;
  ParsedRequest parsed;
  const auto add = [&](const char* method, const std::string& uri) {
    parse_request(method, uri, parsed);
    out.push_back(parsed.info);
  };
  for (const char* method : {"GET", "PUT", "POST", "OPTIONS"}) {
    for (const std::string& path : kComparedPaths) add(method, path);
    for (const char* group : {"/api/v1", "/apis/apps/v1", "/apis/unnamed.example.com/v1"}) {
      for (const char* ns : {"", "/namespaces/ns1", "/namespaces/ns2", "/namespaces/unnamed"}) {
        for (const char* resource : {"/pods", "/deployments", "/unnamed"}) {
          for (const char* object : {"", "?watch=1", "/x", "/x/log"})
            add(method, std::string(group) + ns + resource + object);
        }
      }
    }
  }
  return out;
}

RequestPlace place_of(const Classifier& classifier, const RequestInfo& info, const User& user) {
  const Classifier::Schema& schema = classifier.schemas()[classifier.match(info, user).schema];
  return {schema.name, classifier.levels()[schema.level].name};
}

// All requests on both sides against the regions of the two configurations.
void check_pair(const Config& old_config, const Config& new_config) {
  static const std::vector<User> users = all_compared_users();
  static const std::vector<RequestInfo> requests = all_compared_requests();
  const Classifier old_classifier(old_config), new_classifier(new_config);
  const ConsultedSchemas old_side(old_config), new_side(new_config);
  const Moves moves(old_side, new_side);
  REQUIRE(moves.complete());
  const RequestSpace& space = moves.space();
  std::vector<std::pair<const Move*, RequestBox>> boxes;
  for (const Move& move : moves.moves()) {
    for (RequestBox& box : plainest_cover(space, move.boxes)) boxes.emplace_back(&move, std::move(box));
  }
  std::size_t wrong = 0;
  for (const User& user : users) {
    for (const RequestInfo& request : requests) {
      RequestBox point;
      const bool known = space.locate(request, user, point);
      const RequestPlace from = place_of(old_classifier, request, user), to = place_of(new_classifier, request, user);
      bool found = false;
      for (const auto& [move, box] : boxes) {
        if (!known || !space.within(point, box)) continue;
        found = true;
        wrong += from.flow_schema != old_side.name(move->from) || to.flow_schema != new_side.name(move->to) ||
                 from.priority_level != old_side.level_name(move->from) ||
                 to.priority_level != new_side.level_name(move->to);
      }
      wrong += found != !(from == to);
    }
  }
  CHECK(wrong == 0);
}

void check_witnesses(const Config& old_config, const Config& new_config) {
  const ConfigDiff diff = diff_configs({&old_config}, {&new_config});
  const Classifier old_classifier(old_config), new_classifier(new_config);
  for (const MovedRegion& region : diff.regions) {
    INFO(region.requests);
    REQUIRE_FALSE(region.user.name.empty());
    CHECK(place_of(old_classifier, region.request, region.user) == region.from);
    CHECK(place_of(new_classifier, region.request, region.user) == region.to);
  }
}

}  // namespace

TEST_CASE("regions of a diff are what every request shows", "[property][diff]") {
  INFO("APF_TEST_SEED=" << test::seed());
  for (std::uint64_t round = 0; round < test::rounds<std::uint64_t>(120); ++round) {
    ConfigSource source(test::seed() + round);
    const Config old_config = source.config(), new_config = source.changed(old_config);
    const Config old_full = with_builtins(old_config, {}, Builtins::mandatory),
                 new_full = with_builtins(new_config, {}, Builtins::mandatory);
    INFO("round " << round);
    check_pair(old_full, new_full);
    check_witnesses(old_full, new_full);
  }
}
