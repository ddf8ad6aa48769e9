// Blocks handed over to whichever thread has time.
#include "base/side_queue.h"

#include <stdexcept>
#include <thread>
#include <vector>

#include "catch.h"

using namespace apf;

namespace {

// Numbers, in the order in which they were worked off.
class Numbers : public SideQueue<int> {
 public:
  explicit Numbers(std::size_t most) : SideQueue(most) {}
  void start(int last = INT32_MAX) {
    start_work([this, last](const int& number) {
      if (number > last) return false;
      if (number < 0) throw std::runtime_error("no number");
      done.push_back(number);
      return true;
    });
  }
  using SideQueue::add;
  std::vector<int> finish() { return finish_work(); }

  std::vector<int> done;
};

}  // namespace

TEST_CASE("Blocks are worked off in order, by threads and by the owner", "[parallel]") {
  for (const int threads : {0, 1, 3}) {
    Numbers numbers(4);
    numbers.start();
    std::vector<std::thread> others;
    for (int i = 0; i < threads; ++i) others.emplace_back([&] { numbers.do_rest(); });
    std::vector<int> expected;
    for (int n = 0; n < 1000; ++n) {
      expected.push_back(n);
      if (n % 100 == 50) {  // nobody works meanwhile
        numbers.pause();
        const std::size_t before = numbers.done.size();
        std::this_thread::yield();
        CHECK(numbers.done.size() == before);
        numbers.resume();
      }
      CHECK(numbers.add(n).empty());
    }
    CHECK(numbers.finish().empty());
    CHECK(numbers.done == expected);
    CHECK_FALSE(numbers.is_ready());
    numbers.release();
    for (std::thread& other : others) other.join();
  }
}

TEST_CASE("What is added before the work begins waits for it", "[parallel]") {
  Numbers numbers(2);
  for (int n = 0; n < 5; ++n) CHECK(numbers.add(n).empty());
  numbers.do_some();
  CHECK(numbers.done.empty());
  numbers.start();
  CHECK(numbers.is_ready());
  numbers.do_some();
  CHECK(numbers.done == std::vector{0});
  CHECK(numbers.finish().empty());
  CHECK(numbers.done.size() == 5);
}

TEST_CASE("Where the work can go no further, the owner gets what is left", "[parallel]") {
  Numbers numbers(8);
  numbers.start(2);
  for (int n = 0; n < 5; ++n) CHECK(numbers.add(n).empty());
  for (int i = 0; i < 5; ++i) numbers.do_some();
  CHECK(numbers.done == std::vector{0, 1, 2});
  CHECK_FALSE(numbers.is_ready());
  CHECK(numbers.add(5) == std::vector{3, 4, 5});
  CHECK(numbers.add(6) == std::vector{6});
  CHECK(numbers.finish().empty());
}

TEST_CASE("What the work throws comes out when it is finished", "[parallel]") {
  Numbers numbers(8);
  numbers.start();
  for (const int n : {1, -1, 2}) CHECK(numbers.add(n).empty());
  for (int i = 0; i < 3; ++i) numbers.do_some();
  CHECK(numbers.done == std::vector{1});
  CHECK_FALSE(numbers.add(3).empty());
  CHECK_THROWS_AS(numbers.finish(), std::runtime_error);
}

TEST_CASE("After stop() nothing is worked off", "[parallel]") {
  Numbers numbers(8);
  numbers.start();
  numbers.add(1);
  numbers.stop();
  numbers.do_some();
  CHECK(numbers.done.empty());
  CHECK(numbers.finish().empty());
}
