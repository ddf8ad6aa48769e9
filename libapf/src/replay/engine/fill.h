// The requests that a replay adds to those of its log: as many of each FlowSchema as the server counted and the log
// lacks, at times and with execution times like the others'. The same for the same plan; memory does not grow with
// their number.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <apf/replay.h>

#include "replay/prepare/flows.h"
#include "replay/prepare/prepared.h"

namespace apf {

class Fill {
 public:
  // Flows of their own are added to `flows`.
  // `keeps_shapes`: see FlowDefinition::shape.
  Fill(const ReplayOptions& options, const std::vector<std::shared_ptr<const Classifier>>& classifiers, Flows& flows,
       bool keeps_shapes);

  // Passes on what arrives up to `now`, in order of time.
  template <class Sink>
  void until(Nanos now, Sink&& sink) {
    for (;;) {
      Source* const first = next();
      if (!first || first->arrivals[first->at] > now) return;
      make(*first);
      sink(event_.event.received, event_);
    }
  }

 private:
  struct Source {
    const FillPlan::Schema* schema = nullptr;
    std::uint64_t seed = 0;
    std::vector<FlowId> flows;
    std::vector<std::uint64_t> counts;  // of requests, by bin
    std::size_t bin = 0;                // the next one
    std::vector<Nanos> arrivals;        // of the bin before that, in order
    std::size_t at = 0;                 // the next of them
    std::uint64_t made = 0;
  };
  void add_source(const FillPlan::Schema& schema, const std::vector<std::shared_ptr<const Classifier>>& classifiers,
                  Flows& flows, bool keeps_shapes);
  Source* next();
  bool refill(Source& source) const;
  void make(Source& source);

  const FillPlan& plan_;
  const Nanos wait_limit_, deadline_;
  std::vector<Source> sources_;
  JoinedEvent event_;
};

}  // namespace apf
