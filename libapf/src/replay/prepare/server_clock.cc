#include "replay/prepare/server_clock.h"

#include "logs/formats/server_notes.h"

#include <algorithm>
#include <tuple>

namespace apf {

namespace {

// Lines of a digest follow each other within microseconds; two digests one after the other are milliseconds apart. An
// adjustment may be interrupted for longer, but names no level twice.
constexpr Nanos kDigestGap = 2 * kMillisecond, kRoundGap = 50 * kMillisecond;
// A tick is late rather than early: the machine may be busy.
constexpr Nanos kEarly = 5 * kMillisecond;
constexpr Nanos kLate = 60 * kMillisecond;
// What the 10 s clock loses a tick on an idle machine (0.2 to 1.7 ms were seen).
constexpr Nanos kUsualDrift = 600'000;
constexpr Nanos kMostDrift = 2 * kMillisecond;
// From the writing of an object until its digest.
constexpr Nanos kSoon = 100 * kMillisecond, kLast = 5 * kSecond;

}  // namespace

void ServerClock::take(const KeptNote& note) {
  switch (note.kind) {
    case ServerNote::Kind::created:
      seats_ = note.value;
      return;
    case ServerNote::Kind::flag:
    case ServerNote::Kind::version:
      take_server_flag({note.kind, note.time, note.level, note.value}, flags_);
      return;
    case ServerNote::Kind::trouble:
      return;
    case ServerNote::Kind::rebalancing:
      if (start_) ++restarts_;
      else start_ = note.time;
      return;
    case ServerNote::Kind::current_cl:
    case ServerNote::Kind::configured: {
      if (!follows_log_) return;
      const bool limit = note.kind == ServerNote::Kind::current_cl;
      const auto said = [&](const auto& l) { return l.first == note.level; };
      auto at = std::upper_bound(bursts_.begin(), bursts_.end(), note.time,
                                 [](Nanos time, const Burst& burst) { return time < burst.begin; });
      bool same = at != bursts_.begin();
      if (same) {
        const Burst& last = *std::prev(at);
        same = note.time - last.end <= (last.configured ? kDigestGap : kRoundGap);
        // A digest names the configuration first, and every level once.
        same = same && (limit ? std::none_of(last.limits.begin(), last.limits.end(), said) : last.limits.empty());
      }
      at = same ? std::prev(at) : bursts_.insert(at, {note.time, note.time, false, {}, Burst::Use::none});
      Burst& burst = *at;
      burst.end = std::max(burst.end, note.time);
      if (limit) burst.limits.emplace_back(note.level, note.value);
      else burst.configured = true;
      return;
    }
  }
}

std::optional<std::int64_t> ServerClock::server_concurrency_limit() const {
  if (seats_) return seats_;
  return flags_.shared_seats();
}

ServerClock ServerClock::without_log(bool drifts, bool seats) const {
  ServerClock clock;
  if (seats) clock.seats_ = server_concurrency_limit();
  if (drifts) clock.assumed_drift_ = drift();
  return clock;
}

void ServerClock::stop_following() {
  if (!follows_log_) return;
  follows_log_ = false;
  if (knows_anything()) assumed_drift_ = drift();
  bursts_.clear();
}

std::optional<Nanos> ServerClock::grid() const {
  if (start_) return start_;
  for (std::size_t i = 0; i < bursts_.size(); ++i) {
    if (bursts_[i].configured) continue;
    for (std::size_t j = i + 1; j < bursts_.size() && j < i + 64; ++j) {
      if (bursts_[j].configured) continue;
      const Nanos distance = bursts_[j].begin - bursts_[i].begin;
      const Nanos periods = (distance + kBorrowingPeriod / 2) / kBorrowingPeriod;
      const Nanos off = distance - periods * kBorrowingPeriod;
      if (periods >= 1 && periods <= 360 && off >= 0 && off <= periods * kMostDrift) return bursts_[i].begin;
    }
  }
  return std::nullopt;
}

Nanos ServerClock::drift() const {
  return ticks_seen_ == 0 ? kUsualDrift
                          : std::clamp<Nanos>(drift_sum_ / static_cast<Nanos>(ticks_seen_), 0, kMostDrift);
}

ControllerListener::Pace ServerClock::pace(Nanos tick) const {
  if (assumed_drift_) return {kBorrowingPeriod + *assumed_drift_, kNever};
  if (!knows_anything()) return {kBorrowingPeriod, kNever};
  ControllerListener::Pace pace{kBorrowingPeriod + drift(), kNever};
  for (const Burst& burst : bursts_) {
    if (burst.use != Burst::Use::none || burst.begin < tick) continue;
    pace.until = burst.begin - pace.period - kLate - 1;
    break;
  }
  return pace;
}

Nanos ServerClock::next_tick(Nanos tick) {
  if (assumed_drift_) return tick + kBorrowingPeriod + *assumed_drift_;
  if (!knows_anything()) return tick + kBorrowingPeriod;
  ++ticks_;
  const Nanos expected = tick + kBorrowingPeriod + drift();
  Burst* found = nullptr;
  for (Burst& burst : bursts_) {
    if (burst.begin > expected + kLate) break;
    if (burst.begin < expected - kEarly || burst.use != Burst::Use::none) continue;
    if (!found || (found->configured && !burst.configured)) found = &burst;
  }
  if (!found || found->configured) return expected;
  found->use = Burst::Use::tick;
  ++ticks_seen_;
  drift_sum_ += std::clamp<Nanos>(found->begin - tick - kBorrowingPeriod, 0, kMostDrift);
  return found->begin;
}

std::optional<Nanos> ServerClock::claim_change(Nanos time) {
  // Soon after it was written; else, when the server was busy, the first that changes levels.
  for (const auto& [from, to, any] :
       {std::tuple{time, time + kSoon, true}, std::tuple{time - kSoon, time + kLast, false}}) {
    for (Burst& burst : bursts_) {
      if (burst.begin > to) break;
      if (burst.begin < from || burst.use != Burst::Use::none || !(any || burst.configured)) continue;
      burst.use = Burst::Use::change;
      return burst.begin;
    }
  }
  return std::nullopt;
}

const ServerClock::Burst* ServerClock::next_digest(Nanos after, Nanos until, Nanos next_tick) {
  for (const Burst& burst : bursts_) {
    if (burst.begin > until || burst.begin >= next_tick + kLate) break;
    if (burst.begin > after && burst.use == Burst::Use::none) return &burst;
  }
  return nullptr;
}

void ServerClock::use(const Burst& burst, Burst::Use use) { const_cast<Burst&>(burst).use = use; }

const ServerClock::Burst* ServerClock::at(Nanos time) const {
  const auto it = std::lower_bound(bursts_.begin(), bursts_.end(), time,
                                   [](const Burst& burst, Nanos t) { return burst.begin < t; });
  return it != bursts_.end() && it->begin == time ? &*it : nullptr;
}

void ServerClock::forget_before(Nanos time) {
  while (!bursts_.empty() && bursts_.front().end < time) bursts_.pop_front();
}

}  // namespace apf
