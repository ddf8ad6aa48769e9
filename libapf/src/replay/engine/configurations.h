// Which configuration is in force: the changes of --config-at, the digests that the server's log shows, and the ticks
// of the borrowing clock.
#pragma once

#include <vector>

#include "replay/books/engine_start.h"
#include "replay/books/run_context.h"
#include "replay/engine/config_schedule.h"

namespace apf {

class Configurations {
 public:
  explicit Configurations(const RunContext& context) : context_(context), schedule_(context.clock) {}

  // Digests the first configuration. `apf_on`: else the controller only names levels, and changes only their number.
  void begin(const RunTime& time, const EngineStart& start, Controller& controller, bool apf_on);
  // False: change_until() would find nothing.
  bool may_change() const { return schedule_.may_have_steps(); }
  // Of those that are planned, kNever without.
  Nanos next_change() const { return schedule_.next_change(); }
  // Every change until `now` comes into force.
  void change_until(Nanos now);

  std::size_t current() const { return current_; }
  const Config& config(std::size_t number) const;
  // Of the level that the current configuration's classifier numbers so.
  LevelId level_id(std::uint32_t level) const { return level_ids_[current_][level]; }

  // For the controller: see ControllerListener.
  Nanos next_adjustment(Nanos tick);
  ControllerListener::Pace pace(Nanos tick) const { return context_.clock.pace(tick); }
  void on_round(const Round& round);

  // Digests of a changed configuration in the server's log that no --config-at accounts for.
  const std::vector<Nanos>& unexplained() const { return schedule_.unexplained(); }

 private:
  void plan_changes(const RunTime& time, const EngineStart& start);
  void digest(Nanos now);
  void take(const ConfigSchedule::Step& step);
  bool has_unwanted_level(const Round& round) const;

  const RunContext& context_;
  Controller* controller_ = nullptr;
  bool apf_on_ = true;
  ConfigSchedule schedule_;
  std::size_t current_ = 0;
  std::vector<std::vector<LevelId>> level_ids_;  // by configuration and the classifier's level
  Nanos start_ = 0, next_tick_ = 0;
  Nanos reaped_ = INT64_MIN;  // when the last unwanted level left; INT64_MAX: there is one
};

}  // namespace apf
