// What a request costs: how many seats it takes, and for how long.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <apf/limits.h>
#include "schedule/seats.h"

#include "replay/books/live_request.h"
#include "replay/books/remarks.h"
#include "replay/books/run_context.h"
#include "replay/engine/execution_scaler.h"
#include "replay/engine/watches.h"
#include "replay/store/service_times.h"

namespace apf {

SeatRules seat_rules(const ReplayOptions& options);

class RequestCost {
 public:
  RequestCost(const RunContext& context, const Watches& watches);
  // `overhead`: how long a request keeps its seats after its handler has returned.
  void begin(const RunTime& time, Nanos overhead);
  // A request that the log will bring, and its FlowSchema: how long similar ones run is known from the beginning.
  void foresee(const PreparedEvent& event, std::uint32_t schema);

  // A request arrives: what the log says of waits.
  void note(const PreparedEvent& event);
  // Its seats, if it arrives now.
  WorkEstimate estimate(const PreparedEvent& event, const LevelLimits& limits, Nanos now);
  // Of the last one: seats that it would take if neither its level nor the server capped it; 0: no more than it does.
  int wanted() const { return wanted_; }
  // … and what it returns, where that is asked for and known; else 0.
  std::int64_t list_bytes() const { return list_bytes_; }
  // When a request that is dispatched now ends.
  Nanos end_of(const LiveRequest& request, Nanos now);

  ServiceFacts facts() const;
  // Of a second pass: see WhatIfReport.
  std::uint64_t at_recorded_cap() const { return at_cap_; }
  std::uint64_t wider_than_level() const { return too_wide_; }
  // With ReplayOptions::list_widths.
  const ListWidthReport& list_widths() const { return widths_; }
  // Requests without a recorded wait; of these, those that end at another time than with recorded ends.
  std::uint64_t without_wait() const { return without_wait_; }
  std::uint64_t undecided() const { return undecided_; }
  // See UnknownWaits. Nothing: the log decides how long requests run, or it makes no difference.
  std::optional<UndecidedReport> undecided_report() const;

 private:
  WorkEstimate list_work(const PreparedEvent& event, WorkEstimate work, const LevelLimits& limits, Nanos now);
  // Before anything bounds them; `given`: as the log has them.
  int seats_of_list(const PreparedEvent& event, std::optional<int> given, Nanos now);
  WorkEstimate write_work(const PreparedEvent& event, WorkEstimate work, const LevelLimits& limits);
  void fit_final_seats(WorkEstimate& work, int most);
  int list_estimate(const PreparedEvent& event, Nanos now);
  Nanos end_of_watch(const LiveRequest& request, Nanos now);
  Nanos recorded_or_typical_end(const LiveRequest& request, Nanos now);
  Nanos end_without_wait(const PreparedEvent& event, Nanos now);
  Nanos typical(const LiveRequest& request);

  const ReplayOptions& options_;
  const bool has_handler_stages_;
  const std::vector<std::vector<int>>& lists_;
  const Watches& watches_;
  const SeatRules rules_;
  const std::size_t rule_set_, rule_sets_;
  const bool estimates_exempt_;
  std::vector<std::pair<Nanos, std::size_t>> scrapes_;  // object counts: time, which
  std::size_t next_scrape_ = 0, scrape_ = 0;
  ServiceTimes services_;
  ServiceTimes inits_;  // of watches
  ExecutionScaler scaler_;
  Nanos overhead_ = 0;
  int wanted_ = 0;
  std::int64_t list_bytes_ = 0;
  ListWidthReport widths_;
  std::uint64_t list_estimates_ = 0, watches_without_init_ = 0, refused_watches_ = 0, given_typical_ = 0,
                refused_in_log_ = 0;
  std::uint64_t without_wait_ = 0, undecided_ = 0;
  std::uint64_t waits_in_log_ = 0, refusals_in_log_ = 0;
  std::uint64_t at_cap_ = 0, too_wide_ = 0;  // in a second pass
};

}  // namespace apf
