#include "replay/engine/prelude.h"

#include <apf/error.h>

#include <algorithm>
#include <limits>

#include "base/parallel.h"

namespace apf {

namespace {

// What is held back: enough to see several ticks of the clock, and little beside the window of the reordering.
constexpr std::size_t kMostHeld = 10'000;
constexpr Nanos kLongestHeld = 120 * kSecond;

// With fewer recorded waits, or over a shorter time, a phase fits as well as any other.
constexpr std::uint64_t kLeastWaits = 50;
constexpr Nanos kLeastSpan = 25 * kSecond;
constexpr Nanos kCoarse = kSecond / 2, kFine = kSecond / 10;

// Samples of the overhead; fewer say nothing. More than that is no overhead (0.2 to 0.3 ms were seen), but waits that
// the log does not tell.
constexpr std::size_t kLeastSamples = 20;
constexpr Nanos kMostOverhead = 5 * kMillisecond;

Nanos quantile(std::vector<Nanos>& values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

void Prelude::hold(Nanos now, const JoinedEvent& joined, std::string&& id_text) {
  if (held_.empty()) held_.reserve(kMostHeld);
  held_.push_back({now, joined, std::move(id_text)});
  if (held_.size() >= kMostHeld || now - held_.front().now >= kLongestHeld) release();
}

void Prelude::finish() {
  if (!over_ && !held_.empty()) release();
}

void Prelude::release() {
  over_ = true;
  const Nanos first_arrival = held_.front().now;
  const EngineStart start = find_start(first_arrival);
  // What the log shows of a server with another clock happens at other times in this one.
  if (start.known == EngineStart::Known::given || context_.clock_shift() != 0) context_.clock.stop_following();
  engine_.begin(first_arrival, start);
  for (const Held& held : held_)
    if (held.joined.kind == JoinedEvent::Kind::request) engine_.foresee(held.joined.event);
  for (Held& held : held_) engine_.take(held.now, held.joined, std::move(held.id_text));
  std::vector<Held>().swap(held_);
}

// The median of what requests took beside execution and wait, where both are known; where only the total and the
// execution are, what nearly all of them took at least.
Nanos Prelude::overhead() const {
  std::vector<Nanos> exact, at_least;
  for (const Held& held : held_) {
    const PreparedEvent& e = held.joined.event;
    if (!e.http || e.watch || e.execution == kNoTime || e.stage_time == kNoTime || e.recorded_refusal) continue;
    const Nanos rest = e.stage_time - e.received - e.execution;
    const bool never_waits = e.recorded != 0 && context_.numbers.places[e.recorded - 1].priority_level == "exempt";
    if (e.queue_wait != kNoTime && !e.derived_wait) exact.push_back(rest - e.queue_wait);
    else if (never_waits) exact.push_back(rest);
    else at_least.push_back(rest);
  }
  Nanos overhead = 0;
  if (exact.size() >= kLeastSamples) overhead = quantile(exact, 0.5);
  else if (at_least.size() >= kLeastSamples) overhead = quantile(at_least, 0.05);
  return overhead > kMostOverhead ? 0 : std::max<Nanos>(overhead, 0);
}

EngineStart Prelude::find_start(Nanos first_arrival) const {
  EngineStart start;
  start.overhead = overhead();
  start.recorded = !held_.front().joined.event.trace;
  start.start = first_arrival;
  const bool log_starts = context_.clock.start() && *context_.clock.start() <= first_arrival;
  const std::optional<Nanos> grid = context_.clock.grid();
  if (context_.options.start && !(context_.log_sets_clock && (log_starts || grid))) {
    start.known = EngineStart::Known::given;
    start.start = context_.options.start->relative ? later(first_arrival, context_.options.start->value)
                                                   : context_.options.start->value;
    if (start.start > first_arrival)
      throw Error("the start " + format_rfc3339(start.start) + " is after the first arrival at " +
                  format_rfc3339(first_arrival) + "; give the time when the server started, or leave it out");
  } else if (log_starts) {
    start.known = EngineStart::Known::logged;
    start.start = *context_.clock.start();
  } else if (grid) {
    start.known = EngineStart::Known::grid;
    const Nanos since = (first_arrival - *grid) % kBorrowingPeriod;
    start.start = first_arrival - (since < 0 ? since + kBorrowingPeriod : since);
  } else if (can_fit(start.fitted_waits)) {
    start.known = EngineStart::Known::fitted;
    start.start = best_phase(first_arrival);
  }
  start.start -= context_.clock_shift();
  return start;
}

bool Prelude::can_fit(std::uint64_t& waits) const {
  waits = 0;
  if (context_.options.in_flight || context_.options.borrowing == Borrowing::off ||
      held_.back().now - held_.front().now < kLeastSpan)
    return false;
  for (const Held& held : held_) {
    const PreparedEvent& e = held.joined.event;
    const bool by_hand = e.trace && e.code == 0;
    if (held.joined.kind == JoinedEvent::Kind::request && !by_hand && !e.recorded_refusal && e.queue_wait != kNoTime &&
        e.queue_wait > kMillisecond)
      ++waits;
  }
  return waits >= kLeastWaits;
}

// Replays what is held with the clock in that phase.
double Prelude::misfit(Nanos first_arrival, Nanos start, Nanos overhead) const {
  ReplayOptions options = context_.options;
  options.unknown_waits = UnknownWaits::recorded_ends;  // the log's own waits are to be found
  options.decisions_path.clear();
  options.dump_at.clear();
  options.timeline_path.clear();
  options.retries = options.metrics = false;
  options.client_limits.reset();
  options.client_timeouts.clear();
  options.client_models.clear();
  options.scales.clear();
  options.event_rate_limit.reset();
  options.resource_quotas.clear();
  options.resource_quota_configuration.reset();
  options.from.reset();
  options.to.reset();
  Flows flows = context_.flows.frozen();
  ServerClock clock;
  const RunContext context{options,
                           context_.classifiers,
                           flows,
                           clock,
                           context_.numbers,
                           nullptr,
                           context_.first_configuration,
                           false,
                           context_.rule_set,
                           context_.rule_sets};
  Engine engine(context);
  engine.agreement().keep_misfit();
  EngineStart settings;
  settings.start = start;
  settings.overhead = overhead;
  settings.recorded = !held_.front().joined.event.trace;
  engine.begin(first_arrival, settings);
  for (const Held& held : held_)
    if (held.joined.kind == JoinedEvent::Kind::request) engine.foresee(held.joined.event);
  for (const Held& held : held_) engine.take(held.now, held.joined, {});
  engine.finish();
  return engine.agreement().misfit();
}

Nanos Prelude::best_phase(Nanos first_arrival) const {
  const Nanos overhead = this->overhead();
  Nanos best = 0;
  double least = -1;
  const auto try_all = [&](const std::vector<Nanos>& phases) {
    std::vector<double> misfits(phases.size());
    run_tasks(phases.size(), context_.options.threads, [&](std::size_t i) {
      try {
        misfits[i] = misfit(first_arrival, first_arrival - phases[i], overhead);
      } catch (const Error&) {  // the replay itself comes to it, and can say what
        misfits[i] = std::numeric_limits<double>::infinity();
      }
    });
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (least >= 0 && misfits[i] >= least) continue;
      least = misfits[i];
      best = phases[i];
    }
  };
  std::vector<Nanos> phases;
  for (Nanos phase = 0; phase < kBorrowingPeriod; phase += kCoarse) phases.push_back(phase);
  try_all(phases);
  phases.clear();
  const Nanos around = best;
  for (Nanos phase = around - kCoarse + kFine; phase < around + kCoarse; phase += kFine) {
    const Nanos turned = (phase + kBorrowingPeriod) % kBorrowingPeriod;
    if (phase != around) phases.push_back(turned);
  }
  try_all(phases);
  return first_arrival - best;
}

}  // namespace apf
