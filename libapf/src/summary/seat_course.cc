#include "summary/seat_course.h"

#include <algorithm>

#include "base/sort_stably.h"

namespace apf {

SeatCourse::SeatCourse(std::optional<int> seats, const Config* config) : seats_(seats), exempt_{"exempt"} {
  if (!config) return;
  for (const PriorityLevel& level : config->priority_levels)
    if (level.type == "Exempt") exempt_.insert(level.meta.name);
}

void SeatCourse::add(const RequestFacts& facts, const TraceRequest& request, bool limited, const LogNames& names) {
  constexpr Nanos kNoWait = kMillisecond;
  if (!seats_ || *seats_ <= 0 || !limited || facts.level == Names::kNone) return;
  const auto [at, is_new] = levels_.try_emplace(facts.level);
  Level& level = at->second;
  if (is_new) level.exempt = exempt_.contains(std::string(names.levels.text(facts.level)));
  if (level.exempt) return;
  if (request.recorded.cause == AnswerCause::max_in_flight) return;
  if (first_ == INT64_MIN) first_ = facts.arrival;
  while (!changes_.empty() && changes_.top().time < facts.arrival) {
    apply(changes_.top());
    changes_.pop();
  }
  ++level.requests;
  const Nanos wait = request.recorded.queue_wait.value_or(0);
  const Nanos dispatch = facts.arrival + wait;
  level.long_waits += wait >= kSecond;
  if (wait >= kNoWait) {
    changes_.push({facts.arrival, Kind::enqueue, facts.level, 0});
    changes_.push({dispatch, Kind::leave, facts.level, 0});
  }
  if (facts.refused) {
    ++refused_;
    level.timed_out += wait >= kSecond;
    changes_.push({dispatch, Kind::refuse, facts.level, 0});
    return;
  }
  ++ran_;
  if (!facts.seats_recorded || !facts.duration) return;
  ++known_;
  add_run(facts, request, dispatch, level);
}

void SeatCourse::add_run(const RequestFacts& facts, const TraceRequest& request, Nanos dispatch, Level& level) {
  const WorkEstimate& work = *request.seats;
  const Nanos run = facts.watch         ? request.init.value_or(0)
                    : request.execution ? *request.execution
                                        : std::max<Nanos>(0, *facts.duration - request.recorded.queue_wait.value_or(0));
  const Nanos end = dispatch + run, released = end + (work.final_seats > 0 ? work.additional_latency : 0);
  // As the server has it: the more of both, from the beginning to the end.
  const int seats = std::max(work.initial_seats, work.final_seats);
  if (released > dispatch && seats > 0) {
    changes_.push({dispatch, Kind::dispatch, facts.level, seats});
    changes_.push({released, Kind::release, facts.level, seats});
  }
  ++level.ran;
  level.seat_seconds += facts.seat_seconds;
}

void SeatCourse::advance(Nanos to) {
  constexpr Nanos kBetweenTwo = 10 * kMillisecond;  // a seat that is free for no longer was handed over
  if (now_ != INT64_MIN && to > now_) {
    const double lasted = static_cast<double>(to - now_);
    idle_ += lasted * std::max(0, *seats_ - in_use_);
    if (in_use_ > *seats_) beyond_ += lasted;
    if (in_use_ >= *seats_) {
      full_.all += lasted;
      if (full_since_ == INT64_MIN || now_ - full_until_ > kBetweenTwo) full_since_ = now_;
      full_until_ = to;
      full_.longest = std::max(full_.longest, static_cast<double>(to - full_since_));
    }
  }
  now_ = std::max(now_, to);
}

void SeatCourse::apply(const Change& change) {
  advance(change.time);
  Level& level = levels_[change.level];
  switch (change.kind) {
    case Kind::release:
      in_use_ -= change.seats;
      return;
    case Kind::dispatch:
      in_use_ += change.seats;
      return;
    case Kind::enqueue:
      if (level.waiting++ > 0) return;
      level.since = now_;
      level.idle_before = idle_;
      return;
    case Kind::leave:
      if (--level.waiting > 0) return;
      level.waited += static_cast<double>(now_ - level.since);
      level.idle_while_waiting += idle_ - level.idle_before;
      return;
    case Kind::refuse:
      ++level.refused;
      level.refused_beside_waits += level.waiting > 0;
      level.idle_at_refusals += std::max(0, *seats_ - in_use_);
      return;
  }
}

std::optional<Remark> SeatCourse::cause_of(const Level& level) const {
  constexpr std::uint64_t kLeast = 10, kFew = 100;  // fewer show nothing; one of so many
  if (level.ran < kLeast) return std::nullopt;
  if (level.refused < kLeast && (level.long_waits < kLeast || level.long_waits * kFew < level.requests))
    return std::nullopt;
  const double at_refusals = level.refused > 0 ? level.idle_at_refusals / static_cast<double>(level.refused) : 0;
  const double while_waiting = level.waited > 0 ? level.idle_while_waiting / level.waited : 0;
  const bool by_waits = is_by_waits(level.refused, level.timed_out, at_refusals, while_waiting);
  SeatBalance balance{static_cast<double>(*seats_), by_waits ? while_waiting : at_refusals};
  // Where refusals do not come with waits, as of a level without queues, what was refused is over the whole time.
  const bool beside_waits = level.refused_beside_waits * 2 > level.refused;
  const double time = beside_waits ? level.waited : static_cast<double>(now_ - first_);
  balance.refused_load = refused_load(level.refused, level.ran, level.seat_seconds, time / 1e9);
  return apf::cause_of(balance, level.refused > 0, full_);
}

// Of nearly all that ran the seats are known, what ran is no mere rest of a log of refusals, and it is of one server:
// none has more seats in use than there are.
bool SeatCourse::is_known() const {
  constexpr double kNearlyAll = 0.95, kHardlyAny = 0.05;
  const auto ran = static_cast<double>(ran_);
  return ran > 0 && static_cast<double>(known_) >= kNearlyAll * ran &&
         ran >= kHardlyAny * static_cast<double>(refused_) &&
         beyond_ <= kHardlyAny * static_cast<double>(now_ - first_);
}

std::vector<Remark> SeatCourse::causes(const LogNames& names) {
  for (; !changes_.empty(); changes_.pop()) apply(changes_.top());
  std::vector<Remark> out;
  if (!is_known()) return out;
  std::vector<std::pair<std::uint32_t, const Level*>> ranked;
  for (const auto& [id, level] : levels_) ranked.emplace_back(id, &level);
  sort_stably(ranked, [](const auto& a, const auto& b) {
    if (a.second->refused != b.second->refused) return a.second->refused > b.second->refused;
    return a.second->waited > b.second->waited;
  });
  for (const auto& [id, level] : ranked) {
    std::optional<Remark> cause = cause_of(*level);
    if (!cause) continue;
    cause->name = names.levels.text(id);
    out.push_back(std::move(*cause));
  }
  return out;
}

}  // namespace apf
