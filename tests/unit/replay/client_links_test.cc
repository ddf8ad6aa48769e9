// What a log shows of clients: who waits for answers, who has a queue of work, who retries.
#include "replay/clients/client_links.h"

#include <queue>
#include <random>

#include "catch.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

struct ClientRequest {
  Nanos arrival = 0, end = 0;
  std::uint32_t client = 0, key = 0;
  bool refused = false;
};

class Clients {
 public:
  explicit Clients(std::vector<ClientModelOf> models = {}) : models_(std::move(models)), links_(models_, requesters_) {
    for (const char* name : {"a", "b"}) requesters_.push_back({name, std::string(name) + "/1"});
  }
  // In any order.
  std::vector<ClientLinks::Link> add(std::vector<ClientRequest> requests) {
    std::stable_sort(requests.begin(), requests.end(), [](auto& x, auto& y) { return x.arrival < y.arrival; });
    std::vector<ClientLinks::Link> out;
    for (const ClientRequest& r : requests) {
      PreparedEvent event;
      event.received = kTraceStart + r.arrival;
      event.stage_time = kTraceStart + r.end;
      event.requester = r.client;
      event.target = r.key;
      event.recorded_refusal = r.refused;
      event.place = place_++;
      out.push_back(links_.add(event, 0));
    }
    return out;
  }
  ClientLinks::Evidence evidence(std::uint32_t client = 0) const { return links_.evidence(client); }

 private:
  std::vector<ClientModelOf> models_;
  std::vector<Requester> requesters_;
  ClientLinks links_;
  std::uint64_t place_ = 0;
};

Nanos about(std::mt19937_64& random, Nanos mean) {
  return static_cast<Nanos>(std::exponential_distribution<double>(1.0 / static_cast<double>(mean))(random)) + 1;
}

// `workers` clients that send, wait and think.
std::vector<ClientRequest> loops(std::mt19937_64& random, int workers, Nanos span) {
  std::vector<ClientRequest> out;
  for (int i = 0; i < workers; ++i)
    for (Nanos now = about(random, kSecond); now < span;) {
      const Nanos end = now + about(random, kSecond);
      out.push_back({now, end});
      now = end + about(random, kSecond / 5);
    }
  return out;
}

std::vector<ClientRequest> open(std::mt19937_64& random, Nanos gap, Nanos span) {
  std::vector<ClientRequest> out;
  for (Nanos now = 0; now < span; now += about(random, gap)) out.push_back({now, now + about(random, kSecond)});
  return out;
}

// Work comes by chance; so many of it at a time.
std::vector<ClientRequest> queue(std::mt19937_64& random, std::size_t workers, Nanos gap, Nanos span) {
  std::vector<ClientRequest> out;
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> running;
  for (Nanos now = 0; now < span; now += about(random, gap)) {
    while (!running.empty() && running.top() <= now) running.pop();
    Nanos start = now;
    if (running.size() == workers) {
      start = running.top() + kMillisecond / 2;
      running.pop();
    }
    out.push_back({start, start + about(random, kSecond)});
    running.push(out.back().end);
  }
  return out;
}

}  // namespace

TEST_CASE("clients that wait for their answers show it, others do not", "[replay][clients]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Clients clients;
    clients.add(loops(random, 5, 200 * kSecond));
    const ClientLinks::Evidence loop = clients.evidence();
    CHECK(loop.waits());
    CHECK(loop.waiting < -10);
    CHECK_FALSE(loop.has_queue());
    CHECK(loop.model() == ClientModel::loop);
    CHECK(loop.most_in_flight == 5);
    CHECK_FALSE(loop.retries());

    Clients others;
    others.add(open(random, kSecond / 5, 200 * kSecond));
    CHECK(others.evidence().waiting > -4);
    CHECK(others.evidence().model() == ClientModel::open);

    Clients queues;
    queues.add(queue(random, 5, kSecond / 4, 400 * kSecond));
    CHECK(queues.evidence().model() == ClientModel::workers);
    CHECK(queues.evidence().most_in_flight == 5);
  }
}

TEST_CASE("a timer is no loop, and few requests show nothing", "[replay][clients]") {
  std::mt19937_64 random(1);
  Clients clients;
  std::vector<ClientRequest> timer;
  for (Nanos now = 0; now < 300 * kSecond; now += kSecond)
    timer.push_back({now, now + static_cast<Nanos>(random() % 900) * kMillisecond});
  clients.add(timer);
  CHECK(clients.evidence().waiting < -6);  // it meets no request of its own
  CHECK(clients.evidence().think_slope < -0.9);
  CHECK_FALSE(clients.evidence().waits());
  Clients few;
  few.add(loops(random, 2, 20 * kSecond));
  CHECK(few.evidence().requests < 100);
  CHECK_FALSE(few.evidence().waits());
}

TEST_CASE("a request follows its client's earliest answer that nothing followed", "[replay][clients]") {
  Clients clients;
  const auto links = clients.add({{0, 10, 0},
                                  {1, 5, 0},
                                  {2, 3, 1},
                                  {7, 20, 0},     // after the second one
                                  {12, 30, 0},    // after the first one
                                  {13, 14, 0},    // nothing is left
                                  {15, 16, 1}});  // another client's
  CHECK(links[0].before == ClientLinks::kNone);
  CHECK(links[1].before == ClientLinks::kNone);
  CHECK(links[3].before == 1);
  CHECK(links[3].think == 2);
  CHECK(links[4].before == 0);
  CHECK(links[4].think == 2);
  CHECK(links[5].before == ClientLinks::kNone);
  CHECK(links[6].before == 2);
  CHECK(links[6].think == 12);
}

TEST_CASE("a loop with a given number of places has no more chains than that", "[replay][clients]") {
  Clients clients({{"a/", ClientModel::loop, 1}});
  const auto links = clients.add({{0, 10, 0}, {5, 20, 0}, {30, 31, 0}, {40, 50, 1}, {41, 50, 1}});
  CHECK(links[1].before == 0);
  CHECK(links[1].think == 0);
  CHECK(links[2].before == 1);
  CHECK(links[4].before == ClientLinks::kNone);
}

TEST_CASE("retries come as long after a refusal as Retry-After says", "[replay][clients]") {
  std::vector<ClientRequest> requests;
  // One refusal every ten seconds: Retry-After stays 1.
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Nanos now = i * 10 * kSecond;
    requests.push_back({now, now + kMillisecond, 0, i, true});
    requests.push_back({now + kSecond + 3 * kMillisecond, now + 2 * kSecond, 0, i});
  }
  Clients clients;
  const auto links = clients.add(requests);
  for (std::size_t i = 0; i < links.size(); i += 2) {
    CHECK(links[i].retry_of == ClientLinks::kNone);
    CHECK(links[i + 1].retry_of == i);
    CHECK(links[i + 1].before == ClientLinks::kNone);  // it is part of the same work
  }
  CHECK(clients.evidence().retries());
  // At other times, or another request, or another client: none.
  for (const ClientRequest& beside :
       {ClientRequest{0, 0, 0, 0}, ClientRequest{kSecond / 2, 0, 0, 0}, ClientRequest{0, 0, 0, 100}}) {
    std::vector<ClientRequest> others = requests;
    for (std::size_t i = 1; i < others.size(); i += 2) {
      others[i].arrival += beside.arrival == 0 && beside.key == 0 ? kSecond : beside.arrival;
      others[i].key += beside.key;
    }
    Clients none;
    none.add(others);
    CHECK(none.evidence().repeated == 0);
    CHECK_FALSE(none.evidence().retries());
  }
  for (std::size_t i = 1; i < requests.size(); i += 2) requests[i].client = 1;
  Clients two;
  two.add(requests);
  CHECK(two.evidence(0).repeated + two.evidence(1).repeated == 0);
}

TEST_CASE("a retry comes 3 ms early to 20 ms late", "[replay][clients]") {
  const auto retries_at = [](Nanos late) {
    std::vector<ClientRequest> requests;
    for (std::uint32_t i = 0; i < 10; ++i) {
      const Nanos now = i * 10 * kSecond;
      requests.push_back({now, now + kMillisecond, 0, i, true});
      requests.push_back({now + kMillisecond + kSecond + late, now + 2 * kSecond, 0, i});
    }
    Clients clients;
    const auto links = clients.add(requests);
    return std::count_if(links.begin(), links.end(),
                         [](const ClientLinks::Link& link) { return link.retry_of != ClientLinks::kNone; });
  };
  CHECK(retries_at(-3 * kMillisecond) == 10);
  CHECK(retries_at(-3 * kMillisecond - 1) == 0);
  CHECK(retries_at(20 * kMillisecond) == 10);
  CHECK(retries_at(20 * kMillisecond + 1) == 0);
}

TEST_CASE("the same request by chance is no retry", "[replay][clients]") {
  std::mt19937_64 random(3);
  std::vector<ClientRequest> requests = open(random, 20 * kMillisecond, 100 * kSecond);
  for (ClientRequest& r : requests)
    if (random() % 10 == 0) {
      r.refused = true;
      r.end = r.arrival + kMillisecond;
    }
  Clients clients;
  clients.add(requests);
  CHECK(clients.evidence().repeated > 20);
  CHECK(clients.evidence().repeated_by_chance > 20);
  CHECK_FALSE(clients.evidence().retries());
}

TEST_CASE("Evidence of clients at its bounds", "[replay][clients]") {
  ClientLinks::Evidence e;
  e.full = 20, e.full_prompt = 10, e.requests = 100, e.apart = 20;
  CHECK(e.has_queue());
  for (std::uint64_t* figure : {&e.full_prompt, &e.apart}) {
    --*figure;
    CHECK_FALSE(e.has_queue());
    ++*figure;
  }
  e.full = 19;
  CHECK_FALSE(e.has_queue());

  e.waiting = -6, e.think_slope = -0.49;
  CHECK(e.waits());
  e.requests = 99;
  CHECK_FALSE(e.waits());
  e.requests = 100, e.waiting = -5.9;
  CHECK_FALSE(e.waits());
  e.waiting = -6, e.think_slope = -0.5;
  CHECK_FALSE(e.waits());

  e.repeated_by_chance = 4, e.repeated = 11;
  CHECK(e.retries());
  e.repeated = 10;
  CHECK_FALSE(e.retries());
}
