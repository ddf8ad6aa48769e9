// Counts the requests that have another FlowSchema or level under the recorded configuration than where the replay puts
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <apf/replay.h>

#include "replay/run_context.h"
#include "replay/run_observer.h"

namespace apf {

class MovesBook : public RunObserver {
 public:
  // `recorded`: number of the recorded configuration in the run.
  MovesBook(const RunContext& context, std::size_t recorded) : context_(context), recorded_(recorded) {}

  void on_begin(Controller&, Nanos) override {}
  void on_arrive(Nanos now, const LiveRequest& request, std::int64_t watches) override;
  void on_enqueue(Nanos, const LiveRequest&, int) override {}
  void on_dispatch(Nanos, const LiveRequest&) override {}
  void on_finish(Nanos, const LiveRequest&) override {}
  void on_release(Nanos, const LiveRequest&) override {}
  void on_refuse(Nanos, const LiveRequest&, Outcome) override {}
  void on_no_accommodation(Nanos, const LiveRequest&, std::uint64_t) override {}
  void on_round(const Round&) override {}

  // The most frequent ones first.
  std::vector<WhatIfReport::Move> moves() const;

 private:
  struct Count {
    std::uint64_t requests = 0;
    std::uint32_t to = 0;  // where the replay puts it: index into Flows::reports()
  };
  const RunContext& context_;
  const std::size_t recorded_;
  std::vector<std::vector<Count>> counts_;  // by flow
};

}  // namespace apf
