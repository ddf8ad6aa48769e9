// Names out of trace lines, and what decides about a request kept.
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/logs.h>

#include "catch.h"

using namespace apf;

TEST_CASE("Users and groups without names", "[logs]") {
  const Redactor r("key");
  CHECK(r.word("alice") == r.word("alice"));
  CHECK(r.word("alice") != r.word("bob"));
  CHECK(r.word("alice").size() == 14);
  CHECK(r.word("").empty());
  CHECK(Redactor("other").word("alice") != r.word("alice"));
  CHECK(r.user("alice") == r.word("alice"));
  for (const char* own : {"system:kube-scheduler", "system:anonymous", "system:apiserver",
                          "system:serviceaccount:kube-system:endpoint-controller"})
    CHECK(r.user(own) == own);
  CHECK(r.user("system:node:n1") == "system:node:" + r.word("n1"));
  CHECK(r.user("system:serviceaccount:ci:builder") ==
        "system:serviceaccount:" + r.word("ci") + ":" + r.word("builder"));
  CHECK(r.user("system:serviceaccount:default:x") == "system:serviceaccount:default:" + r.word("x"));
  CHECK(r.user("system:bootstrap:abcdef") == "system:bootstrap:" + r.word("abcdef"));
  for (const char* own :
       {"system:masters", "system:nodes", "system:serviceaccounts", "system:serviceaccounts:kube-system"})
    CHECK(r.group(own) == own);
  CHECK(r.group("system:serviceaccounts:ci") == "system:serviceaccounts:" + r.word("ci"));
  CHECK(r.group("dev") == r.word("dev"));
}

TEST_CASE("Request targets without names", "[logs]") {
  const Redactor r("key");
  const std::string ns = r.word("ci"), pod = r.word("p-1");
  CHECK(r.uri("/api/v1/namespaces/ci/pods/p-1/exec?command=sh&tty=true") ==
        "/api/v1/namespaces/" + ns + "/pods/" + pod + "/exec?command=" + r.word("sh") + "&tty=true");
  CHECK(r.uri("/api/v1/namespaces/ci") == "/api/v1/namespaces/" + ns);
  CHECK(r.uri("/api/v1/namespaces/ci/status") == "/api/v1/namespaces/" + ns + "/status");
  CHECK(r.uri("/api/v1/namespaces/kube-system/pods") == "/api/v1/namespaces/kube-system/pods");
  CHECK(r.uri("/apis/apps/v1/namespaces/ci/deployments/p%2D1/scale") ==
        "/apis/apps/v1/namespaces/" + ns + "/deployments/" + pod + "/scale");
  CHECK(r.uri("/api/v1/watch/namespaces/ci/pods") == "/api/v1/watch/namespaces/" + ns + "/pods");
  CHECK(r.uri("/api/v1/nodes/p-1") == "/api/v1/nodes/" + pod);
  CHECK(r.uri("/api/v1/namespaces/ci/services/web:80/proxy/secret/path") ==
        "/api/v1/namespaces/" + ns + "/services/" + r.word("web:80") + "/proxy/" + r.word("secret") + "/" +
            r.word("path"));
  CHECK(r.uri("/api/v1/proxy/nodes/p-1/secret") == "/api/v1/proxy/nodes/" + pod + "/" + r.word("secret"));
  CHECK(r.uri("/api/v1/proxy/nodes/p-1/logs") == "/api/v1/proxy/nodes/" + pod + "/" + r.word("logs"));
  CHECK(r.uri("/api/v1/pods?limit=500&resourceVersion=0&continue=abc&watch=1") ==
        "/api/v1/pods?limit=500&resourceVersion=0&continue=" + r.word("abc") + "&watch=1");
  CHECK(r.uri("/api/v1/pods?fieldSelector=metadata.name%3Dp-1,spec.nodeName!%3Dci&labelSelector=app%3Dweb") ==
        "/api/v1/pods?fieldSelector=metadata.name%3D" + pod + "%2Cspec.nodeName%21%3D" + ns +
            "&labelSelector=" + r.word("app=web"));
  CHECK(r.uri("/healthz?verbose") == "/healthz?verbose");
  CHECK(r.uri("/apis/apps/v1") == "/apis/apps/v1");
  CHECK(r.uri("/openapi/v3") == "/openapi/v3");
  CHECK(r.uri("") == "");
  CHECK(r.uri("?") == "?");
}

TEST_CASE("A redacted request goes where it went", "[logs]") {
  const Redactor r("key");
  const Classifier classifier(bootstrap_config(kNewestKubeVersion));
  struct Case {
    const char* user;
    std::vector<std::string> groups;
    const char *verb, *uri;
  };
  const Case cases[] = {
      {"system:serviceaccount:ci:builder",
       {"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"},
       "get",
       "/api/v1/namespaces/ci/pods/p"},
      {"system:serviceaccount:kube-system:x",
       {"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
       "update",
       "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x"},
      {"system:node:n1", {"system:nodes", "system:authenticated"}, "patch", "/api/v1/nodes/n1/status"},
      {"system:node:n1",
       {"system:nodes", "system:authenticated"},
       "update",
       "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1"},
      {"system:kube-scheduler",
       {"system:authenticated"},
       "update",
       "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"},
      {"alice", {"dev", "system:authenticated"}, "list", "/api/v1/pods?fieldSelector=metadata.name%3Da"},
      {"root", {"system:masters", "system:authenticated"}, "get", "/api"},
      {"system:anonymous", {"system:unauthenticated"}, "get", "/readyz"},
  };
  for (const Case& c : cases) {
    INFO(c.user << " " << c.uri);
    TraceRequest request;
    request.user = {c.user, c.groups};
    request.verb = c.verb;
    request.uri = c.uri;
    request.object = R"({"data":"secret"})";
    request.recorded.flow_schema = "service-accounts";
    request.recorded.priority_level = "acme";
    TraceRequest redacted = request;
    r.apply(redacted);
    ParsedRequest before, after;
    parse_audited_request(request.verb, request.uri, before);
    parse_audited_request(redacted.verb, redacted.uri, after);
    CHECK(classifier.match(after.info, redacted.user).schema == classifier.match(before.info, request.user).schema);
    CHECK(after.info.name.empty() == before.info.name.empty());
    CHECK(after.info.resource == before.info.resource);
    CHECK(redacted.object.empty());
    CHECK(redacted.recorded.flow_schema == "service-accounts");
    CHECK(redacted.recorded.priority_level == r.word("acme"));
  }
}
