// Adding up what happened: by level, by FlowSchema, by flow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <apf/replay.h>
#include "schedule/controller.h"

namespace apf {

// A quantity that changes at instants, averaged over time. To set what it is already changes nothing.
class TimeAverage {
 public:
  // Only what lies in [from, to) counts.
  void limit(Nanos from, Nanos to) {
    from_ = from, to_ = to;
    last_ = std::max(last_, from);
  }
  void set(Nanos now, double value) {
    if (started_ && value == value_) return;
    advance(now);
    started_ = true;
    value_ = value;
    if (now >= from_ && now < to_) note_extremes();
  }
  // What has held since the last change counts, too.
  void advance(Nanos now) {
    const Nanos end = std::min(now, to_);
    if (started_ && end > last_) {
      const double d = static_cast<double>(end - last_);
      integral_ += value_ * d;
      duration_ += d;
      note_extremes();
    }
    last_ = std::max(last_, end);
  }
  double value() const { return value_; }
  double max() const { return max_ < min_ ? value_ : max_; }
  double min() const { return max_ < min_ ? value_ : min_; }
  double integral() const { return integral_; }  // of the value over nanoseconds
  double average() const { return duration_ > 0 ? integral_ / duration_ : value_; }

 private:
  void note_extremes() {
    max_ = std::max(max_, value_);
    min_ = std::min(min_, value_);
  }
  bool started_ = false;
  Nanos from_ = INT64_MIN, to_ = INT64_MAX;
  Nanos last_ = INT64_MIN;  // not before from_
  double value_ = 0, integral_ = 0, duration_ = 0;
  double min_ = std::numeric_limits<double>::infinity(), max_ = -min_;  // of values that counted
};

// What happened to one request.
struct RequestOutcome {
  Outcome outcome = Outcome::executed;
  bool queued = false;  // could not start at once
  Nanos wait = 0;
  HeldSeats seat_seconds;
  int wanted = 0, allowed = 0;  // seats of a request that is too wide; wanted 0: it is not
};

inline void add(RequestTally& tally, const RequestOutcome& request) {
  ++tally.requests;
  if (request.queued) ++tally.queued;
  ++tally.outcomes[request.outcome];
  const bool held_seats = request.outcome == Outcome::executed || is_refused_in_handler(request.outcome);
  if (held_seats || is_refused_after_wait(request.outcome)) tally.wait.add(request.wait);
  tally.seat_seconds += request.seat_seconds;
  if (request.wanted <= 0) return;
  ++tally.too_wide;
  tally.seats_wanted += static_cast<std::uint64_t>(request.wanted);
  tally.seats_allowed += static_cast<std::uint64_t>(request.allowed);
  tally.widest = std::max(tally.widest, request.wanted);
}
void merge(RequestTally& into, const RequestTally& tally);

// By what flows are ranked.
double total_wait(const FlowReport& flow);
double times_refused(const FlowReport& flow);

// The `top` flows by the measure; ties by name. Flows of which there is nothing of it stay out, and those of a fill.
std::vector<FlowReport> leaders(const std::vector<FlowReport>& flows, int top,
                                const std::function<double(const FlowReport&)>& measure);
// The same by total wait, by refusals, and by seats that their requests would take beyond what they may.
std::vector<FlowReport> waited_most(const std::vector<FlowReport>& flows, int top);
std::vector<FlowReport> refused_most(const std::vector<FlowReport>& flows, int top);
std::vector<FlowReport> widest(const std::vector<FlowReport>& flows, int top);

// Those of a fill are not the log's.
void drop_filled(std::vector<FlowReport>& flows);

}  // namespace apf
