// The event clock of all levels of a server.
#include "schedule/controller.h"

#include <algorithm>
#include <cassert>

#include <fmt/core.h>

#include <apf/error.h>

#include "base/pool.h"
#include "base/releases.h"
#include "classify/dialect.h"
#include "schedule/controller_levels.h"
#include "schedule/end_queue.h"

namespace apf {

ControllerListener::~ControllerListener() = default;
Filter::~Filter() = default;

namespace {

// Adjustments that change nothing are left out when there is more than an hour of them.
constexpr Nanos kLongStill = 3600 * kSecond;

Outcome outcome_of(QueueSet::Verdict verdict) {
  return verdict == QueueSet::Verdict::queue_full ? Outcome::queue_full : Outcome::concurrency_limit;
}

}  // namespace

struct Controller::Impl {
  // From arrival to release. Its slot number is the tag under which the queue set knows it. Not reset for the next one:
  // void deadlines are known by an older generation.
  struct InFlight {
    std::uint64_t tag = 0;
    Nanos additional_latency = 0;
    LevelId level = 0;
    QueueSet::Handle handle = 0;
    std::uint32_t generation = 0;  // grows when the request's deadline becomes void
    bool has_deadline = false;
  };

  ControllerOptions options;
  ControllerListener& listener;
  ControllerLevels levels;
  const Outcome after_deadline;  // of who still waits then

  Nanos now;
  EndQueue ends;
  DeadlineQueue deadlines;
  Nanos next_adjustment;
  Nanos redigest = kNever;  // a level that was removed has become idle
  Nanos idle_until;         // nothing is due before: arrivals mostly find nothing to run
  std::uint64_t order = 0;

  Pool<InFlight> requests;  // by slot; those in flight

  Impl(const ControllerOptions& o, ControllerListener& l)
      : options(o),
        listener(l),
        levels(o),
        after_deadline(has(o.version, Feature::exact_wait_limit) ? Outcome::time_out : Outcome::cancelled),
        now(o.start),
        next_adjustment(o.start),
        idle_until(o.start) {}

  // --- requests

  std::uint32_t take_slot() {
    constexpr std::size_t kMost = TimedEvent::kSlots - 1;
    if (requests.size() == kMost)
      throw Error(fmt::format("more than {} requests are in flight at once: replay a shorter part of the log", kMost));
    return requests.add();
  }

  void void_deadline(InFlight& request) {
    if (!request.has_deadline) return;
    request.has_deadline = false;
    ++request.generation;
    deadlines.note_stale();
    if (deadlines.wants_sweep()) deadlines.sweep([this](const Deadline& d) { return stale(d); });
  }

  bool stale(const Deadline& d) const { return requests.at(d.slot).generation != d.generation; }

  void schedule_end(Nanos time, bool lingering, std::uint32_t slot) {
    ends.push(TimedEvent(time, lingering, order++, slot));
    idle_until = std::min(idle_until, time);
  }

  // A request without a deadline in force has been dispatched.
  void start(const QueueSet::Dispatch& d) {
    const auto slot = static_cast<std::uint32_t>(d.tag);
    InFlight& request = requests.at(slot);
    request.handle = d.handle;
    request.additional_latency = d.additional_latency;
    const Nanos end = listener.on_dispatch(request.tag, now);
    assert(end >= now);
    if (end != kNever) schedule_end(std::max(end, now), false, slot);
  }

  // Starts what the last call on the level's queue set dispatched.
  void start_dispatched(const ControllerLevel& level) {
    const auto dispatched = level.queues->dispatched();
    if (!dispatched.empty()) start_all(dispatched);
    if (options.watch_dispatching) [[unlikely]]
      report_blocked(level);
  }

  void report_blocked(const ControllerLevel& level, std::uint64_t times = 1) {
    const std::optional<std::uint64_t> slot = level.queues->not_accommodated();
    if (slot) listener.on_no_accommodation(requests.at(static_cast<std::uint32_t>(*slot)).tag, now, times);
  }

  [[gnu::noinline]] void start_all(std::span<const QueueSet::Dispatch> dispatched) {
    for (const QueueSet::Dispatch& d : dispatched) {
      void_deadline(requests.at(static_cast<std::uint32_t>(d.tag)));
      start(d);
    }
  }

  // A level that is no longer wanted and has become idle makes the server digest its configuration again.
  void reap_if_idle(const ControllerLevel& level) {
    if (level.quiescing && !level.gone && level.idle()) redigest = now;
  }

  void refuse(ControllerLevel& level, std::uint32_t slot, Outcome outcome) {
    const std::uint64_t tag = requests.at(slot).tag;
    requests.drop(slot);
    listener.on_refuse(tag, now, outcome, level.retry_after.refuse(now));
  }

  // --- events

  [[gnu::always_inline]] inline void finish(std::uint32_t slot) {
    const InFlight& request = requests.at(slot);
    ControllerLevel& level = levels[request.level];
    const std::uint64_t tag = request.tag;
    const Nanos additional_latency = request.additional_latency;
    const bool lingers = level.queues->finish(now, request.handle);
    if (options.watch_finishing) listener.on_finish(tag, now);
    if (lingers) {
      schedule_end(later(now, additional_latency), true, slot);
    } else {
      requests.drop(slot);
      listener.on_release(tag, now);
    }
    start_dispatched(level);
    reap_if_idle(level);
  }

  void release(std::uint32_t slot) {
    const InFlight request = requests.at(slot);
    ControllerLevel& level = levels[request.level];
    level.queues->release(now, request.handle);
    requests.drop(slot);
    listener.on_release(request.tag, now);
    start_dispatched(level);
  }

  void give_up(const Deadline& deadline) {
    if (stale(deadline)) {
      deadlines.forget_stale();
      return;
    }
    InFlight& request = requests.at(deadline.slot);
    request.has_deadline = false;
    ++request.generation;
    ControllerLevel& level = levels[request.level];
    level.queues->time_out(now, request.handle);
    refuse(level, deadline.slot, after_deadline);
    start_dispatched(level);
    reap_if_idle(level);
  }

  // The last arrival found requests in its queue that had waited too long.
  [[gnu::noinline]] void refuse_driven_out(ControllerLevel& level) {
    for (const std::uint64_t slot : level.queues->driven_out()) {
      void_deadline(requests.at(static_cast<std::uint32_t>(slot)));
      refuse(level, static_cast<std::uint32_t>(slot), Outcome::time_out);
    }
  }

  // After a digest.
  void conclude_digest() {
    if (levels.restarts_period() && now > options.start) next_adjustment = listener.next_adjustment(now);
    conclude(true, true);
  }

  // Reports the round and puts its limits in force.
  void conclude(bool config, bool report) {
    if (report) listener.on_round(levels.round(now, config));
    if (!config && !levels.borrows()) return;  // there is no such clock: nothing changed
    for (const LevelId id : levels.present()) {
      levels.apply(now, id);
      start_dispatched(levels[id]);
    }
  }

  // Everything due up to `limit`; of what is due at `limit` only ends of execution and lingering if `ends_only`.
  void run(Nanos limit, bool ends_only) {
    for (;;) {
      const Nanos end = ends.next_time();
      const Nanos other = std::min(std::min(redigest, next_adjustment), deadlines.next_time());
      const Nanos next = std::min(end, other);
      if (next > limit || (ends_only && next == limit && end != next)) {
        idle_until = next;
        return;
      }
      now = std::max(now, next);
      if (end <= other) [[likely]] {
        const TimedEvent event = ends.top();
        ends.pop();
        if (event.lingering()) {
          release(event.slot());
        } else {
          finish(event.slot());
        }
      } else {
        run_other(next);
        if (limit - now > kLongStill) [[unlikely]]
          skip_still_time(limit);
      }
    }
  }

  // Just after an adjustment: leaves out those before `limit` that would change nothing, as nothing else is due.
  void skip_still_time(Nanos limit) {
    const Nanos bound = std::min({limit, ends.next_time(), redigest, deadlines.next_time()});
    if (!options.skips_still_time || bound - now <= kLongStill) return;
    const ControllerListener::Pace pace = listener.pace(now);
    const Nanos last = std::min(bound - 1 - pace.period, pace.until);  // the one after it is made, and reported
    if (next_adjustment != now + pace.period || last < next_adjustment || !levels.is_still(now, pace.period)) return;
    const Nanos times = (last - now) / pace.period;
    levels.stay(now, pace.period, static_cast<std::uint64_t>(times));
    now += times * pace.period;
    next_adjustment = listener.next_adjustment(now);
    assert(next_adjustment == now + pace.period);
    if (options.watch_dispatching && levels.borrows())
      for (const LevelId id : levels.present()) report_blocked(levels[id], static_cast<std::uint64_t>(times));
  }

  // Until when adjustments start nobody, as nobody waits or as they change nothing; the next one, if that is not known.
  Nanos end_of_still_time(Nanos event) {
    const auto waits = [this](LevelId id) { return levels[id].queues->counts().waiting > 0; };
    const auto present = levels.present();
    if (std::none_of(present.begin(), present.end(), waits)) return event;
    const ControllerListener::Pace pace = listener.pace(now);
    if (next_adjustment != now + pace.period || !levels.is_still(now, pace.period)) return next_adjustment;
    return std::min(event, std::max(next_adjustment, pace.until));
  }

  // What is due at `next` and is no end of execution or of lingering.
  void run_other(Nanos next) {
    if (redigest == next) {
      redigest = kNever;
      levels.digest_again(now);
      conclude_digest();
    } else if (next_adjustment == next) {
      next_adjustment = listener.next_adjustment(next);
      assert(next_adjustment > next);
      levels.adjust(now);
      conclude(false, true);
    } else {
      give_up(deadlines.pop());
    }
  }

  void run_until(Nanos limit) {
    assert(limit >= now && limit < kNever);
    if (limit >= idle_until) run(limit, false);
    now = limit;
  }

  // The first deadline that is not stale.
  Nanos next_deadline() {
    while (deadlines.size() > 0 && stale(deadlines.first())) {
      deadlines.pop();
      deadlines.forget_stale();
    }
    return deadlines.next_time();
  }
};

Controller::Controller(const ControllerOptions& options, ControllerListener& listener)
    : impl_(std::make_unique<Impl>(options, listener)) {
  impl_->levels.digest(options.start, {}, options.mandatory_levels);
  impl_->conclude(true, false);
}

Controller::~Controller() = default;

void Controller::digest(Nanos now, const Config& config) {
  assert(now >= impl_->now);
  impl_->run(now, true);
  impl_->now = now;
  impl_->redigest = kNever;
  impl_->levels.digest(now, well_formed_levels(config), imagines_mandatory_levels(config));
  impl_->conclude_digest();
}

void Controller::digest_again(Nanos now) {
  assert(now >= impl_->now);
  impl_->run(now, true);
  impl_->now = now;
  impl_->redigest = kNever;
  impl_->levels.digest_again(now);
  impl_->conclude_digest();
}

Nanos Controller::now() const { return impl_->now; }

void Controller::run_until(Nanos now) { impl_->run_until(now); }

int Controller::arrive(Nanos now, const Ticket& ticket) {
  Impl& c = *impl_;
  c.run_until(now);
  assert(ticket.level < c.levels.size() && !c.levels[ticket.level].gone);
  ControllerLevel& level = c.levels[ticket.level];
  const std::uint32_t slot = c.take_slot();
  {
    Impl::InFlight& request = c.requests.at(slot);
    request.tag = ticket.tag;
    request.level = ticket.level;
  }
  const QueueSet::Arrival arrival = level.queues->arrive(now, ticket.flow_hash, ticket.work, slot);
  if (!level.queues->driven_out().empty()) [[unlikely]]
    c.refuse_driven_out(level);
  if (arrival.verdict != QueueSet::Verdict::accepted) {
    c.refuse(level, slot, outcome_of(arrival.verdict));
    return arrival.queue;
  }
  Impl::InFlight& request = c.requests.at(slot);
  request.handle = arrival.handle;
  const auto dispatched = level.queues->dispatched();
  if (dispatched.size() == 1 && dispatched.front().tag == slot) [[likely]] {
    c.start(dispatched.front());
    if (c.options.watch_dispatching) [[unlikely]]
      c.report_blocked(level);
    return arrival.queue;
  }
  const bool starts =
      std::any_of(dispatched.begin(), dispatched.end(), [&](const QueueSet::Dispatch& d) { return d.tag == slot; });
  if (!starts && ticket.wait_deadline != kNever) {
    request.has_deadline = true;
    const Nanos deadline = std::max(now, ticket.wait_deadline);
    c.deadlines.push({deadline, c.order++, slot, request.generation});
    c.idle_until = std::min(c.idle_until, deadline);
  }
  c.start_dispatched(level);
  return arrival.queue;
}

void Controller::drain() {
  Impl& c = *impl_;
  while (c.requests.size() > 0) {
    const Nanos next = next_event();
    if (next != kNever) c.skip_still_time(next);
    c.run_until(std::min(next, c.next_adjustment));
    // Only adjustments are left and they no longer move anything: what waits now would never be dispatched.
    if (next == kNever && next_event() == kNever && c.levels.settled()) break;
  }
}

Nanos Controller::next_event() const {
  return std::min({impl_->ends.next_time(), impl_->redigest, impl_->next_deadline()});
}

Nanos Controller::next_step() const {
  const Nanos event = next_event();
  if (impl_->requests.size() == 0 || event <= impl_->next_adjustment) return event;
  return event - impl_->now > kLongStill ? impl_->end_of_still_time(event) : impl_->next_adjustment;
}

LevelId Controller::level_id(std::string_view name) const {
  if (const std::optional<LevelId> id = impl_->levels.find(name)) return *id;
  throw Error(fmt::format("there is no priority level \"{}\"; name one of the configuration in force", name));
}

const std::string& Controller::level_name(LevelId id) const { return impl_->levels[id].spec.name; }

std::size_t Controller::level_count() const { return impl_->levels.size(); }

const LevelLimits& Controller::limits(LevelId id) const { return impl_->levels[id].limits; }

int Controller::current_cl(LevelId id) const { return impl_->levels[id].borrow.current_cl; }

QueueSet& Controller::queue_set(LevelId id) { return *impl_->levels[id].queues; }

std::uint64_t Controller::odd_deviations() const { return impl_->levels.odd_deviations(); }
const ControllerOptions& Controller::options() const { return impl_->options; }

}  // namespace apf
