// What a replay is expected to show: "workload-low.p99wait < 1s".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/replay.h>
#include <apf/version.h>

namespace apf {

struct Expectation {
  std::string text;      // as written
  std::string subject;   // "total", a priority level, or "FlowSchema/NAME"
  std::string metric;    // one of expectation_metrics()
  std::string op;        // < <= > >= == !=
  double value = 0;      // nanoseconds for waits
  bool percent = false;  // value is a part of the subject's requests, 0 … 1
};

// requests, executed, queued, rejected, queue-full, …, p99wait, …, seats, seats-avg, utilization, ….
APF_API std::vector<std::string> expectation_metrics();

// SUBJECT.METRIC OP VALUE; throws Error saying what is wrong with it.
APF_API Expectation parse_expectation(std::string_view text);

struct ExpectationResult {
  bool met = false;
  std::string message;  // "workload-low.p99wait < 1s: it is 3.41s"
};
// Throws Error when the report has no such level or FlowSchema.
APF_API ExpectationResult check_expectation(const Expectation& expectation, const ReplayReport& report);

}  // namespace apf
