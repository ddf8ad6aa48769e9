// What all parts of one run share.
#pragma once

#include <memory>
#include <vector>

#include <apf/replay.h>

#include "base/pool.h"
#include "replay/flows.h"
#include "replay/prepare/attributes.h"
#include "replay/prepare/prepared.h"
#include "replay/server_clock.h"

namespace apf {

// Everything lives longer than the run; places, lists and requesters grow while it lasts.
struct RunContext {
  const ReplayOptions& options;
  const std::vector<std::shared_ptr<const Classifier>>& classifiers;  // of each configuration, in order of time
  Flows& flows;
  ServerClock& clock;
  const std::vector<RecordedPlace>& places;
  const std::vector<std::vector<int>>& lists;  // see PreparedEvent::list_seats
  const std::vector<Requester>& requesters;
  Pool<AdmissionAttributes>* attributes = nullptr;  // null: no stage looks at them

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
  Nanos resolve(const ReplayTime& time) const { return time.relative ? first_arrival + time.value : time.value; }
  bool is_in_report(Nanos time) const { return time >= from && time < to; }
};

}  // namespace apf
