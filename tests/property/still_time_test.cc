// A controller that leaves out adjustments that change nothing does what one does that makes them all.
#include "catch.h"

#include <array>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/controller.h"

#include "support/levels.h"
#include "support/vectors.h"

namespace {

using apf::kNever;
using apf::kSecond;
using apf::LevelId;
using apf::Nanos;
using Random = std::mt19937_64;

constexpr Nanos kHour = 3600 * kSecond;

apf::Config config_of_all_levels(Random& random) {
  apf::Config config;
  for (const char* name : {"a", "b", "c", "catch-all", "exempt"}) {
    const int shares = static_cast<int>(random() % 40), lendable = random() % 3 == 0 ? 100 : random() % 101;
    const apf::Queuing queuing{8, 2, 4};
    if (std::string(name) == "exempt") config.priority_levels.push_back(apf::test::exempt_level(shares / 8, lendable));
    else if (random() % 4 == 0) config.priority_levels.push_back(apf::test::reject_level(name, shares, lendable));
    else config.priority_levels.push_back(apf::test::queue_level(name, shares, queuing, lendable, std::nullopt));
  }
  return config;
}

// One controller, and all that it says.
class SteppedServer : public apf::ControllerListener {
 public:
  SteppedServer(apf::ControllerOptions options, Nanos pace, bool skips)
      : pace_(pace),
        controller(
            [&] {
              options.skips_still_time = skips;
              return options;
            }(),
            *this) {}

  void arrive(Nanos now, LevelId level, std::uint64_t hash, const apf::WorkEstimate& work, Nanos service, Nanos wait) {
    apf::Ticket ticket;
    ticket.tag = services_.size();
    services_.push_back(service);
    ticket.level = level;
    ticket.flow_hash = hash;
    ticket.work = work;
    ticket.wait_deadline = now + wait;
    controller.arrive(now, ticket);
  }

  // From one step to the next, as whoever waits for answers: nothing happens between them.
  void walk(Nanos limit) {
    walks_ = true;
    for (at_ = controller.next_step(); at_ <= limit; at_ = controller.next_step(), ++steps) controller.run_until(at_);
    at_ = limit;
  }

  Nanos on_dispatch(std::uint64_t tag, Nanos now) override {
    note('d', tag, now);
    return now + services_[tag];
  }
  void on_refuse(std::uint64_t tag, Nanos now, apf::Outcome, int retry_after) override {
    note('x', tag * 100 + static_cast<std::uint64_t>(retry_after), now);
  }
  void on_finish(std::uint64_t tag, Nanos now) override { note('f', tag, now); }
  void on_release(std::uint64_t tag, Nanos now) override { note('r', tag, now); }
  void on_no_accommodation(std::uint64_t tag, Nanos, std::uint64_t times) override { blocked[tag] += times; }
  Nanos next_adjustment(Nanos tick) override { return tick + pace_; }
  Pace pace(Nanos) const override { return {pace_, kNever}; }
  void on_round(const apf::Round& round) override {
    std::vector<double>& values = rounds[round.time];
    values.assign(1, round.config ? 1 : 0);
    for (const apf::LevelRound& l : round.levels) {
      values.insert(values.end(), {double(l.nominal_cl), double(l.min_cl), double(l.max_cl), double(l.current_cl),
                                   l.high_watermark, l.avg, l.stdev, l.smoothed, l.min_current_cl, l.target});
    }
    ++told;
  }

  std::string state() {
    std::string out;
    for (LevelId id = 0; id < controller.level_count(); ++id) {
      apf::QueueSet& set = controller.queue_set(id);
      out += controller.level_name(id) + " " + std::to_string(set.r()) + " " +
             std::to_string(set.counts().seats_in_use) + " " + std::to_string(set.counts().waiting) + " " +
             std::to_string(set.counts().robin) + " " + std::to_string(controller.current_cl(id)) + "\n";
    }
    return out;
  }

 private:
  void note(char what, std::uint64_t tag, Nanos now) {
    if (walks_ && now != at_) ++between_steps;
    log += what + std::to_string(tag) + "@" + std::to_string(now) + " ";
  }
  const Nanos pace_;
  std::vector<Nanos> services_;
  bool walks_ = false;
  Nanos at_ = 0;

 public:
  apf::Controller controller;
  std::string log;
  std::unordered_map<Nanos, std::vector<double>> rounds;
  std::map<std::uint64_t, std::uint64_t> blocked;
  std::uint64_t told = 0, steps = 0, between_steps = 0;
};

void run(Random& random, std::uint64_t& skipped, std::uint64_t& left_out) {
  apf::ControllerOptions options;
  options.server_concurrency_limit = static_cast<int>(1 + random() % 60);
  const apf::Borrowing kinds[] = {apf::Borrowing::server, apf::Borrowing::server, apf::Borrowing::kep,
                                  apf::Borrowing::off};
  options.borrowing = kinds[random() % 4];
  options.version.minor = std::array{36, 31, 29, 27}[random() % 4];
  options.start = static_cast<Nanos>(random() % 100) * kSecond;
  options.watch_dispatching = random() % 2 == 0;
  const Nanos pace = 10 * kSecond + (random() % 2 == 0 ? 0 : 600'000);
  SteppedServer skipping(options, pace, true), stepping(options, pace, false), walking(options, pace, true);
  const apf::Config config = config_of_all_levels(random);
  Nanos now = options.start;
  for (SteppedServer* server : {&skipping, &stepping, &walking}) server->controller.digest(now, config);
  for (int i = 0; i < 60; ++i) {
    const Nanos gaps[] = {0, kSecond, 20 * kSecond, kHour + 1, 40 * kHour};
    now += static_cast<Nanos>(random() % 1000) * 1'000'000 + gaps[random() % 5 == 0 ? 3 + random() % 2 : random() % 3];
    const char* const names[] = {"a", "b", "c", "catch-all", "exempt"};
    const LevelId level = skipping.controller.level_id(names[random() % 5]);
    apf::WorkEstimate work;
    if (random() % 3 == 0) work.initial_seats = static_cast<int>(1 + random() % 30);
    if (random() % 5 == 0) {
      work.final_seats = 1 + static_cast<int>(random() % 12);
      work.additional_latency = static_cast<Nanos>(random() % 20'000) * 1'000'000;
    }
    const Nanos times[] = {kSecond, 30 * kSecond, 7 * kHour, 90 * kHour};
    const Nanos service = times[random() % 4], wait = times[random() % 4];
    const std::uint64_t hash = random() % 8;
    walking.walk(now);
    for (SteppedServer* server : {&skipping, &stepping, &walking})
      server->arrive(now, level, hash, work, service, wait);
    REQUIRE(skipping.state() == stepping.state());
    REQUIRE(skipping.state() == walking.state());
  }
  for (SteppedServer* server : {&skipping, &stepping}) server->controller.drain();
  while (walking.controller.next_event() != kNever) walking.walk(walking.controller.next_event());
  walking.controller.drain();
  REQUIRE(skipping.log == stepping.log);
  REQUIRE(skipping.log == walking.log);
  REQUIRE(walking.between_steps == 0);
  REQUIRE(skipping.state() == stepping.state());
  REQUIRE(skipping.blocked == stepping.blocked);
  for (const auto& [time, round] : skipping.rounds) {
    if (stepping.rounds.at(time) != round) FAIL("the round at " << time << " ns differs");
  }
  skipped += stepping.told - skipping.told;
  left_out += stepping.told - walking.steps;
}

}  // namespace

TEST_CASE("to leave out still time changes nothing", "[property][schedule][controller]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  std::uint64_t skipped = 0, left_out = 0;
  for (int i = 0; i < apf::test::rounds(15); ++i) {
    INFO("server " << i);
    run(random, skipped, left_out);
  }
  CHECK(skipped > apf::test::rounds(50'000u));
  CHECK(left_out > apf::test::rounds(50'000u));
}
