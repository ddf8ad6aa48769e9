// Who sends what: resources with their groups, requests for discovery, nodes, and users who act for others.
#include <algorithm>

#include <apf/log_summary.h>

#include "catch.h"
#include "support/written_log.h"

using namespace apf;

using test::codes;
using test::Written;

namespace {

using Texts = std::vector<std::string>;

std::string node(int number) { return "system:node:n" + std::to_string(number); }

}  // namespace

TEST_CASE("resources of one name and several groups are several", "[summary]") {
  Written log;
  log.repeat({.verb = "list", .uri = "/apis/metrics.k8s.io/v1beta1/pods"}, 3, 1);
  log.repeat({.at = 5, .verb = "list", .uri = "/api/v1/pods"}, 2, 1);
  log.add({.at = 9, .verb = "update", .uri = "/apis/apps/v1/namespaces/x/deployments/d/scale"});
  const LogSummary s = log.summary([](LogSummaryOptions& o) { o.by = {LogDimension::resource, LogDimension::ns}; });
  REQUIRE(s.by.size() == 3);
  CHECK(s.by[0].names == Texts{"pods.metrics.k8s.io", ""});
  CHECK(s.by[0].tally.requests == 3);
  CHECK(s.by[1].names == Texts{"pods", ""});
  CHECK(s.by[2].names == Texts{"deployments.apps/scale", "x"});
  CHECK(s.resources[0].names == Texts{"list", "pods.metrics.k8s.io"});
}

TEST_CASE("what is asked to learn which resources there are is one", "[summary]") {
  Written log;
  for (const char* path : {"/api", "/api/v1", "/apis", "/apis/apps/v1", "/openapi/v3/apis/apps/v1", "/apis/a.b"})
    log.add({.uri = path});
  for (const char* path : {"/apiserver", "/healthz", "/api/v1/nodes/n"}) log.add({.uri = path});
  const LogSummary s = log.summary();
  REQUIRE(s.resources.size() == 4);
  CHECK(s.resources[0].names == Texts{"get", "/apis (discovery)"});
  CHECK(s.resources[0].tally.requests == 6);
}

TEST_CASE("nodes are one, but for one that has more than all others", "[summary]") {
  Written log;
  for (int i = 0; i < 6; ++i) log.repeat({.at = i * 0.1, .user = node(i)}, 4, 1);
  log.repeat({.user = "jane", .code = 403}, 2, 1);
  const LogSummary alike = log.summary();
  REQUIRE(alike.users.size() == 2);
  CHECK(alike.users[0].names == Texts{"system:node:*"});
  CHECK(alike.users[0].tally.requests == 24);
  CHECK(alike.users[0].stands_for == 6);
  REQUIRE(alike.busiest);
  CHECK(alike.busiest->row.names == Texts{"system:node:*"});
  CHECK(alike.busiest->most == "get pods");
  log.repeat({.at = 10, .user = node(7)}, 40, 1);
  log.repeat({.at = 60, .user = node(8), .code = 409}, 2, 1);
  const LogSummary one = log.summary([](LogSummaryOptions& o) { o.by = {LogDimension::user}; });
  REQUIRE(one.users.size() == 3);
  CHECK(one.users[0].names == Texts{"system:node:n7"});
  CHECK(one.users[1].stands_for == 7);
  CHECK(one.by.size() == 9);  // what is asked for has each
  const auto conflicts = std::find_if(one.answers.begin(), one.answers.end(), [](auto& a) { return a.code == 409; });
  REQUIRE(conflicts != one.answers.end());
  CHECK(conflicts->clients[0].names == Texts{"system:node:n8"});
}

TEST_CASE("who acts for whom", "[summary]") {
  Written log;
  log.repeat({.user = "system:serviceaccount:ops:agent", .verb = "list", .uri = "/api/v1/pods", .acts_for = "u-1"}, 20,
             1);
  log.repeat({.user = "system:serviceaccount:ops:agent", .verb = "list", .uri = "/api/v1/pods", .acts_for = "u-2"}, 9,
             1);
  log.add({.user = "system:serviceaccount:ops:agent"});
  log.repeat({.user = "jane"}, 10, 1);
  const LogSummary s = log.summary([](LogSummaryOptions& o) {
    o.by = {LogDimension::impersonator, LogDimension::user};
  });
  REQUIRE(s.load_of.size() == 2);
  CHECK(s.load_of[0].names == Texts{"system:serviceaccount:ops:agent"});
  CHECK(s.load_of[0].tally.requests == 30);
  CHECK(s.load_of[0].stands_for == 2);
  CHECK(s.load_of[1].stands_for == 0);
  CHECK(s.busiest->most == "list pods");
  CHECK(s.acted == 29);
  REQUIRE(s.impersonated.size() == 2);
  CHECK(s.impersonated[0].names == Texts{"system:serviceaccount:ops:agent", "u-1"});
  CHECK(s.users.size() == 4);
  CHECK(std::count_if(s.by.begin(), s.by.end(), [](const LogRow& row) { return row.names[0].empty(); }) == 2);
}

TEST_CASE("what one program does under many users is found once", "[summary]") {
  Written log;
  for (int round = 0; round < 90; ++round)
    for (int i = 0; i < 5; ++i)
      if (round < 80 || i == 3)
        log.add({.at = round * 2 + i * 0.1,
                 .user = "u" + std::to_string(i),
                 .verb = "list",
                 .uri = "/api/v1/namespaces/x/pods",
                 .agent = "tool/v2"});
  const LogSummary s = log.summary();
  REQUIRE(codes(s) == Texts{"CLIENT-LIST-LOOP"});
  CHECK(s.clients[0].users == 5);
  CHECK(s.clients[0].user == "u3");
  CHECK(s.clients[0].paths == 1);
  CHECK(s.clients[0].requests == 410);
  REQUIRE(s.busiest);
  CHECK(s.busiest->is_agent);
  CHECK(s.busiest->row.names == Texts{"tool/v2"});
  CHECK(s.busiest->row.stands_for == 5);
  Written nodes;
  for (int i = 0; i < 160; ++i)
    nodes.add({.at = 1.0 * i, .user = node(i % 2), .verb = "list", .uri = "/api/v1/pods", .agent = "cni/v1"});
  REQUIRE(codes(nodes.summary()) == Texts{"CLIENT-LIST-LOOP"});
  CHECK(nodes.summary().clients[0].user == "system:node:*");
}

TEST_CASE("clients and findings come by what they cost", "[summary]") {
  Written log;
  log.repeat({.user = "many", .verb = "create", .uri = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"}, 300,
             0.5);
  log.repeat({.user = "slow", .verb = "list", .uri = "/api/v1/pods", .takes = 2}, 70, 2);
  log.repeat({.user = "poll"}, 100, 1);
  const LogSummary s = log.summary();
  REQUIRE(s.load_of.size() == 3);
  CHECK(s.load_of[0].names == Texts{"slow"});
  CHECK(s.load_of[1].names == Texts{"many"});
  REQUIRE(codes(s) == Texts{"CLIENT-LIST-LOOP", "CLIENT-POLLS-OBJECT"});
}
