// What a server shows of itself in addition to its logs: the counters of its /metrics, and the dumps of its debug
// endpoints.
//
//   const auto coverage = [](const apf::Config& config, const apf::LogOptions& log, std::string_view before,
//                            std::string_view after) {
//     const apf::ServerLoad load = apf::load_between(apf::parse_scrape(before, "before.txt"),
//                                                    apf::parse_scrape(after, "after.txt"));
//     return apf::compare_load(load, apf::count_load(log, config), config);
//   };
//
//   const std::string text = "...";  // what /debug/api_priority_and_fairness/dump_queues answered
//   apf::ServerDump dump;
//   const std::vector<std::string> faults = apf::read_dump(text, "dump_queues.txt", dump);
//   for (const apf::QueueDump& queue : dump.queues)
//     if (queue.waiting > 0) std::printf("requests wait in a queue of %s\n", queue.level.c_str());
//
// Times are nanoseconds since 1970 UTC, durations nanoseconds, seats and requests whole numbers. Everything here is a
// value; functions may be called from several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/logs.h>
#include <apf/policy_coverage.h>
#include <apf/remarks.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

// --- what the server's counters say ---

// One scrape of kube-apiserver's /metrics, as far as it counts requests.
struct ServerScrape {
  struct Series {
    double dispatched = 0, rejected = 0;
    std::map<std::string, double> rejected_by;  // by reason
    double not_accommodated = 0;                // its turn came, but it was wider than the seats left
    double executing = 0, executing_seats = 0;  // when the scrape was made
    double queued = 0, queued_seats = 0;        // at the same time; seats since 1.28.5, before that as many as requests
    double execution_sum = 0, execution_count = 0;  // seconds
    double wait_sum = 0, wait_count = 0;            // seconds; of requests that ran or timed out
    double seats_sum = 0, seats_count = 0;          // work_estimated_seats
    std::map<double, double> execution_buckets;     // upper bound in seconds → requests up to it
    std::map<double, double> wait_buckets;          // the same
    std::map<double, double> seats_buckets;
  };
  struct Level {
    std::optional<double> nominal, current;  // seats
    std::optional<double> lower, upper;      // seats; between these borrowing moves the current limit; since 1.26
    // Seats in use and wanted by requests in queues, in the last period of borrowing (10 s); since 1.26.
    std::optional<double> demand_most, demand_mean, demand_smoothed;
    double executing_seats = 0;
  };
  std::string name;  // of the file
  // Families of API Priority and Fairness in it, without "apiserver_flowcontrol_" and, of histograms, without the ends
  // of their names. What the others count is not known, unless the scrape is whole: a server writes a family only once
  // it has something to count.
  std::set<std::string, std::less<>> families;
  bool whole = false;
  bool has(std::string_view family) const { return whole || families.contains(family); }
  std::vector<std::string> skipped;                              // lines that are not series, a sentence each
  std::map<std::pair<std::string, std::string>, Series> series;  // by FlowSchema and level
  std::map<std::string, Level> levels;
  std::optional<double> process_start;  // seconds since 1970
  std::optional<Nanos> time;            // where the lines have one
  std::string version;                  // of kubernetes_build_info; else empty
  // How long the server's priority levels have been there, in seconds: since 1.25 they count nanoseconds.
  std::optional<double> age;
  std::map<std::string, double> in_flight;  // requests of the last second, at most, by kind ("readOnly", "mutating")
  // Requests that the server refused (429), by kind, "" where that is not counted: apiserver_dropped_requests_total, or
  // apiserver_request_terminations_total.
  std::map<std::string, double> dropped;
  // It is whole, and has no level: API Priority and Fairness is off.
  bool without_levels = false;
  std::optional<double> server_seats;  // of the metrics that a replay writes: the server's concurrency limit
};
// The newest release whose servers show these metrics and no others; nothing: the newest one does.
APF_API std::optional<KubeVersion> newest_release_of(const ServerScrape& scrape);
// Names as all releases since 1.20 have them. Throws Error: no scrape, or one without these counters.
APF_API ServerScrape parse_scrape(std::string_view text, const std::string& name);
// The same for a part of a scrape, as people paste it: at least one line of API Priority and Fairness. Series are also
// read behind the file name of a grep and from the cells of a table; lines that are neither are `skipped`. Both take
// answers of Prometheus and VictoriaMetrics (JSON of their APIs, promtool's text, dumps and exports): of several
// samples of a series the last one counts.
APF_API ServerScrape parse_part_of_scrape(std::string_view text, const std::string& name);

// How a priority level fared over the samples of a time series database.
struct ScrapeCourse {
  struct Sample {
    Nanos time = 0;
    double value = 0;
  };
  std::string level;
  std::vector<Sample> waiting;   // requests
  std::vector<Sample> rejected;  // since the server started; where it falls, the server started again
};

// What Prometheus or VictoriaMetrics answers about one server: of one instant, or of a range of time.
struct ScrapeRange {
  std::optional<ServerScrape> before;  // with samples of several instants: the first ones since the server's last start
  ServerScrape after;                  // the last ones
  std::vector<ScrapeCourse> courses;   // of all the time; by level
  std::optional<Nanos> restarted;      // counters fell before this sample: the server started again
};
// Of a scrape as well, which has but `after`. Throws Error as parse_part_of_scrape() does.
APF_API ScrapeRange parse_scrape_range(std::string_view text, const std::string& name);

// What a server did between two scrapes, or since its start.
struct ServerLoad {
  std::map<std::pair<std::string, std::string>, ServerScrape::Series> series;
  std::map<std::string, ServerScrape::Level> levels;  // as of the later scrape
  std::optional<Nanos> begin, end;                    // as far as the scrapes say
  std::optional<double> seconds;                      // from the one to the other, or since the start, if they say it
  std::string name;                                   // of the files
  std::optional<Nanos> started;                       // the server's process, if they say it
  // As of ServerScrape: what both scrapes have; of gauges, what the later one has.
  std::set<std::string, std::less<>> families;
  bool whole = false;
  bool has(std::string_view family) const { return whole || families.contains(family); }
};
// Throws Error: scrapes of different servers or runs of a server, or in the wrong order.
APF_API ServerLoad load_between(const ServerScrape& before, const ServerScrape& after);
APF_API ServerLoad load_since_start(const ServerScrape& scrape);

// What a log holds, by FlowSchema of a configuration.
struct LoggedLoad {
  struct Schema {
    std::uint64_t served = 0, refused = 0;  // refused: by API Priority and Fairness
    double execution_sum = 0;               // seconds, of `execution_count` requests whose execution is known
    std::uint64_t execution_count = 0;
    std::vector<std::uint64_t> over_time;  // arrivals in bins of `width`, from `begin` on
    std::vector<Nanos> executions;         // of up to 256 requests, evenly taken
    std::uint64_t lists = 0, watches = 0, writes = 0;
    std::size_t users = 0;  // up to 1,000
    // Lists, and watches that begin with one, by "resource" or "resource.group"; and resources of which one object is
    // listed by its name.
    std::map<std::string, std::uint64_t> listed;
    std::set<std::string> listed_by_name;
  };
  std::map<std::pair<std::string, std::string>, Schema> schemas;  // by FlowSchema and level
  std::optional<Nanos> begin, end;                                // first and last arrival
  Nanos width = kSecond;
  std::uint64_t requests = 0;
};
// Reads the log once. Throws Error as trace_logs() does.
APF_API LoggedLoad count_load(const LogOptions& options, const Config& config);

struct CoverageReport {
  struct Schema {
    std::string name, priority_level;
    std::uint64_t dispatched = 0, in_log = 0;  // in_log: that the server did not refuse
    std::uint64_t rejected = 0, rejected_in_log = 0;
    std::optional<double> execution, execution_in_log;  // mean, seconds
    std::optional<double> wait;                         // mean, seconds
    APF_API double percent() const;
  };
  std::vector<Schema> schemas;  // that the server dispatched or refused anything of, or the log has; by level and name
  std::vector<std::string> unknown;  // FlowSchemas that the server has and the configuration has not
  std::string scrapes;               // names of the files
  APF_API double percent() const;    // of all dispatched requests
  APF_API std::uint64_t dispatched() const;
  APF_API std::uint64_t in_log() const;
  APF_API std::uint64_t missing() const;
};
// Throws Error: the scrapes are of another window than the log.
APF_API CoverageReport compare_load(const ServerLoad& load, const LoggedLoad& logged, const Config& config);

// What is known of a log besides what it says itself.
struct LogCoverage {
  std::optional<CoverageReport> metrics;
  std::optional<PolicyCoverage> policy;
  // FlowSchemas of which neither the counters nor the log say how long their requests run: those that a FillPlan adds
  // run as long as all others of the log.
  std::vector<std::string> executions_unknown;
};

// Signs that a log is not the whole traffic; none where it is.
APF_API std::vector<Remark> signs_of(const CoverageReport& coverage, const LoggedLoad& logged);
APF_API std::vector<Remark> signs_of(const PolicyCoverage& policy);

// For which priority levels a log can be replayed: those of which it has all requests, and those of which it has not.
struct LevelCoverage {
  enum class Replayable : std::uint8_t { yes, partly, no };
  Replayable replayable = Replayable::yes;
  std::vector<std::string> whole, incomplete;  // by name; levels of which nothing is known are in neither
};
APF_API LevelCoverage levels_of(const LogStat& stat, const LogCoverage& known);
// What would make the log better for a replay, most effective first.
APF_API std::vector<Remark> better_log(const LogStat& stat, const LogCoverage& known);

// --- what is missing ---

// What a replay adds to a log: requests of FlowSchemas that the log does not hold, as many as the server counted.
struct FillPlan {
  struct Schema {
    std::string name, priority_level;
    std::uint64_t requests = 0;
    std::vector<Nanos> executions;  // taken in turn
    std::vector<int> widths;        // the same
    std::size_t flows = 1;          // among which they are parted, where the FlowSchema parts flows
    std::vector<double> over_time;  // weights of bins of `width`; empty: even
    enum class Source : std::uint8_t { histogram, mean, log, whole_log } source = Source::mean;
  };
  std::vector<Schema> schemas;
  Nanos begin = 0, end = 0, width = kSecond;
  APF_API std::uint64_t requests() const;
};
// Deterministic: the same plan for the same input. Throws Error: more is missing than any server serves in that time.
APF_API FillPlan plan_fill(const ServerLoad& load, const LoggedLoad& logged, const CoverageReport& coverage,
                           const Config& config);

// --- dumps ---
//
// /debug/api_priority_and_fairness/dump_priority_levels, dump_queues and dump_requests (with ?includeRequestDetails=1
// or without), as the server writes them. Columns are found by their titles, so dumps of all releases since 1.20 can be
// read; a column that a release does not have leaves its member as it is. Work is in units of 10 nanoseconds of one
// seat.

struct LevelDump {
  std::string name;
  std::int64_t active_queues = 0;  // with requests that wait
  bool idle = false, quiescing = false;
  std::int64_t waiting = 0, executing = 0;  // requests
  // Since the level came into being; since 1.26. Requests that waited too long count as rejected and as cancelled.
  std::optional<std::int64_t> dispatched, rejected, timed_out, cancelled;
};

struct QueueDump {
  std::string level;
  std::int64_t index = 0;
  std::int64_t waiting = 0, executing = 0, seats = 0;  // requests; seats in use
  std::uint64_t next_dispatch_r = 0;                   // virtual time, in units of work
  // Of the requests that wait: their seats, the most that each takes, and their work, 3 ms being assumed of each.
  std::int64_t initial_seats = 0, max_seats = 0;
  std::uint64_t total_work = 0;
};

struct RequestDump {
  std::string level, flow_schema, distinguisher;
  std::int64_t queue = -1;  // -1: of a level without queues
  std::int64_t index = -1;  // in its queue; -1: it runs
  Nanos arrived = 0;
  std::int64_t initial_seats = 1, final_seats = 0;
  Nanos additional_latency = 0;
  std::optional<Nanos> started;  // nothing: it waits
  bool runs() const { return started.has_value(); }
  // With details.
  std::string user, verb, path, ns, name, api_version, resource, subresource;
};

struct ServerDump {
  bool has_levels = false, has_queues = false, has_requests = false, has_details = false;
  std::vector<LevelDump> levels;
  std::vector<QueueDump> queues;
  std::vector<RequestDump> requests;
  Nanos time = 0;  // of a replay; the server does not write it
};

// Adds what `text` holds: answers of the endpoints, one after the other, or the JSON of render_json(). All rows are
// taken but those at fault, of which it returns a sentence each, with file, line and cure ("dump.txt:7: …"). Lines of
// dots alone, which pages have where they leave out rows, are skipped. Throws Error: it is not a dump, or a second one
// of a kind that `dump` has already.
APF_API std::vector<std::string> read_dump(std::string_view text, const std::string& name, ServerDump& dump);

// --- metrics of a replay ---

// What a replay counted, as metrics under the names that kube-apiserver of the replayed release gives them.

struct MetricBucket {
  double bound = 0;         // le; the last bucket's is infinite
  std::uint64_t count = 0;  // of this and all lower ones
};

struct MetricSeries {
  std::vector<std::pair<std::string, std::string>> labels;  // by name
  double value = 0;                                         // counter, gauge
  std::vector<MetricBucket> buckets;                        // histogram
  double sum = 0;
};

struct MetricFamily {
  enum class Type : std::uint8_t { counter, gauge, histogram };
  std::string name, help;
  Type type = Type::gauge;
  std::vector<MetricSeries> series;
};

}  // namespace apf
