#include "replay/books/level_book.h"

#include <algorithm>

#include "base/sort_stably.h"

namespace apf {

LevelBook::Level& LevelBook::add_level(LevelId id) {
  while (levels_.size() <= id) {
    Level& added = levels_.emplace_back();
    for (TimeAverage* average :
         {&added.seats, &added.current, &added.borrowed, &added.lent, &added.list_bytes, &added.waiting})
      average->limit(time_->from, time_->to);
    added.seats.set(time_->now, 0);
    added.list_bytes.set(time_->now, 0);
    added.waiting.set(time_->now, 0);
  }
  return levels_[id];
}

void LevelBook::on_round(const Round& round) {
  for (const LevelRound& r : round.levels) {
    Level& l = level(r.level);
    l.current.set(round.time, r.current_cl);
    l.borrowed.set(round.time, std::max(0, r.current_cl - r.nominal_cl));
    l.lent.set(round.time, std::max(0, r.nominal_cl - r.current_cl));
    l.nominal_cl = r.nominal_cl;
    l.min_cl = r.min_cl;
    l.max_cl = r.max_cl;
  }
}

void LevelBook::fill(LevelReport& report, LevelId id, const LevelLimits& limits, Nanos now) {
  Level& level = this->level(id);
  for (TimeAverage* average :
       {&level.seats, &level.current, &level.borrowed, &level.lent, &level.list_bytes, &level.waiting})
    average->advance(now);
  report.exempt = limits.exempt;
  report.reject = limits.reject;
  report.queues = limits.queues;
  report.hand_size = limits.hand_size;
  report.queue_length_limit = limits.queue_length_limit;
  report.nominal_cl = level.nominal_cl;
  report.min_cl = level.min_cl;
  report.max_cl = level.max_cl;
  report.current_cl_min = static_cast<int>(level.current.min());
  report.current_cl_max = static_cast<int>(level.current.max());
  report.current_cl_avg = level.current.average();
  report.seats_avg = level.seats.average();
  report.seats_peak = static_cast<int>(level.seats.max());
  report.borrowed_avg = level.borrowed.average();
  report.lent_avg = level.lent.average();
  report.list_bytes_avg = level.list_bytes.average();
  report.list_bytes_most = level.list_bytes.max();
  report.waiting_seconds = level.waiting.integral() / 1e9;
}

void LevelBook::fill(ReplayReport& report, const Controller& controller,
                     const std::map<std::string, RequestTally>& tallies, Nanos now, bool has_limits) {
  for (LevelId id = 0; id < controller.level_count(); ++id) {
    LevelReport& level = report.levels.emplace_back();
    level.name = controller.level_name(id);
    const auto tally = tallies.find(level.name);
    if (tally != tallies.end()) level.tally = tally->second;
    if (has_limits) fill(level, id, controller.limits(id), now);
  }
  sort_stably(report.levels, [](const LevelReport& a, const LevelReport& b) { return a.name < b.name; });
}

}  // namespace apf
