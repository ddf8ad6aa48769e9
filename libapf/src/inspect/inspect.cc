// What is going on in a live server: levels put together from scrapes and dumps, and their limits compared.
#include <apf/inspect.h>

#include <algorithm>
#include <cmath>

#include <apf/error.h>
#include <apf/limits.h>

#include "base/sort_stably.h"
#include "inspect/flows.h"
#include "logs/server/server_dump.h"
#include "schedule/level_state.h"

namespace apf {

namespace {

constexpr double kClose = 0.8;    // of the limit
constexpr double kAlmost = 1e-9;  // gauges are doubles

using Series = ServerScrape::Series;

void add(InspectedHistogram& to, double sum, double count, const std::map<double, double>& buckets) {
  to.sum += sum;
  to.count += count;
  for (const auto& [bound, up_to] : buckets) to.buckets[bound] += up_to;
}

void add(std::optional<double>& to, double number) { to = to.value_or(0) + number; }

class Levels {
 public:
  InspectedLevel& operator[](const std::string& name) {
    InspectedLevel& level = levels_[name];
    level.name = name;
    return level;
  }
  std::vector<InspectedLevel> take() {
    std::vector<InspectedLevel> out;
    for (auto& [name, level] : levels_) out.push_back(std::move(level));
    return out;
  }
  auto begin() { return levels_.begin(); }
  auto end() { return levels_.end(); }

 private:
  std::map<std::string, InspectedLevel> levels_;
};

// What a family of a scrape counts for a level: each has it, if the scrape has the family.
struct LevelCount {
  std::string_view family;
  std::optional<double> InspectedLevel::*to;
  double Series::*from;
};
constexpr LevelCount kLevelCounts[] = {
    {"current_executing_requests", &InspectedLevel::executing, &Series::executing},
    {"current_inqueue_requests", &InspectedLevel::waiting, &Series::queued},
    {"current_inqueue_seats", &InspectedLevel::waiting_seats, &Series::queued_seats},
    {"dispatched_requests_total", &InspectedLevel::dispatched, &Series::dispatched},
    {"rejected_requests_total", &InspectedLevel::rejected, &Series::rejected},
    {"request_dispatch_no_accommodation_total", &InspectedLevel::not_accommodated, &Series::not_accommodated},
};

bool has_seats(const ServerLoad& load) {
  return load.has("current_executing_seats") || load.has("request_concurrency_in_use");
}

void add_series(const ServerLoad& load, Levels& levels, std::vector<InspectedSchema>& schemas) {
  for (const auto& [key, series] : load.series) {
    InspectedLevel& level = levels[key.second];
    for (const LevelCount& count : kLevelCounts)
      if (load.has(count.family)) add(level.*count.to, series.*count.from);
    if (has_seats(load)) add(level.executing_seats, series.executing_seats);
    for (const auto& [reason, count] : series.rejected_by)
      if (count > 0 && load.has("rejected_requests_total")) level.rejected_by[reason] += count;
    add(level.wait, series.wait_sum, series.wait_count, series.wait_buckets);
    add(level.execution, series.execution_sum, series.execution_count, series.execution_buckets);
    add(level.width, series.seats_sum, series.seats_count, series.seats_buckets);
    InspectedSchema& schema = schemas.emplace_back();
    schema.name = key.first;
    schema.level = key.second;
    if (load.has("dispatched_requests_total")) schema.dispatched = series.dispatched;
    if (load.has("rejected_requests_total")) schema.rejected = series.rejected;
    if (has_seats(load)) schema.executing_seats = series.executing_seats;
    if (load.has("current_inqueue_seats")) schema.waiting_seats = series.queued_seats;
    add(schema.wait, series.wait_sum, series.wait_count, series.wait_buckets);
    add(schema.width, series.seats_sum, series.seats_count, series.seats_buckets);
  }
}

// Families without which something of an inspection is not known, and what they are called in older releases.
constexpr std::pair<std::string_view, std::string_view> kWanted[] = {
    {"current_inqueue_requests", {}},
    {"current_inqueue_seats", {}},
    {"current_executing_seats", "request_concurrency_in_use"},
    {"nominal_limit_seats", "request_concurrency_limit"},
    {"dispatched_requests_total", {}},
    {"rejected_requests_total", {}},
    {"request_execution_seconds", {}},
    {"request_wait_duration_seconds", {}},
};

std::vector<std::string> absent_of(const ServerLoad& load) {
  std::vector<std::string> out;
  for (const auto& [family, older] : kWanted)
    if (!load.has(family) && !(older.size() && load.has(older)))
      out.push_back("apiserver_flowcontrol_" + std::string(family));
  return out;
}

void add_load(const ServerLoad& load, Levels& levels, std::vector<InspectedSchema>& schemas) {
  add_series(load, levels, schemas);
  for (const auto& [name, from] : load.levels) {
    InspectedLevel& level = levels[name];
    level.nominal = from.nominal;
    level.lower = from.lower;
    level.upper = from.upper;
    // Before 1.26 nothing moves the limit.
    level.current = from.current ? from.current : from.nominal;
    level.demand_most = from.demand_most;
    level.demand_mean = from.demand_mean;
    level.exempt = name == "exempt";
  }
  // Within a family, a level without a series has none.
  for (auto& [name, level] : levels) {
    for (const LevelCount& count : kLevelCounts)
      if (load.has(count.family)) add(level.*count.to, 0);
    if (has_seats(load)) add(level.executing_seats, 0);
  }
}

// The latest thing that the dump shows: the request for the dump itself, as a rule.
std::optional<Nanos> time_of(const ServerDump& dump) {
  std::optional<Nanos> out;
  if (dump.time != 0) out = dump.time;
  for (const RequestDump& request : dump.requests) {
    out = std::max(out.value_or(request.arrived), request.arrived);
    if (request.started) out = std::max(*out, *request.started);
  }
  return out;
}

void add_levels(const ServerDump& dump, bool has_scrape, Levels& levels) {
  for (const LevelDump& from : dump.levels) {
    InspectedLevel& level = levels[from.name];
    level.exempt = from.name == "exempt";
    level.quiescing = from.quiescing;
    level.active_queues = std::max<std::int64_t>(0, from.active_queues);
    if (from.executing != kNotDumped) level.executing = static_cast<double>(from.executing);
    if (from.waiting != kNotDumped) level.waiting = static_cast<double>(from.waiting);
    if (has_scrape) continue;
    if (from.dispatched) level.dispatched = static_cast<double>(*from.dispatched);
    if (from.rejected) level.rejected = static_cast<double>(*from.rejected);
    if (from.rejected && from.cancelled && *from.cancelled > 0)
      level.rejected_by["time-out"] = static_cast<double>(*from.cancelled);
  }
}

// A dump's own sums replace those of a scrape.
void add_queues(const ServerDump& dump, Levels& levels) {
  struct Sums {
    double executing, waiting, seats_in_use, seats_wanted;
    std::int64_t active;
  };
  std::map<std::string, Sums> sums;
  for (const QueueDump& queue : dump.queues) {
    InspectedLevel& level = levels[queue.level];
    ++level.queues;
    Sums& sum = sums[queue.level];
    sum.executing += static_cast<double>(queue.executing);
    sum.waiting += static_cast<double>(queue.waiting);
    sum.seats_in_use += static_cast<double>(queue.seats);
    sum.seats_wanted += static_cast<double>(queue.initial_seats);
    sum.active += queue.waiting > 0;
    if (queue.waiting > 0 && (!level.deepest || queue.waiting > level.deepest->waiting)) level.deepest = queue;
  }
  for (const auto& [name, sum] : sums) {
    InspectedLevel& level = levels[name];
    level.executing_seats = sum.seats_in_use;
    level.waiting_seats = sum.seats_wanted;
    if (dump.has_levels) continue;
    level.executing = sum.executing;
    level.waiting = sum.waiting;
    level.active_queues = sum.active;
  }
}

bool lists_running(const ServerDump& dump) {
  return std::any_of(dump.requests.begin(), dump.requests.end(),
                     [](const RequestDump& request) { return request.runs(); });
}

// What the requests say, where no queues were dumped.
void add_requests(const ServerDump& dump, bool has_running, Levels& levels) {
  std::map<std::string, std::array<std::int64_t, 4>> sums;
  for (const RequestDump& request : dump.requests) {
    auto& sum = sums[request.level];
    sum[request.runs() ? 0 : 2] += 1;
    sum[request.runs() ? 1 : 3] += request.initial_seats;
  }
  for (const auto& [name, sum] : sums) {
    InspectedLevel& level = levels[name];
    level.exempt = name == "exempt";
    if (!dump.has_levels && !dump.has_queues) {
      if (has_running) level.executing = static_cast<double>(sum[0]);
      level.waiting = static_cast<double>(sum[2]);
    }
    if (dump.has_queues && level.queues > 0) continue;
    if (sum[0] > 0 || level.executing == 0.0) level.executing_seats = static_cast<double>(sum[1]);
    level.waiting_seats = static_cast<double>(sum[3]);
  }
}

// What the widest requests take where nothing says it: most releases give a request no more.
constexpr double kWidest = 10;

// Requests wait, and the widest of them would find its seats.
bool has_idle_seats(const InspectedLevel& level) {
  if (!level.executing_seats || !level.current) return false;
  const auto widest = level.width.quantile(1);
  const double most = widest && std::isfinite(widest->high) ? widest->high : kWidest;
  return *level.executing_seats < kClose * *level.current && *level.current - *level.executing_seats >= most;
}

// Of a level whose requests wait: what is in use is known, and, by its limit, what is left would not do for the next
// request. Where the limit is not known, a server lets none wait without need.
bool has_no_seats_left(const InspectedLevel& level) {
  if (level.executing_seats) return !has_idle_seats(level);
  const double least = level.executing.value_or(0);  // each has one seat or more
  return least > 0 && (!level.current || least >= kClose * *level.current - kAlmost);
}

std::optional<LevelState> state_of(const InspectedLevel& level, bool between) {
  if (level.exempt) return LevelState::calm;
  if (between && level.rejected.value_or(0) > 0) return LevelState::refusing;
  if (level.waiting.value_or(0) > 0) return has_no_seats_left(level) ? LevelState::saturated : LevelState::waiting;
  if (level.current && *level.current > 0) {
    const double most = std::max(level.executing_seats.value_or(0), level.demand_most.value_or(0));
    if (most >= kClose * *level.current - kAlmost) return LevelState::close;
  }
  if (!level.waiting || (between && !level.rejected)) return std::nullopt;
  return LevelState::calm;
}

void add_difference(const std::string& level, LimitDifference::What what, std::optional<double> server, int configured,
                    std::vector<LimitDifference>& out) {
  if (server && *server != configured) out.push_back({level, what, *server, static_cast<double>(configured)});
}

std::vector<LimitDifference> compare(Levels& levels, const LimitsTable& table, bool with_seats) {
  using What = LimitDifference::What;
  std::vector<LimitDifference> out;
  for (const auto& [name, level] : levels) {
    const LevelLimits* limits = find_level(table, name);
    if (!limits) {
      out.push_back({name, What::only_in_server, 0, 0});
      continue;
    }
    if (with_seats) {
      add_difference(name, What::nominal, level.nominal, limits->nominal_cl, out);
      // What an exempt level lends and borrows has no bounds.
      if (!limits->exempt) add_difference(name, What::lower, level.lower, limits->min_cl, out);
      if (!limits->exempt) add_difference(name, What::upper, level.upper, limits->max_cl, out);
    }
    if (level.queues > 0) add_difference(name, What::queues, static_cast<double>(level.queues), limits->queues, out);
  }
  for (const LevelLimits& limits : table.levels) {
    const bool there = std::any_of(levels.begin(), levels.end(), [&](const auto& l) { return l.first == limits.name; });
    if (!there) out.push_back({limits.name, What::only_in_configuration, 0, 0});
  }
  sort_stably(out, [](const auto& a, const auto& b) { return a.level < b.level; });
  return out;
}

// The seats with which the configuration is compared. Limits that its shares do not give name them only where they do
// so exactly.
void find_seats(const InspectInput& input, const std::optional<ServerLoad>& load, Inspection& out) {
  out.server_concurrency_limit = input.server_concurrency_limit;
  if (out.server_concurrency_limit || !load) return;
  const std::optional<ScrapedSeats> seats = seats_by_limits(load->levels, *input.config, input.version);
  if (!seats || (seats->is_guess() && !seats->fits)) return;
  out.server_concurrency_limit = seats->number;
  out.concurrency_found = seats;
}

void add_drain(InspectedLevel& level) {
  if (level.exempt || !(level.waiting.value_or(0) > 0) || level.execution.count <= 0) return;
  if (!level.current || *level.current <= 0) return;
  const double seats = std::max(level.waiting_seats.value_or(0), *level.waiting);
  level.drain = seats * level.execution.mean() / *level.current;
}

// By what max-in-flight counts.
LevelState state_without_levels(const Inspection& inspection) {
  double dropped = 0;
  for (const auto& [kind, requests] : inspection.dropped) dropped += requests;
  if (inspection.between && dropped > 0) return LevelState::refusing;
  const bool close = std::any_of(inspection.in_flight.begin(), inspection.in_flight.end(), [&](const auto& entry) {
    const auto limit = inspection.in_flight_limits.find(entry.first);
    return limit != inspection.in_flight_limits.end() && limit->second > 0 &&
           entry.second >= kClose * limit->second - kAlmost;
  });
  return close ? LevelState::close : LevelState::calm;
}

// What rows of a dump that are missing would add to is not known; that requests wait and are refused is.
void forget_sums(Inspection& inspection) {
  bool worst_known = false;
  for (InspectedLevel& level : inspection.levels) {
    if (!inspection.has_scrape) level.executing = level.executing_seats = {};
    for (std::optional<double>* waits : {&level.waiting, &level.waiting_seats})
      if (!inspection.has_scrape && *waits == 0.0) waits->reset();
    const bool calm = level.state && *level.state <= LevelState::close;
    if (calm) level.state = {};
    worst_known = worst_known || level.state.has_value();
  }
  if (!worst_known) inspection.state = {};
}

}  // namespace

const char* to_string(LevelState state) {
  constexpr const char* kNames[] = {"calm", "close", "waiting", "saturated", "refusing"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* to_string(LimitDifference::What what) {
  constexpr const char* kNames[] = {"nominalCL", "minCL", "maxCL", "queues", "onlyInServer", "onlyInConfiguration"};
  return kNames[static_cast<std::size_t>(what)];
}

std::optional<double> InspectedLevel::utilization() const {
  if (exempt || !executing_seats || !current || *current <= 0) return std::nullopt;
  return *executing_seats / *current;
}

std::optional<double> InspectedLevel::borrowed() const {
  if (exempt || !nominal || !current) return std::nullopt;
  return *current - *nominal;
}

Inspection inspect(const InspectInput& input) {
  if (!input.after && !input.dump) throw Error("there is neither a dump nor a scrape to inspect");
  Inspection out;
  Levels levels;
  std::optional<ServerLoad> load;
  if (input.after) {
    load = input.before ? load_between(*input.before, *input.after) : load_since_start(*input.after);
    out.has_scrape = true;
    out.between = input.before.has_value();
    out.seconds = input.seconds ? input.seconds : load->seconds;
    out.scrapes = load->name;
    out.version = input.after->version;
    out.in_flight = input.after->in_flight;
    out.in_flight_limits = input.in_flight_limits;
    out.dropped = input.after->dropped;
    if (input.before)
      for (auto& [kind, dropped] : out.dropped)
        if (const auto at = input.before->dropped.find(kind); at != input.before->dropped.end())
          dropped = std::max(0.0, dropped - at->second);
    if (input.after->without_levels) out.apf_on = false;
    out.absent = absent_of(*load);
    out.server_seats = input.after->server_seats;
    add_load(*load, levels, out.schemas);
    out.courses = input.courses;
  }
  if (input.dump) {
    out.has_dump = true;
    out.has_requests = input.dump->has_requests;
    out.lists_running = lists_running(*input.dump);
    out.lists_waiting = out.has_requests && !input.lacks_rows;
    out.dumped = time_of(*input.dump);
    add_levels(*input.dump, out.has_scrape, levels);
    add_queues(*input.dump, levels);
    add_requests(*input.dump, out.lists_running, levels);
  }
  LimitsTable table;
  if (input.config) {
    out.compared = true;
    find_seats(input, load, out);
    table = compute_limits(*input.config, out.server_concurrency_limit.value_or(600), input.version);
    out.differences = compare(levels, table, out.server_concurrency_limit.has_value());
  } else {
    table = compute_limits(bootstrap_config(input.version), 600, input.version);
  }
  for (auto& [name, level] : levels) {
    if (input.dump) add_flows(*input.dump, find_level(table, name), input.config.has_value(), out.dumped, level);
    if (!out.lists_running)
      for (InspectedFlow& flow : level.flows) flow.executing = flow.executing_seats = std::nullopt;
    // A dump without a scrape says nothing of limits.
    const LevelLimits* limits = out.compared && out.server_concurrency_limit ? find_level(table, name) : nullptr;
    if (!out.has_scrape && limits) {
      level.nominal = limits->nominal_cl;
      level.lower = limits->min_cl;
      level.upper = limits->max_cl;
    }
    add_drain(level);
    level.state = state_of(level, out.between);
    // An exempt level never waits: it says nothing of the server.
    if (level.state && !level.exempt) out.state = std::max(out.state.value_or(LevelState::calm), *level.state);
  }
  out.levels = levels.take();
  if (!out.levels.empty()) out.apf_on = true;
  if (out.apf_on == false) out.state = state_without_levels(out);
  if (input.lacks_rows) forget_sums(out);
  return out;
}

}  // namespace apf
