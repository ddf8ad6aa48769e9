// What holds for a server under any load: every request has one outcome, limits are kept, everything drains, and the
// same input gives the same output.
#include "catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "schedule/controller.h"

#include "support/levels.h"
#include "support/vectors.h"

namespace {

using apf::Controller;
using apf::kNever;
using apf::kSecond;
using apf::LevelId;
using apf::Nanos;
using apf::Outcome;
using Random = std::mt19937_64;

const char* const kNames[] = {"a", "b", "c", "d", "catch-all", "exempt"};

apf::PriorityLevel some_level(const std::string& name, Random& random) {
  const int shares = static_cast<int>(random() % 40), lendable = static_cast<int>(random() % 101);
  if (name == "exempt") return apf::test::exempt_level(shares / 10, lendable);
  if (name == "catch-all" || random() % 5 == 0) return apf::test::reject_level(name, shares, lendable);
  const auto queues = static_cast<std::int32_t>(1 + random() % 16);
  const apf::Queuing queuing{queues,
                             static_cast<std::int32_t>(1 + random() % static_cast<std::uint64_t>(std::min(queues, 4))),
                             static_cast<std::int32_t>(1 + random() % 8)};
  const std::optional<int> borrowing =
      random() % 2 == 0 ? std::nullopt : std::optional<int>(static_cast<int>(random() % 200));
  return apf::test::queue_level(name, shares, queuing, lendable, borrowing);
}

apf::Config config_of_some_levels(Random& random) {
  apf::Config config;
  for (const char* name : kNames) {
    if (random() % 4 != 0) config.priority_levels.push_back(some_level(name, random));
  }
  return config;
}

struct Request {
  enum class State { unseen, started, finished, released, refused } state = State::unseen;
  LevelId level = 0;
  Nanos arrival = 0, deadline = kNever, service = 0;
};

class CheckedServer : public apf::ControllerListener {
 public:
  CheckedServer(std::uint64_t seed, const apf::ControllerOptions& options)
      : random_(seed), controller(options, *this) {}

  void run(int arrivals) {
    Nanos now = controller.options().start;
    digest(now, config_of_some_levels(random_));
    const Nanos pace = 1 + static_cast<Nanos>(random_() % 200'000'000);
    for (int i = 0; i < arrivals; ++i) {
      // Coarse times make ties.
      now += static_cast<Nanos>(random_() % static_cast<std::uint64_t>(pace)) / 1'000'000 * 1'000'000;
      if (random_() % 100 == 0) digest(now, config_of_some_levels(random_));
      if (random_() % 20 == 0) now += kSecond;
      if (random_() % 50 == 0) controller.run_until(now);
      arrive(now);
    }
    controller.drain();
  }

  void digest(Nanos now, const apf::Config& config) {
    wanted_ = {"catch-all", "exempt"};
    for (const apf::PriorityLevel& level : config.priority_levels) wanted_.push_back(level.meta.name);
    controller.digest(now, config);
  }

  void arrive(Nanos now) {
    apf::Ticket ticket;
    ticket.tag = requests.size();
    Request request;
    request.arrival = now;
    request.service = random_() % 10 == 0 ? 0 : static_cast<Nanos>(random_() % 3000) * 1'000'000;
    ticket.level = request.level = some_wanted_level();
    ticket.flow_hash = random_() % 8;
    ticket.work.initial_seats = random_() % 10 == 0 ? 1 + static_cast<int>(random_() % 30) : 1;
    if (random_() % 5 == 0) {
      ticket.work.final_seats = 1 + static_cast<int>(random_() % 12);
      ticket.work.additional_latency = static_cast<Nanos>(random_() % 20) * 1'000'000;
    }
    const Nanos limits[] = {15 * kSecond, kSecond, 0, static_cast<Nanos>(random_() % 5000) * 1'000'000};
    // Every request gives up some time: a level without seats may never start it.
    ticket.wait_deadline = request.deadline = now + limits[random_() % 4];
    requests.push_back(request);
    const int queue = controller.arrive(now, ticket);
    REQUIRE(queue >= -1);
    REQUIRE(queue < std::max(1, controller.limits(ticket.level).queues));
  }

  Nanos on_dispatch(std::uint64_t tag, Nanos now) override {
    note('d', tag, now);
    Request& request = requests.at(tag);
    REQUIRE(request.state == Request::State::unseen);
    request.state = Request::State::started;
    REQUIRE(now >= request.arrival);
    REQUIRE(now <= std::max(request.deadline, request.arrival));
    apf::QueueSet& set = controller.queue_set(request.level);
    // Only a request wider than the limit may go beyond it, and only alone.
    if (!controller.limits(request.level).exempt && set.counts().seats_in_use > set.settings().concurrency_limit) {
      REQUIRE(set.counts().executing == 1);
    }
    return now + request.service;
  }
  void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after) override {
    note("xqct"[static_cast<int>(outcome)], tag, now);
    Request& request = requests.at(tag);
    REQUIRE(request.state == Request::State::unseen);
    request.state = Request::State::refused;
    REQUIRE(outcome != Outcome::executed);
    REQUIRE(now == (outcome == Outcome::time_out ? std::max(request.deadline, request.arrival) : request.arrival));
    REQUIRE((retry_after >= 1 && retry_after <= 32));
  }
  void on_finish(std::uint64_t tag, Nanos now) override {
    note('f', tag, now);
    REQUIRE(requests.at(tag).state == Request::State::started);
    requests[tag].state = Request::State::finished;
  }
  void on_release(std::uint64_t tag, Nanos now) override {
    note('r', tag, now);
    REQUIRE(requests.at(tag).state == Request::State::finished);
    requests[tag].state = Request::State::released;
  }
  void on_round(const apf::Round& round) override {
    REQUIRE(round.time >= last_round_);
    last_round_ = round.time;
    ++rounds;
    double sum = 0, nominal_sum = 0, count = 0;
    for (const apf::LevelRound& level : round.levels) {
      REQUIRE(controller.current_cl(level.level) == level.current_cl);
      nominal_sum += level.nominal_cl;
      REQUIRE(level.min_cl <= level.max_cl);
      if (controller.limits(level.level).exempt) continue;
      REQUIRE(level.current_cl >= 0);
      sum += level.current_cl;
      ++count;
    }
    // Where an allocation was solved all seats are given out, but for rounding.
    if (round.fair_frac > 0 && controller.options().borrowing == apf::Borrowing::server)
      REQUIRE(std::abs(sum - nominal_sum) <= count / 2);
  }

  void check_all_over() {
    for (const Request& request : requests) {
      REQUIRE((request.state == Request::State::released || request.state == Request::State::refused));
    }
    for (LevelId id = 0; id < controller.level_count(); ++id) {
      REQUIRE(controller.queue_set(id).counts().idle());
      REQUIRE(controller.queue_set(id).counts().seats_in_use == 0);
      REQUIRE(controller.queue_set(id).counts().waiting == 0);
    }
    REQUIRE(controller.next_event() == kNever);
  }

 private:
  // A level that the configuration in force holds; others may linger, but nothing is sent there.
  LevelId some_wanted_level() { return controller.level_id(wanted_[random_() % wanted_.size()]); }

  void note(char what, std::uint64_t tag, Nanos now) {
    REQUIRE(now >= last_time_);
    last_time_ = now;
    log += what + std::to_string(tag) + "@" + std::to_string(now) + " ";
  }

  Random random_;
  std::vector<std::string> wanted_;
  Nanos last_time_ = INT64_MIN, last_round_ = INT64_MIN;

 public:
  Controller controller;
  std::vector<Request> requests;
  std::string log;
  int rounds = 0;
};

apf::ControllerOptions some_options(Random& random) {
  apf::ControllerOptions options;
  options.server_concurrency_limit = static_cast<int>(1 + random() % 60);
  const apf::Borrowing kinds[] = {apf::Borrowing::server, apf::Borrowing::server, apf::Borrowing::kep,
                                  apf::Borrowing::off};
  options.borrowing = kinds[random() % 4];
  options.version.minor = static_cast<int>(random() % 2 == 0 ? 36 : 31);
  options.start = static_cast<Nanos>(random() % 100) * kSecond;
  return options;
}

}  // namespace

TEST_CASE("every request has one outcome and every server drains", "[property][schedule][controller]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  std::size_t waited = 0, refused = 0;
  for (int i = 0; i < 60; ++i) {
    INFO("server " << i);
    const apf::ControllerOptions options = some_options(random);
    const std::uint64_t seed = random();
    CheckedServer server(seed, options);
    server.run(800);
    server.check_all_over();
    CheckedServer again(seed, options);
    again.run(800);
    REQUIRE(server.log == again.log);
    REQUIRE(server.rounds == again.rounds);
    waited += static_cast<std::size_t>(std::count(server.log.begin(), server.log.end(), 't'));
    refused += static_cast<std::size_t>(std::count(server.log.begin(), server.log.end(), 'q'));
  }
  CHECK(waited > 100);
  CHECK(refused > 100);
}

// Running the clock to times in between changes nothing.
TEST_CASE("how often the clock is run does not matter", "[property][schedule][controller]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  for (int i = 0; i < 20; ++i) {
    INFO("server " << i);
    const apf::ControllerOptions options = some_options(random);
    const std::uint64_t seed = random();
    std::string logs[2];
    for (const bool often : {false, true}) {
      Random inner(seed);
      CheckedServer server(seed, options);
      server.digest(options.start, config_of_some_levels(inner));
      Nanos now = options.start;
      for (int k = 0; k < 500; ++k) {
        const Nanos next = now + static_cast<Nanos>(inner() % 100) * 1'000'000;
        for (Nanos t = now; often && t < next; t += 7'000'000) server.controller.run_until(t);
        if (often) server.controller.run_until(next);
        now = next;
        server.arrive(now);
      }
      server.controller.drain();
      server.check_all_over();
      logs[often] = server.log;
    }
    REQUIRE(logs[0] == logs[1]);
  }
}
