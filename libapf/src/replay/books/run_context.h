// What all parts of one run share.
#pragma once

#include <memory>
#include <vector>

#include <apf/replay.h>

#include "base/pool.h"
#include "replay/prepare/attributes.h"
#include "replay/prepare/flows.h"
#include "replay/prepare/run_numbers.h"
#include "replay/prepare/server_clock.h"

namespace apf {

class RetryChains;

// Everything lives longer than the run; the tables of numbers grow while it lasts.
struct RunContext {
  const ReplayOptions& options;
  const std::vector<std::shared_ptr<const Classifier>>& classifiers;  // of each configuration, in order of time
  Flows& flows;
  ServerClock& clock;
  const NumberTables& numbers;
  Pool<AdmissionAttributes>* attributes = nullptr;  // null: no stage looks at them
  // Which of the classifiers, and of the choices of a flow, is that of options.config; the changes follow.
  std::size_t first_configuration = 0;
  bool log_sets_clock = false;  // rather than options.start
  // Which of the rules of seats holds here, and how many the requests were prepared by: see PreparedEvent::list_seats.
  std::size_t rule_set = 0, rule_sets = 1;
  // Which clients of the log retry what is refused; null: no matter. Else this is no replay of the server that wrote
  // the log: further attempts at what is not refused here do not come.
  const RetryChains* retries = nullptr;

  const Classifier& classifier(std::size_t configuration) const {
    return *classifiers[first_configuration + configuration];
  }
  const Flows::Choice& choice(FlowId flow, std::size_t configuration) const {
    return flows.choice(flow, first_configuration + configuration);
  }
  // Of a first pass none: the log's own clock holds.
  Nanos clock_shift() const { return log_sets_clock ? 0 : options.clock_shift; }
  int seats() const {
    const auto logged = options.seats_by_log ? clock.server_concurrency_limit() : std::nullopt;
    return logged ? static_cast<int>(*logged) : options.server_concurrency_limit;
  }
  void drop_attributes(const PreparedEvent& event) const {
    if (event.attributes != 0 && attributes) attributes->drop(event.attributes);
  }
};

// The simulated time, and the part of it that the report covers.
struct RunTime {
  Nanos now = 0, first_arrival = 0;
  Nanos from = INT64_MIN, to = INT64_MAX;

  void begin(Nanos first, const ReplayOptions& options) {
    first_arrival = now = first;
    if (options.from) from = resolve(*options.from);
    if (options.to) to = resolve(*options.to);
  }
  Nanos resolve(const ReplayTime& time) const { return time.relative ? later(first_arrival, time.value) : time.value; }
  bool is_in_report(Nanos time) const { return time >= from && time < to; }
};

}  // namespace apf
