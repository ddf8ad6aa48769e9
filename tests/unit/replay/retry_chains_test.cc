// Which requests of a log are further attempts at refused ones: of clients that come back, and not of those that ask
// every so often.
#include "replay/clients/retry_chains.h"

#include <algorithm>
#include <map>
#include <random>

#include "catch.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

struct Sent {
  Nanos received = 0, answered = 0;
  std::uint32_t client = 0, target = 0, request = 0;  // request: number of what the client wants
  bool refused = false;
};

PreparedEvent event_of(const Sent& sent) {
  PreparedEvent event;
  event.received = kTraceStart + sent.received;
  event.stage_time = kTraceStart + sent.answered;
  event.requester = sent.client;
  event.target = sent.target;
  event.recorded_refusal = sent.refused;
  return event;
}

void sort_by_time(std::vector<Sent>& sent) {
  std::stable_sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) { return a.received < b.received; });
}

// A client that sends each refused request again after `pause`, until the `tries`-th is served.
std::vector<Sent> retrying(std::mt19937_64& random, std::uint32_t client, Nanos pause, int tries, int requests) {
  std::vector<Sent> out;
  Nanos at = 0;
  for (int i = 0; i < requests; ++i) {
    at += static_cast<Nanos>(random() % (4 * kSecond));
    const int attempts = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(tries));
    const auto target = 1 + static_cast<std::uint32_t>(random() % 40);
    Nanos now = at;
    for (int attempt = 1; attempt <= attempts; ++attempt) {
      const Nanos answered = now + 1 + static_cast<Nanos>(random() % kMillisecond);
      out.push_back({now, answered, client, target, static_cast<std::uint32_t>(i), attempt < attempts});
      now = answered + pause + static_cast<Nanos>(random() % (pause / 20));
    }
  }
  sort_by_time(out);
  return out;
}

}  // namespace

TEST_CASE("attempts at one request are one chain, once the client is known to retry") {
  const auto seed = GENERATE(1u, 2u, 3u, 4u);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const Nanos pause = GENERATE(30 * kMillisecond, 110 * kMillisecond, 1000 * kMillisecond);
  const std::vector<Sent> all = retrying(random, 0, pause, 6, 400);
  RetryChains learned;
  for (const Sent& sent : all) learned.add(event_of(sent));
  RetryChains chains = learned.again();
  std::map<std::uint32_t, std::uint32_t> chain_of;  // by request
  std::size_t further = 0, found = 0, wrong = 0;
  for (const Sent& sent : all) {
    const bool is_further = chain_of.contains(sent.request);
    const RetryChains::Link link = chains.add(event_of(sent));
    further += is_further;
    if (is_further && link.gap && link.chain == chain_of[sent.request]) ++found;
    else wrong += link.gap.has_value();
    if (sent.refused && !is_further) chain_of[sent.request] = link.chain;
  }
  REQUIRE(further > 500);
  // Two requests for one object within the pause cannot be told apart.
  CHECK(found > further * 95 / 100);
  CHECK(wrong < further * 5 / 100);
}

TEST_CASE("a client that asks every so often does not retry, refused or not") {
  const Nanos period = GENERATE(200 * kMillisecond, 500 * kMillisecond, 980 * kMillisecond, 1000 * kMillisecond);
  RetryChains chains;
  for (int i = 0; i < 600; ++i) {
    // Served, refused for two minutes, served.
    const bool refused = i > 20 && i < 320;
    const Nanos at = i * period;
    const RetryChains::Link link = chains.add(event_of({at, at + kMillisecond, 0, 7, 0, refused}));
    if (i < 22 || i > 340) CHECK_FALSE(link.gap);
  }
}

TEST_CASE("others ask at any time, for other objects, or are never refused") {
  std::mt19937_64 random(5);
  RetryChains chains;
  Nanos at = 0;
  for (int i = 0; i < 2000; ++i) {
    at += static_cast<Nanos>(std::exponential_distribution<double>(3.0)(random) * 1e9);
    CHECK_FALSE(chains.add(event_of({at, at + 1, 0, 1, 0, i % 2 == 0})).gap);
    CHECK_FALSE(chains.add(event_of({at, at + 1, 1, static_cast<std::uint32_t>(i), 0, true})).gap);
    CHECK(chains.add(event_of({at, at + 1, 2, 1, 0, false})).chain == 0);
  }
}

TEST_CASE("of many open refusals the oldest is about as old, whatever the client does") {
  const auto seed = GENERATE(1u, 2u, 3u, 4u);
  std::mt19937_64 random(seed);
  RetryChains chains;
  Nanos at = 0;
  std::size_t further = 0;
  for (int i = 0; i < 4000; ++i) {
    at += static_cast<Nanos>(std::exponential_distribution<double>(80.0)(random) * 1e9);
    // 40 wait in a queue and are refused at once, then each that comes.
    const Nanos answered = at + 1 + (i > 500 && i < 540 ? (540 - i) * kSecond / 80 : 0);
    further += chains.add(event_of({at, answered, 0, 1, 0, i > 500})).gap.has_value();
  }
  CHECK(further == 0);
}

TEST_CASE("copies of a client have chains of their own") {
  RetryChains chains;
  std::uint32_t last = 0;
  for (int i = 0; i < 100; ++i) {
    PreparedEvent event = event_of({i * 100 * kMillisecond, i * 100 * kMillisecond + 1, 0, 1, 0, true});
    event.copy = static_cast<std::uint16_t>(i % 2);
    const RetryChains::Link link = chains.add(event);
    if (i > 60) CHECK(link.chain != last);
    last = link.chain;
  }
}
