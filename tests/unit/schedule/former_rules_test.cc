// What earlier releases of kube-apiserver did otherwise, as the release history of API Priority and Fairness has it.
#include "catch.h"

#include <vector>

#include <apf/classify.h>
#include <apf/limits.h>
#include <apf/version.h>

#include "schedule/controller.h"
#include "schedule/queue_set.h"
#include "schedule/retry_after.h"

using namespace apf;

namespace {

constexpr WorkEstimate kOneSeat{1, 0, 0};
constexpr Nanos kLimit = 15 * kSecond;

std::vector<std::uint64_t> driven_out(const QueueSet& set) {
  return {set.driven_out().begin(), set.driven_out().end()};
}

using Tags = std::vector<std::uint64_t>;

// Two queues of one level; hands are given by the test.
QueueSet lazy_set(bool bounds = true) { return QueueSet({2, 1, 10, 1}, 0, {kLimit, bounds}); }

constexpr std::uint32_t kFirst[] = {0}, kSecondQueue[] = {1};

struct Refusal {
  std::uint64_t tag;
  Nanos time;
  Outcome outcome;
  int retry_after;
  bool operator==(const Refusal&) const = default;
};

struct RefusalListener final : ControllerListener {
  std::vector<Refusal> refusals;
  Nanos execution = 100 * kSecond;
  Nanos on_dispatch(std::uint64_t, Nanos now) override { return now + execution; }
  void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after) override {
    refusals.push_back({tag, now, outcome, retry_after});
  }
  void on_release(std::uint64_t, Nanos) override {}
};

Config config_of_one_queue() {
  Config config;
  PriorityLevel level;
  level.meta.name = "low";
  level.type = "Limited";
  level.limited.emplace();
  level.limited->nominal_concurrency_shares = 100;
  level.limited->limit_response = "Queue";
  level.limited->queuing = Queuing{1, 1, 50};
  config.priority_levels.push_back(level);
  return config;
}

// Three requests at a level of one seat, which the first one keeps; the third comes at `third`.
std::vector<Refusal> refusals_of(const char* version, Nanos third) {
  RefusalListener listener;
  ControllerOptions options;
  options.version = *KubeVersion::parse(version);
  options.server_concurrency_limit = 1;
  options.borrowing = Borrowing::off;
  Controller controller(options, listener);
  controller.digest(0, config_of_one_queue());
  const bool exact = options.version.minor > 28 || (options.version.minor == 28 && options.version.patch >= 5);
  for (std::uint64_t tag = 1; tag <= 3; ++tag) {
    const Nanos now = tag == 3 ? third : static_cast<Nanos>(tag) * kSecond;
    Ticket ticket;
    ticket.level = controller.level_id("low");
    ticket.tag = tag;
    ticket.wait_deadline = now + (exact ? 15 : 60) * kSecond;
    controller.arrive(now, ticket);
  }
  controller.drain();
  return listener.refusals;
}

}  // namespace

TEST_CASE("before 1.28.5 the next arrival drives out who has waited too long", "[schedule][releases]") {
  QueueSet set = lazy_set();
  set.arrive(0, kFirst, kOneSeat, 1);
  set.arrive(kSecond, kFirst, kOneSeat, 2);
  set.arrive(2 * kSecond, kFirst, kOneSeat, 3);
  set.arrive(2 * kSecond, kSecondQueue, kOneSeat, 4);
  // Another queue's arrivals change nothing, and just the limit is not too long.
  set.arrive(40 * kSecond, kSecondQueue, kOneSeat, 5);
  CHECK(driven_out(set) == Tags{4});
  CHECK(set.counts().waiting == 3);
  QueueSet exact = lazy_set();
  exact.arrive(0, kFirst, kOneSeat, 1);
  exact.arrive(kSecond, kFirst, kOneSeat, 2);
  exact.arrive(kSecond + kLimit, kFirst, kOneSeat, 3);
  CHECK(driven_out(exact).empty());
  exact.arrive(kSecond + kLimit + 1, kFirst, kOneSeat, 4);
  CHECK(driven_out(exact) == Tags{2});
  // Oldest first; seats and demand go with them.
  set.arrive(41 * kSecond, kFirst, kOneSeat, 6);
  CHECK(driven_out(set) == Tags{2, 3});
  CHECK(set.counts().waiting == 2);
  CHECK(set.counts().seats_waiting == 2);
  set.arrive(42 * kSecond, kFirst, kOneSeat, 7);
  CHECK(driven_out(set).empty());
}

TEST_CASE("room that driving out makes is room for who comes", "[schedule][releases]") {
  QueueSet set({1, 1, 1, 1}, 0, {kLimit, true});
  set.arrive(0, kFirst, kOneSeat, 1);
  set.arrive(1, kFirst, kOneSeat, 2);
  CHECK(set.arrive(2, kFirst, kOneSeat, 3).verdict == QueueSet::Verdict::queue_full);
  CHECK(set.arrive(20 * kSecond, kFirst, kOneSeat, 4).verdict == QueueSet::Verdict::accepted);
  CHECK(driven_out(set) == Tags{2});
}

TEST_CASE("since 1.28.5 no arrival drives anybody out", "[schedule][releases]") {
  QueueSet set({1, 1, 10, 1});
  set.arrive(0, kFirst, kOneSeat, 1);
  set.arrive(1, kFirst, kOneSeat, 2);
  set.arrive(1000 * kSecond, kFirst, kOneSeat, 3);
  CHECK(set.driven_out().empty());
  CHECK(set.counts().waiting == 2);
}

// The queue's turn is that of its former oldest request until something else bounds it.
TEST_CASE("a queue keeps its turn after a removal in early patches", "[schedule][releases]") {
  for (const bool bounds : {true, false}) {
    INFO(bounds);
    QueueSet set = lazy_set(bounds);
    const auto running = set.arrive(0, kFirst, kOneSeat, 1);
    const auto waiting = set.arrive(0, kFirst, kOneSeat, 2);
    set.arrive(5 * kSecond, kFirst, kOneSeat, 3);
    const SeatSeconds before = set.next_dispatch_r(0);
    set.time_out(6 * kSecond, waiting.handle);
    if (bounds) CHECK(set.next_dispatch_r(0) > before);
    else CHECK(set.next_dispatch_r(0) == before);
    set.finish(7 * kSecond, running.handle);
    CHECK(set.dispatched().size() == 1);
  }
}

TEST_CASE("wait limits and their reasons by release", "[schedule][releases][controller]") {
  // Nobody comes: until 1.28.4 the second request stays until its deadline.
  CHECK(refusals_of("1.28.4", 3 * kSecond) ==
        std::vector<Refusal>{{2, 62 * kSecond, Outcome::cancelled, 1}, {3, 63 * kSecond, Outcome::cancelled, 1}});
  CHECK(refusals_of("1.28.5", 3 * kSecond) ==
        std::vector<Refusal>{{2, 17 * kSecond, Outcome::time_out, 1}, {3, 18 * kSecond, Outcome::time_out, 1}});
  CHECK(refusals_of("1.29.0", 3 * kSecond).front().time == 17 * kSecond);
  // Somebody comes after 18 s.
  CHECK(refusals_of("1.27", 20 * kSecond) ==
        std::vector<Refusal>{{2, 20 * kSecond, Outcome::time_out, 1}, {3, 80 * kSecond, Outcome::cancelled, 1}});
}

TEST_CASE("Retry-After is 1 before 1.28", "[schedule][releases]") {
  RetryAfter former(false), grows;
  int most = 0;
  for (Nanos second = 0; second < 100; ++second) {
    for (int i = 0; i < 50; ++i) {
      CHECK(former.refuse(second * kSecond + i) == 1);
      most = std::max(most, grows.refuse(second * kSecond + i));
    }
  }
  CHECK(most == 32);
}

TEST_CASE("watches pass by before 1.22, streams in every release", "[classify][releases]") {
  ParsedRequest watch, exec, list;
  parse_request("GET", "/api/v1/pods?watch=1", watch);
  parse_request("POST", "/api/v1/namespaces/a/pods/p/exec", exec);
  parse_request("GET", "/api/v1/pods", list);
  for (const KubeVersion version : kube_versions()) {
    INFO(version.str());
    CHECK(passes_by(watch.info, version) == (version.minor < 22));
    CHECK(passes_by(exec.info, version));
    CHECK_FALSE(passes_by(list.info, version));
  }
}

TEST_CASE("patches that differ are told where none is given", "[base][releases]") {
  CHECK(patch_differences(KubeVersion{36}).empty());
  CHECK(patch_differences(KubeVersion{30}).empty());
  CHECK(patch_differences({27, 4}).empty());
  CHECK(patch_differences(KubeVersion{27}) ==
        "a demand whose deviation is NaN counts as steady; before, it spoils the level's average for good (since "
        "1.27.10); a level with queues limits the seats of one request (since 1.27.5)");
  CHECK(patch_differences(KubeVersion{28}).find("(since 1.28.5)") != std::string::npos);
  CHECK(patch_differences(KubeVersion{34}).find("queue wait") != std::string::npos);
  CHECK(patch_differences(KubeVersion{23}).find("(until 1.23.5)") != std::string::npos);
}

TEST_CASE("what a list would cost without the cap", "[schedule]") {
  const ObjectCounts objects = ObjectCounts::parse("pods=4700,1000\nnodes=300,1000\n", "objects");
  const auto wanted = [&](const char* uri, int max_seats, int minor) {
    ParsedRequest request;
    parse_request("GET", uri, request);
    return estimate_seats(request.info, request.query, objects, max_seats, KubeVersion{minor}).wanted_seats;
  };
  CHECK(wanted("/api/v1/pods?resourceVersion=7&limit=4700", 8, 36) == 47);
  CHECK(wanted("/api/v1/pods?resourceVersion=7&limit=4700", 0, 36) == std::nullopt);  // up to 100
  CHECK(wanted("/api/v1/nodes?resourceVersion=7&limit=300", 8, 36) == std::nullopt);
  CHECK(wanted("/api/v1/pods?resourceVersion=0", 0, 33) == 47);    // of at most 10
  CHECK(wanted("/api/v1/pods?limit=bad", 8, 36) == std::nullopt);  // as many as it may
  CHECK(wanted("/api/v1/pods?resourceVersion=0", 8, 22) == std::nullopt);
}

TEST_CASE("requests of the exempt level are estimated since 1.28", "[schedule]") {
  const ObjectCounts objects = ObjectCounts::parse("pods=4700,1000\n", "objects");
  ParsedRequest request;
  parse_request("GET", "/api/v1/pods?resourceVersion=0", request);
  const auto estimate = [&](int minor, bool exempt) {
    return estimate_seats(request.info, request.query, objects, 0, KubeVersion{minor}, exempt);
  };
  CHECK_FALSE(estimate(27, true).estimated);
  CHECK(estimate(27, true).work.initial_seats == 1);
  CHECK(estimate(27, false).estimated);
  CHECK(estimate(27, false).work.initial_seats == 10);
  CHECK(estimate(28, true).estimated);
  CHECK(estimate(28, true).work.initial_seats == 10);
}
