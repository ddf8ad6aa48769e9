// The limiter of events: the worked example of the plugin's proposal, forgetting buckets, and what is not known.
#include <list>
#include <map>
#include <random>

#include "admission/event_rate_limit.h"
#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

EventRateLimitConfiguration limits(std::vector<EventRateLimitConfiguration::Limit> list) {
  EventRateLimitConfiguration out;
  out.limits = std::move(list);
  return out;
}

EventKeys of_namespace(const std::string& ns) {
  EventKeys keys;
  keys.at(EventLimitType::ns) = event_key(ns);
  return keys;
}

int accepted(EventRateLimiter& limiter, int events, Nanos now) {
  int n = 0;
  for (int i = 0; i < events; ++i) n += limiter.ask({}, now) ? 1 : 0;
  return n;
}

}  // namespace

TEST_CASE("the proposal's example: 1000 at once and 100 a second", "[eventratelimit][admission]") {
  EventRateLimiter limiter(limits({{"Server", 100, 1000, 0}}));
  CHECK(accepted(limiter, 1500, 0) == 1000);
  CHECK(accepted(limiter, 500, kSecond) == 100);
}

TEST_CASE("an event that one limit refuses takes its token from the others", "[eventratelimit][admission]") {
  EventRateLimiter limiter(limits({{"Namespace", 1, 1, 0}, {"Server", 1, 3, 0}}));
  CHECK(limiter.ask(of_namespace("a"), 0));
  CHECK_FALSE(limiter.ask(of_namespace("a"), 0));
  CHECK_FALSE(limiter.ask(of_namespace("a"), 0));
  CHECK_FALSE(limiter.ask(of_namespace("b"), 0));  // its own bucket is full: the server's is empty
  CHECK(limiter.answers()[1].refused);
  CHECK_FALSE(limiter.answers()[0].refused);
}

TEST_CASE("a limit whose key is not known is not asked", "[eventratelimit][admission]") {
  EventRateLimiter limiter(limits({{"SourceAndObject", 1, 1, 0}, {"Server", 1, 2, 0}}));
  CHECK(limiter.ask({}, 0));
  CHECK(limiter.ask({}, 0));
  CHECK_FALSE(limiter.answers()[0].asked);
  CHECK_FALSE(limiter.ask({}, 0));
  CHECK(limiter.message({}) == "Too many requests: limit reached on type Server for key ");
}

TEST_CASE("one namespace more than buckets, taking turns: nobody is limited", "[eventratelimit][admission]") {
  EventRateLimiter limiter(limits({{"Namespace", 1, 1, 3}}));
  for (int round = 0; round < 50; ++round)
    for (const char* ns : {"a", "b", "c", "d"}) CHECK(limiter.ask(of_namespace(ns), round));
  CHECK(limiter.limits()[0].buckets.size() == 3);
}

TEST_CASE("instants at the ends of time do not overflow", "[eventratelimit][admission]") {
  EventRateLimiter limiter(limits({{"Server", 2147483647, 2147483647, 0}, {"Namespace", 1, 1, 1}}));
  CHECK(limiter.ask(of_namespace("a"), INT64_MIN + 1));
  CHECK(limiter.ask(of_namespace("a"), INT64_MAX));
  CHECK_FALSE(limiter.ask(of_namespace("a"), INT64_MIN + 1));
}

// Against a list and a map, which are slow and plainly right.
TEST_CASE("buckets are forgotten as in a list of the last used", "[eventratelimit][admission][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  for (const std::size_t capacity : {1u, 2u, 7u, 64u, 1000u}) {
    EventBuckets buckets(capacity);
    const TokenRate rate{1, 5};
    std::list<std::uint64_t> used;  // newest first
    std::map<std::uint64_t, int> left;
    for (int i = 0; i < 20'000; ++i) {
      // Keys that fall to few places of the table.
      const std::uint64_t key = random() % (2 * capacity + 3);
      std::optional<EventKey> evicted;
      const bool allowed = buckets.at({key, key % 5}, rate, evicted).allow(rate, 0);
      std::optional<std::uint64_t> expected;
      used.remove(key);
      used.push_front(key);
      left.try_emplace(key, 5);
      if (used.size() > capacity) {
        expected = used.back();
        left.erase(used.back());
        used.pop_back();
      }
      REQUIRE(allowed == (left[key] > 0));
      if (left[key] > 0) --left[key];
      REQUIRE(evicted.has_value() == expected.has_value());
      if (expected) REQUIRE(evicted->high == *expected);
    }
    CHECK(buckets.size() == capacity);
  }
}
