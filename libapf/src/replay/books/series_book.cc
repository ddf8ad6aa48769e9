#include "replay/books/series_book.h"

#include <algorithm>

#include "base/sort_stably.h"

namespace apf {

namespace {

SeriesBin joined(const SeriesBin& a, const SeriesBin& b) {
  SeriesBin out;
  out.seats = a.seats + b.seats;
  out.limit = a.limit + b.limit;
  out.nominal = a.nominal + b.nominal;
  out.waiting = a.waiting + b.waiting;
  out.seats_max = std::max(a.seats_max, b.seats_max);
  out.waiting_max = std::max(a.waiting_max, b.waiting_max);
  out.arrived = a.arrived + b.arrived;
  out.dispatched = a.dispatched + b.dispatched;
  out.refused = a.refused;
  out.refused += b.refused;
  out.wait_sum = a.wait_sum + b.wait_sum;
  out.wait_max = std::max(a.wait_max, b.wait_max);
  out.waits = a.waits + b.waits;
  return out;
}

}  // namespace

void SeriesBook::on_begin(Controller& controller, Nanos first_arrival) {
  controller_ = &controller;
  begin_ = now_ = first_arrival;
}

SeriesBook::Level& SeriesBook::level(LevelId id) {
  while (levels_.size() <= id) {
    Level& added = levels_.emplace_back();
    added.last = now_;
    added.bins.resize(kSeriesBins);
  }
  return levels_[id];
}

// The bin of an instant not before the beginning; all levels' bins widen until there is one.
std::size_t SeriesBook::place(Nanos now) {
  now_ = std::max(now_, now);
  while ((now - begin_) / width_ >= static_cast<Nanos>(kSeriesBins)) {
    for (Level& l : levels_) {
      for (std::size_t i = 0; i < kSeriesBins / 2; ++i) l.bins[i] = joined(l.bins[2 * i], l.bins[2 * i + 1]);
      std::fill(l.bins.begin() + kSeriesBins / 2, l.bins.end(), SeriesBin{});
    }
    width_ *= 2;
  }
  return static_cast<std::size_t>((now - begin_) / width_);
}

// What has held since the last change goes into the bins of that time.
void SeriesBook::account(Level& l, Nanos now) {
  now = std::max(now, begin_);  // the server may be up long before the first request
  const std::size_t end = place(now);
  if (now <= l.last) return;
  for (std::size_t i = static_cast<std::size_t>((l.last - begin_) / width_); i <= end; ++i) {
    const Nanos from = std::max(l.last, begin_ + static_cast<Nanos>(i) * width_);
    const Nanos to = std::min(now, begin_ + static_cast<Nanos>(i + 1) * width_);
    if (to <= from) continue;
    const double d = seconds_of(to - from);
    SeriesBin& b = l.bins[i];
    b.seats += l.seats * d;
    b.limit += l.limit * d;
    b.nominal += l.nominal * d;
    b.waiting += l.waiting * d;
    b.seats_max = std::max(b.seats_max, l.seats);
    b.waiting_max = std::max(b.waiting_max, l.waiting);
  }
  l.last = now;
}

void SeriesBook::note_wait(SeriesBin& b, Nanos wait) {
  ++b.waits;
  b.wait_sum += seconds_of(wait);
  b.wait_max = std::max(b.wait_max, seconds_of(wait));
}

void SeriesBook::on_arrive(Nanos now, const LiveRequest& request, std::int64_t) {
  Level& l = level(request.level);
  account(l, now);
  ++bin(l, now).arrived;
  if (request.queues) ++l.waiting;
}

void SeriesBook::on_dispatch(Nanos now, const LiveRequest& request) {
  Level& l = level(request.level);
  account(l, now);
  if (request.queues) --l.waiting;
  l.seats += request.seats;
  SeriesBin& b = bin(l, now);
  ++b.dispatched;
  note_wait(b, now - request.arrival);
}

void SeriesBook::on_release(Nanos now, const LiveRequest& request) {
  Level& l = level(request.level);
  account(l, now);
  l.seats -= request.seats;
}

void SeriesBook::on_refuse(Nanos now, const LiveRequest& request, Outcome outcome) {
  Level& l = level(request.level);
  account(l, now);
  if (request.queues) --l.waiting;
  SeriesBin& b = bin(l, now);
  ++b.refused[outcome];
  if (is_refused_after_wait(outcome)) note_wait(b, now - request.arrival);
}

void SeriesBook::on_round(const Round& round) {
  now_ = std::max(now_, round.time);
  for (const LevelRound& r : round.levels) {
    Level& l = level(r.level);
    if (l.limit == r.current_cl && l.nominal == r.nominal_cl) continue;
    account(l, round.time);
    l.limit = r.current_cl;
    l.nominal = r.nominal_cl;
  }
}

ReplaySeries SeriesBook::series() {
  ReplaySeries out;
  if (!controller_) return out;
  for (Level& l : levels_) account(l, now_);
  const std::size_t used = std::min(kSeriesBins, place(now_) + 1);
  out.begin = begin_;
  out.width = width_;
  for (LevelId id = 0; id < levels_.size(); ++id) {
    LevelSeries& level_series = out.levels.emplace_back();
    level_series.name = controller_->level_name(id);
    level_series.exempt = controller_->limits(id).exempt;
    level_series.bins.assign(levels_[id].bins.begin(), levels_[id].bins.begin() + static_cast<std::ptrdiff_t>(used));
    for (std::size_t i = 0; i < used; ++i) {
      SeriesBin& b = level_series.bins[i];
      const Nanos from = begin_ + static_cast<Nanos>(i) * width_;
      const double d = seconds_of(std::min(now_, from + width_) - from);
      for (double* integral : {&b.seats, &b.limit, &b.nominal, &b.waiting}) *integral = d > 0 ? *integral / d : 0;
    }
  }
  sort_stably(out.levels, [](const LevelSeries& a, const LevelSeries& b) { return a.name < b.name; });
  return out;
}

}  // namespace apf
