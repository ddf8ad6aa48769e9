// Retry-After grows and shrinks by what was refused before.
#include "catch.h"

#include "schedule/retry_after.h"

using apf::kSecond;
using apf::RetryAfter;

namespace {

int refuse(RetryAfter& r, apf::Nanos second, int times) {
  int last = 0;
  for (int i = 0; i < times; ++i) last = r.refuse(second * kSecond + i);
  return last;
}

}  // namespace

TEST_CASE("a second's first refusal judges the seconds before it", "[schedule][controller]") {
  RetryAfter r;
  CHECK(refuse(r, 100, 3) == 1);  // nothing before
  CHECK(refuse(r, 101, 1) == 2);  // three in the last second
  CHECK(refuse(r, 101, 9) == 2);  // and no more within this one
}

TEST_CASE("it grows only after as many seconds as it says", "[schedule][controller]") {
  RetryAfter r;
  refuse(r, 10, 100);
  CHECK(refuse(r, 11, 100) == 2);
  CHECK(refuse(r, 12, 100) == 2);  // one second since the last increase
  CHECK(refuse(r, 13, 100) == 4);
  CHECK(refuse(r, 16, 100) == 4);
  CHECK(refuse(r, 17, 100) == 8);
  CHECK(refuse(r, 25, 100) == 16);
  CHECK(refuse(r, 41, 100) == 32);
  CHECK(refuse(r, 73, 100) == 32);  // the most
}

TEST_CASE("it shrinks by one when there was little", "[schedule][controller]") {
  RetryAfter r;
  refuse(r, 10, 100);
  CHECK(refuse(r, 11, 100) == 2);
  CHECK(refuse(r, 13, 1) == 4);  // 100 at 11 still counts
  CHECK(refuse(r, 40, 1) == 3);  // none in four seconds
  CHECK(refuse(r, 41, 1) == 2);  // one in three
  CHECK(refuse(r, 42, 1) == 2);  // two in two: stays
  CHECK(refuse(r, 60, 1) == 1);
  CHECK(refuse(r, 90, 1) == 1);
}

TEST_CASE("seconds are whole ones of the clock, before 1970 too", "[schedule][controller]") {
  RetryAfter r;
  CHECK(r.refuse(-1) == 1);
  CHECK(r.refuse(-2) == 1);
  CHECK(r.refuse(-3) == 1);
  CHECK(r.refuse(0) == 2);
}
