#include "replay/engine/config_schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace apf {

namespace {

// From a digest to the one that the written status of a FlowSchema brings about (2.8 and 5 ms were seen).
constexpr Nanos kStatusWritten = 4 * kMillisecond;
// Digests of the start happen while there is no demand.
constexpr Nanos kStarting = 500 * kMillisecond;
constexpr Nanos kSoonAfter = 100 * kMillisecond;

std::map<std::string, bool> dangling(const Config& config) {
  std::set<std::string> levels;
  for (const PriorityLevel& level : config.priority_levels) levels.insert(level.meta.name);
  std::map<std::string, bool> out;
  for (const FlowSchema& schema : config.flow_schemas) out[schema.meta.name] = !levels.contains(schema.priority_level);
  return out;
}

}  // namespace

bool status_changes(const Config& before, const Config& after) {
  const auto old = dangling(before);
  for (const auto& [name, dangles] : dangling(after)) {
    const auto it = old.find(name);
    if (it == old.end() || it->second != dangles) return true;
  }
  return false;
}

Nanos ConfigSchedule::next_change() const {
  const Nanos again = again_.value_or(kNever);
  return next_change_ < changes_.size() ? std::min(again, changes_[next_change_].time) : again;
}

Nanos ConfigSchedule::quiet_until() const { return std::min(next_change(), clock_.first_burst()); }

std::optional<ConfigSchedule::Step> ConfigSchedule::next(Nanos until, Nanos next_tick, bool lingers) {
  for (;;) {
    std::optional<Step> found;
    if (next_change_ < changes_.size()) {
      Change& change = changes_[next_change_];
      if (!change.settled && change.time <= until + kSoonAfter) {
        change.time = std::max(last_, clock_.claim_change(change.time).value_or(change.time));
        change.settled = true;
      }
      if (change.time <= until) found = Step{change.time, change.configuration, false};
    }
    if (again_ && *again_ <= until && (!found || *again_ < found->time)) found = Step{*again_, 0, true};
    const ServerClock::Burst* burst = clock_.next_digest(last_, found ? found->time - 1 : until, next_tick);
    if (burst && clock_.start() && burst->begin < *clock_.start() + kStarting) {
      clock_.use(*burst, ServerClock::Burst::Use::skipped);
      continue;
    }
    if (burst && burst->configured) {
      clock_.use(*burst, lingers ? ServerClock::Burst::Use::skipped : ServerClock::Burst::Use::digest);
      if (lingers) continue;
      unexplained_.push_back(burst->begin);
    }
    if (burst) {
      clock_.use(*burst, ServerClock::Burst::Use::digest);
      found = Step{burst->begin, 0, true};
    }
    if (!found) return std::nullopt;
    last_ = found->time;
    if (!found->again) {
      const Change& change = changes_[next_change_++];
      again_.reset();
      // The log shows the second digest of itself, if any limit moved.
      if (change.status_changes && !clock_.next_digest(last_, last_ + kSoonAfter, next_tick))
        again_ = last_ + kStatusWritten;
    } else if (again_ && *again_ <= last_) {
      again_.reset();
    }
    return found;
  }
}

}  // namespace apf
