// Requests named as kubectl names them.
#include <apf/classify.h>
#include <apf/error.h>

#include <set>

#include "base/api_resources.h"
#include "catch.h"

using namespace apf;

TEST_CASE("arguments become the URL that kubectl would send", "[classify]") {
  struct Row {
    const char *verb, *resource, *name, *ns, *method, *uri;
  };
  const Row rows[] = {
      {"list", "pods", "", "ci", "GET", "/api/v1/namespaces/ci/pods"},
      {"list", "pods", "", "", "GET", "/api/v1/pods"},
      {"get", "po", "p", "ci", "GET", "/api/v1/namespaces/ci/pods/p"},
      {"watch", "pods", "", "ci", "GET", "/api/v1/namespaces/ci/pods?watch=true"},
      {"list", "pods", "p", "ci", "GET", "/api/v1/namespaces/ci/pods?fieldSelector=metadata.name%3Dp"},
      {"watch", "pods", "p", "", "GET", "/api/v1/pods?watch=true&fieldSelector=metadata.name%3Dp"},
      {"create", "deployment", "", "x", "POST", "/apis/apps/v1/namespaces/x/deployments"},
      {"update", "deploy/scale", "web", "x", "PUT", "/apis/apps/v1/namespaces/x/deployments/web/scale"},
      {"patch", "widgets.example.com", "w", "x", "PATCH", "/apis/example.com/v1/namespaces/x/widgets/w"},
      {"patch", "widgets.v2beta1.example.com/status", "w", "x", "PATCH",
       "/apis/example.com/v2beta1/namespaces/x/widgets/w/status"},
      {"get", "pods.v1", "p", "x", "GET", "/api/v1/namespaces/x/pods/p"},
      {"get", "pods.", "p", "x", "GET", "/api/v1/namespaces/x/pods/p"},
      {"list", "events", "", "x", "GET", "/api/v1/namespaces/x/events"},
      {"list", "events.events.k8s.io", "", "x", "GET", "/apis/events.k8s.io/v1/namespaces/x/events"},
      {"get", "nodes", "n1", "", "GET", "/api/v1/nodes/n1"},
      {"get", "namespaces/status", "kube-system", "", "GET", "/api/v1/namespaces/kube-system/status"},
      {"delete", "ns", "x", "", "DELETE", "/api/v1/namespaces/x"},
      {"deletecollection", "pods", "", "x", "DELETE", "/api/v1/namespaces/x/pods"},
      {"proxy", "services", "s", "x", "GET", "/api/v1/proxy/namespaces/x/services/s"},
      {"proxy", "things.g.io", "s", "x", "GET", "/apis/g.io/v1/proxy/namespaces/x/things/s"},
      {"get", "clusterroles", "system:node", "", "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node"},
      {"get", "secrets", "a b?d%", "x", "GET", "/api/v1/namespaces/x/secrets/a%20b%3Fd%25"},
  };
  for (const Row& row : rows) {
    INFO(row.verb << ' ' << row.resource << ' ' << row.name);
    const NamedRequest named = name_request(row.verb, row.resource, row.name, row.ns);
    CHECK(named.method == row.method);
    CHECK(named.uri == row.uri);
    CHECK(named.request.url_error.empty());
    CHECK(named.request.info_error.empty());
    CHECK(named.request.info.verb == row.verb);
    CHECK(named.request.info.is_resource_request);
    CHECK(named.notes.empty());
  }
}

TEST_CASE("a get without a name stays a get", "[classify]") {
  const NamedRequest named = name_request("get", "pods/log", "", "x");
  CHECK(named.request.info.verb == "get");
  CHECK(named.request.info.subresource == "log");
  CHECK(named.request.info.name.empty());
}

TEST_CASE("what was guessed is remarked", "[classify]") {
  const auto note = [](const char* verb, const char* resource, const char* name, const char* ns) {
    const NamedRequest named = name_request(verb, resource, name, ns);
    REQUIRE(named.notes.size() == 1);
    return named.notes[0];
  };
  CHECK(note("list", "podz", "", "x") ==
        Remark{.kind = RemarkKind::resource_unknown, .name = "podz", .detail = "pods"});
  CHECK(note("list", "frobnications", "", "x") ==
        Remark{.kind = RemarkKind::resource_unknown, .name = "frobnications"});
  CHECK(note("get", "nodes", "n", "x") ==
        Remark{.kind = RemarkKind::namespace_ignored, .name = "nodes", .detail = "x"});
  CHECK(note("create", "pods", "", "") ==
        Remark{.kind = RemarkKind::namespace_needed, .name = "pods", .detail = "create"});
  CHECK(note("deletecollection", "pods", "", "").kind == RemarkKind::namespace_needed);
  CHECK(name_request("create", "tokenreviews", "", "").notes.empty());
  CHECK(name_request("list", "widgets.example.com", "", "").notes.empty());
}

TEST_CASE("verbs that no resource request has are refused", "[classify]") {
  CHECK_THROWS_WITH(name_request("lst", "pods", "", ""), Catch::Contains("did you mean 'list'?"));
  CHECK_THROWS_AS(name_request("POST", "pods", "", ""), Error);
  CHECK_THROWS_AS(name_request("get", "", "", ""), Error);
  CHECK_THROWS_AS(name_request("get", ".apps", "", ""), Error);
}

TEST_CASE("each name in the table of resources means one resource of its group", "[classify]") {
  std::set<std::string> seen;
  for (const ApiResource& resource : api_resources()) {
    const std::string group(resource.group);
    INFO(resource.name << '.' << group);
    CHECK(seen.insert(std::string(resource.name) + "." + group).second);
    std::string_view aliases = resource.aliases;
    while (!aliases.empty()) {
      const std::string_view alias = aliases.substr(0, aliases.find(' '));
      CHECK(seen.insert(std::string(alias) + "." + group).second);
      const std::string_view wanted = resource.group;
      CHECK(find_api_resource(alias, &wanted) == &resource);
      aliases.remove_prefix(std::min(alias.size() + 1, aliases.size()));
    }
  }
  CHECK(find_api_resource("pods", nullptr)->group.empty());
  CHECK(find_api_resource("deploy", nullptr)->group == "apps");
  CHECK(find_api_resource("nothing", nullptr) == nullptr);
}
