// When which configuration is digested: the changes of --config-at, at the instants at which the server's log shows
// them, and the digests that happen without a change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <apf/config.h>
#include "schedule/controller.h"

#include "replay/prepare/server_clock.h"

namespace apf {

class ConfigSchedule {
 public:
  struct Step {
    Nanos time = 0;
    std::size_t configuration = 0;
    bool again = false;  // the levels stay as they were wanted
  };

  explicit ConfigSchedule(ServerClock& clock) : clock_(clock) {}

  // The configuration that comes into force at `time`, in order of time. `status_changes`: the server writes the status
  // of a FlowSchema then, and digests that, too.
  void add(Nanos time, std::size_t configuration, bool status_changes) {
    changes_.push_back({time, configuration, status_changes, false});
  }
  // Steps are looked for from now on.
  void begin(Nanos start) { last_ = start; }
  bool may_have_steps() const { return next_change_ < changes_.size() || again_ || clock_.knows_anything(); }
  // Of add(), or the digest that follows one; kNever without.
  Nanos next_change() const;
  // No step comes before, as far as is known now; kNever without any.
  Nanos quiet_until() const;
  // The next step before or at `until`, if there is one. `next_tick`: of the 10 s clock. `lingers`: a level that is no
  // longer wanted is (or just was) there, so that the replay itself digests again when it leaves.
  std::optional<Step> next(Nanos until, Nanos next_tick, bool lingers);

  // Digests of a changed configuration in the server's log that no --config-at accounts for.
  const std::vector<Nanos>& unexplained() const { return unexplained_; }

 private:
  struct Change {
    Nanos time = 0;
    std::size_t configuration = 0;
    bool status_changes = false;
    bool settled = false;  // `time` is when the server digested it, as far as its log says
  };

  ServerClock& clock_;
  std::vector<Change> changes_;
  std::size_t next_change_ = 0;
  std::optional<Nanos> again_;
  Nanos last_ = INT64_MIN;
  std::vector<Nanos> unexplained_;
};

// Whether the status that the server keeps in FlowSchemas (condition Dangling) changes: one is new, or its level
// appeared or went.
bool status_changes(const Config& before, const Config& after);

}  // namespace apf
