// What a replay's books come to: tallies added up from flows to schemas, levels and the total.
#include <algorithm>
#include <map>

#include "replay/engine.h"

namespace apf {

void Engine::fill(ReplayReport& report) {
  report.version = options_.controller.version;
  report.server_concurrency_limit = options_.controller.server_concurrency_limit;
  for (int i = 1; i < static_cast<int>(LeftOut::kCount); ++i)
    if (left_out_[i] > 0) report.left_out[to_string(static_cast<LeftOut>(i))] = left_out_[i];
  if (!begun_) return;
  report.first_arrival = first_arrival_;
  report.last_arrival = std::max(first_arrival_, last_arrival_);

  std::map<std::pair<std::string, std::string>, RequestTally> by_schema;
  std::map<std::string, RequestTally> by_level;
  for (const FlowReport& flow : flows_.reports()) {
    if (flow.tally.requests == 0) continue;
    merge(by_schema[{flow.flow_schema, flow.priority_level}], flow.tally);
    merge(by_level[flow.priority_level], flow.tally);
    merge(report.total, flow.tally);
    ++report.flows;
  }
  fill_levels(report, by_level);

  // Every schema of every configuration of the run, in matching order; a schema that changed its level stands
  // once for each.
  for (const auto& classifier : classifiers_) {
    for (const auto& schema : classifier->schemas()) {
      SchemaReport entry;
      entry.name = schema.name;
      entry.priority_level = classifier->levels()[schema.level].name;
      entry.matching_precedence = schema.matching_precedence;
      const auto same = [&](const SchemaReport& s) {
        return s.name == entry.name && s.priority_level == entry.priority_level;
      };
      if (std::any_of(report.schemas.begin(), report.schemas.end(), same)) continue;
      const auto it = by_schema.find({entry.name, entry.priority_level});
      if (it != by_schema.end()) entry.tally = it->second;
      report.schemas.push_back(std::move(entry));
    }
  }
  std::stable_sort(report.schemas.begin(), report.schemas.end(), [](const SchemaReport& a, const SchemaReport& b) {
    return a.matching_precedence != b.matching_precedence ? a.matching_precedence < b.matching_precedence
                                                          : a.name < b.name;
  });

  report.waited_most = waited_most(flows_.reports(), options_.top);
  report.refused_most = refused_most(flows_.reports(), options_.top);
  report.watches_peak = watches_peak_;
  report.retries = retried_;
  report.gave_up = gave_up_;
  agreement_.fill(report.recorded);
  fill_stages(report);
  report.assumptions = assumptions_of(facts());
}

void Engine::fill_levels(ReplayReport& report, const std::map<std::string, RequestTally>& by_level) {
  for (LevelId id = 0; id < controller_->level_count(); ++id) {
    LevelBook& books = book(id);
    for (TimeAverage* average : {&books.seats, &books.current, &books.borrowed, &books.lent})
      average->set(std::max({now_, first_arrival_, drained_}), average->value());
    LevelReport level;
    level.name = controller_->level_name(id);
    const auto it = by_level.find(level.name);
    if (it != by_level.end()) level.tally = it->second;
    if (in_flight_) {  // levels are where requests would have gone
      report.levels.push_back(std::move(level));
      continue;
    }
    const LevelLimits& limits = controller_->limits(id);
    level.exempt = limits.exempt;
    level.reject = limits.reject;
    level.queues = limits.queues;
    level.hand_size = limits.hand_size;
    level.queue_length_limit = limits.queue_length_limit;
    level.nominal_cl = books.nominal_cl;
    level.min_cl = books.min_cl;
    level.max_cl = books.max_cl;
    level.current_cl_min = static_cast<int>(books.current.min());
    level.current_cl_max = static_cast<int>(books.current.max());
    level.current_cl_avg = books.current.average();
    level.seats_avg = books.seats.average();
    level.seats_peak = static_cast<int>(books.seats.max());
    level.borrowed_avg = books.borrowed.average();
    level.lent_avg = books.lent.average();
    report.levels.push_back(std::move(level));
  }
  std::stable_sort(report.levels.begin(), report.levels.end(),
                   [](const LevelReport& a, const LevelReport& b) { return a.name < b.name; });
}

ReplayFacts Engine::facts() const {
  ReplayFacts facts;
  if (!in_flight_) {
    ClockFacts& clock = facts.clock.emplace();
    clock.start = start_;
    clock.restarts = clock_.restarts();
    clock.logged_seats = clock_.server_concurrency_limit();
    clock.seats = options_.controller.server_concurrency_limit;
    clock.unexplained_digests = schedule_.unexplained().size();
    if (!schedule_.unexplained().empty()) clock.first_unexplained_digest = schedule_.unexplained().front();
  }
  ServiceFacts& service = facts.service;
  service.overhead = start_.overhead;
  service.service_floor = options_.service_floor;
  service.anchored = anchored_;
  service.given_typical = refused_given_service_;
  service.refused_in_log = refused_let_in_;
  service.typical = options_.refused_execution;
  service.retries = options_.retries;
  service.watches_without_init = watches_without_init_;
  service.watch_init = options_.watch_init;
  if (options_.objects.empty() && options_.objects_at.empty()) service.lists_without_counts = list_estimates_;
  facts.limits_clients = limiter_ != nullptr;
  if (event_limits_)
    facts.event_limits = {event_limits_->undecidable(EventLimitType::source_and_object),
                          event_limits_->undecidable(EventLimitType::user)};
  if (quotas_) facts.quotas = {quotas_->undecidable(), quotas_->unknown_changes()};
  facts.standing_watches = standing_watches_;
  facts.fixed_flows = fixed_flows_;
  facts.missing_schemas = missing_schemas_;
  return facts;
}

}  // namespace apf
