// What the vectors do not show of requests: the query's meaning, audit events, long-running ones, users, memory.
#include <apf/classify.h>

#include "catch.h"

using namespace apf;

namespace {

ParsedRequest parsed(std::string_view method, std::string_view uri) {
  ParsedRequest out;
  parse_request(method, uri, out);
  return out;
}

RequestQuery query(std::string_view text) { return parsed("GET", "/api/v1/pods?" + std::string(text)).query; }

std::vector<std::string> implied(User user) { return add_implied_groups(user); }

}  // namespace

TEST_CASE("list options of a query", "[classify]") {
  CHECK(query("limit=500").limit == 500);
  CHECK(query("limit=%2B5").limit == 5);
  CHECK(query("limit=-5").limit == -5);
  CHECK(query("limit=5&limit=bad").list_options_ok);
  for (const char* bad : {"limit=", "limit=x", "limit=1.0", "limit=+5", "limit=9223372036854775808",
                          "timeoutSeconds=", "timeoutSeconds=1s"}) {
    INFO(bad);
    CHECK_FALSE(query(bad).list_options_ok);
  }
  CHECK(query("limit=5;x").list_options_ok);  // dropped with its semicolon
  CHECK(query("limit=5;x").limit == 0);
  CHECK(query("fieldSelector=%3D%3D&labelSelector=%21%21").list_options_ok);  // selectors are not read here
  CHECK(query("fieldSelector=x").has_selector);
  CHECK(query("labelSelector=x").has_selector);
  CHECK_FALSE(query("labelSelector=&fieldSelector").has_selector);
  CHECK(query("continue=abc").has_continue);
  CHECK_FALSE(query("continue=").has_continue);
  CHECK(query("resourceVersion=1%320&resourceVersionMatch=Exact").resource_version == "120");
  CHECK(query("resourceVersionMatch=Exact").resource_version_match == "Exact");
  CHECK(query("sendInitialEvents").send_initial_events);
  CHECK(query("sendInitialEvents=bad").send_initial_events);
  CHECK_FALSE(query("sendInitialEvents=False").send_initial_events);
  CHECK_FALSE(query("sendInitialEvents=0").send_initial_events);
  CHECK(query("l%69mit=7").limit == 7);
  CHECK(query("limi%zz=7&limit=8").limit == 8);
}

TEST_CASE("the timeout of a query", "[classify]") {
  CHECK(query("timeout=6s").timeout == 6 * kSecond);
  CHECK(query("timeout=1m30s").timeout == 90 * kSecond);
  CHECK(query("timeout=500%C2%B5s").timeout == 500 * kMicrosecond);
  CHECK_FALSE(query("timeout=0s").timeout);
  CHECK_FALSE(query("timeout=-3s").timeout);
  CHECK_FALSE(query("timeout=-3s").timeout_invalid);
  CHECK_FALSE(query("timeout=").timeout_invalid);
  CHECK(query("timeout=30").timeout_invalid);
  CHECK(query("timeout=forever").timeout_invalid);
}

TEST_CASE("watches that a node selector narrows", "[classify]") {
  CHECK(query("watch=1&fieldSelector=spec.nodeName%3Dn1").node_name_selector);
  CHECK(query("watch=1&fieldSelector=spec.nodeName%3Dn1,metadata.name%3Dp").node_name_selector);
  CHECK_FALSE(query("watch=1&fieldSelector=spec.nodeName!%3Dn1").node_name_selector);
  CHECK_FALSE(query("watch=1&fieldSelector=spec.nodeName%3D").node_name_selector);
  CHECK_FALSE(query("watch=1&fieldSelector=spec.nodeName%3Dn1&labelSelector=%21%21").node_name_selector);
  CHECK_FALSE(query("watch=1&fieldSelector=spec.nodeName%3Dn1&limit=bad").node_name_selector);
  CHECK(parsed("GET", "/api/v1/watch/pods?fieldSelector=spec.nodeName%3Dn1").query.node_name_selector);
}

TEST_CASE("audit events keep their verb", "[classify]") {
  ParsedRequest out;
  parse_audited_request("list", "/api/v1/namespaces/ns/pods?fieldSelector=metadata.name%3Dp", out);
  CHECK(out.info.verb == "list");
  CHECK(out.info.name == "p");
  CHECK(out.info.field_selector == "metadata.name=p");
  parse_audited_request("watch", "/api/v1/watch/namespaces/ns/pods?fieldSelector=metadata.name%3Dp", out);
  CHECK(out.info.resource == "pods");
  CHECK(out.info.name.empty());
  CHECK(out.info.field_selector.empty());
  parse_audited_request("deletecollection", "/apis/apps/v1/namespaces/ns/deployments?labelSelector=a", out);
  CHECK(out.info.verb == "deletecollection");
  CHECK(out.info.label_selector == "a");
  parse_audited_request("post", "/healthz", out);
  CHECK_FALSE(out.info.is_resource_request);
  CHECK(out.info.verb == "post");
  parse_audited_request("get", "%", out);
  CHECK(out.url_error == R"(parse "%": invalid URI for request)");
  CHECK(out.info.verb.empty());
}

TEST_CASE("long-running requests", "[classify]") {
  for (const char* uri :
       {"/api/v1/pods?watch=1", "/api/v1/watch/pods", "/api/v1/proxy/nodes/n", "/api/v1/namespaces/n/pods/p/log",
        "/api/v1/namespaces/n/pods/p/exec", "/api/v1/namespaces/n/pods/p/attach",
        "/api/v1/namespaces/n/pods/p/portforward", "/api/v1/nodes/n/proxy/metrics", "/debug/pprof/profile"}) {
    INFO(uri);
    CHECK(is_long_running(parsed("GET", uri).info));
  }
  for (const char* uri :
       {"/api/v1/pods", "/api/v1/pods/exec", "/debug/pprof", "/logs/exec", "/api/v1/namespaces/n/pods/p/status"}) {
    INFO(uri);
    CHECK_FALSE(is_long_running(parsed("GET", uri).info));
  }
}

TEST_CASE("what max-in-flight counts as mutating", "[classify]") {
  CHECK_FALSE(is_mutating(parsed("GET", "/api/v1/pods/p").info));
  CHECK_FALSE(is_mutating(parsed("HEAD", "/api/v1/pods").info));
  CHECK_FALSE(is_mutating(parsed("GET", "/api/v1/watch/pods").info));
  CHECK(is_mutating(parsed("POST", "/api/v1/pods").info));
  CHECK(is_mutating(parsed("GET", "/api/v1/proxy/nodes/n").info));
  CHECK(is_mutating(parsed("OPTIONS", "/api/v1/pods").info));
  CHECK(is_mutating(parsed("HEAD", "/healthz").info));  // only resource requests map HEAD to get
}

TEST_CASE("groups that authentication implies", "[classify]") {
  using Groups = std::vector<std::string>;
  CHECK(implied({"bob", {}}) == Groups{"system:authenticated"});
  CHECK(implied({"bob", {"system:authenticated"}}) == Groups{});
  CHECK(implied({"bob", {"system:unauthenticated"}}) == Groups{});
  CHECK(implied({"system:anonymous", {}}) == Groups{"system:unauthenticated"});
  CHECK(implied({"", {}}) == Groups{"system:unauthenticated"});
  CHECK(implied({"system:serviceaccount:ns:sa", {}}) ==
        Groups{"system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"});
  CHECK(implied({"system:serviceaccount:ns:sa:x", {}}) == Groups{"system:authenticated"});
  CHECK(implied({"system:serviceaccount:ns:", {}}) == Groups{"system:authenticated"});
}

TEST_CASE("a ParsedRequest that is kept keeps its memory", "[classify]") {
  const std::string name(100, 'n');
  const std::string get =
      "/api/v1/namespaces/" + name + "/pods/" + name + "/" + name + "/a/b?fieldSelector=" + name + "%3D" + name;
  const std::string list = "/apis/" + name + "/v1/" + name + "?labelSelector=%20" + name + "&resourceVersion=" + name;
  ParsedRequest out;
  const auto round = [&] {
    parse_request("GET", get, out);
    parse_request("GET", list, out);
    parse_request("GET", get, out);
  };
  round();
  const auto places = [&] {
    std::vector<const void*> at = {
        out.info.path.data(),        out.info.ns.data(),    out.info.name.data(),
        out.info.subresource.data(), out.info.parts.data(), out.info.parts[1].data(),
        out.info.parts[2].data(),    out.spare.text.data(), out.query.resource_version.data()};
    return at;
  };
  const auto before = places();
  for (int i = 0; i < 3; ++i) round();
  CHECK(places() == before);
  CHECK(out.info.parts == std::vector<std::string>{"pods", name, name, "a", "b"});
  out.info.clear();
  CHECK(out.info.path.empty());
  CHECK(out.info.parts.empty());
  CHECK_FALSE(out.info.is_resource_request);
}
