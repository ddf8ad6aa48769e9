// All priority levels of one server: digests configurations, moves seats between levels every 10 s, and runs
// the requests handed to it on one event clock. Mirrors k8s.io/apiserver/pkg/util/flowcontrol (apf_controller.go,
// v1.36).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/limits.h>
#include <apf/time.h>
#include <apf/version.h>

#include "schedule/controller_options.h"
#include "schedule/event_queue.h"
#include "schedule/queue_set.h"

namespace apf {

inline constexpr Nanos kBorrowingPeriod = 10 * kSecond;

// What happens to requests, in the order of the clock. `tag` is the caller's own.
class ControllerListener {
 public:
  virtual ~ControllerListener();
  // Returns the time the execution ends (>= now; kNever = not at all).
  virtual Nanos on_dispatch(std::uint64_t tag, Nanos now) = 0;
  virtual void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after_seconds) = 0;
  virtual void on_finish(std::uint64_t tag, Nanos now) { (void)tag, (void)now; }
  // Seats free: after finish, later by the additional latency if the request lingered.
  virtual void on_release(std::uint64_t tag, Nanos now) = 0;
  virtual void on_round(const Round& round) { (void)round; }
  // An adjustment has been made (or is about to be made for the first time, at the start): when is the next one?
  // Later than `tick`. The server's own clock loses a millisecond or so every time; a log may show by how much.
  virtual Nanos next_adjustment(Nanos tick) { return tick + kBorrowingPeriod; }
  // Until when next_adjustment(t) is t + period for every t from `tick` on, if nothing happens meanwhile. To be
  // overridden together with next_adjustment().
  struct Pace {
    Nanos period = kBorrowingPeriod;
    Nanos until = kNever;
  };
  virtual Pace pace(Nanos tick) const { return (void)tick, Pace(); }
  // It would have been this request's turn, but it is wider than the seats left (only with watch_dispatching). It is
  // reported once for `times` adjustments of which only the last one is made.
  virtual void on_no_accommodation(std::uint64_t tag, Nanos now, std::uint64_t times) {
    (void)tag, (void)now, (void)times;
  }
};

struct Ticket {  // a request for the controller
  LevelId level = 0;
  std::uint64_t flow_hash = 0;  // 0 when the level has no flows
  WorkEstimate work;
  Nanos wait_deadline = kNever;  // absolute
  std::uint64_t tag = 0;
};

// What lets requests into a server, on its own clock: API Priority and Fairness, or what is there in its place.
class Filter {
 public:
  virtual ~Filter();
  // Runs everything due before or at `now`, arrivals excepted.
  virtual void run_until(Nanos now) = 0;
  // Runs until nothing executes, waits or lingers (adjustments go on meanwhile). What can never start nor give up
  // stays.
  virtual void drain() = 0;
  // The next thing that would happen, kNever if only adjustments are left.
  virtual Nanos next_event() const = 0;
  // The same with adjustments, after which requests that wait may start, while there are requests.
  virtual Nanos next_step() const { return next_event(); }
};

class Controller final : public Filter {
 public:
  // Digests the empty configuration at options.start (as the server does when it is constructed); that round is not
  // reported.
  Controller(const ControllerOptions& options, ControllerListener& listener);
  ~Controller() override;

  // A configuration comes into force. Happens after finishes and releases of that instant and before
  // its adjustments, deadlines and arrivals. `now` must not be before what was run so far.
  void digest(Nanos now, const Config& config);
  // The same with the levels wanted last, as when nothing but the status of an object changed.
  void digest_again(Nanos now);

  // What was run so far: nothing can happen before it.
  Nanos now() const;
  void run_until(Nanos now) override;
  // A request arrives at `now`; run_until(now) is implied. Returns the queue's index, -1 without.
  int arrive(Nanos now, const Ticket& ticket);
  void drain() override;
  Nanos next_event() const override;
  Nanos next_step() const override;

  // Id of a level present (or lingering); throws Error if there is none of that name.
  LevelId level_id(std::string_view name) const;
  const std::string& level_name(LevelId id) const;
  std::size_t level_count() const;  // ids are 0 … level_count()-1, gone ones included
  // As of the last digest, initial_cl being what that left in force; max_seats as the server keeps it.
  const LevelLimits& limits(LevelId id) const;
  int current_cl(LevelId id) const;
  QueueSet& queue_set(LevelId id);
  const ControllerOptions& options() const;
  // ControllerLevels::odd_deviations().
  std::uint64_t odd_deviations() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apf
