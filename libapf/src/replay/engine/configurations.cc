#include "replay/engine/configurations.h"

#include <algorithm>

#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr Nanos kNearSteps = 3 * kBorrowingPeriod;

}  // namespace

const Config& Configurations::config(std::size_t number) const {
  return number == 0 ? context_.options.config : context_.options.config_changes[number - 1].second;
}

void Configurations::plan_changes(const RunTime& time, const EngineStart& start) {
  const auto& changes = context_.options.config_changes;
  std::vector<std::pair<Nanos, std::size_t>> order;
  for (std::size_t i = 0; i < changes.size(); ++i)
    order.emplace_back(std::max(time.resolve(changes[i].first), start.start), i + 1);
  sort_stably(order, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t before = 0;
  for (const auto& [at, number] : order) {
    schedule_.add(at, number, start.recorded && status_changes(config(before), config(number)));
    before = number;
  }
  schedule_.begin(start.start);
}

void Configurations::begin(const RunTime& time, const EngineStart& start, Controller& controller, bool apf_on) {
  controller_ = &controller;
  apf_on_ = apf_on;
  start_ = next_tick_ = start.start;
  plan_changes(time, start);
  level_ids_.resize(1 + context_.options.config_changes.size());
  digest(start.start);
}

void Configurations::digest(Nanos now) {
  controller_->digest(now, config(current_));
  auto& ids = level_ids_[current_];
  ids.clear();
  for (const auto& level : context_.classifier(current_).levels()) ids.push_back(controller_->level_id(level.name));
}

void Configurations::take(const ConfigSchedule::Step& step) {
  if (!step.again) current_ = step.configuration;
  if (!apf_on_) return;
  // Lines of the server's log that are out of order show a step when its instant is past.
  const Nanos time = std::max(step.time, controller_->now());
  if (step.again) controller_->digest_again(time);
  else digest(time);
}

// Steps are sought tick by tick: which lines of the server's log belong to a tick is known when the one before is past.
void Configurations::change_until(Nanos now) {
  for (;;) {
    const Nanos limit = apf_on_ ? std::min(now, next_tick_) : now;
    const bool lingers = reaped_ > limit - 2 * kSecond;
    if (const auto step = schedule_.next(limit, next_tick_, lingers)) {
      take(*step);
    } else if (limit == now) {
      return;
    } else {
      // Nothing is due before that, and no line of the log is claimed.
      const Nanos quiet = schedule_.quiet_until() - kNearSteps;
      controller_->run_until(std::min(now, std::max(limit, quiet)));
    }
  }
}

Nanos Configurations::next_adjustment(Nanos tick) {
  if (tick > start_ + kBorrowingPeriod) context_.clock.forget_before(tick - kBorrowingPeriod);
  return next_tick_ = context_.clock.next_tick(tick);
}

bool Configurations::has_unwanted_level(const Round& round) const {
  const auto& wanted = config(current_).priority_levels;
  return std::any_of(round.levels.begin(), round.levels.end(), [&](const LevelRound& r) {
    const std::string& name = controller_->level_name(r.level);
    return name != "exempt" && name != "catch-all" &&
           std::none_of(wanted.begin(), wanted.end(), [&](const PriorityLevel& l) { return l.meta.name == name; });
  });
}

// A level that is no longer wanted makes the server digest again when it becomes idle; so does the replay.
void Configurations::on_round(const Round& round) {
  if (!round.config) return;
  if (has_unwanted_level(round)) reaped_ = INT64_MAX;
  else if (reaped_ == INT64_MAX) reaped_ = round.time;
}

}  // namespace apf
