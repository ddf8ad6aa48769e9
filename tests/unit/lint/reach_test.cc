// Reachability: what the rules say about particular configurations, and the requests that show it.
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/lint.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "catch.h"
#include "lint/reach/box.h"
#include "lint/reach/box_text.h"
#include "lint/reach/reach.h"
#include "lint/reach/request_space.h"
#include "lint/reach/witness.h"

using namespace apf;

namespace {

using Names = std::vector<std::string>;

Subject group_subject(const std::string& name) { return {"Group", {}, name, {}}; }
Subject account(const std::string& ns, const std::string& name) {
  return {"ServiceAccount", {}, {}, Subject::ServiceAccount{ns, name}};
}

FlowSchema schema(const std::string& name, int precedence, std::vector<Subject> subjects, ResourceRule rule) {
  FlowSchema out;
  out.meta.name = name;
  out.matching_precedence = precedence;
  out.priority_level = "global-default";
  out.rules.push_back({std::move(subjects), {std::move(rule)}, {}});
  return out;
}

ResourceRule all_of(Names verbs, Names resources) {
  return {std::move(verbs), {"*"}, std::move(resources), {"*"}, true};
}

Config with(std::vector<FlowSchema> schemas) {
  Config config;
  config.flow_schemas = std::move(schemas);
  return with_builtins(config, {}, Builtins::all);
}

bool reached(const Reach& reach, const std::string& name) { return reach.of(reach.index_of(name).value()).reached; }

Names takers(const Reach& reach, const std::string& name) {
  Names out;
  for (const FlowSchema* taker : reach.shadow(reach.index_of(name).value(), {}).taken_by)
    out.push_back(taker->meta.name);
  return out;
}

}  // namespace

TEST_CASE("the groups that authentication gives decide who is shadowed", "[lint]") {
  const Config config = with({
      schema("late-account", 9001, {account("ci", "builder")}, all_of({"*"}, {"*"})),
      schema("late-group", 9001, {group_subject("devs")}, all_of({"*"}, {"*"})),
      schema("after-everything", 9950, {group_subject("ops")}, all_of({"*"}, {"*"})),
      schema("admins", 500, {group_subject("system:masters")}, all_of({"*"}, {"*"})),
      schema("anonymous", 9950, {{"User", "system:anonymous", {}, {}}}, all_of({"get"}, {"pods"})),
  });
  const Reach reach(config);
  CHECK_FALSE(reached(reach, "late-account"));
  CHECK(takers(reach, "late-account") == Names{"service-accounts"});
  CHECK(reached(reach, "late-group"));
  CHECK(takers(reach, "after-everything") == Names{"global-default"});
  CHECK(takers(reach, "admins") == Names{"exempt"});
  CHECK(takers(reach, "anonymous") == Names{"global-default"});
}

TEST_CASE("several FlowSchemas together shadow one", "[lint]") {
  const Config config = with({
      schema("reads", 100, {group_subject("devs")}, all_of({"get", "list"}, {"*"})),
      schema("pods", 200, {group_subject("devs")}, all_of({"*"}, {"pods"})),
      schema("unrelated", 250, {group_subject("ops")}, all_of({"*"}, {"*"})),
      schema("both", 300, {group_subject("devs")}, all_of({"get", "list"}, {"pods", "services"})),
      schema("rest", 300, {group_subject("devs")}, all_of({"get", "create"}, {"pods", "services"})),
  });
  const Reach reach(config);
  CHECK(takers(reach, "both") == Names{"reads"});
  const std::uint32_t rest = reach.index_of("rest").value();
  CHECK(reach.of(rest).reached);
  const auto takers_of = [&](std::size_t side, const char* value) {
    ReachSelection selection;
    selection.side = side, selection.value = value;
    const Shadow shadow = reach.shadow(rest, selection);
    Names out;
    for (const FlowSchema* taker : shadow.taken_by) out.push_back(taker->meta.name);
    REQUIRE(shadow.witness);
    CHECK(shadow.witness->command.find(std::string(" ") + value + " ") != std::string::npos);
    return out;
  };
  CHECK(takers_of(kVerbSide, "get") == Names{"reads"});
  CHECK(takers_of(kVerbSide, "create") == Names{"pods"});
  CHECK(takers_of(kResourceSide, "services") == Names{"reads"});
  CHECK(takers_of(kResourceSide, "pods") == Names{"reads", "pods"});
  const PartReach& part = reach.of(rest).rules[0].parts[0];
  CHECK(part.verbs == std::vector<bool>{false, true});
  CHECK(part.resources == std::vector<bool>{false, true});
  const std::optional<Witness> example = reach.example(rest);
  REQUIRE(example);
  CHECK(example->command == "apfctl explain create services -n default --as any-other --as-group devs");
}

TEST_CASE("witnesses are commands that say exactly the request", "[lint]") {
  const auto command = [](User user, const std::string& verb, const std::string& api_group, const std::string& resource,
                          const std::string& ns) {
    RequestInfo request;
    request.is_resource_request = true;
    request.verb = verb;
    request.api_group = api_group;
    request.resource = resource.substr(0, resource.find('/'));
    if (resource.find('/') != std::string::npos) request.subresource = resource.substr(resource.find('/') + 1);
    request.ns = ns;
    add_implied_groups(user);
    return explain_command(user, request, "");
  };
  CHECK(command({"system:serviceaccount:ci:builder", {}}, "list", "", "pods", "ci") ==
        "apfctl explain list pods -n ci --as system:serviceaccount:ci:builder");
  CHECK(command({"alice", {"devs"}}, "list", "apps", "deployments", "") ==
        "apfctl explain list deployments.apps --as alice --as-group devs");
  // The core group has no deployments: the dot keeps apfctl from taking those of apps.
  CHECK(command({"alice", {}}, "list", "", "deployments", "") == "apfctl explain list deployments. --as alice");
  CHECK(command({"o'hara", {}}, "watch", "", "nodes", "") == "apfctl explain watch nodes --as 'o'\\''hara'");
  CHECK(command({"system:anonymous", {}}, "list", "example.com", "widgets", "x") ==
        "apfctl explain list widgets.example.com -n x");
  // No request has this verb, this resource or this user.
  CHECK(command({"alice", {}}, "post", "", "pods", "ci").empty());
  CHECK(command({"alice", {}}, "list", "", "po", "ci").empty());
  CHECK(command({"a\nb", {}}, "list", "", "pods", "ci").empty());
}

TEST_CASE("what is dead or stands twice can be removed", "[lint]") {
  const std::string text = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: ci}
spec:
  matchingPrecedence: 1000
  priorityLevelConfiguration: {name: workload-low}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects:
    - {kind: Group, group: {name: system:masters}}
    - {kind: Group, group: {name: ci}}
    nonResourceRules:
    - verbs: [get, get]
      nonResourceURLs:
      - /metrics  # for the dashboard
      - /healthz
)";
  const ConfigText texts[] = {{"a.yaml", text}};
  const LintResult result = lint(load_config(texts), texts, {});
  std::string all, fixed = text;
  for (auto d = result.findings.rbegin(); d != result.findings.rend(); ++d) {  // the later edits first
    all += d->code + " ";
    REQUIRE(d->fix);
    CHECK_FALSE(d->fix->safe);  // each changes what is stored
    for (const Edit& edit : d->fix->edits) fixed.replace(edit.begin, edit.end - edit.begin, edit.text);
  }
  CHECK(all == "APF113 APF114 APF112 ");
  CHECK(fixed == R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: ci}
spec:
  matchingPrecedence: 1000
  priorityLevelConfiguration: {name: workload-low}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects:
    - {kind: Group, group: {name: ci}}
    nonResourceRules:
    - verbs: [get]
      nonResourceURLs:
      - /metrics  # for the dashboard
)");
}

TEST_CASE("too much to compare counts as reached", "[lint]") {
  // Each takes one more namespace for one more resource: what is left falls to pieces, and everything meets everything.
  std::vector<FlowSchema> schemas;
  Names resources, namespaces;
  for (int i = 0; i < 400; ++i) {
    resources.push_back("r" + std::to_string(i));
    namespaces.push_back("n" + std::to_string(i));
    ResourceRule rule = all_of({"*"}, {resources.back()});
    rule.namespaces = {namespaces.back()};
    rule.cluster_scope = false;
    schemas.push_back(schema("s" + std::to_string(i), 1 + i, {group_subject("devs")}, rule));
  }
  ResourceRule rule = all_of({"*"}, resources);
  rule.namespaces = namespaces;
  rule.cluster_scope = false;
  schemas.push_back(schema("last", 1000, {group_subject("devs")}, rule));
  const Config config = with(schemas);
  const Reach reach(config);
  const SchemaReach& last = reach.of(reach.index_of("last").value());
  CHECK(last.reached);
  CHECK_FALSE(last.complete);
}

TEST_CASE("of thousands of one precedence, each is said to overlap", "[lint]") {
  constexpr std::size_t kSchemas = 1700;
  std::vector<FlowSchema> schemas;
  for (std::size_t i = 0; i < kSchemas; ++i) {
    schemas.push_back(schema(fmt::format("s-{:04}", i), 5000, {group_subject("devs")},
                             all_of({"get", "list", "watch"}, {"pods", fmt::format("crd-{}", i)})));
  }
  const Config config = with(std::move(schemas));
  const Reach reach(config);
  std::set<std::string> lost;
  for (const Overlap& overlap : reach.equal_precedence_overlaps())
    if (overlap.winner->meta.name == "s-0000") lost.insert(overlap.other->meta.name);
  CHECK(lost.size() == kSchemas - 1);
}

TEST_CASE("boxes are taken from a grid point by point", "[lint]") {
  // Against a plain set of points, for all boxes of one small grid.
  const std::array<std::size_t, kSides> sizes = {2, 3, 2, 70};
  Region region(sizes);
  std::vector<bool> points(2 * 3 * 2 * 70, true);
  std::uint64_t state = 7;
  const auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 40; };
  for (int round = 0; round < 12; ++round) {
    Box box;
    for (std::size_t side = 0; side < kSides; ++side) {
      box[side].assign(sizes[side], false);
      for (std::size_t i = 0; i < sizes[side]; ++i) {
        if (random() % 3 != 0) box[side].set(i);
      }
    }
    bool some = false;
    std::size_t at = 0;
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t c = 0; c < 2; ++c) {
          for (std::size_t d = 0; d < 70; ++d, ++at) {
            if (!points[at] || !box[0].test(a) || !box[1].test(b) || !box[2].test(c) || !box[3].test(d)) continue;
            some = true;
            points[at] = false;
          }
        }
      }
    }
    CHECK(region.take(box) == some);
    at = 0;
    std::size_t in_boxes = 0;
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t c = 0; c < 2; ++c) {
          for (std::size_t d = 0; d < 70; ++d, ++at) {
            const auto count = std::count_if(region.boxes().begin(), region.boxes().end(), [&](const Box& left) {
              return left[0].test(a) && left[1].test(b) && left[2].test(c) && left[3].test(d);
            });
            if (count != (points[at] ? 1 : 0)) ++in_boxes;
          }
        }
      }
    }
    CHECK(in_boxes == 0);
    CHECK(region.empty() == std::none_of(points.begin(), points.end(), [](bool p) { return p; }));
  }
}

TEST_CASE("a box holds the requests of its users and groups alone", "[lint]") {
  FlowSchema nodes = schema("nodes", 100, {{"User", "jane", {}, {}}, group_subject("ops")}, all_of({"get"}, {"pods"}));
  const FlowSchema* const schemas[] = {&nodes};
  const RequestSpace space(schemas);
  RequestInfo request;
  request.is_resource_request = true;
  request.verb = "get", request.resource = "pods", request.ns = "shop", request.api_version = "v1";
  const auto held = [&](const User& user) {
    int count = 0;
    for (const RequestBox& box : space.boxes_of(nodes)) count += space.holds_request(box, request, user);
    return count;
  };
  CHECK(held({"jane", {"system:authenticated"}}) == 1);
  CHECK(held({"joe", {"system:authenticated"}}) == 0);
  CHECK(held({"joe", {"system:authenticated", "ops"}}) == 1);
  CHECK(held({"jane", {"system:authenticated", "ops"}}) == 2);
  request.verb = "list";
  CHECK(held({"jane", {"system:authenticated", "ops"}}) == 0);
}

TEST_CASE("every path that begins with a slash is below /", "[lint]") {
  FlowSchema probes = schema("probes", 100, {group_subject("ops")}, all_of({"get"}, {"pods"}));
  probes.rules.front().non_resource_rules.push_back({{"get"}, {"/*"}});
  FlowSchema health = schema("health", 100, {group_subject("ops")}, all_of({"get"}, {"pods"}));
  health.rules.front().non_resource_rules.push_back({{"get"}, {"/healthz", "/healthz/*"}});
  const FlowSchema* const schemas[] = {&probes, &health};
  const RequestSpace space(schemas);
  const auto holds = [&](const FlowSchema& of, const char* path) {
    RequestInfo request;
    request.verb = "get", request.path = path;
    int count = 0;
    for (const RequestBox& box : space.boxes_of(of))
      count += space.holds_request(box, request, {"joe", {"system:authenticated", "ops"}});
    return count;
  };
  for (const char* path : {"/", "/x", "/x/y", "//", "//x", "//x/y", "/healthz", "/healthz/etcd"}) {
    INFO(path);
    CHECK(holds(probes, path) == 1);
    CHECK(holds(health, path) == (std::string_view(path).starts_with("/healthz") ? 1 : 0));
  }
}

TEST_CASE("a command shows a box of many requests that no server has", "[lint]") {
  // Pods are of the core group, which another FlowSchema takes: what is left is their status in groups that have none.
  ResourceRule status = all_of({"*"}, {"pods/status"}), core = status;
  status.namespaces.clear();
  for (int i = 0; i < 10; ++i) status.namespaces.push_back("n" + std::to_string(i));
  status.cluster_scope = false;
  core.api_groups = {""};
  const FlowSchema all = schema("all", 200, {group_subject("devs")}, status),
                   first = schema("first", 100, {group_subject("devs")}, core);
  const FlowSchema* const schemas[] = {&first, &all};
  const RequestSpace space(schemas);
  std::vector<RequestBox> left;
  space.subtract(space.boxes_of(all).at(0), space.boxes_of(first).at(0), left);
  REQUIRE(left.size() == 1);
  const std::optional<Witness> witness = witness_in(space, left[0], "");
  REQUIRE(witness);
  CHECK(space.holds_request(left[0], witness->request, witness->user));
  CHECK(witness->request.subresource == "status");
  INFO(witness->command);
  CHECK(witness->command.starts_with("apfctl explain "));
}

TEST_CASE("a command names an object where the verb needs one", "[lint]") {
  ResourceRule pods = all_of({"*"}, {"pods"});
  pods.namespaces.clear();
  for (int i = 0; i < 10; ++i) pods.namespaces.push_back("n" + std::to_string(i));
  pods.cluster_scope = false;
  ResourceRule core = pods, lists = pods;
  core.api_groups = {""};
  lists.verbs = {"list"};
  const FlowSchema all = schema("all", 200, {group_subject("devs")}, pods),
                   first = schema("first", 100, {group_subject("devs")}, core),
                   second = schema("second", 150, {group_subject("devs")}, lists);
  const FlowSchema* const schemas[] = {&first, &second, &all};
  const RequestSpace space(schemas);
  std::vector<RequestBox> outside, left;
  space.subtract(space.boxes_of(all).at(0), space.boxes_of(first).at(0), outside);
  REQUIRE(outside.size() == 1);
  space.subtract(outside[0], space.boxes_of(second).at(0), left);
  REQUIRE(left.size() == 1);
  const std::optional<Witness> witness = witness_in(space, left[0], "");
  REQUIRE(witness);
  CHECK(witness->request.verb == "get");
  CHECK(witness->request.name == "any");
  CHECK(witness->command == "apfctl explain get pods.any-other any -n n0 --as any-other --as-group devs");
}

TEST_CASE("many bits are none where none of their words has one", "[lint]") {
  Bits bits;
  bits.assign(200, false);
  CHECK(bits.none());
  for (const std::size_t at : {0, 63, 64, 150, 199}) {
    bits.assign(200, false);
    bits.set(at);
    INFO(at);
    CHECK_FALSE(bits.none());
    CHECK(bits.count() == 1);
  }
}
