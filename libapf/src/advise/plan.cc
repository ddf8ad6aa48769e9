#include "advise/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "advise/client_level.h"
#include "advise/clients.h"

namespace apf {

namespace {

constexpr double kCostOfLevel = 4, kCostOfLimit = 2, kCostOfNewLimit = 1.5, kCostOfSeats = 3, kPercentPoints = 50;
// More than that for a client that is to hurt others less takes too much from all other levels.
constexpr double kManyShares = 60;

void change_limited(LimitedLevel& limited, const SuggestChange& change) {
  switch (change.field) {
    case SuggestField::shares:
      limited.nominal_concurrency_shares = change.to;
      return;
    case SuggestField::borrowing:
      limited.borrowing_limit_percent.reset();
      if (change.to >= 0) limited.borrowing_limit_percent = change.to;
      return;
    case SuggestField::lendable:
      limited.lendable_percent = change.to;
      return;
    case SuggestField::queue_length:
      if (limited.queuing) limited.queuing->queue_length_limit = change.to;
      return;
    case SuggestField::queues:
      if (limited.queuing) limited.queuing->queues = change.to;
      return;
    case SuggestField::hand:
      if (limited.queuing) limited.queuing->hand_size = change.to;
      return;
    case SuggestField::level:
    case SuggestField::seats:
      return;
  }
}

// A level for one user has one queue: there are no flows to tell apart (APF223).
void lead_to(const SuggestChange& level, FlowSchema& schema) {
  schema.priority_level = level.level;
  if (!level.user.ends_with('*')) schema.distinguisher_method.reset();
}

auto place_of(const SuggestChange& change) { return std::tie(change.field, change.level); }

}  // namespace

bool isolates(const SuggestChange& change) { return change.field == SuggestField::level && !change.keeps_seats; }

void apply_plan(const Plan& plan, ReplayOptions& options) {
  if (!plan.empty()) options.leaves_out_retries = true;
  for (const SuggestChange& change : plan) {
    if (change.field == SuggestField::seats) {
      options.server_concurrency_limit = change.to;
      options.seats_by_log = false;
    } else if (change.field == SuggestField::level) {
      for (FlowSchema& schema : options.config.flow_schemas)
        if (std::find(change.flow_schemas.begin(), change.flow_schemas.end(), schema.meta.name) !=
            change.flow_schemas.end())
          lead_to(change, schema);
      if (change.precedence > 0) options.config.flow_schemas.push_back(schema_of(change));
      options.config.priority_levels.push_back(level_of(change, options.version));
    } else if (PriorityLevel* level = find_level(options.config, change.level); level && level->limited) {
      change_limited(*level->limited, change);
    }
  }
}

double cost_of(const SuggestChange& change) {
  if (change.field == SuggestField::level) {
    if (!change.keeps_seats) return kCostOfLevel + std::max(0.0, std::log2(change.to / kManyShares));
    return kCostOfLevel + static_cast<double>(change.to) / std::max(1.0, static_cast<double>(change.to) + change.from);
  }
  if (change.from == change.to) return 0;
  if (change.field == SuggestField::borrowing && change.to < 0) return kCostOfLimit;
  if (change.field == SuggestField::borrowing && change.from < 0) return kCostOfNewLimit;
  if (change.field == SuggestField::borrowing || change.field == SuggestField::lendable)
    return 1 + std::abs(change.to - change.from) / kPercentPoints;
  const double from = std::max(change.from, 1), to = std::max(change.to, 1);
  const double cost = 1 + std::abs(std::log2(to / from));
  return change.field == SuggestField::seats ? kCostOfSeats * cost : cost;
}

double cost_of(const Plan& plan) {
  double cost = 0;
  for (const SuggestChange& change : plan) cost += cost_of(change);
  return cost;
}

bool is_same_field(const SuggestChange& a, const SuggestChange& b) { return place_of(a) == place_of(b); }

const SuggestChange* find_change(const Plan& plan, const SuggestChange& change) {
  for (const SuggestChange& each : plan)
    if (is_same_field(each, change)) return &each;
  return nullptr;
}

Plan without_change(Plan plan, const SuggestChange& change) {
  std::erase_if(plan, [&](const SuggestChange& c) { return is_same_field(c, change); });
  return plan;
}

Plan with_change(Plan plan, const SuggestChange& change) {
  plan = without_change(std::move(plan), change);
  const auto before = [](const SuggestChange& a, const SuggestChange& b) { return place_of(a) < place_of(b); };
  plan.insert(std::upper_bound(plan.begin(), plan.end(), change, before), change);
  return plan;
}

std::string key_of(const Plan& plan) {
  std::string out;
  for (const SuggestChange& c : plan)
    out += fmt::format("{}/{}={}/{}/{}/{}\n", static_cast<int>(c.field), c.level, c.to, c.user, c.precedence,
                       c.keeps_seats);
  return out;
}

}  // namespace apf
