#include "base/parallel.h"

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "catch.h"

using namespace apf;

namespace {

struct Job {
  int number = 0, result = 0;
};

struct Shared {
  int next = 0, end = 0, fail_at = -1, fail_make_at = -1;
};

struct Squarer {
  explicit Squarer(Shared& s) : shared(s) {}
  bool take(Job& job) {
    if (shared.next == shared.fail_at) throw std::runtime_error("cannot take");
    if (shared.next == shared.end) return false;
    job.number = shared.next++;
    return true;
  }
  void make(Job& job) {
    if (job.number == shared.fail_make_at) throw std::runtime_error("cannot make");
    if (job.number % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    job.result = job.number * job.number;
  }
  Shared& shared;
};

std::vector<std::unique_ptr<Squarer>> squarers(Shared& shared, int threads) {
  std::vector<std::unique_ptr<Squarer>> out;
  for (int i = 0; i < threads; ++i) out.push_back(std::make_unique<Squarer>(shared));
  return out;
}

}  // namespace

TEST_CASE("results come in order for any number of threads", "[replay][parallel]") {
  for (const int threads : {1, 2, 3, 8}) {
    for (const int end : {0, 1, 5, 500}) {
      Shared shared;
      shared.end = end;
      OrderedWork<Job, Squarer> work(squarers(shared, threads), static_cast<std::size_t>(threads) + 2);
      int n = 0;
      while (const Job* job = work.next()) {
        REQUIRE(job->number == n);
        REQUIRE(job->result == n * n);
        ++n;
      }
      CHECK(n == end);
    }
  }
}

TEST_CASE("a fault surfaces at its place in the order", "[replay][parallel]") {
  for (const int threads : {1, 2, 4}) {
    for (const bool taking : {true, false}) {
      Shared shared;
      shared.end = 100;
      (taking ? shared.fail_at : shared.fail_make_at) = 20;
      OrderedWork<Job, Squarer> work(squarers(shared, threads), 4);
      for (int i = 0; i < 20; ++i) REQUIRE(work.next()->number == i);
      CHECK_THROWS_WITH(work.next(), taking ? "cannot take" : "cannot make");
    }
  }
}

TEST_CASE("work may be left before its end", "[replay][parallel]") {
  Shared shared;
  shared.end = 1000000;
  OrderedWork<Job, Squarer> work(squarers(shared, 4), 6);
  CHECK(work.next()->number == 0);
}
