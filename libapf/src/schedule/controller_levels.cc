// Digesting configurations and adjusting limits.
#include "schedule/controller_levels.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/releases.h"

namespace apf {

namespace {

// Movements of smoothed demand below this no longer count: targets below 0.001 are all alike.
constexpr double kSettled = 1e-6;

// Smaller targets count as this, see allocate().
constexpr double kLeastTarget = 0.001;

bool is_mandatory(const std::string& name) { return name == "exempt" || name == "catch-all"; }

}  // namespace

ControllerLevels::ControllerLevels(const ControllerOptions& options)
    : options_(options), rule_(borrow_rule(options.version, options.borrowing)) {
  if (!has(options.version, Feature::exact_wait_limit)) queue_rules_.lazy_wait_limit = options.lazy_wait_limit;
  queue_rules_.bounds_after_removal = has(options.version, Feature::bound_after_removal);
}

std::optional<LevelId> ControllerLevels::find(std::string_view name) const {
  const auto at = std::lower_bound(present_.begin(), present_.end(), name, [&](LevelId id, std::string_view wanted) {
    return levels_[id]->spec.name < wanted;
  });
  if (at == present_.end() || levels_[*at]->spec.name != name) return std::nullopt;
  return *at;
}

LevelId ControllerLevels::introduce(const LevelSpec& spec) {
  auto level = std::make_unique<ControllerLevel>();
  level->spec = spec;
  level->retry_after = RetryAfter(has(options_.version, Feature::growing_retry_after));
  // The server counts refusals by name and never forgets one.
  for (const auto& former : levels_) {
    if (former->spec.name == spec.name) level->retry_after = former->retry_after;
  }
  levels_.push_back(std::move(level));
  return static_cast<LevelId>(levels_.size() - 1);
}

// Wanted levels, then of the former ones those that are mandatory (they keep their last spec) or busy.
void ControllerLevels::choose_present(std::vector<LevelId>& next) {
  std::vector<bool> is_wanted(levels_.size(), false);
  for (const LevelSpec& spec : wanted_) {
    // Only a level that was imagined before the first configuration can differ.
    if (const std::optional<LevelId> id = find(spec.name); id && levels_[*id]->spec.exempt == spec.exempt) {
      ControllerLevel& level = *levels_[*id];
      level.spec = spec;
      level.quiescing = false;
      is_wanted[*id] = true;
      next.push_back(*id);
    } else {
      next.push_back(introduce(spec));
    }
  }
  for (const LevelId id : present_) {
    if (is_wanted[id]) continue;
    ControllerLevel& level = *levels_[id];
    if (!imagines_ || !is_mandatory(level.spec.name)) {
      if (level.idle()) {
        level.gone = true;
        continue;
      }
      level.quiescing = true;
    }
    next.push_back(id);
  }
}

void ControllerLevels::digest(Nanos now, std::vector<LevelSpec> wanted, bool imagines) {
  wanted_ = std::move(wanted);
  imagines_ = imagines;
  std::vector<LevelId> next;
  choose_present(next);
  for (const LevelSpec& mandatory : imagines_ ? mandatory_levels() : std::vector<LevelSpec>()) {
    const bool there =
        std::any_of(next.begin(), next.end(), [&](LevelId id) { return levels_[id]->spec.name == mandatory.name; });
    if (!there) next.push_back(introduce(mandatory));
  }
  std::sort(next.begin(), next.end(),
            [&](LevelId a, LevelId b) { return levels_[a]->spec.name < levels_[b]->spec.name; });
  bool changed = present_ != next;
  present_ = std::move(next);
  changed = divide() || changed;
  const bool by_kep = rule_ == BorrowRule::kep || rule_ == BorrowRule::kep_limited_only;
  restarts_period_ = by_kep && changed;
  if (!by_kep || changed) adjust(now);
  for (const LevelId id : present_) levels_[id]->limits.initial_cl = levels_[id]->borrow.current_cl;
}

bool ControllerLevels::divide() {
  std::vector<LevelSpec> specs;
  std::vector<LevelLimits> limits;
  for (const LevelId id : present_) {
    specs.push_back(levels_[id]->spec);
    limits.push_back(levels_[id]->limits);
  }
  nominal_sum_ = divide_concurrency(specs, options_.server_concurrency_limit, options_.version, limits).nominal_sum;
  bool changed = false;
  for (std::size_t i = 0; i < present_.size(); ++i) {
    ControllerLevel& level = *levels_[present_[i]];
    const BorrowState before = level.borrow;
    level.limits = limits[i];
    take_limits(level.limits, level.borrow);
    changed = changed || before.nominal_cl != level.borrow.nominal_cl || before.min_cl != level.borrow.min_cl ||
              before.max_cl != level.borrow.max_cl;
    if (!level.queues) level.borrow.current_cl = initial_current_cl(level.limits);
  }
  return changed;
}

void ControllerLevels::adjust(Nanos now) {
  observe(now);
  step();
}

// Ends the period of every level's integrator.
void ControllerLevels::observe(Nanos now) {
  for (const LevelId id : present_) {
    ControllerLevel& level = *levels_[id];
    if (!level.queues) continue;
    const SeatDemandStats demand = level.queues->demand().reset(now);
    odd_deviations_ += demand.duration > 0 && std::isnan(demand.stdev);
    level.borrow.observe(demand);
  }
}

void ControllerLevels::step() {
  states_.clear();
  for (const LevelId id : present_) states_.push_back(levels_[id]->borrow);
  fair_frac_ = borrow_step(states_, {nominal_sum_, options_.server_concurrency_limit}, rule_);
  settled_ = !borrows() || rounds_.size() == states_.size();
  rounds_.resize(states_.size());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const BorrowState& s = states_[i];
    LevelRound& round = rounds_[i];
    if (borrows() && (round.level != present_[i] || round.current_cl != s.current_cl ||
                      std::abs(round.smoothed - s.smoothed) >= kSettled)) {
      settled_ = false;
    }
    levels_[present_[i]]->borrow = s;
    round = {.level = present_[i],
             .nominal_cl = s.nominal_cl,
             .min_cl = s.min_cl,
             .max_cl = s.max_cl,
             .current_cl = s.current_cl,
             .high_watermark = static_cast<double>(s.high_watermark),
             .avg = s.avg,
             .stdev = s.stdev,
             .smoothed = s.smoothed,
             .min_current_cl = static_cast<double>(s.min_current_cl),
             .target = s.target};
  }
}

// Of a state after a whole period of constant demand: will the next ones give the level the same limit? Smoothed demand
// follows from its last value by a function that never falls when that rises: once it stays it stays, and once it falls
// it falls on. It does not matter where a level's limit does not depend on it.
bool ControllerLevels::is_settled(const BorrowState& state) const {
  if (!borrows() || (state.exempt && rule_ != BorrowRule::exempt_alike)) return true;
  const double next = state.next_smoothed();
  return next == state.smoothed ||
         (next < state.smoothed && state.smoothed <= std::max<double>(state.min_current_cl, kLeastTarget));
}

bool ControllerLevels::is_still(Nanos now, Nanos period) {
  states_.clear();
  for (const LevelId id : present_) {
    ControllerLevel& level = *levels_[id];
    if (!level.queues->demand().is_fresh(now)) return false;
    SeatDemandIntegrator demand = level.queues->demand();
    states_.push_back(level.borrow);
    states_.back().observe(demand.get(now + period));
  }
  borrow_step(states_, {nominal_sum_, options_.server_concurrency_limit}, rule_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const BorrowState& before = levels_[present_[i]]->borrow;
    const BorrowState& after = states_[i];
    if (after.current_cl != before.current_cl || after.min_current_cl != before.min_current_cl || !is_settled(after))
      return false;
  }
  return true;
}

void ControllerLevels::stay(Nanos now, Nanos period, std::uint64_t times) {
  assert(times > 0);
  for (const LevelId id : present_) {
    ControllerLevel& level = *levels_[id];
    level.borrow.observe(level.queues->demand().get(now + period));
    for (std::uint64_t i = 1; i < times; ++i) {
      const double next = level.borrow.next_smoothed();
      if (next == level.borrow.smoothed) break;
      level.borrow.smoothed = next;
    }
    level.queues->demand().reset(now + period * static_cast<Nanos>(times));
    if (borrows()) level.queues->stay(period, times);
  }
  step();
}

void ControllerLevels::apply(Nanos now, LevelId id) {
  ControllerLevel& level = *levels_[id];
  const QueueSetSettings settings = level.spec.settings(level.borrow.current_cl);
  if (level.queues) {
    level.queues->configure(now, settings);
  } else {
    level.queues.emplace(settings, now, queue_rules_);
    if (options_.watch_dispatching) level.queues->watch_dispatching();
  }
}

}  // namespace apf
