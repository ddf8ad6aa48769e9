#include "replay/books/idle_book.h"

namespace apf {

void IdleBook::on_enqueue(Nanos now, const LiveRequest& request) {
  if (!request.queued) return;
  Level& l = level(request.level);
  if (l.waiting++ == 0) begin_wait(l, now);
}

void IdleBook::begin_wait(Level& level, Nanos now) {
  advance(now);
  advance(level, now);
  level.since = clipped(now);
  level.idle_before = idle_.value;
  level.free_before = level.free.value;
}

void IdleBook::end_wait(Level& level, Nanos now) {
  advance(now);
  advance(level, now);
  level.waited += static_cast<double>(clipped(now) - level.since);
  level.idle += idle_.value - level.idle_before;
  level.own += level.free.value - level.free_before;
}

void IdleBook::stop_waiting(Nanos now, LevelId id) {
  Level& l = level(id);
  if (l.waiting > 0 && --l.waiting == 0) end_wait(l, now);
}

void IdleBook::on_refuse(Nanos now, const LiveRequest& request) {
  if (request.queued) stop_waiting(now, request.level);
  if (!request.in_report) return;
  Level& l = level(request.level);
  ++l.refused;
  l.idle_at_refusals += std::max(0, seats_ - in_use_);
  l.own_at_refusals += std::max(0, l.limit - l.in_use);
}

void IdleBook::on_round(const Round& round, int seats) {
  advance(round.time);
  seats_ = seats;
  for (const LevelRound& r : round.levels) {
    Level& l = level(r.level);
    advance(l, round.time);
    l.limit = r.current_cl;
  }
}

void IdleBook::fill(LevelReport& report, LevelId id, Nanos now) {
  Level& l = level(id);
  if (l.waiting > 0) {
    end_wait(l, now);
    begin_wait(l, now);
  }
  report.waiting_seconds = l.waited / 1e9;
  if (l.waited > 0) {
    report.idle_while_waiting = l.idle / l.waited;
    report.own_while_waiting = l.own / l.waited;
  }
  if (l.refused > 0) {
    report.idle_at_refusals = l.idle_at_refusals / static_cast<double>(l.refused);
    report.own_at_refusals = l.own_at_refusals / static_cast<double>(l.refused);
  }
}

void IdleBook::end_full(Nanos now) {
  const double lasted = static_cast<double>(clipped(now) - full_since_);
  full_ += lasted;
  longest_full_ = std::max(longest_full_, lasted);
  full_since_ = INT64_MIN;
}

void IdleBook::fill(ReplayReport& report, Nanos now) {
  if (full_since_ != INT64_MIN) {
    end_full(now);
    full_since_ = clipped(now);
  }
  report.full_seconds = full_ / 1e9;
  report.longest_full_seconds = longest_full_ / 1e9;
}

}  // namespace apf
