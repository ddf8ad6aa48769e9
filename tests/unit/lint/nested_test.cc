// Requests of a log that ran within others.
#include "lint/nested.h"

#include "catch.h"

using namespace apf;

namespace {

struct TimedRequest {
  ParsedRequest request;
  User user;
  Nanos arrival, end;
};

TimedRequest request_of(const char* user, const char* verb, const char* uri, Nanos from, Nanos to) {
  TimedRequest out{{}, {}, from, to};
  out.user.name = user;
  parse_audited_request(verb, uri, out.request);
  return out;
}

constexpr const char* kReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr const char* kUsages = "/apis/stats.example.com/v1/usages";
constexpr const char* kApi = "system:serviceaccount:metrics:api";

std::vector<LintOptions::Nested> nested_of(const std::vector<TimedRequest>& log) {
  NestedRequests nested;
  for (const TimedRequest& logged : log) nested.add(logged.request.info, logged.user, logged.arrival, logged.end);
  return nested.take();
}

}  // namespace

TEST_CASE("a request counts once within requests of the same kind, and only from arrival to end", "[nested]") {
  const auto found = nested_of({
      request_of("alice", "list", kUsages, 0, 100),
      request_of("alice", "list", kUsages, 1, 90),
      request_of("bob", "list", kUsages, 2, 90),
      request_of(kApi, "create", kReviews, 10, 20),
      request_of(kApi, "create", kReviews, 80, 95),   // within the first only
      request_of(kApi, "create", kReviews, 99, 101),  // ends later than all
      request_of(kApi, "create", kReviews, 200, 210),
  });
  REQUIRE(found.size() == 2);
  CHECK(found[0].outer_user.name == "alice");
  CHECK(found[0].count == 2);
  CHECK(found[0].of == 4);
  CHECK(found[1].outer_user.name == "bob");
  CHECK(found[1].count == 1);
  CHECK(found[1].inner_user.name == kApi);
  CHECK(found[1].inner.resource == "subjectaccessreviews");
}

TEST_CASE("what can cause what", "[nested]") {
  const auto info = [](const char* verb, const char* uri) {
    ParsedRequest parsed;
    parse_audited_request(verb, uri, parsed);
    return parsed.info;
  };
  const RequestInfo review = info("create", kReviews), list = info("list", "/api/v1/pods");
  CHECK(inner_kind(review, "alice") == InnerKind::review);
  CHECK(inner_kind(list, "alice") == InnerKind::none);
  CHECK(inner_kind(list, "system:serviceaccount:gatekeeper-system:gatekeeper-admin") == InnerKind::server);
  CHECK(inner_kind(list, "system:serviceaccount:kube-system:generic-garbage-collector") == InnerKind::collector);
  CHECK(inner_kind(info("get", "/healthz"), "system:serviceaccount:a:webhook") == InnerKind::none);
  CHECK(can_cause(info("create", "/api/v1/namespaces/a/pods"), InnerKind::server));
  CHECK_FALSE(can_cause(list, InnerKind::server));
  CHECK(can_cause(info("list", kUsages), InnerKind::review));
  CHECK_FALSE(can_cause(review, InnerKind::review));
  CHECK_FALSE(can_cause(info("watch", kUsages), InnerKind::review));
  CHECK(can_cause(info("delete", "/api/v1/namespaces/a"), InnerKind::collector));
  CHECK_FALSE(can_cause(info("create", "/api/v1/namespaces"), InnerKind::collector));
}
