// What is kept of a request's verb, URI and user serves requests that differ by their object's name alone.
#include <random>

#include <apf/config.h>

#include "catch.h"
#include "replay/prepare/prepare.h"
#include "schedule/seats.h"
#include "support/vectors.h"

using namespace apf;

namespace {

PrepareContext context_of(KubeVersion version) {
  PrepareContext context;
  context.classifiers.push_back(std::make_shared<const Classifier>(bootstrap_config(version)));
  context.rules.push_back(SeatRules::of(version));
  return context;
}

PreparedEvent prepare(Preparer& preparer, std::string_view verb, std::string_view uri, std::string_view user) {
  LogEvent event;
  event.verb = verb;
  event.uri = uri;
  event.user_json = user;
  event.received = 1795177585 * kSecond;
  event.stage_time = event.received + kMillisecond;
  event.code = 200;
  PreparedBatch batch;
  preparer.make_one(event, batch);
  REQUIRE(batch.events.size() == 1);
  return batch.events[0].event;
}

std::vector<WatchKey> keys_of(const InterestedKeys& keys) { return {keys.keys, keys.keys + keys.count}; }

}  // namespace

TEST_CASE("requests with facts that were kept are as those without", "[replay]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  static constexpr const char* kVerbs[] = {"get",    "update", "patch", "delete",
                                           "create", "watch",  "list",  "deletecollection"};
  static constexpr const char* kBefore[] = {"/api/v1/namespaces/a/", "/api/v1/namespaces/b/", "/api/v1/",
                                            "/apis/coordination.k8s.io/v1/namespaces/kube-system/", "/api/v1/watch/"};
  static constexpr const char* kResources[] = {"pods", "configmaps", "leases", "serviceaccounts", "nodes"};
  static constexpr const char* kBehind[] = {
      "", "/a", "/b", "/c", "/a/status", "/b/status", "/a/token", "/b/token", "/a%2Fb", "?timeout=3s", "/b?timeout=3s"};
  static constexpr const char* kUsers[] = {R"({"username":"u","groups":["g"]})", R"({"username":"v","groups":["g"]})"};
  const PrepareContext context = context_of(GENERATE(KubeVersion{36}, KubeVersion{29}));
  Preparer keeps(context, 0);
  RequestView view;
  for (int i = 0; i < 2000; ++i) {
    const auto any = [&](const auto& texts) { return std::string(texts[random() % std::size(texts)]); };
    const std::string verb = any(kVerbs), uri = any(kBefore) + any(kResources) + any(kBehind), user = any(kUsers);
    INFO(verb << ' ' << uri << ' ' << user);
    const PreparedEvent kept = prepare(keeps, verb, uri, user);
    parse_audited_view(verb, uri, view);
    const bool mutating = seat_kind(view, context.rules.front()) == SeatKind::mutating;
    CHECK(keys_of(kept.keys) == (mutating ? keys_of(interested_keys(view)) : std::vector<WatchKey>()));
    CHECK(kept.watch_key == registered_watch_key(view).value_or(0));
    if (i % 20 != 0) continue;
    Preparer knows_none(context, 0);
    const PreparedEvent fresh = prepare(knows_none, verb, uri, user);
    CHECK(keys_of(kept.keys) == keys_of(fresh.keys));
    CHECK(kept.wait_limit == fresh.wait_limit);
    CHECK(kept.deadline == fresh.deadline);
    CHECK(kept.service == fresh.service);
    CHECK(kept.seat_kind == fresh.seat_kind);
    CHECK(kept.list_seats == fresh.list_seats);
    CHECK(kept.traits == fresh.traits);
    CHECK(kept.watch == fresh.watch);
    CHECK(kept.left_out == fresh.left_out);
  }
}
