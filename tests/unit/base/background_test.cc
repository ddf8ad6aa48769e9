#include "base/background.h"

#include <apf/config.h>

#include "catch.h"

using namespace apf;

namespace {

const std::vector<ConfigText> kNoObjects = {{"a.yaml", "apiVersion: v1\nkind: List\nitems: []\n"}};

}  // namespace

TEST_CASE("work that nobody waits for any more ends where it looks", "[background]") {
  std::atomic<int> ended = 0;
  {
    Background<int> work;
    CHECK_FALSE(work.is_running());
    work.start([&]() -> int {
      try {
        while (true) load_config(kNoObjects);
      } catch (const Unwanted&) {
        ++ended;
        throw;
      }
    });
    CHECK(work.is_running());
    CHECK_FALSE(work.take());
  }
  CHECK(ended == 1);
  load_config(kNoObjects);  // of no such work: it is done
}

TEST_CASE("what work in another thread comes to is taken once", "[background]") {
  Background<int> work;
  for (const int number : {1, 2}) {
    work.start([number] { return number; });
    std::optional<int> taken;
    while (!taken) taken = work.take();
    CHECK(taken == number);
    CHECK_FALSE(work.is_running());
    CHECK_FALSE(work.take());
  }
}
