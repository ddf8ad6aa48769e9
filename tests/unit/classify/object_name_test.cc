// Where the name of the object is in a request target.
#include "classify/object_name.h"

#include <random>
#include <string>

#include "catch.h"
#include "classify/request_view.h"
#include "support/vectors.h"

using namespace apf;

namespace {

std::string name_in(std::string_view target) {
  const ObjectName name = find_object_name(target);
  return std::string(target.substr(name.at, name.size));
}

template <std::size_t kCount>
std::string any_of(std::mt19937_64& random, const char* const (&texts)[kCount]) {
  return texts[random() % kCount];
}

// Mostly as clients write them, sometimes not.
std::string any_target(std::mt19937_64& random) {
  static constexpr const char* kPlain[] = {"pods", "v1", "shop", "web-0", "orders.example.com", "status", "namespaces"};
  static constexpr const char* kOdd[] = {"watch", "proxy",       "finalize", "",  "%2F",  "a%20b", "x y", "\xC3\xBC",
                                         "a+b",   "namespacesx", "statusx",  "~", "\x01", "a;b",   "api", "apis"};
  const auto segment = [&] { return random() % 6 == 0 ? any_of(random, kOdd) : any_of(random, kPlain); };
  static constexpr const char* kBegins[] = {"/api/v1",  "/apis/apps/v1", "/apis/shop.example.com/v1",
                                            "/api/",    "//api/v1",      "/apisx/v1",
                                            "/apis/v1", "api/v1",        "/healthz"};
  std::string out = random() % 3 == 0 ? any_of(random, kBegins) : std::string("/api/v1");
  if (random() % 2 == 0) out += "/namespaces/" + segment();
  for (std::size_t n = random() % 5; n > 0; --n) out += '/' + segment();
  if (random() % 8 == 0) out.insert(out.size() / 2, random() % 120, 'n');
  if (random() % 8 == 0) out += '/';
  static constexpr const char* kQueries[] = {
      "?timeout=7s", "?fieldSelector=metadata.name%3Dweb-1", "?limit=5/4", "?watch=true", "?", "#fragment"};
  if (random() % 3 == 0) out += any_of(random, kQueries);
  return out;
}

// All that a request is, but for its name.
std::string rest_of(const RequestView& view) {
  const RequestView::Fields& f = view.f;
  std::string out;
  for (const std::string_view text : {f.verb, f.api_prefix, f.api_group, f.api_version, f.ns, f.resource, f.subresource,
                                      f.field_selector, f.label_selector, f.resource_version, f.resource_version_match})
    out.append(text).append(1, '|');
  for (const std::int64_t number : {f.limit, f.timeout, f.timeout_seconds, static_cast<std::int64_t>(f.fault)})
    out.append(std::to_string(number)).append(1, '|');
  for (const bool flag :
       {f.is_resource, f.has_parts, f.verb_from_path, f.long_running, f.list_options_ok, f.has_selector, f.has_continue,
        f.send_initial_events, f.timeout_invalid, f.node_name_selector})
    out += flag ? '1' : '0';
  return out;
}

}  // namespace

TEST_CASE("the name of an object in a target", "[classify]") {
  CHECK(name_in("/api/v1/namespaces/shop/pods/web-0") == "web-0");
  CHECK(name_in("/api/v1/namespaces/shop/pods/web-0/log?follow=true") == "web-0");
  CHECK(name_in("/api/v1/nodes/node-1?timeout=10s") == "node-1");
  CHECK(name_in("/apis/apps/v1/namespaces/shop/deployments/web/scale") == "web");
  CHECK(name_in("/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node") == "system:node");
  const std::string group = "a-group-with-a-rather-long-name.example.com";
  CHECK(name_in("/apis/" + group + "/v1/namespaces/n/things/" + std::string(200, 'x')) == std::string(200, 'x'));
  CHECK(name_in("/apis/" + group + "/v1/namespaces/n/things/" + std::string(200, 'x') + "/status?a=/b") ==
        std::string(200, 'x'));
  for (const char* const none :
       {"", "/api", "/api/v1", "/api/v1/pods", "/api/v1/pods/", "/api/v1/namespaces/shop",
        "/api/v1/namespaces/shop/pods", "/api/v1/namespaces/shop/status", "/api/v1/namespaces/shop/finalize",
        "/api/v1/watch/pods/web-0", "/api/v1/proxy/nodes/n", "/api/v1//pods/web-0", "/apis/apps/v1/deployments",
        "/api/v1/pods/a%2Fb", "/api/v1/namespaces/a%2Fb/pods/c", "/api/v1/pods/a b", "/healthz/a/b/c/d",
        "/openapi/v2/a/b/c"})
    CHECK(name_in(none) == "");
}

TEST_CASE("requests that differ by the name are the same but for it", "[classify]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  static constexpr const char* kVerbs[] = {"get",    "update",           "patch", "delete",
                                           "create", "deletecollection", "GET",   "PUT"};
  static constexpr const char* kNames[] = {
      "x", "status", "watch", "namespaces", "a.b:c_D", "a-name-of-some-thirty-letters", "=", "[z"};
  RequestView one, other;
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string target = any_target(random), verb = any_of(random, kVerbs), name = any_of(random, kNames);
    const ObjectName at = find_object_name(target);
    if (at.size == 0) continue;
    ++found;
    const std::string changed = target.substr(0, at.at) + name + target.substr(at.at + at.size);
    INFO(verb << ' ' << target << "  " << changed);
    const auto is_the_same = [&] {
      return one.f.name == target.substr(at.at, at.size) && other.f.name == name && rest_of(one) == rest_of(other);
    };
    parse_audited_view(verb, target, one);
    parse_audited_view(verb, changed, other);
    REQUIRE(is_the_same());
    parse_request_view(verb, target, one);
    parse_request_view(verb, changed, other);
    REQUIRE(is_the_same());
  }
  CHECK(found > 2000);
}
