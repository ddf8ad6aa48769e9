// Requests and users as test files name them.
#include <apf/error.h>
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

std::string refused_user(const std::string& text) {
  try {
    user_named(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("requests in words", "[test_file]") {
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

TEST_CASE("what is no request says what to write", "[test_file]") {
  CHECK(refused("") == "'' is no request: write VERB RESOURCE [NAME], VERB /PATH or METHOD URI");
  CHECK(refused("list") == "'list' is no request: write VERB RESOURCE [NAME], VERB /PATH or METHOD URI");
  CHECK(refused("lits pods") == "no request for a resource has the verb 'lits'; did you mean 'list'?");
  CHECK(refused("list pods --namespac ci") == "unknown flag '--namespac' in a request; did you mean '--namespace'?");
  CHECK(refused("list pods --as bob") == "'--as' is no part of a request: use the key as");
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

TEST_CASE("short names of users", "[test_file]") {
  CHECK(user_named("sa:ci/builder").name == "system:serviceaccount:ci:builder");
  CHECK(user_named("node:a").name == "system:node:a");
  CHECK(user_named("node:a").groups == std::vector<std::string>{"system:nodes"});
  CHECK(user_named("admin").groups == std::vector<std::string>{"system:masters"});
  CHECK(user_named("user:admin").name == "admin");
  CHECK(user_named("alice").name == "alice");
  CHECK(refused_user("sa:ci") == "'sa:ci' is not sa:NAMESPACE/NAME");
  CHECK(refused_user("sa:ci/*") == "'sa:ci/*' is more than one user; name one of them");
  CHECK(refused_user("node:*") == "'node:*' is more than one user; name one of them");
  CHECK(refused_user("node:") == "'node:' is not node:NAME");
  CHECK(refused_user("group:devs") == "'group:devs' is more than one user; name one of them");
}
