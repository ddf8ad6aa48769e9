// What a replay's books come to: tallies added up from flows to schemas, levels and the total; assumptions in words.
#include <algorithm>
#include <map>

#include "replay/engine.h"

namespace apf {

namespace {

std::string count_of(std::uint64_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

}  // namespace

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
  fill_assumptions(report);
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

// When the 10 s clock ticks, and how that is known.
void Engine::assume_clock(std::vector<std::string>& out) const {
  if (in_flight_) return;
  const std::string start = format_rfc3339(start_.start);
  switch (start_.known) {
    case EngineStart::Known::told:
      break;
    case EngineStart::Known::logged:
      break;
    case EngineStart::Known::grid:
      out.push_back(
          "The server came up before its log begins: seats are taken to move every 10 s as at " + start +
          ", by what the log tells of later moves, and limits to start there from no demand (--from leaves the "
          "first part out of the report).");
      break;
    case EngineStart::Known::fitted:
      out.push_back(
          "Nothing tells when the server came up: " + start +
          " is taken, since of the last 10 s before the first "
          "arrival it fits best with the waits of " +
          count_of(start_.fitted_waits, "request", "requests") +
          " in the log. Limits start from no demand then, and seats move between levels every 10 s from then on "
          "(--start sets another time).");
      break;
    case EngineStart::Known::guessed:
      out.push_back(
          "The server is taken to have come up at the first arrival, which is a guess: limits start from no demand, "
          "and seats move between levels every 10 s from then on (--start sets another time).");
      break;
  }
  if (clock_.restarts() > 0)
    out.push_back("The server came up anew " + count_of(clock_.restarts(), "time", "times") +
                  " within its log; the replay goes on as if it had not.");
  if (const auto seats = clock_.server_concurrency_limit();
      seats && *seats != options_.controller.server_concurrency_limit)
    out.push_back("The server shared " + std::to_string(*seats) + " seats, as its log says; the replay shares " +
                  std::to_string(options_.controller.server_concurrency_limit) +
                  " (--max-requests-inflight, --max-mutating-requests-inflight).");
  if (const auto& unexplained = schedule_.unexplained(); !unexplained.empty())
    out.push_back("The server digested a changed configuration " + count_of(unexplained.size(), "time", "times") +
                  ", first at " + format_rfc3339(unexplained.front()) + ", of which no --config-at tells.");
}

// How long requests hold their seats.
void Engine::assume_services(std::vector<std::string>& out) const {
  if (start_.overhead > 0)
    out.push_back("Requests hold their seats for the execution time of the HTTP log and " +
                  format_go_duration(start_.overhead) +
                  " more: what the median request took beside execution and wait.");
  if (anchored_ > 0)
    out.push_back(
        count_of(anchored_, "request has", "requests have") +
        " no recorded queue wait: the end of the execution is taken from the log, whatever its replayed start.");
  if (refused_given_service_ > 0)
    out.push_back(count_of(refused_given_service_, "request that the log shows refused or unfinished was",
                           "requests that the log shows refused or unfinished were") +
                  (options_.refused_execution
                       ? " let in here and run for " + format_go_duration(*options_.refused_execution) + "."
                       : " let in here and run as long as the mean of their FlowSchema, verb and resource so far."));
  if (options_.retries && refused_let_in_ > 0)
    out.push_back(
        count_of(refused_let_in_, "request that the log shows refused is", "requests that the log shows refused are") +
        " served here; where a client came back in the log, that request is replayed, too.");
  if (watches_without_init_ > 0)
    out.push_back(count_of(watches_without_init_, "watch holds", "watches hold") + " seats for " +
                  format_go_duration(options_.watch_init) +
                  " while starting: the log does not tell how long that takes (--watch-init).");
}

void Engine::fill_assumptions(ReplayReport& report) const {
  auto& out = report.assumptions;
  assume_clock(out);
  assume_services(out);
  assume_stages(out);
  if (standing_watches_ > 0)
    out.push_back(
        count_of(standing_watches_, "watch was", "watches were") +
        " there before the log begins: they are known by their ends, and those without an end in the log are not.");
  if (fixed_flows_ > 0)
    out.push_back(
        count_of(fixed_flows_, "request went", "requests went") +
        " to the FlowSchema that the HTTP log names, because it does not tell users; flows that users would tell apart "
        "are told apart by source address and user agent.");
  if (missing_schemas_ > 0)
    out.push_back(count_of(missing_schemas_, "request names a FlowSchema", "requests name FlowSchemas") +
                  " that the configuration does not have: catch-all stands in.");
  if (list_estimates_ > 0 && options_.objects.empty() && options_.objects_at.empty())
    out.push_back(count_of(list_estimates_, "list costs", "lists cost") +
                  " 1 seat, because no object counts were given (--objects).");
}

}  // namespace apf
