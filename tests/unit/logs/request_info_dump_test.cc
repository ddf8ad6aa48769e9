// Go-syntax dumps of RequestInfo and user, as KEP-1040 prints observed requests.
#include "logs/formats/request_info_dump.h"

#include <stdlib.h>

#include <apf/error.h>
#include <apf/logs.h>

#include "catch.h"
#include "support/folder.h"

using namespace apf;

namespace {

std::vector<LoggedRequest> read_dump(std::string_view text) {
  std::vector<LoggedRequest> out;
  read_request_info_dumps(text, [&](const LoggedRequest& r) { out.push_back(r); });
  return out;
}

constexpr const char* kLease = R"(Node to Self

requestInfo=&request.RequestInfo{IsResourceRequest:true,
  Path:"/api/v1/nodes/127.0.0.1/status", Verb:"patch", APIPrefix:"api",
  APIGroup:"", APIVersion:"v1", Namespace:"", Resource:"nodes",
  Subresource:"status", Name:"127.0.0.1", Parts:[]string{"nodes",
    "127.0.0.1", "status"}},
userInfo=&user.DefaultInfo{Name:"system:node:127.0.0.1", UID:"",
  Groups:[]string{"system:nodes", "system:authenticated"},
  Extra:map[string][]string(nil)}
RequestInfo=&request.RequestInfo{IsResourceRequest:false,
  Path:"/openapi/v2", Verb:"get", Parts:[]string(nil)},
user.Info=&user.DefaultInfo{Name:"system:admin", Groups:[]string{}, Extra:map[string][]string{"a":[]string{"b}", "c"}}}
)";

}  // namespace

TEST_CASE("dumps are read wherever their lines break", "[replay]") {
  const auto requests = read_dump(kLease);
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].line == 3);
  CHECK(requests[0].error.empty());
  CHECK(requests[0].request.info.is_resource_request);
  CHECK(requests[0].request.info.path == "/api/v1/nodes/127.0.0.1/status");
  CHECK(requests[0].request.info.verb == "patch");
  CHECK(requests[0].request.info.subresource == "status");
  CHECK(requests[0].request.info.parts == std::vector<std::string>{"nodes", "127.0.0.1", "status"});
  CHECK(requests[0].user.name == "system:node:127.0.0.1");
  CHECK(requests[0].user.groups == std::vector<std::string>{"system:nodes", "system:authenticated"});
  CHECK_FALSE(requests[1].request.info.is_resource_request);
  CHECK_FALSE(requests[1].request.info.has_parts);
  CHECK(requests[1].user.name == "system:admin");
  CHECK(requests[1].user.groups.empty());
}

TEST_CASE("Go strings in dumps", "[replay]") {
  const auto requests =
      read_dump(R"(x.RequestInfo{Path:"/a\"b\\c\u00e9\U0001F600\x41\101\n", Verb:`raw\n`} y.DefaultInfo{Name:"\\"})");
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].error.empty());
  CHECK(requests[0].request.info.path ==
        "/a\"b\\c\xc3\xa9\xf0\x9f\x98\x80"
        "AA\n");
  CHECK(requests[0].request.info.verb == "raw\\n");
  CHECK(requests[0].user.name == "\\");
}

TEST_CASE("broken dumps are told, and the next one is read", "[replay]") {
  for (const char* broken : {"RequestInfo{Path:\"/a", "RequestInfo{Path /a}", "RequestInfo{IsResourceRequest:yes}",
                             "RequestInfo{Path:\"\\q\"}", "RequestInfo{Parts:[]int{1}}",
                             "RequestInfo{Parts:[]string{\"a\" \"b\"}}", "RequestInfo{Other:{{}", "RequestInfo{"}) {
    INFO(broken);
    const auto requests = read_dump(std::string(broken) + "\n" + "RequestInfo{Verb:\"get\"} DefaultInfo{Name:\"u\"}");
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].error == "broken RequestInfo");
    CHECK(requests[1].error.empty());
    CHECK(requests[1].line == 2);
  }
  const auto no_user = read_dump("RequestInfo{Verb:\"get\"}\nRequestInfo{Verb:\"list\"} DefaultInfo{Name:\"u\"}");
  REQUIRE(no_user.size() == 2);
  CHECK(no_user[0].error == "no user (DefaultInfo) follows this RequestInfo");
  CHECK(no_user[1].error.empty());
  const auto bad_user = read_dump("RequestInfo{Verb:\"get\"} DefaultInfo{Name:3}");
  REQUIRE(bad_user.size() == 1);
  CHECK(bad_user[0].error == "broken user (DefaultInfo)");
  CHECK(read_dump("(*request.RequestInfo)(0xc0016afa20)").empty());
  CHECK_FALSE(holds_request_info_dump("*request.RequestInfo, user.DefaultInfo{}"));
}

namespace {

std::vector<LoggedRequest> read_file(const std::string& text) {
  const test::Folder folder("apf-requests-");
  const std::string file = folder.write("log", text);
  std::vector<LoggedRequest> out;
  read_requests(file, [&](const LoggedRequest& r) { out.push_back(r); });
  return out;
}

}  // namespace

TEST_CASE("requests from trace lines, whose time may be missing", "[replay]") {
  const auto requests = read_file(
      "{broken\n\n"
      R"({"user":"u","groups":["g"],"method":"GET","uri":"/api/v1/pods","id":"1"})"
      "\n"
      R"({"time":"never","user":"u","verb":"list","uri":"/api/v1/pods"})"
      "\n"
      R"({"time":1,"user":"u","requestInfo":{"isResourceRequest":true,"verb":"list","resource":"pods","labelSelector":"a"},"seats":{"initial":3}})");
  REQUIRE(requests.size() == 4);
  CHECK_FALSE(requests[0].error.empty());
  CHECK(requests[0].line == 1);
  CHECK(requests[1].error.empty());
  CHECK(requests[1].line == 3);
  CHECK(requests[1].id == "1");
  CHECK(requests[1].request.info.verb == "list");
  CHECK(requests[1].user.groups == std::vector<std::string>{"g"});
  CHECK_FALSE(requests[2].error.empty());
  CHECK(requests[3].error.empty());
  CHECK(requests[3].request.query.has_selector);
  REQUIRE(requests[3].seats);
  CHECK(requests[3].seats->initial_seats == 3);
}

TEST_CASE("an empty method is a method", "[replay]") {
  const auto requests = read_file(R"({"user":"u","method":"","uri":"/api/v1/proxy/nodes/n1"})"
                                  "\n"
                                  R"({"user":"u","method":"GET","uri":""})"
                                  "\n"
                                  R"({"user":"u","method":"","uri":5})");
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].request.info.verb == "proxy");
  CHECK(requests[1].error.empty());
  CHECK_FALSE(requests[2].error.empty());
}

TEST_CASE("an audit ID is one request, with the user after impersonation", "[replay]") {
  const auto event = [](const char* id, const char* stage, const char* more) {
    return std::string(R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":")") + id + R"(","stage":")" +
           stage + R"(","requestURI":"/api/v1/pods","verb":"list","user":{"username":"admin","groups":["a"]})" + more +
           R"(,"requestReceivedTimestamp":"2026-11-20T12:00:00.000000Z","stageTimestamp":"2026-11-20T12:00:00.000000Z"})" +
           "\n";
  };
  const char* as = R"(,"impersonatedUser":{"username":"alice","groups":["b"]})";
  const auto requests = read_file(event("1", "RequestReceived", "") + event("2", "RequestReceived", "") +
                                  event("1", "ResponseStarted", as) + event("1", "ResponseComplete", as) +
                                  event("3", "ResponseComplete", ""));
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].id == "1");
  CHECK(requests[0].user.name == "alice");
  CHECK(requests[1].id == "3");
  CHECK(requests[2].id == "2");  // known by nothing but its beginning
  CHECK(requests[2].user.name == "admin");
}

TEST_CASE("what holds no requests is refused", "[replay]") {
  const auto ignore = [](const LoggedRequest&) {};
  CHECK_THROWS_AS(read_requests("/nowhere/at/all", ignore), Error);
  CHECK_THROWS_AS(read_requests("/", ignore), Error);
  CHECK_THROWS_AS(read_file("apiVersion: v1\nkind: Pod\n"), Error);
  CHECK(read_file("").empty());
  CHECK(read_file("\n \n").empty());
}

TEST_CASE("a request in whose context the server found no user is counted and named", "[replay]") {
  const auto requests = read_dump(R"(W0821 reqmgmt.go:56] No User found in context
&context.valueCtx{val:(*request.RequestInfo)(0xc0016afa20)}
of request &http.Request{Method:"GET", URL:(*url.URL)(0xc006f87d00), Header:http.Header{"Accept":[]string{"*/*"}},
  Body:http.noBody{}, RequestURI:"/healthz", Cancel:(<-chan struct {})(nil), ctx:(*context.valueCtx)(0xc007c89b00)}
requestInfo=&request.RequestInfo{Verb:"get", Path:"/healthz/zzz"}, userInfo=&user.DefaultInfo{Name:"u"}
No User found
RequestInfo{Verb:"list"} DefaultInfo{Name:"v"})");
  REQUIRE(requests.size() == 4);
  CHECK(requests[0].error.find("GET /healthz has no user") == 0);
  CHECK(requests[0].line == 1);
  CHECK(requests[1].error.empty());
  CHECK(requests[1].user.name == "u");
  CHECK(requests[2].error.find("a request has no user") == 0);
  CHECK(requests[3].user.name == "v");
}

TEST_CASE("either selector of a dump makes a list narrow", "[replay]") {
  const auto requests =
      read_dump(R"(RequestInfo{Verb:"list", FieldSelector:"metadata.name=a", Other:5} DefaultInfo{Name:"u"}
RequestInfo{Verb:"list", LabelSelector:"app=b", Other:"c"} DefaultInfo{Name:"u"}
RequestInfo{Verb:"list", Other:"d"} DefaultInfo{Name:"u"})");
  REQUIRE(requests.size() == 3);
  for (const LoggedRequest& request : requests) CHECK(request.error.empty());
  CHECK(requests[0].request.info.field_selector == "metadata.name=a");
  CHECK(requests[0].request.info.label_selector.empty());
  CHECK(requests[0].request.query.has_selector);
  CHECK(requests[1].request.info.label_selector == "app=b");
  CHECK(requests[1].request.query.has_selector);
  CHECK_FALSE(requests[2].request.query.has_selector);
}

TEST_CASE("lines of words name requests and users as explain does", "[replay]") {
  const auto requests = read_file(
      "list pods -n ci --as sa:ci/builder\n"
      "list pods\n"
      "get pods --as admin --as-group g\n"
      "list pods --as sa:ci/*\n"
      "get pods/web -n ci --as alice\n");
  REQUIRE(requests.size() == 5);
  using Groups = std::vector<std::string>;
  CHECK(requests[0].user.name == "system:serviceaccount:ci:builder");
  CHECK(requests[0].as == "sa:ci/builder");
  CHECK(requests[1].user.name == "system:anonymous");
  CHECK(requests[1].as == "");
  CHECK(requests[2].user.groups == Groups{"kubeadm:cluster-admins", "g", "system:authenticated"});
  CHECK(requests[3].error == "'sa:ci/*' is more than one user; name one of them");
  CHECK(requests[4].request.info.name == "web");
  REQUIRE(requests[4].notes.size() == 1);
  CHECK(requests[4].notes[0].kind == RemarkKind::type_and_name);

  const test::Folder folder("apf-requests-");
  const std::string file = folder.write("log", "list pods --as admin\n");
  const User admin{"kubernetes-admin", {"system:masters"}};
  Groups groups;
  read_requests(
      file, [](const LoggedRequest&) { return RequestText(); },
      [&](const LoggedRequest& request, const RequestText&) { groups = request.user.groups; }, &admin);
  CHECK(groups == Groups{"system:masters", "system:authenticated"});
}
