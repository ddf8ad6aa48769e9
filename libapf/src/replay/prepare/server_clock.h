// When kube-apiserver adjusted its limits, as far as its own log says: its start, the ticks of the 10 s clock, the
// digests of configurations.
//
// A tick shows itself by a burst of "Update CurrentCL" lines, if some limit moved enough to be logged. So does a
// digest; it is known from a tick by its distance from the clock's grid. The server waits 10 s after each adjustment is
// done: the grid drifts by a millisecond or so a tick.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "schedule/controller.h"

#include <apf/logs.h>

#include "logs/event_batch.h"

namespace apf {

class ServerClock {
 public:
  struct Burst {
    Nanos begin = 0, end = 0;
    bool configured = false;                                   // levels were introduced, changed or removed
    std::vector<std::pair<std::string, std::int64_t>> limits;  // "Update CurrentCL"
    enum class Use : std::uint8_t { none, tick, change, digest, skipped } use = Use::none;
  };

  // In the order of the log, whose lines may be late.
  void take(const KeptNote& note);

  bool knows_anything() const { return start_.has_value() || !bursts_.empty(); }
  Nanos first_burst() const { return bursts_.empty() ? kNever : bursts_.front().begin; }  // of those not forgotten
  // The flow controller was made for that many seats, or the server's flags come to them.
  std::optional<std::int64_t> server_concurrency_limit() const;
  // When borrowing was first adjusted.
  std::optional<Nanos> start() const { return start_; }
  // Times at which the server came up again, in the middle of the log.
  std::uint64_t restarts() const { return restarts_; }
  // A time of the 10 s clock, from two bursts that lie whole periods apart; for logs that begin after the start.
  std::optional<Nanos> grid() const;

  // What the 10 s clock loses a tick: as seen, or as is usual.
  Nanos drift() const;
  // From now on the log says nothing of the clock and of configurations: the server ticks by itself.
  void stop_following();
  // Of a server without a log that is like this one: its 10 s clock is as exact if it `drifts`, it has the same
  // `seats`.
  ServerClock without_log(bool drifts, bool seats) const;
  // The tick after `tick`.
  Nanos next_tick(Nanos tick);
  // How evenly ticks follow each other from `tick` on.
  ControllerListener::Pace pace(Nanos tick) const;
  // The first burst of changed levels within reach of `time`, when a new configuration was written; it is used up.
  std::optional<Nanos> claim_change(Nanos time);
  // The next burst before or at `until` that is neither a tick nor a known change, kNever without; not used up.
  const Burst* next_digest(Nanos after, Nanos until, Nanos next_tick);
  void use(const Burst& burst, Burst::Use use);
  // What the log says of the limits set at `time`.
  const Burst* at(Nanos time) const;
  // Bursts before `time` are no longer needed.
  void forget_before(Nanos time);

  std::uint64_t ticks_seen() const { return ticks_seen_; }
  std::uint64_t ticks() const { return ticks_; }

 private:
  std::optional<Nanos> assumed_drift_;
  bool follows_log_ = true;
  std::optional<std::int64_t> seats_;
  ServerFlags flags_;
  std::optional<Nanos> start_;
  std::uint64_t restarts_ = 0;
  std::deque<Burst> bursts_;  // by their begin
  std::uint64_t ticks_ = 0, ticks_seen_ = 0;
  std::int64_t drift_sum_ = 0;  // of seen ticks
};

}  // namespace apf
