// Where the rules of joining change their mind: 100 ms after the arrival, and 100 ms before the end of the wait.
#include "logs/join_rules.h"

#include <algorithm>

#include "catch.h"
#include "logs/remarks.h"

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

// Of two logs with so many requests in both, and in one of them alone.
LogReport joined(std::uint64_t both, std::uint64_t of_audit, std::uint64_t of_http) {
  JoinSums sums;
  sums.logs.requests = both, sums.logs.audit_only = of_audit, sums.logs.http_only = of_http;
  LogReport report;
  remark(sums, report);
  return report;
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

TEST_CASE("two logs are joined where there are requests of both", "[logs][join]") {
  CHECK(joined(3, 0, 0).join.joined);
  CHECK(joined(0, 3, 3).join.joined);
  CHECK_FALSE(joined(0, 3, 0).join.joined);
  CHECK_FALSE(joined(0, 0, 3).join.joined);
}

TEST_CASE("one request in each of two logs is enough to say that they are unrelated", "[logs][join]") {
  const auto unrelated = [](const LogReport& report) {
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [](const Remark& remark) { return remark.kind == RemarkKind::logs_unrelated; });
  };
  CHECK(unrelated(joined(0, 1, 1)));
  CHECK_FALSE(unrelated(joined(1, 1, 1)));
  CHECK_FALSE(unrelated(joined(0, 0, 1)));
  CHECK_FALSE(unrelated(joined(0, 1, 0)));
}

TEST_CASE("the HTTP log lacks its classification where no line has it", "[logs]") {
  const auto lacks = [](std::uint64_t with_flow_schema) {
    LogStat stat;
    stat.requests = stat.http = 5;
    stat.with_flow_schema = with_flow_schema;
    const std::vector<Remark> missing = missing_of(stat);
    return std::any_of(missing.begin(), missing.end(),
                       [](const Remark& remark) { return remark.kind == RemarkKind::classification_missing; });
  };
  CHECK(lacks(0));
  CHECK_FALSE(lacks(1));
  CHECK_FALSE(lacks(5));
}
