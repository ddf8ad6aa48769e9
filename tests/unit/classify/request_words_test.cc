// Requests as command lines and test files name them.
#include <apf/error.h>
#include <apf/request_words.h>
#include <apf/test_file.h>

#include "catch.h"

using namespace apf;

namespace {

std::string seen(std::string_view words) {
  const RequestInfo info = request_named(words).request.info;
  if (!info.is_resource_request) return info.verb + " " + info.path;
  return info.verb + " group=" + info.api_group + " ns=" + info.ns + " " + info.resource + "/" + info.subresource +
         " " + info.name;
}

std::string refused(const std::string& words) {
  try {
    request_named(words);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("requests in words", "[classify]") {
  CHECK(seen("list pods") == "list group= ns= pods/ ");
  CHECK(seen("list pods -A") == "list group= ns= pods/ ");
  CHECK(seen("list pods -n ci") == "list group= ns=ci pods/ ");
  CHECK(seen("  list\tpods   --namespace=ci ") == "list group= ns=ci pods/ ");
  CHECK(seen("get pods web -n ci") == "get group= ns=ci pods/ web");
  CHECK(seen("get deploy/web -n ci") == "get group=apps ns=ci deployments/ web");
  CHECK(seen("update leases.coordination.k8s.io -n kube-node-lease") ==
        "update group=coordination.k8s.io ns=kube-node-lease leases/ ");
  CHECK(seen("patch nodes/a --subresource status") == "patch group= ns= nodes/status a");
  CHECK(seen("patch nodes a --subresource=status") == "patch group= ns= nodes/status a");
  CHECK(seen("get pods/log web -n ci") == "get group= ns=ci pods/log web");
  CHECK(seen("get /healthz") == "get /healthz");
  CHECK(seen("GET '/api/v1/pods?watch=1'") == "watch group= ns= pods/ ");
  CHECK(seen("POST /api/v1/namespaces/ci/pods") == "create group= ns=ci pods/ ");
  CHECK(seen("get configmaps 'a b' -n ci") == "get group= ns=ci configmaps/ a b");
}

TEST_CASE("what is no request says what to write", "[classify]") {
  CHECK(refused("") == "'' is not a request: write VERB RESOURCE [NAME], or METHOD and a path or URL");
  CHECK(refused("list") == "'list' is not a request: write VERB RESOURCE [NAME], or METHOD and a path or URL");
  CHECK(refused("lits pods") == "no request for a resource has the verb 'lits'; did you mean 'list'?");
  CHECK(refused("list pods --namespac ci") == "unknown flag '--namespac' in a request; did you mean '--namespace'?");
  CHECK(refused("list pods --as bob") == "'--as' is not a part of a request: use the key as");
  CHECK(refused("list pods -x") == "unknown flag '-x' in a request; it may have -n NS, -A and --subresource NAME");
  CHECK(refused("list pods -n") == "'-n' needs a value");
  CHECK(refused("list pods -n ci -A") == "-A and -n cannot be combined");
  CHECK(refused("get /healthz -n ci") == "-n, -A and --subresource need a resource, not the path '/healthz'");
  CHECK(refused("get pods a b") == "one word too many: 'b'");
  CHECK(refused("get /healthz b") == "one word too many: 'b'");
  CHECK(refused("get nodes/a b --subresource status") ==
        "the subresource is given twice: in 'nodes/a' and with --subresource");
  CHECK(refused("get pods 'a") == "a quote (') is not closed");
}

TEST_CASE("an HTTP method in any case, and a path or URL, is what the server reads", "[classify]") {
  struct Row {
    const char *words, *seen, *method, *uri;
  };
  const Row rows[] = {
      {"GET /healthz", "get /healthz", "GET", "/healthz"},
      {"Get /healthz", "get /healthz", "GET", "/healthz"},
      {"HEAD /readyz", "head /readyz", "HEAD", "/readyz"},
      {"options /version", "options /version", "OPTIONS", "/version"},
      {"TRACE /x", "trace /x", "TRACE", "/x"},
      {"connect /x", "connect /x", "CONNECT", "/x"},
      {"post /api/v1/pods", "create group= ns= pods/ ", "POST", "/api/v1/pods"},
      {"get /api/v1/pods", "list group= ns= pods/ ", "GET", "/api/v1/pods"},
      {"GET /api/v1/namespaces/x/pods?watch=1", "watch group= ns=x pods/ ", "GET", "/api/v1/namespaces/x/pods?watch=1"},
      {"get /api/v1/namespaces/x/pods?watch=0", "list group= ns=x pods/ ", "GET", "/api/v1/namespaces/x/pods?watch=0"},
      {"GET /api/v1/pods?fieldSelector=metadata.name%3Dweb", "list group= ns= pods/ web", "GET",
       "/api/v1/pods?fieldSelector=metadata.name%3Dweb"},
      {"GET /api/v1/namespaces/x/pods/web", "get group= ns=x pods/ web", "GET", "/api/v1/namespaces/x/pods/web"},
      {"HEAD /api/v1/namespaces/x/pods", "list group= ns=x pods/ ", "HEAD", "/api/v1/namespaces/x/pods"},
      {"OPTIONS /api/v1/pods", " group= ns= pods/ ", "OPTIONS", "/api/v1/pods"},
      {"delete /api/v1/namespaces/x/pods", "deletecollection group= ns=x pods/ ", "DELETE",
       "/api/v1/namespaces/x/pods"},
      {"delete /api/v1/namespaces/x/pods/web", "delete group= ns=x pods/ web", "DELETE",
       "/api/v1/namespaces/x/pods/web"},
      {"patch /apis/apps/v1/namespaces/x/deployments/web/scale", "patch group=apps ns=x deployments/scale web", "PATCH",
       "/apis/apps/v1/namespaces/x/deployments/web/scale"},
      {"GET https://10.0.0.1:6443/apis/batch/v1/jobs?limit=500", "list group=batch ns= jobs/ ", "GET",
       "/apis/batch/v1/jobs?limit=500"},
      {"GET:https://10.96.0.1:443/api/v1/nodes/a?timeout=32s", "get group= ns= nodes/ a", "GET",
       "/api/v1/nodes/a?timeout=32s"},
      {"get https://host", "get /", "GET", "/"},
      {"list /api/v1/pods", "list group= ns= pods/ ", "GET", "/api/v1/pods"},
      {"watch /api/v1/pods", "watch group= ns= pods/ ", "GET", "/api/v1/pods?watch=true"},
      {"watch /api/v1/pods?limit=1", "watch group= ns= pods/ ", "GET", "/api/v1/pods?limit=1&watch=true"},
      {"watch /api/v1/watch/pods", "watch group= ns= pods/ ", "GET", "/api/v1/watch/pods"},
      {"create /api/v1/namespaces/x/pods", "create group= ns=x pods/ ", "POST", "/api/v1/namespaces/x/pods"},
      {"update /api/v1/namespaces/x/pods/web/status", "update group= ns=x pods/status web", "PUT",
       "/api/v1/namespaces/x/pods/web/status"},
      {"deletecollection /api/v1/namespaces/x/pods", "deletecollection group= ns=x pods/ ", "DELETE",
       "/api/v1/namespaces/x/pods"},
      {"proxy /api/v1/proxy/nodes/a", "proxy group= ns= nodes/ a", "GET", "/api/v1/proxy/nodes/a"},
  };
  for (const Row& row : rows) {
    INFO(row.words);
    CHECK(seen(row.words) == row.seen);
    const NamedRequest named = request_named(row.words);
    CHECK(named.method == row.method);
    CHECK(named.uri == row.uri);
    ParsedRequest server;
    parse_request(named.method, named.uri, server);
    CHECK(server.info.verb == named.request.info.verb);
    CHECK(server.info.name == named.request.info.name);
  }
}

TEST_CASE("a verb that no server gives to a path is refused", "[classify]") {
  constexpr const char* kMethods =
      ": outside of /api and /apis, the verb is the HTTP method: get, post, put, patch, delete, head or options";
  CHECK(refused("list /healthz") == std::string("no request for the path '/healthz' has the verb 'list'") + kMethods);
  CHECK(refused("watch /metrics") == std::string("no request for the path '/metrics' has the verb 'watch'") + kMethods);
  CHECK(refused("create /apis") == std::string("no request for the path '/apis' has the verb 'create'") + kMethods);
  CHECK(refused("list /api/v1/namespaces/x/pods/web") ==
        "no request for the path '/api/v1/namespaces/x/pods/web' has the verb 'list': the server reads GET as the verb "
        "'get' here");
  CHECK(refused("watch /api/v1/pods?watch=0") ==
        "no request for the path '/api/v1/pods' has the verb 'watch': the server reads GET as the verb 'list' here");
  CHECK(refused("list /api/v1/pods?watch=1") ==
        "no request for the path '/api/v1/pods' has the verb 'list': the server reads GET as the verb 'watch' here");
  CHECK(refused("deletecollection /api/v1/nodes/a") ==
        "no request for the path '/api/v1/nodes/a' has the verb 'deletecollection': the server reads DELETE as the "
        "verb 'delete' here");
  CHECK(refused("lst /healthz") == "'lst' is neither an HTTP method nor a verb; did you mean 'list'?");
  CHECK(refused("GTE /healthz") == "'GTE' is neither an HTTP method nor a verb; did you mean 'GET'?");
  CHECK(refused("frobnicate /healthz") == "'frobnicate' is neither an HTTP method nor a verb");
}

TEST_CASE("a verb that no server gives to a resource is refused", "[classify]") {
  CHECK(refused("list pods/log web -n x") ==
        "no request for the subresource 'log' has the verb 'list': the server reads GET of it as 'get'");
  CHECK(refused("watch nodes a --subresource status") ==
        "no request for the subresource 'status' has the verb 'watch': the server reads GET of it as 'get'");
  CHECK(refused("deletecollection pods/status web") ==
        "no request for the subresource 'status' has the verb 'deletecollection': the server reads DELETE of it as "
        "'delete'");
  for (const char* words : {"GET pods", "Get pods", "POST pods", "head pods"})
    CHECK_THAT(refused(words), Catch::Contains("is an HTTP method, which needs a path such as /api/v1/pods"));
}

TEST_CASE("a file is no name of an object", "[classify]") {
  for (const char* words : {"list pods flowcontrol/", "get pods web/x", "get deploy/web/x", "list pods ./fs.yaml"})
    CHECK_THAT(refused(words), Catch::Contains("because it has a '/'; a file or folder is given with -f"));
}

TEST_CASE("a command of kubectl is refused with the requests that it sends", "[classify]") {
  const auto sent = [](const std::string& words) {
    const std::string text = refused(words);
    const std::string command = words.substr(0, words.find(' '));
    const std::string head = "'" + command + "' is a command of kubectl, not the verb of a request: kubectl " + command;
    REQUIRE(text.substr(0, head.size()) == head);
    return text.substr(head.size());
  };
  CHECK(sent("logs pod/x") == " sends 'get pods x' and 'get pods/log x'");
  CHECK(sent("logs x -n y") == " sends 'get pods x' and 'get pods/log x'");
  CHECK(sent("logs deploy/x") == " sends 'get pods POD' and 'get pods/log POD'");
  CHECK(sent("exec pods x") ==
        " sends 'get pods x', then 'get pods/exec x' (WebSocket, since kubectl 1.31) or 'create pods/exec x' (before)");
  CHECK(sent("drain n1") ==
        " sends 'get nodes n1', 'patch nodes n1' and 'list pods', then for each pod 'create pods/eviction POD' and "
        "'get pods POD'");
  CHECK(sent("scale deploy/web") == " sends 'get deploy web' and 'patch deploy/scale web'");
  CHECK(sent("label nodes a") == " sends 'get nodes a' and 'patch nodes a'");
  CHECK(sent("version") == " sends 'get /version'");
}

TEST_CASE("a get or delete without a name is none that a server gets", "[classify]") {
  const auto lacks = [](const char* words) { return lacks_name(request_named(words).request.info); };
  CHECK(lacks("get pods -n x"));
  CHECK(lacks("delete nodes"));
  CHECK_FALSE(lacks("get pods web -n x"));
  CHECK_FALSE(lacks("get pods/log -n x"));
  CHECK_FALSE(lacks("list pods -n x"));
  CHECK_FALSE(lacks("get /api/v1/pods"));
  CHECK_FALSE(lacks("get /healthz"));
}

TEST_CASE("HTTP requests of flags and keys", "[classify]") {
  const auto read = [](const char* method, const char* url) {
    const NamedRequest named = http_request(method, url);
    return named.method + " " + named.uri + ": " + named.request.info.verb;
  };
  CHECK(read("get", "/api/v1/pods") == "GET /api/v1/pods: list");
  CHECK(read("Delete", "https://h:1/api/v1/pods?a=b") == "DELETE /api/v1/pods?a=b: deletecollection");
  CHECK(read("PROPFIND", "/x") == "PROPFIND /x: propfind");  // as the server
}
