#include "advise/loosened.h"

#include "advise/clients.h"

namespace apf {

namespace {

// One limit of a level half as large again, or twice as large; nothing: the level does not have that limit.
std::optional<HeadroomTrial> loosen_in_level(LimitedLevel& level, HeadroomLimit limit) {
  HeadroomTrial trial{limit, 0, 0, false};
  Queuing* queuing = level.queuing ? &*level.queuing : nullptr;
  switch (limit) {
    case HeadroomLimit::seats:
      return std::nullopt;
    case HeadroomLimit::shares:
      trial.from = level.nominal_concurrency_shares.value_or(30);
      trial.to = trial.from + (trial.from + 1) / 2 + (trial.from == 0 ? 1 : 0);
      level.nominal_concurrency_shares = trial.to;
      break;
    case HeadroomLimit::borrowing:
      if (!level.borrowing_limit_percent) return std::nullopt;
      trial.from = *level.borrowing_limit_percent;
      trial.to = -1;
      level.borrowing_limit_percent.reset();
      break;
    case HeadroomLimit::queue_length:
      if (!queuing) return std::nullopt;
      trial.from = queuing->queue_length_limit;
      trial.to = trial.from * 2;
      queuing->queue_length_limit = trial.to;
      break;
    case HeadroomLimit::queues:
      if (!queuing) return std::nullopt;
      trial.from = queuing->queues;
      trial.to = trial.from * 2;
      queuing->queues = trial.to;
      break;
  }
  return trial;
}

}  // namespace

std::optional<HeadroomTrial> loosen(ReplayOptions& options, const std::string& name, HeadroomLimit limit) {
  if (limit == HeadroomLimit::seats) {
    const int seats = options.server_concurrency_limit;
    options.server_concurrency_limit = seats + (seats + 3) / 4;
    options.seats_by_log = false;
    return HeadroomTrial{limit, seats, options.server_concurrency_limit, false};
  }
  std::optional<HeadroomTrial> first;
  const auto loosen_in = [&](Config& config) {
    PriorityLevel* level = find_level(config, name);
    if (!level || !level->limited) return;
    const std::optional<HeadroomTrial> trial = loosen_in_level(*level->limited, limit);
    if (!first) first = trial;
  };
  loosen_in(options.config);
  for (auto& [time, config] : options.config_changes) loosen_in(config);
  return first;
}

}  // namespace apf
