// Compare and swap of quotas' statuses: counted by hand.
#include "admission/quota_writes.h"

#include <random>
#include <set>

#include "catch.h"

using namespace apf;

namespace {

constexpr Nanos kMs = kMillisecond;

struct Set {
  std::uint32_t ns;
  std::vector<std::uint32_t> quotas;
};
struct Wanted {
  Nanos time;
  std::size_t set = 0;
};
struct Answer {
  std::uint32_t server;
  Nanos asked, answered;
  QuotaWriteEnd end;
};

// Everything that is wanted, in order of time; of one instant the controller's first, then that of the first server.
class Scenario final : public QuotaWriteListener {
 public:
  Scenario(std::vector<std::vector<Wanted>> servers, std::vector<Wanted> controller, std::vector<Set> sets,
           std::size_t quotas, QuotaWriteRules rules)
      : controller_(std::move(controller)), sets_(std::move(sets)), writers_(servers.size(), quotas, rules, *this) {
    std::vector<std::size_t> next(servers.size());
    for (;;) {
      std::uint32_t server = 0;
      const auto left = [&](std::size_t i) { return next[i] < servers[i].size(); };
      for (std::uint32_t i = 0; i < servers.size(); ++i)
        if (left(i) && (!left(server) || servers[i][next[i]].time < servers[server][next[server]].time)) server = i;
      if (!left(server)) break;
      const Wanted& wanted = servers[server][next[server]++];
      writers_.run_before(wanted.time, server);
      before(wanted.time);
      writers_.want(server, {wanted.time, sets_[wanted.set].ns, sets_[wanted.set].quotas, tag_++});
    }
    writers_.drain();
    for (std::uint32_t i = 0; i < servers.size(); ++i) counts.push_back(writers_.counts(i));
  }

  std::vector<QuotaWriteCounts> counts;
  std::vector<Answer> answers;

 private:
  void before(Nanos now) override {
    for (; next_ < controller_.size() && controller_[next_].time <= now; ++next_)
      for (const std::uint32_t quota : sets_[controller_[next_].set].quotas)
        writers_.write_of_controller(quota, controller_[next_].time);
  }
  void on_end(std::uint32_t server, const QuotaWrite& write, Nanos now, QuotaWriteEnd end,
              std::span<const std::uint32_t> failed) override {
    CHECK((end == QuotaWriteEnd::conflict) <= !failed.empty());
    if (late_.erase({server, write.tag}) > 0) return;
    if (end == QuotaWriteEnd::timed_out) late_.emplace(server, write.tag);
    answers.push_back({server, write.time, now, end});
  }

  std::vector<Wanted> controller_;
  std::size_t next_ = 0;
  std::vector<Set> sets_;
  std::uint64_t tag_ = 0;
  std::set<std::pair<std::uint32_t, std::uint64_t>> late_;  // timed out, still to be written
  QuotaWriters writers_;
};

// One quota, in one namespace.
std::vector<QuotaWriteCounts> count(std::vector<std::vector<Wanted>> servers, std::vector<Wanted> controller, Nanos lag,
                                    Nanos write) {
  return Scenario(std::move(servers), std::move(controller), {{0, {0}}}, 1, {lag, write}).counts;
}

}  // namespace

TEST_CASE("requests of one server never conflict, and share updates", "[quota]") {
  // The first is written alone, for 5 ms; those that come meanwhile are one batch.
  const auto counts = count({{{0}, {1 * kMs}, {2 * kMs}, {3 * kMs}, {20 * kMs}}}, {}, kSecond, 5 * kMs);
  CHECK(counts[0].requests == 5);
  CHECK(counts[0].updates == 3);
  CHECK(counts[0].conflicts == 0);
  CHECK(counts[0].refused + counts[0].retried + counts[0].timed_out == 0);
}

TEST_CASE("who reads a quota before another one's update reaches the cache fails, and tries again", "[quota]") {
  // A writes at 5 ms; B read at 2 and fails at 7. A's update is in B's cache at 5 + 4 = 9 ms: the attempts that begin
  // at 7 (fails at 12) and at 12 (succeeds at 17).
  const auto counts = count({{{0}}, {{2 * kMs}}}, {}, 4 * kMs, 5 * kMs);
  CHECK(counts[0].conflicts == 0);
  CHECK(counts[1].updates == 3);
  CHECK(counts[1].conflicts == 2);
  CHECK(counts[1].retried == 1);
  CHECK(counts[1].refused == 0);
  CHECK(counts[1].conflicts_of == std::vector<std::uint64_t>{2});
  // Later than that it meets nothing.
  CHECK(count({{{0}}, {{9 * kMs}}}, {}, 4 * kMs, 5 * kMs)[1].conflicts == 0);
}

TEST_CASE("after three retries the requests get the conflict", "[quota]") {
  // Four attempts take 20 ms, in which the cache stays behind.
  const auto counts = count({{{0}}, {{1 * kMs}, {1 * kMs}}}, {}, 100 * kMs, 5 * kMs);
  CHECK(counts[1].updates == 8);  // the second came during the first one's evaluation
  CHECK(counts[1].conflicts == 8);
  CHECK(counts[1].refused == 2);
  CHECK(counts[1].retried == 0);
  // With the cache one attempt earlier there, it passes.
  CHECK(count({{{0}}, {{1 * kMs}}}, {}, 11 * kMs, 5 * kMs)[1].refused == 0);
  CHECK(count({{{0}}, {{1 * kMs}}}, {}, 12 * kMs, 5 * kMs)[1].refused == 1);
}

TEST_CASE("the quota controller is in the way of a single server", "[quota]") {
  const auto counts = count({{{0}, {50 * kMs}}}, {{3 * kMs}}, 10 * kMs, 5 * kMs);
  CHECK(counts[0].conflicts == 3);  // at 5, 10 and 15 ms: the cache has the controller's update at 13
  CHECK(counts[0].updates == 5);
  CHECK(counts[0].retried == 1);
}

TEST_CASE("several quotas are updated one after the other, and only what failed is tried again", "[quota]") {
  const auto counts = Scenario({{{0, 0}}}, {{1 * kMs, 1}}, {{0, {0, 1}}, {0, {1}}}, 2, {0, 5 * kMs}).counts;
  CHECK(counts[0].updates == 3);
  CHECK(counts[0].conflicts_of == std::vector<std::uint64_t>{0, 1});
  CHECK(counts[0].retried == 1);
}

TEST_CASE("a request that is charged to no quota that fails passes", "[quota]") {
  // Quota 1 changes all the time, and the cache never knows.
  std::vector<Wanted> controller;
  for (int i = 0; i < 100; ++i) controller.push_back({i * kMs, 2});
  const Scenario scenario({{{0, 0}, {1 * kMs, 0}, {1 * kMs, 1}}}, controller, {{0, {0}}, {0, {0, 1}}, {0, {1}}}, 2,
                          {kSecond, 5 * kMs});
  const auto& counts = scenario.counts;
  CHECK(counts[0].refused == 1);
  CHECK(counts[0].retried == 1);  // of its batch
  // The first alone until 5 ms; then quota 0 and four times quota 1.
  REQUIRE(scenario.answers.size() == 3);
  CHECK(scenario.answers[0].answered == 5 * kMs);
  CHECK(scenario.answers[2].answered == 30 * kMs);
  CHECK(scenario.answers[1].end == QuotaWriteEnd::written);
  CHECK(scenario.answers[2].end == QuotaWriteEnd::conflict);
}

TEST_CASE("five workers take the namespaces in turn; who waits for more than 10 s gets a 500", "[quota]") {
  std::vector<Set> sets;
  for (std::uint32_t i = 0; i < 16; ++i) sets.push_back({i, {i}});
  std::vector<Wanted> writes;
  for (std::uint32_t i = 0; i < 16; ++i) writes.push_back({0, i});
  // Rounds of five end at 4, 8, 12 and 16 s.
  const Scenario scenario({writes}, {}, sets, 16, {0, 4 * kSecond});
  const auto& counts = scenario.counts;
  CHECK(counts[0].updates == 16);
  CHECK(counts[0].timed_out == 6);
  CHECK(counts[0].refused == 0);
  CHECK(scenario.answers.back().answered == 10 * kSecond);
}

TEST_CASE("counts of conflicts add up, whatever is written", "[quota]") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<Set> sets;
    const std::uint32_t quotas = 1 + random() % 4;
    for (std::uint32_t i = 0; i < quotas; ++i) sets.push_back({i / 2, {i}});
    if (quotas > 1) sets.push_back({0, {0, 1}});
    std::vector<std::vector<Wanted>> servers(1 + random() % 3);
    std::uint64_t wanted = 0;
    for (auto& writes : servers) {
      Nanos now = 0;
      for (std::uint32_t i = random() % 30; i > 0; --i, ++wanted)
        writes.push_back({now += static_cast<Nanos>(random() % 20) * kMs, random() % sets.size()});
    }
    const QuotaWriteRules rules{static_cast<Nanos>(random() % 50) * kMs, static_cast<Nanos>(1 + random() % 10) * kMs};
    const std::size_t number = servers.size();
    const Scenario scenario(std::move(servers), {}, sets, quotas, rules);
    std::uint64_t requests = 0;
    for (const QuotaWriteCounts& of : scenario.counts) {
      requests += of.requests;
      if (number == 1) CHECK(of.conflicts == 0);
      CHECK(of.conflicts <= of.updates);
      CHECK(of.retried + of.refused + of.timed_out <= of.requests);
      std::uint64_t by_quota = 0;
      for (const std::uint64_t n : of.conflicts_of) by_quota += n;
      CHECK(by_quota == of.conflicts);
    }
    CHECK(requests == wanted);
    CHECK(scenario.answers.size() == wanted);
    for (const Answer& answer : scenario.answers) CHECK(answer.answered >= answer.asked + rules.write);
  }
}
