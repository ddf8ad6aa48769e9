// Releases before 1.36, watch keys, and object counts: what the width vectors do not reach.
#include "schedule/seats.h"
#include <apf/error.h>

#include <map>
#include <random>

#include "catch.h"
#include "classify/request_view.h"
#include "support/vectors.h"

using namespace apf;

namespace {

int seats(std::string_view uri, const ObjectStats& stats, KubeVersion version) {
  ParsedRequest out;
  parse_request("GET", uri, out);
  return list_seats(out.info, out.query, stats, SeatRules::of(version));
}

ObjectStats known(std::int64_t count, std::int64_t size) { return {ObjectStats::State::known, count, size}; }

InterestedKeys keys(std::string_view method, std::string_view uri) {
  ParsedRequest out;
  parse_request(method, uri, out);
  return interested_keys(out.info);
}

std::string parse_error(std::string_view text) {
  try {
    ObjectCounts::parse(text, "objects.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("lists by release", "[schedule][seats]") {
  const ObjectStats stats = known(5000, 1000);
  CHECK(seats("/api/v1/pods", stats, KubeVersion{36}) == 10);   // from the cache: one megabyte at most
  CHECK(seats("/api/v1/pods", stats, KubeVersion{33}) == 50);   // by count, from the cache
  CHECK(seats("/api/v1/pods", stats, KubeVersion{30}) == 100);  // by count, from storage: read and encoded
  CHECK(seats("/api/v1/pods?limit=1000&resourceVersion=7", stats, KubeVersion{36}) == 10);
  CHECK(seats("/api/v1/pods?limit=2000&resourceVersion=7", stats, KubeVersion{36}) == 20);
  CHECK(seats("/api/v1/pods?limit=bad", stats, KubeVersion{36}) == kAllSeats);
  CHECK(seats("/api/v1/pods", {ObjectStats::State::stale_or_failed, 0, 0}, KubeVersion{36}) == 10);
  CHECK(seats("/api/v1/pods?continue=x", {ObjectStats::State::stale_or_failed, 0, 0}, KubeVersion{36}) == kAllSeats);
  CHECK(seats("/api/v1/pods", {}, KubeVersion{36}) == 1);
  CHECK(seats("/api/v1/pods/p", stats, KubeVersion{36}) == 1);
  CHECK(seats("/api/v1/pods?continue=x", known(INT64_MAX, INT64_MAX), KubeVersion{36}) == kAllSeats);
}

TEST_CASE("a list takes a seat for each 100,000 bytes begun, from the cache for the first megabyte",
          "[schedule][seats]") {
  const auto of_bytes = [](std::int64_t bytes) { return list_seats_by_size(1, bytes, 0, false, false, false); };
  CHECK(of_bytes(99'999) == 1);
  CHECK(of_bytes(100'000) == 1);
  CHECK(of_bytes(100'001) == 2);
  CHECK(of_bytes(200'000) == 2);
  CHECK(of_bytes(200'001) == 3);
  const auto cached = [](std::int64_t bytes) { return list_seats_by_size(1, bytes, 0, true, false, false); };
  CHECK(cached(900'000) == 9);
  CHECK(cached(900'001) == 10);
  CHECK(cached(100'000'000) == 10);
  // Of unknown size, an object counts as the largest that etcd stores.
  CHECK(list_seats_by_size(1, 0, 0, false, false, false) == 15);
  CHECK(list_seats_by_size(0, 0, 0, false, false, false) == 0);
  // A selector reads at least half of all objects from storage.
  CHECK(list_seats_by_size(10, 100'000, 2, false, true, false) == 5);
  CHECK(list_seats_by_size(10, 100'000, 7, false, true, false) == 7);
  CHECK(list_seats_by_size(10, 100'000, 2, false, false, false) == 2);
  CHECK(list_seats_by_size(10, 100'000, 2, false, true, true) == 1);
}

TEST_CASE("a list by count takes a seat for each 100 objects begun", "[schedule][seats]") {
  const auto from_cache = [](std::int64_t objects) { return list_seats_by_count(objects, 0, true, false, false); };
  CHECK(from_cache(100) == 1);
  CHECK(from_cache(101) == 2);
  CHECK(from_cache(200) == 2);
  CHECK(list_seats_by_count(100, 0, false, false, false) == 2);  // read, then encoded
  CHECK(list_seats_by_count(101, 0, false, false, false) == 3);
  CHECK(list_seats_by_count(1000, 50, false, true, false) == 11);
  CHECK(list_seats_by_count(1000, 1000, false, true, false) == 20);
  CHECK(list_seats_by_count(1000, 1001, false, true, false) == 20);
  CHECK(list_seats_by_count(1000, 50, true, true, true) == 1);
}

TEST_CASE("watches by release", "[schedule][seats]") {
  const ObjectStats stats = known(5000, 1000);
  CHECK(seats("/api/v1/pods?watch=1", stats, KubeVersion{36}) == 10);
  CHECK(seats("/api/v1/pods?watch=1", stats, KubeVersion{35}) == 10);
  CHECK(seats("/api/v1/pods?watch=1", stats, KubeVersion{34}) == 1);
  CHECK(seats("/api/v1/pods?watch=1&sendInitialEvents=true", stats, KubeVersion{34}) == 10);
  CHECK(seats("/api/v1/pods?watch=1&sendInitialEvents=true", stats, KubeVersion{33}) == 1);
  CHECK(seats("/api/v1/pods?watch=1&sendInitialEvents=true", stats, KubeVersion{32}) == 50);
  CHECK(seats("/api/v1/pods?watch=1&resourceVersion=7", stats, KubeVersion{36}) == 1);
}

TEST_CASE("a token request is one seat, whoever watches", "[schedule][seats]") {
  RequestView view;
  parse_request_view("POST", "/api/v1/namespaces/n/serviceaccounts/s/token", view);
  const SeatRules rules = SeatRules::of(kNewestKubeVersion);
  CHECK(seat_kind(view, rules) == SeatKind::one);
  CHECK(estimate_work(view, {}, 1000, 0, rules).final_seats == 0);
  parse_request_view("POST", "/api/v1/namespaces/n/serviceaccounts", view);
  CHECK(estimate_work(view, {}, 1000, 0, rules).final_seats == 10);
  CHECK(estimate_work(view, {}, 1000, 0, rules).additional_latency == 50 * kMillisecond);
}

TEST_CASE("keys that writes interest", "[schedule][seats]") {
  CHECK(keys("GET", "/api/v1/pods").count == 0);
  CHECK(keys("DELETE", "/healthz").count == 0);
  CHECK(keys("POST", "/api/v1/nodes").count == 1);
  CHECK(keys("POST", "/api/v1/namespaces/n/pods").count == 2);
  const InterestedKeys update = keys("PUT", "/apis/apps/v1/namespaces/n/deployments/d");
  REQUIRE(update.count == 3);
  CHECK(update.keys[0] == watch_key("apps", "deployments", "", ""));
  CHECK(update.keys[1] == watch_key("apps", "deployments", "n", ""));
  CHECK(update.keys[2] == watch_key("apps", "deployments", "n", "d"));
  CHECK(watch_key("a", "bc", "", "") != watch_key("ab", "c", "", ""));
  CHECK(watch_key("", "", "a", "") != watch_key("", "", "", "a"));
}

TEST_CASE("the watch tracker counts as a map would", "[schedule][seats]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  WatchTracker tracker;
  std::map<WatchKey, std::int64_t> wanted;
  std::int64_t registered = 0;
  for (int i = 0; i < 20000; ++i) {
    // Keys that share their low bits, so that they collide in the table.
    const WatchKey key = (random() % 3000) << 32 | random() % 4;
    if (random() % 5 < 3) {
      tracker.add(key);
      ++wanted[key];
      ++registered;
    } else {
      tracker.remove(key);
      if (wanted[key] > 0) --wanted[key], --registered;
    }
    InterestedKeys asked;
    asked.count = 2;
    asked.keys[0] = key;
    asked.keys[1] = (random() % 3000) << 32 | random() % 4;
    if (asked.keys[1] == key) asked.count = 1;
    const std::int64_t sum = wanted[key] + (asked.count == 2 ? wanted[asked.keys[1]] : 0);
    REQUIRE(tracker.count(asked) == sum);
    REQUIRE(tracker.registered() == registered);
  }
}

TEST_CASE("object counts written by hand", "[schedule][seats]") {
  const ObjectCounts counts = ObjectCounts::parse(
      "# counted on Monday\n\npods=1234,2048\r\n deployments.apps = 7\nleases.coordination.k8s.io=3\n", "objects.txt");
  CHECK(counts.find("", "pods").count == 1234);
  CHECK(counts.find("", "pods").average_size == 2048);
  CHECK(counts.find("apps", "deployments").count == 7);
  CHECK(counts.find("apps", "deployments").average_size == 0);
  CHECK(counts.find("coordination.k8s.io", "leases").state == ObjectStats::State::known);
  CHECK(counts.find("apps", "pods").state == ObjectStats::State::unknown_resource);
  CHECK(counts.find(std::string(300, 'g'), "pods").state == ObjectStats::State::unknown_resource);
  CHECK_FALSE(counts.empty());
  CHECK(ObjectCounts::parse("", "objects.txt").empty());
  for (const char* bad : {"pods", "pods=", "=5", "pods=x", "pods=5,", "pods=5,x", "pods=-1", "pods=5,-1", "po ds=5",
                          "pods 5x", "pods{a=b} 5", "pods{a=\"b} 5"}) {
    INFO(bad);
    CHECK(
        parse_error(std::string("a=1\n") + bad) ==
        "objects.txt:2: neither RESOURCE[.GROUP]=COUNT[,BYTES] nor a line of a /metrics scrape; correct or remove it");
  }
}

TEST_CASE("object counts from a scrape", "[schedule][seats]") {
  const ObjectCounts counts = ObjectCounts::parse(R"(# HELP apiserver_storage_objects [STABLE] Number of stored objects
# TYPE apiserver_storage_objects gauge
apiserver_storage_objects{resource="pods"} 10
apiserver_storage_objects{resource="deployments.apps"} 3
apiserver_storage_objects{resource="events"} -1
apiserver_resource_objects{group="",resource="pods"} 1.2e+03
apiserver_resource_objects{group="batch",resource="jobs"} 0
apiserver_resource_size_estimate_bytes{group="",resource="pods"} 2.4e+06
apiserver_resource_size_estimate_bytes{group="batch",resource="jobs"} 0
apiserver_resource_size_estimate_bytes{group="",resource="secrets"} 5000
apiserver_request_total{code="200",path="a\"b\\{"} 5 1700000000000
go_goroutines 120
some_ratio NaN
some_bucket{le="+Inf"} +Inf
)",
                                                  "metrics.txt");
  CHECK(counts.find("", "pods").count == 1200);
  CHECK(counts.find("", "pods").average_size == 2000);
  CHECK(counts.find("apps", "deployments").count == 3);
  CHECK(counts.find("apps", "deployments").average_size == 0);
  CHECK(counts.find("", "events").state == ObjectStats::State::stale_or_failed);
  CHECK(counts.find("batch", "jobs").state == ObjectStats::State::known);
  CHECK(counts.find("batch", "jobs").count == 0);
  CHECK(counts.find("", "secrets").state == ObjectStats::State::unknown_resource);  // a size alone says nothing
}

namespace {

std::optional<std::int64_t> returned(std::string_view uri, const ObjectStats& stats) {
  ParsedRequest out;
  parse_request("GET", uri, out);
  RequestView view;
  view_request(out.info, &out.query, view);
  return bytes_of_list(view, stats);
}

}  // namespace

TEST_CASE("what a list returns is known of a whole resource, its first page and one object", "[schedule][seats]") {
  const ObjectStats stats = known(5000, 3000);
  CHECK(returned("/api/v1/pods", stats) == 15'000'000);
  CHECK(returned("/api/v1/pods?limit=50", stats) == 150'000);
  CHECK(returned("/api/v1/pods?limit=50000", stats) == 15'000'000);
  CHECK(returned("/api/v1/pods?limit=50&resourceVersion=0", stats) == 15'000'000);  // the cache knows no pages
  CHECK(returned("/api/v1/pods?fieldSelector=metadata.name%3Da", stats) == 3000);
  CHECK(returned("/api/v1/pods", known(0, 0)) == 0);
  for (const char* part :
       {"/api/v1/namespaces/a/pods", "/api/v1/pods?labelSelector=a%3Db", "/api/v1/pods?fieldSelector=spec.nodeName%3Da",
        "/api/v1/pods?limit=50&continue=x", "/api/v1/pods?fieldSelector=metadata.name%3Da&labelSelector=a%3Db",
        "/api/v1/pods?watch=1&sendInitialEvents=true", "/api/v1/pods/a", "/api/v1/pods?limit=bad", "/healthz"}) {
    INFO(part);
    CHECK_FALSE(returned(part, stats));
  }
  CHECK_FALSE(returned("/api/v1/pods", known(5000, 0)));
  CHECK_FALSE(returned("/api/v1/pods", {}));
  CHECK_FALSE(returned("/api/v1/pods", {ObjectStats::State::stale_or_failed, 0, 0}));
  CHECK(returned("/api/v1/pods", known(INT64_MAX, INT64_MAX)) == INT64_MAX);
}

TEST_CASE("sizes of lists keep to a kilobyte what does not fit, and seats of others", "[property][schedule][seats]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  constexpr std::int64_t kExact = std::int64_t{1} << 29, kMost = std::int64_t{1} << 40;
  for (int round = 0; round < 100'000; ++round) {
    const std::int64_t bytes = static_cast<std::int64_t>(random() >> (24 + random() % 40)) % kMost;
    const ListSize back = ListSize::unpacked(ListSize{true, bytes, 0}.packed());
    INFO(bytes);
    REQUIRE(back.known);
    REQUIRE(back.bytes >= bytes);
    REQUIRE(back.bytes - bytes < (bytes <= kExact ? 1 : 1024));
    const int seats = static_cast<int>(random() % (kAllSeats + 1U));
    const ListSize other = ListSize::unpacked(ListSize{false, 0, seats}.packed());
    REQUIRE_FALSE(other.known);
    REQUIRE(other.seats == seats);
  }
}
