// Inspect: what is going on in a live kube-apiserver, by its own dumps (<apf/server.h>) and scrapes of its /metrics
// (<apf/server.h>): which priority levels are saturated, by which flows, and how long their queues take to drain.
//
//   const std::string text = "...";  // a scrape
//   apf::InspectInput input;
//   input.after = apf::parse_part_of_scrape(text, "metrics.txt");
//   for (const apf::InspectedLevel& level : apf::inspect(input).levels)
//     std::printf("%s: %s\n", level.name.c_str(), level.state ? apf::to_string(*level.state) : "not known");
//
// Seats and requests are as the server counts them, durations seconds where a scrape says them. What the input does
// not say is absent. Results are values; functions may be called from several threads at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/server.h>
#include <apf/setup.h>
#include <apf/version.h>

namespace apf {

struct InspectInput {
  std::optional<ServerScrape> before, after;  // `before` only with `after`
  std::optional<double> seconds;              // between the scrapes; default: as they say
  std::vector<ScrapeCourse> courses;          // between the scrapes, where they are samples over time
  std::optional<ServerDump> dump;
  bool lacks_rows = false;  // of the dumps: sums over them are not known
  // Complete (defaulted, with built-in objects): the limits are compared with the server's.
  std::optional<Config> config;
  std::optional<int> server_concurrency_limit;  // default: by the server's limits
  std::map<std::string, int> in_flight_limits;  // of max-in-flight, by kind ("readOnly", "mutating"), as far as known
  KubeVersion version = kNewestKubeVersion;
};

// From the best to the worst.
enum class LevelState : std::uint8_t {
  calm,
  close,      // at least 80 % of its seats are in use, or were wanted in the last 10 s
  waiting,    // requests wait although a fifth of its seats is free, and more than any of them takes; or whether seats
              // are free is not known
  saturated,  // requests wait for seats
  refusing,   // requests were refused between the two scrapes
};
APF_API const char* to_string(LevelState state);

// A histogram of the server: how many observations there are up to each bound.
struct InspectedHistogram {
  double count = 0, sum = 0;
  std::map<double, double> buckets;
  double mean() const { return count > 0 ? sum / count : 0; }
  struct Bounds {
    double low = 0, high = 0;  // above low (or 0), up to high, which may be infinite
  };
  // Between what the quantile q (0 … 1) is; nothing without observations or buckets.
  APF_API std::optional<Bounds> quantile(double q) const;
};

struct InspectedFlow {
  std::string flow_schema, distinguisher;
  std::optional<std::int64_t> executing, executing_seats;  // requests; seats. Nothing: Inspection::lists_running
  std::int64_t waiting = 0, waiting_seats = 0;
  std::optional<Nanos> longest_wait;  // of those that wait, until the dump
  std::vector<std::uint32_t> hand;    // in the order dealt; empty where the hand size is not known
  std::vector<std::uint32_t> queues;  // in which it has requests
  std::size_t shared = 0;             // of `hand` (or else of `queues`), queues in which others have requests
};

// Two flows of a level whose hands (or else the queues that they are in) have queues in common.
struct HandOverlap {
  std::size_t first = 0, second = 0;  // of InspectedLevel::flows
  std::vector<std::uint32_t> queues;
};

struct InspectedLevel {
  std::string name;
  std::optional<LevelState> state;  // nothing: the input does not decide it
  bool exempt = false, quiescing = false;
  std::optional<double> nominal, current, lower, upper;  // limits, in seats
  std::optional<double> executing, executing_seats, waiting, waiting_seats;
  // Between the scrapes; with one, or by a dump, since the level came into being.
  std::optional<double> dispatched, rejected;
  std::map<std::string, double> rejected_by;       // by reason
  std::optional<double> not_accommodated;          // request_dispatch_no_accommodation_total
  InspectedHistogram wait, execution, width;       // seconds, seconds, seats
  std::optional<double> demand_most, demand_mean;  // seats wanted in the last 10 s
  // Until all that waits has been dispatched if nothing else comes, in seconds: seats that wait, times the mean
  // execution time, by the current limit. Nothing: none waits, or there is no scrape.
  std::optional<double> drain;
  std::int64_t queues = 0, active_queues = 0;  // of dumps; active: with requests that wait
  std::optional<QueueDump> deepest;            // with the most requests that wait
  std::vector<InspectedFlow> flows;            // of the most seats, wanted and held, first
  std::vector<HandOverlap> overlaps;           // of the most queues first, at most 20
  bool other_hands = false;  // requests are in queues that the configuration does not deal to their flow

  // Of the current limit; nothing for exempt levels and where something is not known.
  APF_API std::optional<double> utilization() const;
  APF_API std::optional<double> borrowed() const;  // current less nominal limit; negative: lent
};

struct InspectedSchema {
  std::string name, level;
  std::optional<double> dispatched, rejected, executing_seats, waiting_seats;
  InspectedHistogram wait, width;
};

// A limit of the server that is not what the configuration gives.
struct LimitDifference {
  enum class What : std::uint8_t { nominal, lower, upper, queues, only_in_server, only_in_configuration };
  std::string level;
  What what = What::nominal;
  double server = 0, configured = 0;  // of the limits
};
APF_API const char* to_string(LimitDifference::What what);

struct Inspection {
  std::optional<LevelState> state;       // the worst of its levels; nothing: of none is it known
  std::vector<InspectedLevel> levels;    // by name
  std::vector<InspectedSchema> schemas;  // by level and name; of scrapes
  std::vector<ScrapeCourse> courses;     // by level; where the scrapes are samples over time
  std::string scrapes, version;          // names of the files; the server's version if a scrape has it
  bool between = false;                  // two scrapes: counters are of the time between them
  std::optional<double> seconds;         // between them, or since the server's start
  std::optional<Nanos> dumped;           // at the latest thing that the dumps show
  bool has_scrape = false, has_dump = false, has_requests = false;
  // Whether the dump of requests has those that run: before 1.28 it has what waits, and no more. One that has them has
  // the request for the dump itself.
  bool lists_running = false;
  bool lists_waiting = false;               // it has all that wait
  std::map<std::string, double> in_flight;  // requests at once in the last second, by kind
  std::map<std::string, int> in_flight_limits;
  // Refused (429), by kind, "" where that is not counted; between the scrapes, or since the server's start.
  std::map<std::string, double> dropped;
  std::optional<bool> apf_on;  // else there is max-in-flight in the place of levels; nothing: the input does not say it
  std::vector<std::string> absent;     // families that a scrape lacks, by their whole names
  std::optional<double> server_seats;  // what a replay's metrics say that all levels share
  // With a configuration.
  bool compared = false;
  std::optional<int> server_concurrency_limit;    // with which it was compared; nothing: none gives the server's limits
  std::optional<ScrapedSeats> concurrency_found;  // … by the server's limits
  std::vector<LimitDifference> differences;
};

// Throws Error: scrapes of different servers or in the wrong order, or neither a scrape nor a dump.
APF_API Inspection inspect(const InspectInput& input);

}  // namespace apf
