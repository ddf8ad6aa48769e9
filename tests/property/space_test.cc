// What lint, ladder, diff and test --generate say of all requests must hold for requests as servers get them: methods
// and URIs through the server's own parser, users as its authenticators make them.
#include <apf/change.h>
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/test_file.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "catch.h"
#include "change/moves.h"
#include "lint/reach/cover.h"
#include "lint/reach/reach.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Names = std::vector<std::string>;
constexpr int kRequests = 10'000, kPairs = 30;

class SpaceSource {
 public:
  explicit SpaceSource(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  std::string pick(const Names& from) { return from[below(from.size())]; }

 private:
  std::mt19937_64 random_;
};

// --- requests as servers get them ---

struct SeenRequest {
  std::string method, uri;
  RequestInfo info;
  User user;
};

std::string resource_uri(SpaceSource& random) {
  const std::string ns = random.pick({"", "/namespaces/ns1", "/namespaces/ns2", "/namespaces/elsewhere"});
  std::string out = random.pick({"/api/v1", "/apis/apps/v1", "/apis/other.example.com/v1"}) + ns;
  if (ns.empty() || random.chance(90)) {
    out += "/" + random.pick({"pods", "nodes", "deployments", "namespaces", "things"});
    if (random.chance(60)) {
      out += "/a";
      if (random.chance(40)) out += "/" + random.pick({"log", "status", "scale"});
    }
  } else if (random.chance(50)) {
    out += "/status";
  }
  return out + random.pick({"", "", "?watch=1", "?watch=false", "?fieldSelector=metadata.name%3Da", "?limit=500"});
}

// By the authenticators: anonymous, tokens of service accounts, certificates of nodes, components and people, OIDC.
User seen_user(SpaceSource& random) {
  switch (random.below(7)) {
    case 0:
      return {"system:anonymous", {"system:unauthenticated"}};
    case 1:
    case 2: {
      const std::string ns = random.pick({"ns1", "ns2", "kube-system", "elsewhere"});
      return {fmt::format("system:serviceaccount:{}:{}", ns, random.pick({"a", "b"})),
              {"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"}};
    }
    case 3:
      return {"system:node:" + random.pick({"w1", "w2"}), {"system:nodes", "system:authenticated"}};
    case 4:
      return random.chance(50) ? User{"system:kube-scheduler", {"system:authenticated"}}
                               : User{"system:apiserver", {"system:masters", "system:authenticated"}};
    default: {
      User out{random.pick({"alice", "bob", "carol"}), {}};
      for (const char* group : {"devs", "ops", "system:masters", "system:monitoring"}) {
        if (random.chance(group[0] == 's' ? 10 : 40)) out.groups.emplace_back(group);
      }
      out.groups.emplace_back("system:authenticated");
      return out;
    }
  }
}

std::vector<SeenRequest> seen_requests(SpaceSource& random) {
  std::vector<SeenRequest> out;
  ParsedRequest parsed;
  while (out.size() < kRequests) {
    SeenRequest& request = out.emplace_back();
    request.method = random.pick({"GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"});
    request.uri = random.chance(80)
                      ? resource_uri(random)
                      : random.pick({"/healthz", "/healthz/etcd", "/version", "/a", "/a/b", "/", "/apis/apps"});
    parse_request(request.method, request.uri, parsed);
    if (!parsed.error().empty()) FAIL(request.uri);
    request.info = parsed.info;
    request.user = seen_user(random);
  }
  return out;
}

// --- configurations ---

Subject some_subject(SpaceSource& random) {
  switch (random.below(4)) {
    case 0:
      return {"User",
              random.pick({"alice", "bob", "*", "system:anonymous", "system:serviceaccount:ns1:a", "system:node:w1",
                           "system:kube-scheduler", "system:apiserver"}),
              {},
              {}};
    case 1:
      return {"ServiceAccount", {}, {}, Subject::ServiceAccount{random.pick({"ns1", "ns2"}), random.pick({"a", "*"})}};
    default:
      return {"Group",
              {},
              random.pick({"devs", "ops", "*", "system:authenticated", "system:unauthenticated", "system:nodes",
                           "system:masters", "system:serviceaccounts", "system:serviceaccounts:ns1",
                           "system:serviceaccounts:ns2"}),
              {}};
  }
}

Names some_of(SpaceSource& random, const Names& from, int percent_any) {
  if (random.chance(percent_any)) return {"*"};
  Names out;
  for (std::size_t n = 1 + random.below(3); n > 0; --n) out.push_back(random.pick(from));
  return out;
}

std::vector<PolicyRule> some_rules(SpaceSource& random) {
  std::vector<PolicyRule> out(1 + random.below(2));
  for (PolicyRule& rule : out) {
    for (std::size_t n = 1 + random.below(2); n > 0; --n) rule.subjects.push_back(some_subject(random));
    for (std::size_t n = random.below(3); n > 0; --n) {
      rule.resource_rules.push_back(
          {some_of(random, {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}, 40),
           some_of(random, {"", "apps", "*"}, 50),
           some_of(random, {"pods", "pods/log", "pods/status", "*/status", "nodes", "namespaces", "namespaces/status"},
                   35),
           some_of(random, {"ns1", "ns2", "*"}, 60), random.chance(50)});
    }
    for (std::size_t n = random.below(2); n > 0; --n)
      rule.non_resource_rules.push_back({some_of(random, {"get", "post", "list"}, 50),
                                         some_of(random, {"/healthz", "/healthz/*", "/a", "/a/*", "/version"}, 20)});
  }
  return out;
}

FlowSchema some_schema(SpaceSource& random, const std::string& name) {
  FlowSchema out;
  out.meta.name = name;
  out.matching_precedence = static_cast<std::int32_t>(2 + random.below(6));
  out.priority_level = random.pick({"level", "other"});
  out.rules = some_rules(random);
  return out;
}

Config some_config(SpaceSource& random) {
  Config out;
  for (const char* level : {"level", "other"}) {
    PriorityLevel& object = out.priority_levels.emplace_back();
    object.meta.name = level;
    object.type = "Limited";
    object.limited.emplace();
    object.limited->nominal_concurrency_shares = 10;
    object.limited->limit_response = "Reject";
  }
  for (std::size_t n = 1 + random.below(6); n > 0; --n)
    out.flow_schemas.push_back(some_schema(random, "s" + std::to_string(n)));
  return out;
}

Config changed(SpaceSource& random, Config out) {
  FlowSchema& some = out.flow_schemas[random.below(out.flow_schemas.size())];
  switch (random.below(5)) {
    case 0:
      some.matching_precedence = static_cast<std::int32_t>(2 + random.below(6));
      break;
    case 1:
      some.priority_level = some.priority_level == "level" ? "other" : "level";
      break;
    case 2:
      some.rules = some_rules(random);
      break;
    case 3:
      out.flow_schemas.push_back(some_schema(random, "new"));
      break;
    default:
      return some_config(random);
  }
  return out;
}

// --- what is claimed ---

RequestPlace place_in(const Classifier& classifier, const RequestInfo& info, const User& user) {
  const Classifier::Schema& schema = classifier.schemas()[classifier.match(info, user).schema];
  return {schema.name, classifier.levels()[schema.level].name};
}

// What `apfctl explain …` would be asked: request and user.
std::pair<RequestInfo, User> asked_by(const std::string& command) {
  Names words;
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find(' ', at), command.size());
    words.push_back(command.substr(at, end - at));
    at = end + 1;
  }
  REQUIRE(words.size() > 3);
  REQUIRE(words[0] + " " + words[1] == "apfctl explain");
  std::string request;
  User user{"system:anonymous", {}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "--as") user.name = words[++i];
    else if (words[i] == "--as-group") user.groups.push_back(words[++i]);
    else request += (request.empty() ? "" : " ") + words[i];
  }
  add_implied_groups(user);
  return {request_named(request).request.info, user};
}

void check_reach(const Config& config, const std::vector<SeenRequest>& requests, std::size_t& dead) {
  const Classifier classifier(config);
  const Reach reach(config);
  const Ladder ladder = make_ladder(config);
  const std::string tests = generate_tests(config, {}).text;
  std::vector<std::vector<bool>> taken;
  for (const Classifier::Schema& schema : classifier.schemas()) taken.emplace_back(schema.object.rules.size() + 1);
  for (const SeenRequest& request : requests) {
    const Classifier::Match match = classifier.match(request.info, request.user);
    if (match.fallback) continue;
    FlowSchema one = classifier.schemas()[match.schema].object;
    const std::vector<PolicyRule> rules = one.rules;
    taken[match.schema].back() = true;
    for (std::size_t r = 0; r < rules.size(); ++r) {
      if (taken[match.schema][r]) continue;
      one.rules = {rules[r]};
      taken[match.schema][r] = matches_flow_schema(one, request.info, request.user);
    }
  }
  for (std::uint32_t i = 0; i < classifier.schemas().size(); ++i) {
    const SchemaReach& of = reach.of(i);
    INFO(render_yaml(*reach.consulted()[i]));
    dead += !of.reached;
    CHECK(ladder.steps[i].reached == of.reached);
    CHECK((of.reached || !taken[i].back()));
    for (std::size_t r = 0; r < of.rules.size(); ++r) {
      CHECK((of.rules[r].reached || !taken[i][r]));
      const std::string said = fmt::format("# {} rules[{}]: no request reaches it", classifier.schemas()[i].name, r);
      CHECK((tests.find(said) != std::string::npos) == !of.rules[r].reached);
    }
    if (of.reached || !of.matches_something) continue;
    const Shadow shadow = reach.shadow(i, {});
    if (!shadow.witness || shadow.witness->command.empty()) continue;
    const auto [info, user] = asked_by(shadow.witness->command);
    CHECK(place_in(classifier, info, user).flow_schema == shadow.taker->meta.name);
    CHECK(matches_flow_schema(classifier.schemas()[i].object, info, user));
  }
}

FlowSchema for_everyone(std::int32_t matching_precedence) {
  const auto group = [](const char* name) { return Subject{"Group", {}, name, {}}; };
  FlowSchema out;
  out.meta.name = "for-everyone";
  out.priority_level = "exempt";
  out.matching_precedence = matching_precedence;
  out.rules.push_back({{group("system:authenticated"), group("system:unauthenticated"), group("*")},
                       {{{"*"}, {"*"}, {"*"}, {"*"}, true}},
                       {{{"*"}, {"*"}}}});
  return out;
}

// Any of the numbers that the ladder names gets the request, and one after its FlowSchema does not.
void check_places(const Config& config, const std::vector<SeenRequest>& requests) {
  const Classifier classifier(config);
  for (std::size_t i = 0; i < std::min<std::size_t>(requests.size(), 20); ++i) {
    const RequestInfo& info = requests[i].info;
    const User& user = requests[i].user;
    const LadderPlace place = place_on_ladder(config, info, user, "list pods", "");
    REQUIRE(place.losses.size() == 1);
    const LadderLoss& loss = place.losses.front();
    CHECK(RequestPlace{loss.flow_schema, loss.priority_level} == place_in(classifier, info, user));
    CHECK((!place.without_harm || loss.general));
    const auto gets = [&](std::int32_t number) {
      Config with = config;
      with.flow_schemas.push_back(for_everyone(number));
      return place_in(Classifier(with), info, user).flow_schema == "for-everyone";
    };
    CHECK(place.for_all.has_value() == (loss.matching_precedence > 2));
    if (place.for_all) CHECK((gets(place.for_all->first) && gets(place.for_all->last)));
    CHECK_FALSE(gets(loss.matching_precedence + 1));
  }
}

void check_regions(const Config& old_config, const Config& new_config, const std::vector<SeenRequest>& requests,
                   std::size_t& moving) {
  const Classifier old_classifier(old_config), new_classifier(new_config);
  const ConsultedSchemas old_side(old_config), new_side(new_config);
  const Moves moves(old_side, new_side);
  REQUIRE(moves.complete());
  std::vector<std::pair<const Move*, RequestBox>> boxes;
  for (const Move& move : moves.moves()) {
    for (RequestBox& box : plainest_cover(moves.space(), move.boxes)) boxes.emplace_back(&move, std::move(box));
  }
  for (const SeenRequest& request : requests) {
    RequestBox point;
    const bool known = moves.space().locate(request.info, request.user, point);
    const RequestPlace from = place_in(old_classifier, request.info, request.user),
                       to = place_in(new_classifier, request.info, request.user);
    std::size_t right = 0, wrong = 0;
    for (const auto& [move, box] : boxes) {
      if (!moves.space().holds_request(box, request.info, request.user)) continue;
      const bool same = from == RequestPlace{old_side.name(move->from), old_side.level_name(move->from)} &&
                        to == RequestPlace{new_side.name(move->to), new_side.level_name(move->to)};
      ++(same ? right : wrong);
    }
    moving += from != to;
    if (!known || wrong > 0 || (right > 0) != (from != to)) {
      FAIL(request.method << " " << request.uri << " by " << request.user.name << ": " << from.flow_schema << " to "
                          << to.flow_schema << ", known " << known << ", " << right << " regions, wrong ones "
                          << wrong);
    }
  }
  const ConfigDiff diff = diff_configs({&old_config}, {&new_config});
  for (const MovedRegion& region : diff.regions) {
    INFO(region.requests);
    REQUIRE_FALSE(region.user.name.empty());
    CHECK(place_in(old_classifier, region.request, region.user) == region.from);
    CHECK(place_in(new_classifier, region.request, region.user) == region.to);
    for (const std::string& command : {region.old_command, region.new_command}) {
      if (command.empty()) continue;
      const auto [info, user] = asked_by(command);
      CHECK(place_in(old_classifier, info, user) == region.from);
      CHECK(place_in(new_classifier, info, user) == region.to);
    }
  }
}

}  // namespace

TEST_CASE("what is said of all requests holds for requests as servers get them", "[property][lint][diff]") {
  INFO("APF_TEST_SEED=" << test::seed());
  SpaceSource random(test::seed());
  const std::vector<SeenRequest> requests = seen_requests(random);
  std::size_t dead = 0, moving = 0;
  for (int pair = 0; pair < test::rounds(kPairs); ++pair) {
    INFO("pair " << pair);
    const Config old_config = some_config(random), new_config = changed(random, old_config);
    const Builtins builtins = random.chance(30) ? Builtins::all : Builtins::mandatory;
    const Config old_served = with_builtins(old_config, {}, builtins),
                 new_served = with_builtins(new_config, {}, builtins);
    check_places(old_served, requests);
    check_reach(old_served, requests, dead);
    check_regions(old_served, new_served, requests, moving);
  }
  // The vocabularies meet often enough for the comparison to mean something.
  CHECK(dead > test::rounds(10u));
  CHECK(moving > test::rounds(1000u));
}

TEST_CASE("of very many groups, whoever is in two of them moves as the diff says", "[property][diff]") {
  INFO("APF_TEST_SEED=" << test::seed());
  SpaceSource random(test::seed());
  constexpr int kGroups = 20;
  const auto group_name = [](int i) { return "team-" + std::to_string(i); };
  const Names paths = {"/api/v1/pods", "/api/v1/namespaces/ns1/pods", "/api/v1/namespaces/ns1/pods/a"};
  std::size_t moving = 0;
  for (int round = 0; round < 12; ++round) {
    INFO("round " << round);
    Config old_config = some_config(random);
    old_config.flow_schemas.clear();
    for (int i = 0; i < kGroups; ++i) {
      FlowSchema& schema = old_config.flow_schemas.emplace_back(some_schema(random, "s" + std::to_string(i)));
      PolicyRule rule;
      rule.subjects.push_back({"Group", {}, group_name(i), {}});
      rule.resource_rules.push_back({some_of(random, {"get", "list"}, 50), {"*"}, {"pods"}, {"*"}, random.chance(50)});
      schema.rules = {rule};
    }
    Config new_config = old_config;
    for (int n = 0; n < 2; ++n)
      new_config.flow_schemas[random.below(kGroups)].matching_precedence =
          static_cast<std::int32_t>(2 + random.below(6));
    old_config = with_builtins(old_config, {}, Builtins::mandatory);
    new_config = with_builtins(new_config, {}, Builtins::mandatory);
    const Classifier old_classifier(old_config), new_classifier(new_config);
    const ConsultedSchemas old_side(old_config), new_side(new_config);
    const Moves moves(old_side, new_side);
    REQUIRE(moves.complete());
    for (int i = 0; i < kGroups; ++i) {
      for (int k = 0; k < i; ++k) {
        const User user{"alice", {group_name(i), group_name(k), "system:authenticated"}};
        for (const std::string& path : paths) {
          ParsedRequest parsed;
          parse_request("GET", path, parsed);
          const RequestPlace from = place_in(old_classifier, parsed.info, user),
                             to = place_in(new_classifier, parsed.info, user);
          if (from == to) continue;
          ++moving;
          const bool found = std::any_of(moves.moves().begin(), moves.moves().end(), [&](const Move& move) {
            return old_side.name(move.from) == from.flow_schema && new_side.name(move.to) == to.flow_schema &&
                   std::any_of(move.boxes.begin(), move.boxes.end(), [&](const RequestBox& box) {
                     return moves.space().holds_request(box, parsed.info, user);
                   });
          });
          if (!found)
            FAIL(user.groups[0] << ", " << user.groups[1] << ": " << from.flow_schema << " to " << to.flow_schema);
        }
      }
    }
    for (const MovedRegion& region : diff_configs({&old_config}, {&new_config}).regions) {
      INFO(region.requests);
      CHECK(place_in(old_classifier, region.request, region.user) == region.from);
      CHECK(place_in(new_classifier, region.request, region.user) == region.to);
    }
  }
  CHECK(moving > 50);
}
