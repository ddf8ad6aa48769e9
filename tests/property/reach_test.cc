// What Reach decides about random configurations must be what trying every request of a small universe shows, and its
// witnesses must go where it says.
#include <apf/classify.h>
#include <apf/config.h>

#include <algorithm>
#include <functional>
#include <random>

#include "catch.h"
#include "lint/reach/reach.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Names = std::vector<std::string>;

// The configuration names all but the last of each, which represents what nobody names. A "*" beside others is a text.
const Names kReachedVerbs = {"get", "watch", "list", "create", "*", "frobnicate"};
const Names kReachedGroups = {"", "apps", "*", "unnamed.example.com"};
const Names kReachedResources = {"pods", "pods/log", "pods/status", "deployments", "*", "unnamed"};
const Names kReachedNamespaces = {"ns1", "ns2", "*", "unnamed"};
const Names kReachedUrls = {"/healthz", "/healthz/*", "/a/b", "/a/*", "/a", "/a*", "/*", "*", "/healthz/etcd"};
const Names kReachedPaths = {"/healthz",
                             "/healthz/",
                             "/healthz/*",
                             "/healthz/etcd",
                             "/healthz/etcd/unnamed",
                             "/healthz/unnamed",
                             "/a",
                             "/a*",
                             "/a/",
                             "/a/*",
                             "/a/b",
                             "/a/b/",
                             "/a/b/unnamed",
                             "/a/unnamed",
                             "/a/bunnamed",
                             "/unnamed",
                             "/",
                             "/*"};

class RegionSource {
 public:
  explicit RegionSource(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  std::string pick(const Names& from) { return from[below(from.size())]; }
  Names list(const Names& from, int percent_any) {
    if (chance(percent_any)) return {"*"};
    Names out;
    for (std::size_t n = 1 + below(3); n > 0; --n) out.push_back(from[below(from.size() - (chance(10) ? 1 : 2))]);
    if (chance(2)) out.clear();
    return out;
  }

  Subject subject() {
    switch (below(3)) {
      case 0:
        return {"User", pick({"u1", "u2", "*", "system:anonymous", "system:serviceaccount:ns1:sa"}), {}, {}};
      case 1:
        return {"Group",
                {},
                pick({"g1", "g2", "*", "system:authenticated", "system:unauthenticated", "system:serviceaccounts",
                      "system:serviceaccounts:ns1", "system:masters", "system:nodes"}),
                {}};
      default:
        return {"ServiceAccount", {}, {}, Subject::ServiceAccount{pick({"ns1", "ns2"}), pick({"sa", "*"})}};
    }
  }

  FlowSchema schema(std::size_t number, bool narrow) {
    FlowSchema out;
    out.meta.name = "s" + std::to_string(number);
    out.matching_precedence = static_cast<std::int32_t>(1 + below(6));
    out.priority_level = chance(95) ? "level" : "missing";
    const int any = narrow ? 20 : 45;
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      PolicyRule& rule = out.rules.emplace_back();
      for (std::size_t m = 1 + below(2); m > 0; --m)
        rule.subjects.push_back(narrow ? Subject{"Group", {}, "g1", {}} : subject());
      if (chance(2)) rule.subjects.push_back({"Robot", {}, {}, {}});
      for (std::size_t m = below(3); m > 0; --m) {
        rule.resource_rules.push_back({list(kReachedVerbs, any), list(kReachedGroups, any),
                                       list(kReachedResources, any), list(kReachedNamespaces, any), chance(50)});
      }
      for (std::size_t m = below(3); m > 0; --m) {
        NonResourceRule& part = rule.non_resource_rules.emplace_back();
        part.verbs = list(kReachedVerbs, any);
        for (std::size_t k = 1 + below(2); k > 0; --k) part.urls.push_back(pick(kReachedUrls));
      }
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
};

std::vector<User> all_tried_users() {
  std::vector<User> out;
  for (const char* name : {"u1", "u2", "nobody"}) {
    for (const Names& groups : {Names{}, Names{"g1"}, Names{"g2"}, Names{"g1", "g2"}}) out.push_back({name, groups});
  }
  for (const char* name : {"ns1:sa", "ns1:unnamed", "ns2:sa", "ns2:unnamed", "unnamed:unnamed"})
    out.push_back({std::string("system:serviceaccount:") + name, {}});
  out.push_back({"nobody", {"system:masters"}});
  out.push_back({"system:node:unnamed", {"system:nodes"}});
  out.push_back({"system:anonymous", {}});
  for (User& user : out) add_implied_groups(user);
  return out;
}

// By methods and URIs, as servers get them.
std::vector<RequestInfo> all_tried_requests() {
  std::vector<RequestInfo> out;
  ParsedRequest parsed;
  const auto add = [&](const char* method, const std::string& uri) {
    parse_request(method, uri, parsed);
    out.push_back(parsed.info);
  };
  for (const char* method : {"GET", "PUT", "POST", "FROBNICATE", "DELETE"}) {
    for (const std::string& path : kReachedPaths) add(method, path);
    for (const char* group : {"/api/v1", "/apis/apps/v1", "/apis/unnamed.example.com/v1"}) {
      for (const char* ns : {"", "/namespaces/ns1", "/namespaces/ns2", "/namespaces/unnamed"}) {
        for (const char* resource : {"/pods", "/deployments", "/unnamed"}) {
          for (const char* object : {"", "?watch=1", "/x", "/x/log", "/x/status"})
            add(method, std::string(group) + ns + resource + object);
        }
      }
    }
  }
  return out;
}

// A FlowSchema cut down to one thing in it, and what Reach says of that.
struct Piece {
  std::string label;
  FlowSchema schema;
  bool reached = false;
  ReachSelection selection;
};

void add_entries(std::vector<Piece>& out, const Piece& part, const std::vector<bool>& reached, std::size_t side,
                 const Names& list, const std::string& label, const std::function<Names&(FlowSchema&)>& list_of) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    // Alone in the list a "*" would be another thing than it was.
    if (list[i] == "*" && list.size() > 1 && label != "url") continue;
    Piece piece = part;
    piece.label += " " + label + " " + list[i];
    list_of(piece.schema) = {list[i]};
    piece.reached = reached[i];
    piece.selection.side = side;
    piece.selection.value = list[i];
    out.push_back(std::move(piece));
  }
}

std::vector<Piece> pieces_of(const FlowSchema& schema, const SchemaReach& reach) {
  std::vector<Piece> out{{"schema", schema, reach.reached, {}}};
  for (std::uint32_t r = 0; r < schema.rules.size(); ++r) {
    Piece rule{"rule " + std::to_string(r), schema, reach.rules[r].reached, {}};
    rule.schema.rules = {schema.rules[r]};
    rule.selection.rule = r;
    out.push_back(rule);
    for (std::uint32_t s = 0; s < schema.rules[r].subjects.size(); ++s) {
      Piece subject = rule;
      subject.label += " subject " + std::to_string(s);
      subject.schema.rules[0].subjects = {schema.rules[r].subjects[s]};
      subject.reached = reach.rules[r].subjects[s];
      subject.selection.subject = s;
      out.push_back(subject);
    }
    for (std::uint32_t p = 0; p < reach.rules[r].parts.size(); ++p) {
      const PartReach& part = reach.rules[r].parts[p];
      Piece piece = rule;
      piece.label += " part " + std::to_string(p);
      piece.reached = part.reached;
      piece.selection.part = p;
      PolicyRule& cut = piece.schema.rules[0];
      if (part.is_url) {
        const NonResourceRule written = schema.rules[r].non_resource_rules[part.index];
        cut.resource_rules.clear();
        cut.non_resource_rules = {written};
        out.push_back(piece);
        add_entries(out, piece, part.verbs, kVerbSide, written.verbs, "verb",
                    [](FlowSchema& s) -> Names& { return s.rules[0].non_resource_rules[0].verbs; });
        add_entries(out, piece, part.urls, kPathSide, written.urls, "url",
                    [](FlowSchema& s) -> Names& { return s.rules[0].non_resource_rules[0].urls; });
        continue;
      }
      const ResourceRule written = schema.rules[r].resource_rules[part.index];
      cut.non_resource_rules.clear();
      cut.resource_rules = {written};
      out.push_back(piece);
      add_entries(out, piece, part.verbs, kVerbSide, written.verbs, "verb",
                  [](FlowSchema& s) -> Names& { return s.rules[0].resource_rules[0].verbs; });
      add_entries(out, piece, part.api_groups, kGroupSide, written.api_groups, "group",
                  [](FlowSchema& s) -> Names& { return s.rules[0].resource_rules[0].api_groups; });
      add_entries(out, piece, part.resources, kResourceSide, written.resources, "resource",
                  [](FlowSchema& s) -> Names& { return s.rules[0].resource_rules[0].resources; });
      Piece without = piece;
      without.schema.rules[0].resource_rules[0].cluster_scope = false;
      add_entries(out, without, part.namespaces, kNamespaceSide, written.namespaces, "namespace",
                  [](FlowSchema& s) -> Names& { return s.rules[0].resource_rules[0].namespaces; });
      if (written.cluster_scope) {
        Piece cluster = piece;
        cluster.label += " clusterScope";
        cluster.schema.rules[0].resource_rules[0].namespaces.clear();
        cluster.reached = part.cluster_scope;
        cluster.selection.side = kNamespaceSide;
        out.push_back(std::move(cluster));
      }
    }
  }
  return out;
}

struct Point {
  const User* user;
  const RequestInfo* request;
};

std::string first_by_classifier(const Classifier& classifier, const Witness& witness) {
  const Classifier::Match match = classifier.match(witness.request, witness.user);
  return match.fallback ? "fallback" : classifier.schemas()[match.schema].name;
}

}  // namespace

TEST_CASE("what Reach says of every entry is what trying all requests shows", "[lint][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  RegionSource source(test::seed());
  const std::vector<User> users = all_tried_users();
  const std::vector<RequestInfo> requests = all_tried_requests();
  std::size_t dead = 0, alive = 0, witnesses = 0, overlaps = 0, examples = 0;
  for (int round = 0; round < test::rounds(40); ++round) {
    Config given;
    PriorityLevel level;
    level.meta.name = "level";
    level.type = "Limited";
    level.limited.emplace().limit_response = "Reject";
    given.priority_levels.push_back(level);
    // Now and then many of one subject, so that they are filed by value.
    const bool many = round % 8 == 7;
    for (std::size_t i = 0, n = many ? 24 : 2 + source.below(5); i < n; ++i)
      given.flow_schemas.push_back(source.schema(i, many));
    const Config effective = with_builtins(given, {}, Builtins::mandatory);
    const Classifier classifier(effective);
    const Reach reach(effective);
    REQUIRE(reach.consulted().size() == classifier.schemas().size());
    const auto count = static_cast<std::uint32_t>(reach.consulted().size());
    std::vector<std::vector<Point>> taken(count);
    for (const User& user : users) {
      const auto candidates = classifier.candidates(user);
      for (const RequestInfo& request : requests) {
        const Classifier::Match match = classifier.match(request, *candidates);
        if (!match.fallback) taken[match.schema].push_back({&user, &request});
        const std::optional<std::uint32_t> found = reach.first_match(user, request);
        if (match.fallback ? found.has_value() : found != match.schema) {
          FAIL("round " << round << ": first_match differs for " << user.name << " " << request.verb << " "
                        << request.resource << request.path);
        }
      }
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      REQUIRE(reach.consulted()[k]->meta.name == classifier.schemas()[k].name);
      const SchemaReach& said = reach.of(k);
      REQUIRE(said.complete);
      for (const Piece& piece : pieces_of(*reach.consulted()[k], said)) {
        const bool reached = std::any_of(taken[k].begin(), taken[k].end(), [&](const Point& p) {
          return matches_flow_schema(piece.schema, *p.request, *p.user);
        });
        if (piece.reached != reached) {
          FAIL("round " << round << " seed " << test::seed() << ": " << piece.label << " of\n"
                        << render_yaml(*reach.consulted()[k]) << "Reach says " << piece.reached);
        }
        ++(reached ? alive : dead);
        if (reached) continue;
        const Shadow shadow = reach.shadow(k, piece.selection);
        // Without a witness nothing matches it, whoever comes before.
        CHECK(shadow.witness.has_value() == !shadow.taken_by.empty());
        if (!shadow.witness) continue;
        ++witnesses;
        INFO("round " << round << ": " << piece.label << " of " << reach.consulted()[k]->meta.name);
        REQUIRE(first_by_classifier(classifier, *shadow.witness) == shadow.taker->meta.name);
        REQUIRE(matches_flow_schema(piece.schema, shadow.witness->request, shadow.witness->user));
        REQUIRE(std::find(shadow.taken_by.begin(), shadow.taken_by.end(), shadow.taker) != shadow.taken_by.end());
      }
      const std::optional<Witness> example = reach.example(k);
      if (example) {
        ++examples;
        REQUIRE(first_by_classifier(classifier, *example) == reach.consulted()[k]->meta.name);
      }
      CHECK(example.has_value() == said.reached);
    }
    for (const Overlap& overlap : reach.equal_precedence_overlaps()) {
      ++overlaps;
      REQUIRE(overlap.winner->matching_precedence == overlap.other->matching_precedence);
      REQUIRE(first_by_classifier(classifier, overlap.witness) == overlap.winner->meta.name);
      REQUIRE(matches_flow_schema(*overlap.other, overlap.witness.request, overlap.witness.user));
    }
    for (const Witness& gap : reach.gaps()) {
      const std::string taker = first_by_classifier(classifier, gap);
      CHECK((taker == "catch-all" || taker == "fallback"));
    }
  }
  // The vocabularies meet often enough for the comparison to mean something.
  CHECK(dead > test::rounds(500u));
  CHECK(alive > test::rounds(500u));
  CHECK(witnesses > test::rounds(300u));
  CHECK(overlaps > test::rounds(10u));
  CHECK(examples > test::rounds(50u));
}
