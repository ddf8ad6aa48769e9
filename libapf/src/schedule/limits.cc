// Nominal, lendable and borrowing limits of levels from their shares, and what a fresh server makes of them.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

#include <apf/classify.h>
#include <apf/limits.h>

#include "base/releases.h"
#include "classify/dialect.h"
#include "schedule/level_state.h"

namespace apf {

namespace {

constexpr double kMaxSeatsPart = 0.15;  // of a level's nominal seats, for one request

int percent_of(int seats, std::int32_t percent) {
  return saturated_int(std::round(static_cast<double>(seats) * percent / 100));
}

int saturated_sum(int a, int b) { return saturated_int(static_cast<double>(a) + b); }

// Before 1.28 exempt levels had no seats.
bool has_seats(const LevelSpec& spec, KubeVersion version) {
  return !spec.exempt || has(version, Feature::exempt_level_has_seats);
}

void set_limits(const LevelSpec& spec, int nominal_cl, int server_concurrency_limit, KubeVersion version,
                LevelLimits& limits) {
  limits.name = spec.name;
  limits.exempt = spec.exempt;
  limits.reject = spec.reject();
  limits.nominal_concurrency_shares = has_seats(spec, version) ? spec.nominal_concurrency_shares : 0;
  limits.nominal_cl = nominal_cl;
  limits.lendable_cl = limits.borrowing_cl = 0;
  if (has(version, Feature::borrowing) && has_seats(spec, version)) {
    limits.lendable_cl = percent_of(nominal_cl, spec.lendable_percent);
    limits.borrowing_cl =
        spec.borrowing_limit_percent ? percent_of(nominal_cl, *spec.borrowing_limit_percent) : server_concurrency_limit;
  }
  limits.min_cl = saturated_sum(nominal_cl, -limits.lendable_cl);
  limits.max_cl = saturated_sum(nominal_cl, limits.borrowing_cl);
  limits.queues = spec.queues;
  limits.hand_size = spec.hand_size;
  limits.queue_length_limit = spec.queue_length_limit;
  if (spec.queues > 0 && has(version, Feature::level_max_seats))
    limits.max_seats = max_seats_of(nominal_cl, spec.hand_size);
}

}  // namespace

QueueSetSettings LevelSpec::settings(int current_cl) const {
  return {.queues = exempt ? -1 : queues,
          .hand_size = hand_size,
          .queue_length_limit = queue_length_limit,
          .concurrency_limit = std::max(0, current_cl)};
}

LevelSpec level_spec(const PriorityLevel& level) {
  LevelSpec spec;
  spec.name = level.meta.name;
  spec.exempt = level.type == "Exempt";
  if (level.limited) {
    spec.nominal_concurrency_shares = level.limited->nominal_concurrency_shares.value_or(0);
    spec.lendable_percent = level.limited->lendable_percent.value_or(0);
    spec.borrowing_limit_percent = level.limited->borrowing_limit_percent;
    if (const auto& queuing = level.limited->queuing) {
      spec.queues = queuing->queues;
      spec.hand_size = queuing->hand_size;
      spec.queue_length_limit = queuing->queue_length_limit;
    }
  } else if (level.exempt) {
    spec.nominal_concurrency_shares = level.exempt->nominal_concurrency_shares.value_or(0);
    spec.lendable_percent = level.exempt->lendable_percent.value_or(0);
  }
  return spec;
}

namespace {

LevelSpec mandatory_exempt_level() {
  LevelSpec spec;
  spec.name = "exempt";
  spec.exempt = true;
  return spec;
}

LevelSpec mandatory_catch_all_level() {
  LevelSpec spec;
  spec.name = "catch-all";
  spec.nominal_concurrency_shares = 5;
  return spec;
}

}  // namespace

std::vector<LevelSpec> mandatory_levels() { return {mandatory_exempt_level(), mandatory_catch_all_level()}; }

std::vector<LevelSpec> mandatory_levels(const Config& config) {
  return imagines_mandatory_levels(config) ? mandatory_levels() : std::vector<LevelSpec>();
}

std::vector<LevelSpec> well_formed_levels(const Config& config) {
  std::map<std::string, LevelSpec> by_name;
  Config storage;
  for (const PriorityLevel& level : in_force(config, storage).priority_levels) {
    if (malformed_reason(level).empty()) by_name.insert_or_assign(level.meta.name, level_spec(level));
  }
  std::vector<LevelSpec> specs;
  for (auto& [name, spec] : by_name) specs.push_back(std::move(spec));
  return specs;
}

NominalSums divide_concurrency(std::span<const LevelSpec> specs, int server_concurrency_limit, KubeVersion version,
                               std::span<LevelLimits> limits) {
  assert(specs.size() == limits.size());
  NominalSums sums;
  for (const LevelSpec& spec : specs) {
    if (has_seats(spec, version)) sums.share_sum += spec.nominal_concurrency_shares;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    int nominal_cl = 0;
    if (has_seats(specs[i], version)) {
      nominal_cl = saturated_int(std::ceil(static_cast<double>(server_concurrency_limit) *
                                           static_cast<double>(specs[i].nominal_concurrency_shares) /
                                           static_cast<double>(sums.share_sum)));
    }
    set_limits(specs[i], nominal_cl, server_concurrency_limit, version, limits[i]);
    sums.nominal_sum += nominal_cl;
  }
  return sums;
}

void take_limits(const LevelLimits& limits, BorrowState& state) {
  state.exempt = limits.exempt;
  state.nominal_cl = limits.nominal_cl;
  state.min_cl = limits.min_cl;
  state.max_cl = limits.max_cl;
}

int max_seats_of(int nominal_cl, int hand_size) {
  const double part = std::ceil(static_cast<double>(nominal_cl) * kMaxSeatsPart);
  const int by_hand = hand_size > 0 ? nominal_cl / hand_size : nominal_cl;
  return std::max(1, std::min(saturated_int(part), by_hand));
}

const LevelLimits* find_level(const LimitsTable& table, std::string_view name) {
  const auto at = std::find_if(table.levels.begin(), table.levels.end(),
                               [&](const LevelLimits& level) { return level.name == name; });
  return at == table.levels.end() ? nullptr : &*at;
}

LimitsTable compute_limits(const Config& config, int server_concurrency_limit, KubeVersion version) {
  std::vector<LevelSpec> specs = well_formed_levels(config);
  const auto by_name = [](const LevelSpec& a, const LevelSpec& b) { return a.name < b.name; };
  for (LevelSpec& mandatory : mandatory_levels(config)) {
    const auto at = std::lower_bound(specs.begin(), specs.end(), mandatory, by_name);
    if (at == specs.end() || at->name != mandatory.name) specs.insert(at, std::move(mandatory));
  }

  LimitsTable table;
  table.server_concurrency_limit = server_concurrency_limit;
  table.levels.resize(specs.size());
  const NominalSums sums = divide_concurrency(specs, server_concurrency_limit, version, table.levels);
  table.share_sum = sums.share_sum;
  table.nominal_sum = sums.nominal_sum;

  std::vector<BorrowState> states(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    take_limits(table.levels[i], states[i]);
    states[i].current_cl = initial_current_cl(table.levels[i]);
  }
  table.fair_frac =
      borrow_step(states, {sums.nominal_sum, server_concurrency_limit}, borrow_rule(version, Borrowing::server));
  for (std::size_t i = 0; i < specs.size(); ++i) table.levels[i].initial_cl = states[i].current_cl;
  return table;
}

}  // namespace apf
