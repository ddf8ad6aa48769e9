// What a replay reports: what would have happened to requests, by level, FlowSchema, flow and stage, over time, and how
// far the log itself agrees. Times are nanoseconds since 1970 UTC, durations nanoseconds, seats whole numbers.
//
//   const auto refused = [](const apf::ReplayReport& report) {
//     std::uint64_t sum = 0;
//     for (const apf::LevelReport& level : report.levels) sum += level.tally.rejected();
//     return sum;
//   };
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <apf/replay_options.h>
#include <apf/why.h>

namespace apf {

// What a stage did to the requests of one requester.
struct RequesterReport {
  std::string user;
  std::string user_agent;  // empty where users are not distinguished by it
  std::uint64_t requests = 0, delayed = 0, refused = 0;
  double delay_sum = 0;  // ns
  Nanos delay_max = 0;
};

// The most of a quantity in each second, as kube-apiserver's apiserver_current_inflight_requests exports it; the width
// of the bins grows with the log, so that their number does not.
struct PeakSeries {
  Nanos begin = 0, width = kSecond;
  std::vector<int> peaks;
  int last_second = 0;  // in the last second in which anything happened
};

// What became of one limit of EventRateLimit.
struct EventLimitReport {
  std::string type;  // "Server", "Namespace", "User", "SourceAndObject"
  std::int32_t qps = 0, burst = 0;
  std::int32_t cache_size = 0;  // buckets that are kept; 0: there is one
  std::uint64_t asked = 0, refused = 0;
  std::uint64_t undecidable = 0;  // events whose key the log does not show: not asked
  std::uint64_t buckets = 0;      // that there were at most at once
  std::uint64_t evicted = 0;
};

struct EventRateLimitReport {
  EventSending sending;
  std::uint64_t abandoned = 0;           // events that were not sent
  std::uint64_t resent = 0;              // attempts after the first; each is asked about
  std::uint64_t given_up = 0;            // events refused so often that they are sent no more
  std::vector<EventLimitReport> limits;  // in the configuration's order
  std::uint64_t turned_away = 0;         // events that, by the log, other checks refused before
  // Against the log's own refusals by this plugin.
  std::uint64_t refused_in_both = 0, refused_only_in_log = 0, refused_only_in_replay = 0;
};

struct InFlightReport {
  struct Kind {
    int limit = 0;
    std::uint64_t requests = 0, refused = 0;
    std::uint64_t uncounted = 0;  // of system:masters, beyond the limit
    int peak = 0;                 // counted ones
    double average = 0;           // over time
    PeakSeries series;
  };
  Kind read_only, mutating;
};

// How a replay went over time, in bins of equal width whose number does not grow with the log.

struct SeriesBin {
  // Averages over the bin's time, and the most that held for any time within it.
  double seats = 0, limit = 0, nominal = 0, waiting = 0;
  double seats_max = 0, waiting_max = 0;
  // What happened within it. Waits count where they end.
  std::uint64_t arrived = 0, dispatched = 0;
  OutcomeCounts refused;              // by API Priority and Fairness
  double wait_sum = 0, wait_max = 0;  // seconds; of the dispatched and of those that timed out
  std::uint64_t waits = 0;
};

struct LevelSeries {
  std::string name;
  bool exempt = false;
  std::vector<SeriesBin> bins;
};

struct ReplaySeries {
  Nanos begin = 0, width = 0;       // of the first bin; of every bin
  std::vector<LevelSeries> levels;  // by name, all with the same number of bins
};

// A distribution of durations in little memory for any number of them: exact count, sum, zeros and maximum;
// quantiles within 0.8 % of the value.
class APF_API DurationDistribution {
 public:
  void add(Nanos value) {  // negative ones count as 0
    ++count_;
    if (value <= 0) ++zeros_;
    else add_to_octave(value);
  }
  void merge(const DurationDistribution& other);
  std::uint64_t count() const { return count_; }
  Nanos max() const { return max_; }
  double sum() const;   // nanoseconds
  double mean() const;  // nanoseconds, 0 when empty
  // The value that at least the part q (0 … 1) of the values does not exceed; 0 when empty.
  Nanos quantile(double q) const;
  // How many do not exceed `value`, to within 1.6 % of it.
  std::uint64_t count_up_to(Nanos value) const;

 private:
  void add_to_octave(Nanos value);
  friend struct DistributionCodec;  // writes it into partial results and reads it back
  std::uint64_t count_ = 0, zeros_ = 0;
  Nanos max_ = 0;
  std::uint64_t sum_seconds_ = 0, sum_nanos_ = 0;
  std::vector<std::vector<std::uint64_t>> octaves_;  // counts by power of two, in 64 steps each; empty where unused
};

// Seats times the time that they were held. Kept in whole nanoseconds, so that a sum depends on no order.
class HeldSeats {
 public:
  HeldSeats(double seconds = 0) : nanos_(static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5))) {}
  static HeldSeats of(int seats, Nanos held) {
    HeldSeats out;
    out.nanos_ = seats * held;
    return out;
  }
  operator double() const { return static_cast<double>(nanos_) / 1e9; }
  HeldSeats& operator+=(HeldSeats more) {
    nanos_ += more.nanos_;
    return *this;
  }

 private:
  std::int64_t nanos_;
};

struct RequestTally {
  std::uint64_t requests = 0, queued = 0;  // queued: could not start at once
  OutcomeCounts outcomes;
  std::uint64_t executed() const { return outcomes[Outcome::executed]; }
  std::uint64_t rejected() const { return outcomes.refused(); }
  HeldSeats seat_seconds;     // requests that held seats: seats × time held, lingering included
  DurationDistribution wait;  // of requests that held seats, and of those that timed out (how long they waited)
  // Requests that are wider than their level, or the server, allows: how many, the seats that they would take and those
  // that they may take, and the widest.
  std::uint64_t too_wide = 0, seats_wanted = 0, seats_allowed = 0;
  int widest = 0;
};

struct LevelReport {
  std::string name;
  bool exempt = false, reject = false;
  RequestTally tally;
  int nominal_cl = 0, min_cl = 0, max_cl = 0;  // at the end
  int current_cl_min = 0, current_cl_max = 0;
  double current_cl_avg = 0;  // over time
  double seats_avg = 0;       // in use, over time
  int seats_peak = 0;
  double borrowed_avg = 0;  // seats above nominal, over time: max(0, current - nominal)
  double lent_avg = 0;      // seats below nominal: max(0, nominal - current)
  int queues = 0, hand_size = 0, queue_length_limit = 0;
  double waiting_seconds = 0;  // how long at least one of its requests waited
  // With ListWidths::bytes: what the lists in flight return, on average over time and at most. Those whose bytes are
  // not known are not in it.
  double list_bytes_avg = 0, list_bytes_most = 0;
};

struct SchemaReport {
  std::string name, priority_level;
  std::int32_t matching_precedence = 0;
  RequestTally tally;
};

struct FlowReport {
  std::string flow_schema, priority_level, distinguisher;
  bool filled = false;  // of requests that the log does not hold: in no list of flows
  RequestTally tally;
  std::uint64_t hash = 0;
  std::string user;  // whose requests these are, where flows are parted by user (suggest() does); else empty
};

// What became of a request, as far as a log says.
enum class Fared : std::uint8_t { served, refused_at_once, refused_after_wait };

// How the log's own record compares; only what the log has.
struct RecordedReport {
  std::uint64_t refused_in_log = 0;  // 429 with APF's text
  std::uint64_t refused_in_both = 0, refused_only_in_log = 0, refused_only_in_replay = 0;
  std::uint64_t hung_up = 0;                       // of those refused in the log: the client left its queue
  std::uint64_t outcomes[3][3] = {};               // number of requests: [result in log][result in replay]
  std::uint64_t waits_compared = 0;                // recorded queue waits
  double mean_wait_log = 0, mean_wait_replay = 0;  // seconds, over the compared
  DurationDistribution wait_error;                 // |here - in the log|, request by request
  // FlowSchemas and levels that the log names.
  std::uint64_t classified = 0, classified_alike = 0;
  struct Disagreement {
    std::string logged_schema, logged_level, schema, level;
    std::uint64_t requests = 0;
  };
  std::vector<Disagreement> disagreements;  // the most frequent ones
  // Requests of which something was compared, and those that agree: schema and level, served or refused.
  std::uint64_t compared = 0, agreed = 0;
  struct Level {
    std::string name;
    DurationDistribution wait_log, wait_replay;  // of requests served in both
    std::uint64_t refused_log = 0, refused_replay = 0;
    // Most seats that its requests took in the log when it refused one there: about its limit.
    std::optional<int> seats_while_refusing;
    std::uint64_t refused_log_at_end = 0, refused_replay_at_end = 0;  // of these, as AtEnd
  };
  // Of requests that arrived last, for as long as one may wait before the log's end. What waited or ran then is not in
  // an audit log, so that a replay refuses less, and waits are shorter.
  struct AtEnd {
    Nanos length = 0;
    std::uint64_t waits_compared = 0;
    double wait_log = 0, wait_replay = 0;  // seconds, their sums
  } at_end;
  struct User {
    std::string name;  // empty: the log names no user
    std::uint64_t requests = 0;
  };
  std::vector<User> refused_users;                      // whose requests the log refused, the most first
  std::vector<Level> levels;                            // by name (of the level here); those with something to compare
  std::uint64_t limits_compared = 0, limits_alike = 0;  // "Update CurrentCL" lines
};

// A log of one configuration, replayed under another one: see ReplayOptions::recorded.
struct WhatIfReport {
  int recorded_seats = 0;
  bool seats_by_log = false;  // the server's own log names them
  KubeVersion recorded_version;
  std::uint64_t found_by_replay = 0;  // requests that ran for their total less their wait in the first replay
  // Requests refused, or without an end, in the log: they run as long as similar ones.
  std::uint64_t given_similar = 0;
  std::uint64_t at_recorded_cap = 0;  // lists as wide as the recorded configuration allowed
  std::uint64_t width_unknown = 0;    // of these, those without object counts: they may be wider
  std::uint64_t wider_than_level =
      0;  // requests that take fewer seats than they would, because their level allows no more
  // Requests, and those that go to the level of the log and are served, or refused, as there.
  std::uint64_t compared = 0, unchanged = 0;
  int replays = 1;  // of which the report is of the one in the middle: see ReplayOptions::candidates
};

// What became of lists under ReplayOptions::list_widths. Without watches.
struct ListWidthReport {
  ListWidths asked;
  std::uint64_t lists = 0;
  std::uint64_t cut = 0;       // that would take more seats if `asked.most` did not bound them
  std::uint64_t by_bytes = 0;  // with `asked.bytes`; the others take what the release estimates
};

// A client that waits for its answers: by the log, or as ReplayOptions::client_models says.
struct ClientReport {
  std::string user, user_agent;
  ClientModel model = ClientModel::open;
  bool applied = false;        // else it sends at the recorded times
  bool asked_for = false;      // ReplayOptions::client_models names it
  std::uint64_t requests = 0;  // in the log, watches excepted
  int places = 0;              // most requests in flight: as asked for, else as in the log
  double mean_in_flight = 0;   // in the log, over time
  // How much fewer requests it sends while more are in flight, in standard deviations: above -4 for clients that do not
  // wait, below -10 for recorded ones that do.
  double evidence = 0;
  Nanos mean_think = 0;          // between an answer and the request that follows it
  std::uint64_t beyond_log = 0;  // loop: requests that would come after the log's end, and are left out
  std::uint64_t repeated = 0;    // loop: requests sent once more, because those of the log were answered sooner
  std::uint64_t held = 0;        // workers: requests that waited in the client
  double held_sum = 0;           // ns
  Nanos held_max = 0;
};

// Why figures of a report are ranges: see UnknownWaits.
struct UndecidedReport {
  std::uint64_t waited = 0, refused = 0;  // requests, in the log
  std::uint64_t unknown = 0;              // requests whose wait the log does not record
  std::string hint;                       // set by the program that shows the report: how to decide it
};

// What N more replays with jitter came to.
struct Spread {
  int runs = 0;              // the one without jitter included
  bool clock_swept = false;  // the replays also differ in the phase of the 10 s clock
  struct Level {
    std::string name;
    std::uint64_t rejected_least = 0, rejected_most = 0;
    double mean_wait_least = 0, mean_wait_most = 0;  // ns
    Nanos p50_least = 0, p50_most = 0, p90_least = 0, p90_most = 0, p99_least = 0, p99_most = 0;
  };
  std::vector<Level> levels;  // by name; the total last, without a name
};

// The part of the report that all stages of the admission pipeline share.
struct StageReport {
  AdmissionStage stage = AdmissionStage::apf;
  std::uint64_t bypassed = 0;  // not subject to it
  std::uint64_t passed = 0;
  std::uint64_t delayed = 0;   // of those that passed
  DurationDistribution delay;  // of the delayed
  std::uint64_t refused = 0;
  std::map<std::string, std::uint64_t> reasons;  // of refusals
  std::uint64_t requesters = 0;
  std::vector<RequesterReport> delayed_most, refused_most;
  std::uint64_t seen() const { return bypassed + passed + refused; }
};

struct APF_API ReplayReport : LogReport {
  ReplayReport();
  ReplayReport(const ReplayReport&);
  ReplayReport(ReplayReport&&) noexcept;
  ReplayReport& operator=(const ReplayReport&);
  ReplayReport& operator=(ReplayReport&&) noexcept;
  ~ReplayReport();

  std::string server;      // its name where there are several
  std::size_t summed = 0;  // not 0: sums over this number of servers, and no limits
  std::map<std::string, std::uint64_t>
      left_out;  // reason → requests that never reach the filter (401, long-running, …)
  std::optional<Nanos> first_arrival, last_arrival;
  // Result
  KubeVersion version;
  int server_concurrency_limit = 0;
  bool seats_by_log = false;  // the server's own log names them
  RequestTally total;
  std::vector<StageReport> stages;  // those switched on, in the order in which requests pass them
  std::optional<EventRateLimitReport> event_rate_limit;
  std::optional<ResourceQuotaReport> resource_quota;
  std::optional<InFlightReport> in_flight;  // max-in-flight's own; levels then have tallies only, and no limits
  std::vector<LevelReport> levels;          // by name
  std::vector<SchemaReport> schemas;        // in matching order
  std::vector<FlowReport> waited_most, refused_most;
  std::vector<FlowReport> widest;  // flows of which requests are too wide, the most seats cut first
  std::uint64_t flows = 0;
  std::vector<FlowReport> all_flows;  // when wanted
  std::optional<WhyReport> why;       // by explain_by_replay(), where the caller has asked
  std::uint64_t watches_peak = 0;
  std::uint64_t retries = 0, gave_up = 0;  // attempts after the first; requests refused ten times over
  std::uint64_t retries_beyond_log = 0;    // of `retries`, those after the last arrival of the log: in no other figure
  std::uint64_t retries_dropped = 0;       // retries in the log whose cause is left to the replay
  std::vector<ClientReport> clients;       // of the most requests first; see ReplayOptions::client_models
  RecordedReport recorded;                 // with ReplayOptions::recorded: of the replay under that configuration
  std::optional<WhatIfReport> what_if;     // with ReplayOptions::recorded
  std::optional<UndecidedReport> undecided;
  // Further replays of the same log under what else may be true: a figure is known as the range from the least to the
  // most of this report and these. With `undecided` the first is the one with recorded ends.
  std::vector<ReplayReport> others;
  Spread spread;
  // How much of the traffic the log holds, where the caller has found out: see coverage.h.
  LogCoverage coverage;
  std::vector<LoadScale> scales;                     // as in the options
  std::vector<ExecutionScale> execution_scales;      // the same
  std::optional<ListWidthReport> list_widths;        // set where the options ask for other widths
  std::uint64_t copied = 0, thinned = 0;             // requests that they added to those of the log, and took from them
  std::uint64_t filled = 0;                          // requests that were added to those of the log
  std::shared_ptr<const ReplayReport> without_fill;  // the same without them
  // Of all that was replayed, beyond the part that the report is of.
  std::vector<ServerDump> dumps;      // at the times of ReplayOptions::dump_at; one beyond the end is of what was left
  std::vector<MetricFamily> metrics;  // by name
  ReplaySeries series;
};

// A remark that the log contradicts the replay of the server that is said to have written it.
APF_API bool is_contradiction(const Remark& remark);

}  // namespace apf
