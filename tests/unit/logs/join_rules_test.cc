// Where the rules of joining change their mind: 100 ms after the arrival, and 100 ms before the end of the wait.
#include "logs/join_rules.h"

#include "catch.h"

using namespace apf;

namespace {

constexpr Nanos kLimit = 15 * kSecond;
constexpr Nanos kMargin = 100 * kMillisecond;

// A line of the HTTP log with a 504 and no execution, so long after the arrival.
RequestEvent timed_out(Nanos total) {
  RequestEvent event;
  event.http = true;
  event.code = 504;
  event.execution = kNoTime;
  event.received = 1000 * kSecond;
  event.stage_time = event.received + total;
  event.wait_limit = kLimit;
  return event;
}

}  // namespace

TEST_CASE("a refusal neither at once nor at the time-out is a client that left", "[logs][join]") {
  CHECK_FALSE(left_its_queue(0, kLimit));
  CHECK_FALSE(left_its_queue(kMargin, kLimit));
  CHECK(left_its_queue(kMargin + 1, kLimit));
  CHECK(left_its_queue(kLimit - kMargin - 1, kLimit));
  CHECK_FALSE(left_its_queue(kLimit - kMargin, kLimit));
  CHECK_FALSE(left_its_queue(kLimit, kLimit));
}

TEST_CASE("a 504 without execution and before the time-out is a client that hung up", "[logs][join]") {
  RequestEvent early = timed_out(kLimit - kMargin - 1);
  stand_alone(early);
  CHECK(early.recorded_refusal);
  CHECK(early.hung_up);
  CHECK(early.wait_limit == kLimit - kMargin - 1);
  RequestEvent late = timed_out(kLimit - kMargin);
  stand_alone(late);
  CHECK_FALSE(late.recorded_refusal);
  CHECK_FALSE(late.hung_up);
  CHECK(late.wait_limit == kLimit);
  RequestEvent served = timed_out(kSecond);
  served.execution = kSecond;
  stand_alone(served);
  CHECK_FALSE(served.hung_up);
  RequestEvent refused = timed_out(kSecond);
  refused.code = 429;
  stand_alone(refused);
  CHECK_FALSE(refused.hung_up);
}
