// The controller's clock: order of things, configuration changes, what leaves when.
#include "catch.h"

#include <map>
#include <string>
#include <vector>

#include <apf/error.h>
#include "schedule/controller.h"

#include "support/levels.h"

using apf::Controller;
using apf::kMillisecond;
using apf::kNever;
using apf::kSecond;
using apf::LevelId;
using apf::Nanos;
using apf::Outcome;
using apf::test::exempt_level;
using apf::test::queue_level;
using apf::test::reject_level;

namespace {

// Writes down what happens, as "1.5s start 3".
class WritingListener : public apf::ControllerListener {
 public:
  Nanos on_dispatch(std::uint64_t tag, Nanos now) override {
    log(now, "start", tag);
    const auto found = durations.find(tag);
    return found == durations.end() ? now + kSecond : found->second == kNever ? kNever : now + found->second;
  }
  void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after) override {
    const char* const words[] = {"executed", "queue-full", "concurrency-limit", "time-out"};
    log(now, words[static_cast<int>(outcome)], tag);
    retry_afters.push_back(retry_after);
  }
  void on_finish(std::uint64_t tag, Nanos now) override { log(now, "finish", tag); }
  void on_release(std::uint64_t tag, Nanos now) override { log(now, "release", tag); }
  void on_round(const apf::Round& round) override {
    rounds.push_back(round.time);
    configs.push_back(round.config);
    last_round.assign(round.levels.begin(), round.levels.end());
  }
  std::vector<std::string> take() { return std::exchange(lines, {}); }

  std::map<std::uint64_t, Nanos> durations;  // else a second
  std::vector<std::string> lines;
  std::vector<int> retry_afters;
  std::vector<Nanos> rounds;
  std::vector<bool> configs;
  std::vector<apf::LevelRound> last_round;

 private:
  void log(Nanos now, const std::string& what, std::uint64_t tag) {
    lines.push_back(apf::format_go_duration(now) + " " + what + " " + std::to_string(tag));
  }
};

using Lines = std::vector<std::string>;

apf::Config config_of(std::vector<apf::PriorityLevel> levels) {
  apf::Config config;
  config.priority_levels = std::move(levels);
  return config;
}

apf::Ticket ticket(LevelId level, std::uint64_t tag, int seats = 1, Nanos wait_deadline = kNever) {
  apf::Ticket t;
  t.level = level;
  t.tag = tag;
  t.work.initial_seats = seats;
  t.wait_deadline = wait_deadline;
  return t;
}

apf::ControllerOptions seats(int n, apf::Borrowing borrowing = apf::Borrowing::off) {
  apf::ControllerOptions options;
  options.server_concurrency_limit = n;
  options.borrowing = borrowing;
  return options;
}

// One queue, nobody else with seats.
apf::Config one_queue(int queue_length = 10) {
  return config_of({queue_level("a", 10, {1, 1, queue_length}), reject_level("catch-all", 0)});
}

}  // namespace

TEST_CASE("a finish makes room for what waits, before what arrives", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(1), listener);
  controller.digest(0, one_queue());
  const LevelId a = controller.level_id("a");
  CHECK(controller.arrive(0, ticket(a, 1)) == 0);
  CHECK(controller.arrive(kMillisecond, ticket(a, 2)) == 0);
  CHECK(controller.next_event() == kSecond);
  controller.arrive(kSecond, ticket(a, 3));
  CHECK(listener.take() == Lines{"0s start 1", "1s finish 1", "1s release 1", "1s start 2"});
  controller.drain();
  CHECK(listener.take() == Lines{"2s finish 2", "2s release 2", "2s start 3", "3s finish 3", "3s release 3"});
  CHECK(controller.next_event() == kNever);
}

TEST_CASE("an execution may end when it starts", "[schedule][controller]") {
  WritingListener listener;
  for (std::uint64_t tag = 1; tag <= 3; ++tag) listener.durations[tag] = 0;
  Controller controller(seats(1), listener);
  controller.digest(0, one_queue());
  const LevelId a = controller.level_id("a");
  for (std::uint64_t tag = 1; tag <= 3; ++tag) controller.arrive(5, ticket(a, tag));
  controller.run_until(5);
  CHECK(listener.take() == Lines{"5ns start 1", "5ns finish 1", "5ns release 1", "5ns start 2", "5ns finish 2",
                                 "5ns release 2", "5ns start 3", "5ns finish 3", "5ns release 3"});
  CHECK(controller.queue_set(a).counts().idle());
}

TEST_CASE("seats linger after the finish", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(2), listener);
  controller.digest(0, one_queue());
  const LevelId a = controller.level_id("a");
  apf::Ticket wide = ticket(a, 1);
  wide.work.final_seats = 2;
  wide.work.additional_latency = 5 * kMillisecond;
  controller.arrive(0, wide);
  controller.arrive(1, ticket(a, 2));
  controller.run_until(kSecond);
  CHECK(listener.take() == Lines{"0s start 1", "1s finish 1"});
  CHECK(controller.next_event() == kSecond + 5 * kMillisecond);
  controller.drain();
  CHECK(listener.take() == Lines{"1.005s release 1", "1.005s start 2", "2.005s finish 2", "2.005s release 2"});
}

TEST_CASE("finishes come before ends of lingering, deadlines before arrivals", "[schedule][controller]") {
  WritingListener listener;
  listener.durations[1] = kSecond - 5 * kMillisecond;
  listener.durations[2] = kSecond;
  listener.durations[3] = 5 * kSecond;
  Controller controller(seats(3), listener);
  controller.digest(0, one_queue(1));
  const LevelId a = controller.level_id("a");
  apf::Ticket lingering = ticket(a, 1);
  lingering.work.final_seats = 1;
  lingering.work.additional_latency = 5 * kMillisecond;
  controller.arrive(0, lingering);
  controller.arrive(0, ticket(a, 2));
  controller.arrive(0, ticket(a, 3));
  controller.arrive(0, ticket(a, 4, 3, kSecond));  // all three seats: waits
  controller.arrive(kSecond, ticket(a, 5));
  CHECK(listener.take() == Lines{"0s start 1", "0s start 2", "0s start 3", "995ms finish 1", "1s finish 2",
                                 "1s release 2", "1s release 1", "1s time-out 4", "1s start 5"});
}

TEST_CASE("what waits too long is refused at its deadline", "[schedule][controller]") {
  WritingListener listener;
  listener.durations[1] = 100 * kSecond;
  Controller controller(seats(1), listener);
  controller.digest(0, one_queue());
  const LevelId a = controller.level_id("a");
  controller.arrive(0, ticket(a, 1));
  controller.arrive(1, ticket(a, 2, 1, 3 * kSecond));
  controller.arrive(2, ticket(a, 3, 1, 2 * kSecond));
  controller.arrive(3, ticket(a, 4, 1, 1));  // already over: refused at once
  CHECK(controller.next_event() == 3);
  controller.run_until(50 * kSecond);
  CHECK(listener.take() == Lines{"0s start 1", "3ns time-out 4", "2s time-out 3", "3s time-out 2"});
  CHECK(controller.next_event() == 100 * kSecond);
  CHECK(controller.queue_set(a).counts().waiting == 0);
}

TEST_CASE("a request that starts in time forgets its deadline", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(1), listener);
  controller.digest(0, one_queue());
  const LevelId a = controller.level_id("a");
  controller.arrive(0, ticket(a, 1));
  controller.arrive(0, ticket(a, 2, 1, 1500 * kMillisecond));
  controller.run_until(1200 * kMillisecond);
  CHECK(controller.next_event() == 2 * kSecond);
  controller.drain();
  CHECK(listener.take() ==
        Lines{"0s start 1", "1s finish 1", "1s release 1", "1s start 2", "2s finish 2", "2s release 2"});
}

TEST_CASE("a full queue and a full level refuse", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(2), listener);
  controller.digest(0, config_of({queue_level("a", 10, {1, 1, 1}), reject_level("catch-all", 10)}));
  const LevelId a = controller.level_id("a"), catch_all = controller.level_id("catch-all");
  for (std::uint64_t tag = 1; tag <= 3; ++tag) controller.arrive(0, ticket(a, tag));
  for (std::uint64_t tag = 4; tag <= 5; ++tag) CHECK(controller.arrive(1, ticket(catch_all, tag)) == -1);
  CHECK(listener.take() == Lines{"0s start 1", "0s queue-full 3", "1ns start 4", "1ns concurrency-limit 5"});
  CHECK(listener.retry_afters == std::vector<int>{1, 1});
}

TEST_CASE("Retry-After is kept per level, through its removal", "[schedule][controller]") {
  WritingListener listener;
  listener.durations[0] = 100 * kSecond;
  Controller controller(seats(2), listener);
  const apf::Config both = config_of({reject_level("a", 10), reject_level("catch-all", 10)});
  controller.digest(0, both);
  LevelId a = controller.level_id("a");
  controller.arrive(0, ticket(a, 0));
  for (int i = 0; i < 3; ++i) controller.arrive(kSecond, ticket(a, 1));
  for (int i = 0; i < 6; ++i) controller.arrive(2 * kSecond, ticket(a, 1));
  controller.arrive(4 * kSecond, ticket(a, 1));
  CHECK(listener.retry_afters == std::vector<int>{1, 1, 1, 2, 2, 2, 2, 2, 2, 4});
  controller.run_until(100 * kSecond);
  controller.digest(100 * kSecond, config_of({}));
  controller.digest(100 * kSecond, both);
  CHECK(controller.level_id("a") != a);
  a = controller.level_id("a");
  controller.arrive(101 * kSecond, ticket(a, 1));
  controller.arrive(101 * kSecond, ticket(a, 1));
  CHECK(listener.retry_afters.back() == 3);  // shrunk from 4, not a fresh 1
}

TEST_CASE("adjustments come every ten seconds from the start, whatever is digested", "[schedule][controller]") {
  WritingListener listener;
  apf::ControllerOptions options = seats(100, apf::Borrowing::server);
  options.start = 3 * kSecond;
  Controller controller(options, listener);
  CHECK(listener.rounds.empty());  // the digest of nothing is not reported
  controller.digest(3 * kSecond, one_queue());
  controller.digest(7 * kSecond, one_queue());
  controller.digest(13 * kSecond, one_queue());
  controller.run_until(24 * kSecond);
  CHECK(listener.rounds ==
        std::vector<Nanos>{3 * kSecond, 3 * kSecond, 7 * kSecond, 13 * kSecond, 13 * kSecond, 23 * kSecond});
  CHECK(listener.configs == std::vector<bool>{true, false, true, true, false, false});
}

TEST_CASE("by KEP-1040, a change of levels or limits ends the period, and nothing else does",
          "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(100, apf::Borrowing::kep), listener);
  controller.digest(0, one_queue());
  controller.digest(4 * kSecond, one_queue(20));  // neither a level nor a limit changes
  controller.run_until(11 * kSecond);
  controller.digest(13 * kSecond, config_of({queue_level("a", 10, {1, 1, 20}), queue_level("b", 5, {1, 1, 20}),
                                             reject_level("catch-all", 0)}));
  controller.run_until(24 * kSecond);
  controller.digest(25 * kSecond, config_of({queue_level("a", 20, {1, 1, 20}), queue_level("b", 5, {1, 1, 20}),
                                             reject_level("catch-all", 0)}));
  controller.run_until(36 * kSecond);
  CHECK(listener.rounds ==
        std::vector<Nanos>{0, 0, 4 * kSecond, 10 * kSecond, 13 * kSecond, 23 * kSecond, 25 * kSecond, 35 * kSecond});
  CHECK(listener.configs == std::vector<bool>{true, false, true, false, true, false, true, false});
}

TEST_CASE("a long idle time decays demand round by round", "[schedule][controller]") {
  const bool skips = GENERATE(false, true);
  WritingListener listener;
  apf::ControllerOptions options = seats(100, apf::Borrowing::server);
  options.skips_still_time = skips;
  Controller controller(options, listener);
  controller.digest(0, one_queue());
  const LevelId a = controller.level_id("a");
  listener.durations[1] = 10 * kSecond;
  controller.run_until(0);
  controller.arrive(0, ticket(a, 1, 8));
  controller.run_until(10 * kSecond);
  REQUIRE(listener.last_round.front().smoothed == 8);
  controller.run_until(10 * kSecond + 24 * 3600 * kSecond);
  if (skips) CHECK(listener.rounds.size() < 10);
  else CHECK(listener.rounds.size() == 2 + 1 + 8640);
  double smoothed = 8;
  for (int i = 0; i < 8640; ++i) smoothed = 0.977 * smoothed;
  CHECK(listener.last_round.front().smoothed == smoothed);
}

TEST_CASE("without borrowing limits are nominal and demand is still told", "[schedule][controller]") {
  WritingListener listener;
  apf::ControllerOptions options = seats(100, apf::Borrowing::server);
  options.version = apf::KubeVersion{25};
  Controller controller(options, listener);
  controller.digest(0, config_of({queue_level("a", 15, {1, 1, 10}, 50)}));
  const LevelId a = controller.level_id("a");
  CHECK(controller.current_cl(a) == 75);
  controller.arrive(1, ticket(a, 1, 7));
  controller.run_until(10 * kSecond);
  CHECK(controller.current_cl(a) == 75);
  CHECK(listener.last_round.front().high_watermark == 7);
}

TEST_CASE("a removed level lingers until idle and keeps its shares meanwhile", "[schedule][controller]") {
  WritingListener listener;
  listener.durations[1] = 5 * kSecond;
  Controller controller(seats(100), listener);
  controller.digest(
      0, config_of({queue_level("a", 10, {1, 1, 10}), queue_level("b", 10, {1, 1, 10}), reject_level("catch-all", 5)}));
  const LevelId a = controller.level_id("a"), b = controller.level_id("b");
  CHECK(controller.limits(b).nominal_cl == 40);
  apf::Ticket lingering = ticket(a, 1);
  lingering.work.final_seats = 2;
  lingering.work.additional_latency = kSecond;
  controller.arrive(0, lingering);
  const apf::Config without_a = config_of({queue_level("b", 15, {1, 1, 10}), reject_level("catch-all", 5)});
  controller.digest(kSecond, without_a);
  CHECK(controller.level_id("a") == a);
  CHECK(controller.limits(b).nominal_cl == 50);
  CHECK(controller.limits(a).nominal_cl == 34);

  SECTION("its end of execution makes it go, lingering seats do not keep it") {
    listener.configs.clear();
    controller.run_until(5 * kSecond);
    CHECK(listener.configs == std::vector<bool>{true});
    CHECK(listener.rounds.back() == 5 * kSecond);
    CHECK_THROWS_AS(controller.level_id("a"), apf::Error);
    CHECK(controller.limits(b).nominal_cl == 75);
    CHECK(controller.next_event() == 6 * kSecond);
    controller.digest(5 * kSecond, config_of({queue_level("a", 10, {1, 1, 10}), reject_level("catch-all", 5)}));
    CHECK(controller.level_id("a") != a);
    CHECK(controller.level_name(a) == "a");
    controller.drain();
    CHECK(listener.take() == Lines{"0s start 1", "5s finish 1", "6s release 1"});
  }
  SECTION("wanted again in time, it stays what it was") {
    controller.digest(2 * kSecond, config_of({queue_level("a", 10, {2, 1, 10}), reject_level("catch-all", 5)}));
    CHECK(controller.level_id("a") == a);
    CHECK(controller.queue_set(a).queue_count() == 2);
    CHECK_THROWS_AS(controller.level_id("b"), apf::Error);
    controller.run_until(9 * kSecond);
    CHECK(controller.level_id("a") == a);
  }
  CHECK(controller.level_count() >= 4);
}

TEST_CASE("a removed level goes when its last request gives up", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(100), listener);
  controller.digest(0, config_of({queue_level("a", 0, {1, 1, 10}), reject_level("catch-all", 5)}));
  const LevelId a = controller.level_id("a");
  controller.arrive(0, ticket(a, 1, 1, 4 * kSecond));  // no seats: waits
  controller.digest(kSecond, config_of({reject_level("catch-all", 5)}));
  CHECK(controller.level_id("a") == a);
  controller.run_until(4 * kSecond);
  CHECK(listener.take() == Lines{"4s time-out 1"});
  CHECK_THROWS_AS(controller.level_id("a"), apf::Error);
}

TEST_CASE("mandatory levels stay, with what they last asked for", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(100), listener);
  const LevelId exempt = controller.level_id("exempt"), catch_all = controller.level_id("catch-all");
  CHECK(controller.level_count() == 2);
  CHECK(controller.limits(catch_all).nominal_cl == 100);
  controller.digest(0, config_of({exempt_level(15)}));
  CHECK(controller.level_id("exempt") == exempt);
  CHECK(controller.limits(exempt).nominal_cl == 75);
  controller.digest(1, config_of({}));
  CHECK(controller.limits(exempt).nominal_cl == 75);
  CHECK(controller.limits(catch_all).nominal_cl == 25);
}

TEST_CASE("a level turned from Queue to Reject keeps its widest request and empties its queues",
          "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(100), listener);
  controller.digest(0, config_of({queue_level("a", 5, {1, 1, 10}), reject_level("catch-all", 5)}));
  const LevelId a = controller.level_id("a");
  CHECK(controller.limits(a).max_seats == 8);
  for (std::uint64_t tag = 1; tag <= 2; ++tag) controller.arrive(0, ticket(a, tag, 50));
  controller.digest(1, config_of({reject_level("a", 5), reject_level("catch-all", 5)}));
  CHECK(controller.limits(a).reject);
  CHECK(controller.limits(a).max_seats == 8);
  CHECK(controller.arrive(2, ticket(a, 3)) == -1);
  controller.drain();
  CHECK(listener.take() == Lines{"0s start 1", "2ns concurrency-limit 3", "1s finish 1", "1s release 1", "1s start 2",
                                 "2s finish 2", "2s release 2"});
}

TEST_CASE("new limits start what waits", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(10), listener);
  controller.digest(0, config_of({queue_level("a", 1, {1, 1, 10}), reject_level("catch-all", 9)}));
  const LevelId a = controller.level_id("a");
  for (std::uint64_t tag = 1; tag <= 3; ++tag) controller.arrive(0, ticket(a, tag));
  controller.digest(kMillisecond, config_of({queue_level("a", 1, {1, 1, 10}), reject_level("catch-all", 1)}));
  CHECK(listener.take() == Lines{"0s start 1", "1ms start 2", "1ms start 3"});
}

TEST_CASE("the listener sets the clock of the adjustments", "[schedule][controller]") {
  struct Late : WritingListener {
    Nanos next_adjustment(Nanos tick) override { return tick + 10 * kSecond + kMillisecond; }
    Pace pace(Nanos) const override { return {10 * kSecond + kMillisecond, INT64_MAX}; }
  } listener;
  Controller controller(seats(10, apf::Borrowing::server), listener);
  controller.digest(0, config_of({queue_level("a", 1, {1, 1, 10}), reject_level("catch-all", 9)}));
  controller.run_until(25 * kSecond);
  CHECK(listener.rounds == std::vector<Nanos>{0, 0, 10 * kSecond + kMillisecond, 20 * kSecond + 2 * kMillisecond});
}

TEST_CASE("idle years are passed over", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(10, apf::Borrowing::server), listener);
  controller.digest(0, config_of({queue_level("a", 1, {1, 1, 10}), reject_level("catch-all", 9)}));
  controller.arrive(5 * kSecond, ticket(controller.level_id("a"), 1));
  const Nanos later = Nanos{100} * 365 * 24 * 3600 * kSecond;
  controller.run_until(later + 3 * kSecond);
  CHECK(listener.rounds.size() < 5000);
  CHECK(listener.rounds.back() == later);  // the clock keeps its phase
  controller.run_until(later + 13 * kSecond);
  CHECK(listener.rounds.back() == later + 10 * kSecond);
}

TEST_CASE("a digest of nothing new ends the period of the demand", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(10, apf::Borrowing::server), listener);
  controller.digest(0, config_of({queue_level("a", 1, {1, 1, 10}), reject_level("catch-all", 9)}));
  const LevelId a = controller.level_id("a");
  controller.arrive(0, ticket(a, 1));
  controller.digest_again(2 * kSecond);
  CHECK(listener.rounds == std::vector<Nanos>{0, 0, 2 * kSecond});
  CHECK(listener.configs.back());
  const auto round_of_a = [&] {
    return *std::find_if(listener.last_round.begin(), listener.last_round.end(),
                         [&](const apf::LevelRound& r) { return r.level == a; });
  };
  CHECK(round_of_a().high_watermark == 1);
  controller.digest_again(3 * kSecond);
  CHECK(round_of_a().high_watermark == 0);  // it ran for one second
}

TEST_CASE("a drain gives up on what can never run", "[schedule][controller]") {
  WritingListener listener;
  listener.durations[2] = kNever;  // never ends
  Controller controller(seats(10, apf::Borrowing::server), listener);
  controller.digest(0, config_of({queue_level("a", 0, {1, 1, 10}, 0, 0), reject_level("catch-all", 5)}));
  controller.arrive(0, ticket(controller.level_id("a"), 1));
  controller.arrive(0, ticket(controller.level_id("exempt"), 2));
  CHECK(controller.next_event() == kNever);
  controller.drain();
  CHECK(listener.take() == Lines{"0s start 2"});
  CHECK(controller.queue_set(controller.level_id("a")).counts().waiting == 1);
}

TEST_CASE("unknown levels are an error that names them", "[schedule][controller]") {
  WritingListener listener;
  Controller controller(seats(10), listener);
  CHECK_THROWS_WITH(controller.level_id("nosuch"), Catch::Contains("nosuch"));
}
