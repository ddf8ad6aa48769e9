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

namespace {

// Counts to an end, in steps that must not overlap.
class Count : public SideWork {
 public:
  explicit Count(int end) : left_(end) {}
  bool is_ready() const override { return left_ > 0 && !busy_; }
  void do_some() override {
    bool free = false;
    if (!busy_.compare_exchange_strong(free, true)) return;
    overlaps_ += steps_in_progress_++;
    if (left_ > 0) {
      --left_;
      ++done_;
    }
    --steps_in_progress_;
    busy_ = false;
  }
  void do_rest() override {
    while (!released_) {
      do_some();
      std::this_thread::yield();
    }
  }
  void release() override { released_ = true; }

  int left() const { return left_; }
  int done() const { return done_; }
  int overlaps() const { return overlaps_; }
  void add(int more) { left_ += more; }

 private:
  std::atomic<int> left_, done_ = 0, steps_in_progress_ = 0, overlaps_ = 0;
  std::atomic<bool> busy_ = false, released_ = false;
};

}  // namespace

TEST_CASE("Side work is done by one thread at a time, and the results stay in order", "[replay][parallel]") {
  for (const int threads : {2, 3, 8}) {
    const auto count = std::make_shared<Count>(300);
    Shared shared;
    shared.end = 200;
    OrderedWork<Job, Squarer> work(squarers(shared, threads), static_cast<std::size_t>(threads) + 2, SideWorks{count});
    for (int n = 0; n < shared.end; ++n) REQUIRE(work.next()->result == n * n);
    REQUIRE(work.next() == nullptr);
    // The thread that has done its work still does what comes.
    count->add(100);
    while (count->left() > 0) std::this_thread::yield();
    CHECK(work.next() == nullptr);
    CHECK(count->done() == 400);
    CHECK(count->overlaps() == 0);
  }
}

TEST_CASE("One thread alone does side work only while it would wait", "[replay][parallel]") {
  const auto count = std::make_shared<Count>(5);
  Shared shared;
  shared.end = 10;
  OrderedWork<Job, Squarer> work(squarers(shared, 1), 3, SideWorks{count});
  for (int n = 0; n < shared.end; ++n) REQUIRE(work.next()->number == n);
  CHECK(work.next() == nullptr);
  CHECK(count->done() == 0);
}

TEST_CASE("Whoever stops in the middle does not wait for side work", "[replay][parallel]") {
  const auto count = std::make_shared<Count>(1 << 30);
  Shared shared;
  shared.end = 1000000;
  {
    OrderedWork<Job, Squarer> work(squarers(shared, 3), 5, SideWorks{count});
    CHECK(work.next()->number == 0);
  }
  CHECK(count->left() > 0);
}
