// Replay: what would have happened to the requests of a log under a configuration.
//
//   apf::ReplayOptions options;
//   options.logs = {"audit.log"};
//   options.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   options.server_concurrency_limit = 600;
//   const apf::ReplayReport report = apf::replay(options);
//   for (const apf::LevelReport& level : report.levels)
//     std::printf("%s: %llu refused\n", level.name.c_str(),
//                 static_cast<unsigned long long>(level.tally.rejected()));
//
// Options are values that the caller owns; ReplayOptions::interrupted, if set, must live as long as the call. Times are
// nanoseconds since 1970 UTC, durations nanoseconds, seats whole numbers. replay() uses threads of its own and calls
// `progress` from the thread that called it; several replays may run at once. It throws apf::Error for a log that
// cannot be read and an output that cannot be written; what is doubtful in a log is said in the report.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/limits.h>
#include <apf/logs.h>
#include <apf/quota.h>
#include <apf/server.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

// The admission pipeline of a replay: which stages there are, how they are set and, in addition to StageReport, what
// they report. Of quotas: apf/quota.h.

// client-go's own limiter: a token bucket in every client.
struct ClientLimit {
  float qps = 5;  // negative: none
  int burst = 10;
};
struct ClientLimits {
  ClientLimit of_all;
  // Clients whose user agent begins with the text; the longest counts.
  std::vector<std::pair<std::string, ClientLimit>> by_user_agent;
  APF_API const ClientLimit& of(const std::string& user, const std::string& user_agent) const;
};

// --max-requests-inflight and --max-mutating-requests-inflight of a server without API Priority and Fairness; 0 = no
// limit.
struct InFlightLimits {
  int read_only = 400, mutating = 200;
};

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
// What the sender of an event does when EventRateLimit refuses it.
enum class EventSender : std::uint8_t {
  server,   // as client-go's recorder: the event is dropped, the next one is sent
  abandon,  // the event is dropped, and so are all of this sender for a while
  retry,    // the event is sent again after a while
};
struct EventSending {
  EventSender sender = EventSender::server;
  Nanos pause = 0;  // > 0: of abandon and retry
  int tries = 12;   // of retry, the first one included
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

// An instant as --start, --from, --to and --config-at take it: absolute, or a duration after the first arrival.
struct ReplayTime {
  bool relative = false;
  Nanos value = 0;
  // RFC 3339, an integer (ns), or a Go duration (after the first arrival); nothing beyond the ranges of apf/time.h.
  APF_API static std::optional<ReplayTime> parse(std::string_view text);
};

// How clients behave where the log of one configuration cannot show what they would do under another one. `agent`: how
// the user agent, or the name of the user, begins; "*": every client. The longest one that fits counts.

// A client that hangs up when a request has not been answered for this time.
struct ClientTimeout {
  std::string agent;
  Nanos patience = 0;  // > 0
};

enum class ClientModel : std::uint8_t {
  open,     // sends at the recorded times
  workers,  // has work at the recorded times, and a bounded number of requests in flight: the rest wait in the client
  loop,     // sends the next request a think time after an answer; from the log are the think times, and which follows
};
APF_API const char* to_string(ClientModel model);  // "open", …

struct ClientModelOf {
  std::string agent;
  ClientModel model = ClientModel::open;
  int places = 0;  // most requests in flight; 0: as many as the log shows
};

// More or less load than the log holds. Each client's requests come several times over, each time as a whole and moved
// by up to a second; what is left of the factor, below 1, is an even selection of them. Of the scales that fit a
// client, the one with the longest name counts.
struct LoadScale {
  std::string user;      // the name of the clients' user; with a `*` at the end, how it begins
  double factor = 1;     // 0 … 10,000
  bool clients = false;  // there are more clients rather than busier ones: copies belong to users of their own
  bool operator==(const LoadScale&) const = default;
};
// Requests that run longer, or shorter, than the log says: a slower etcd, webhook or disk. Of several that fit a
// request the product counts.
struct ExecutionScale {
  std::string
      what;  // a user, as LoadScale::user; a priority level; a resource ("pods", "deployments.apps"); empty: all
  double factor = 1;  // 0 … 10,000
  bool operator==(const ExecutionScale&) const = default;
};

// What if lists took other seats than the release gives them? What the level allows still bounds them.
inline constexpr int kMostListSeats = 100'000;  // that may be asked for
struct ListWidths {
  int most = 0;            // no list, and no watch that begins with one, takes more; 0: as many as the release allows
  std::int64_t bytes = 0;  // a list takes a seat for each so many bytes that it returns, where that is known; 0: it
                           // takes what the release estimates
  bool any() const { return most > 0 || bytes > 0; }
  bool operator==(const ListWidths&) const = default;
};

// Whether that is the scale of such a user.
APF_API bool fits(const LoadScale& scale, const std::string& user);

// What the server ran when the log was written.
struct RecordedConfig {
  Config config;                                // complete, as ReplayOptions::config
  std::optional<int> server_concurrency_limit;  // seats; default: what the server's own log names
  KubeVersion version = kNewestKubeVersion;
  std::vector<std::pair<ReplayTime, Config>> config_changes;  // also complete
  std::optional<int> seats_unless_logged = {};                // where neither is known; default: as replayed
};

// How long requests run whose queue wait the log does not record.
enum class UnknownWaits : std::uint8_t {
  // For their recorded total. Where the log shows that requests waited or were refused, that need not be so: then the
  // log is also replayed with recorded ends, and the figures of the report are ranges (ReplayReport::others).
  undecided,
  // Until their recorded end, whenever the replay starts them: right if the log was written under the replayed
  // configuration.
  recorded_ends,
};

// What a decision may carry of the log, so that it need not be joined with it: "user", "verb", "uri", "agent".
enum class DecisionField : std::uint8_t { user, verb, uri, agent };
APF_API std::vector<std::string> decision_field_names();  // in the order of the values

// The server, in place of the one that wrote the log.
struct ReplayedServer {
  Config config;                                              // complete: defaulted, built-ins added
  std::vector<std::pair<ReplayTime, Config>> config_changes;  // also complete
  int server_concurrency_limit = 600;                         // seats
  KubeVersion version = kNewestKubeVersion;
  Borrowing borrowing = Borrowing::server;
  bool seats_by_log = false;        // the seats that the server's own log names replace server_concurrency_limit
  std::optional<ReplayTime> start;  // default: what the log says or suggests, else the first arrival
  Nanos request_timeout = 60 * kSecond;
  // --min-request-timeout: a watch without ?timeoutSeconds lasts at least this time, and at most twice as long.
  Nanos min_request_timeout = 1800 * kSecond;
  Nanos watch_init = 0;  // initialization of a watch, where the log does not say
  ObjectCounts objects;
  // Counted later on; the first ones hold before that if `objects` is empty.
  std::vector<std::pair<ReplayTime, ObjectCounts>> objects_at;
  std::optional<bool> consistent_list_from_cache;  // default: by release
  ListWidths list_widths;
};

// What limits requests before the priority levels, or in place of them.
struct ReplayedStages {
  std::optional<ClientLimits> client_limits;  // clients send no faster than that
  std::optional<InFlightLimits> in_flight;  // set: API Priority and Fairness is off, and max-in-flight takes its place
  bool in_flight_recorded = false;          // so was it in the server that wrote the log
  std::optional<EventRateLimitConfiguration> event_rate_limit;  // valid; events are limited by it
  EventSending event_sending;
  // Valid; all that is created in their namespaces is limited by them.
  std::vector<ResourceQuota> resource_quotas;
  std::optional<ResourceQuotaConfiguration> resource_quota_configuration;
  QuotaStart quota_start = QuotaStart::automatic;
  // Interval at which the quota controller recounts usage, from the first request on; until then deleted objects still
  // count. 0: they stop counting at once.
  Nanos quota_resync = 0;
  // Set: updates of quotas' statuses may fail, by other servers and the quota controller. A request that is therefore
  // answered later, or refused, holds its seats until then.
  std::optional<QuotaConflicts> quota_conflicts;
  std::shared_ptr<const QuotaRound> quota_round;  // internal: see replay_servers()
  bool limits_resources() const { return !resource_quotas.empty() || resource_quota_configuration; }
};

// The log, which of its requests, and what their clients do.
struct ReplayedTraffic : LogOptions {
  // Set: the log was written under another configuration. It is replayed under that one first, which finds out how long
  // requests waited there, and so how long they ran.
  std::optional<RecordedConfig> recorded;
  UnknownWaits unknown_waits = UnknownWaits::undecided;  // without `recorded`
  std::optional<ReplayTime> from, to;                    // report only arrivals in [from, to); everything is replayed
  Nanos service_floor = kMillisecond;                    // least execution time when the recorded end is anchored
  std::optional<Nanos> refused_execution;  // service time of requests the log saw refused; default: mean of schema,
                                           // verb and resource so far
  bool retries = false;  // clients whose request is refused here, but not in the log, come back after Retry-After
  std::vector<ClientTimeout> client_timeouts;
  std::vector<ClientModelOf> client_models;
  bool client_models_by_log = false;  // of the other clients: as the log shows, where the evidence is strong
  // Whether a model needs what only a first replay of the log shows; then `recorded` must be set.
  bool clients_need_first_replay() const {
    bool needed = client_models_by_log;
    for (const ClientModelOf& of : client_models)
      needed = needed || of.model == ClientModel::loop || (of.model == ClientModel::workers && of.places == 0);
    return needed;
  }
  std::vector<LoadScale> scales;  // of all others: 1. Which copies go where follows from `jitter_seed`.
  std::vector<ExecutionScale> execution_scales;
  std::optional<FillPlan> fill;  // set: these requests are added to those of the log
  bool compare_fill = true;      // … and the log is also replayed without them
};

// How it is replayed, and what the report is to say.
struct APF_API ReplayOptions : ReplayedTraffic, ReplayedServer, ReplayedStages {
  ReplayOptions();
  ReplayOptions(const ReplayOptions&);
  ReplayOptions(ReplayOptions&&) noexcept;
  ReplayOptions& operator=(ReplayOptions&&) noexcept;
  ~ReplayOptions();

  // How many times to replay once more with jitter, and with the 10 s clock in other phases where the log does not say
  // how the replayed server's ticks.
  int spread = 0;
  // Bytes for a log that is read once and replayed from memory, 0 = half of the free memory; the rest goes to a
  // temporary file. Of replay_servers(): those of the first server are for all.
  std::uint64_t memory = 0;
  // With `recorded`, where anything waits or is refused in a log of up to 20,000 requests: the number of further
  // replays, with jitter in ends. The report is of the one in the middle, because a single one may be unusual. Longer
  // logs are replayed `spread` more times for that.
  int candidates = 19;
  Nanos clock_shift = 0;  // the replayed server's clock ticks that much earlier than assumed, 0 … 10 s
  Nanos jitter = 0;       // arrivals and ends are moved by up to that, evenly, as `jitter_seed` determines
  std::uint64_t jitter_seed = 0;
  int top = 10;  // flows in the top lists
  // Of what the log says of a request, its decision carries these: see DecisionField.
  std::vector<DecisionField> decision_fields;
  std::vector<ReplayTime> dump_at;            // wanted in ReplayReport::dumps; not with in_flight
  std::string decisions_path, timeline_path;  // empty = not written; renamed when complete
  std::string server;                         // its name, written in decisions and timeline; empty = the only one
  bool metrics = false, series = false, all_flows = false;  // wanted in the report
  // > 0, with `metrics`: also every so often. At most 4,096 times; in longer runs with a multiple of it.
  Nanos metrics_step = 0;
  // Called now and then from the thread that called replay().
  std::function<void(const struct ReplayProgress&)> progress;
};

struct ReplayProgress {
  std::uint64_t bytes_read = 0, bytes_total = 0;  // of the files; total 0 if unknown
  std::uint64_t requests = 0;
  Nanos clock = 0;  // simulated
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
  // How long at least one of its requests waited; how many seats of the server, and of the level's own limit, nobody
  // used then, on average over that time, and over its refusals.
  double waiting_seconds = 0, idle_while_waiting = 0, own_while_waiting = 0;
  double idle_at_refusals = 0, own_at_refusals = 0;
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

// The holders of the seats of a level while requests were refused there. A refusal counts as 1, divided among the
// holders of the level's seats at that moment.
struct CulpritReport {
  enum class By : std::uint8_t { flow, user_agent, request } by = By::user_agent;
  std::string priority_level;
  std::string flow_schema, distinguisher;  // a flow; or
  std::string user_agent;                  // all requests of this user agent at the level; empty: they name none; or
  std::string verb, resource;              // all such requests: "list", "deployments.apps"; empty: of no resource
  double seat_seconds = 0, level_seat_seconds = 0;  // its own, and those of the whole level
  double refusals_others = 0, refusals_own = 0;     // for which its seats account: of other requests, of its own
  std::uint64_t refused = 0, level_refused = 0;     // its own requests, and all of the level
  // Its requests that ran until they reached ReplayOptions::request_timeout, counted from their
  // arrival, and how many a minute, from the dispatch of the first to the end of the last.
  std::uint64_t timed_out_running = 0;
  double timed_out_running_per_minute = 0;
  std::uint64_t others_timed_out_waiting = 0;  // requests of the level that are not its own
  std::string user;                            // as FlowReport::user
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
  };
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
  // As the lists of flows, by the worst of all replays: of each level that refused or kept waiting, the first `top`.
  std::vector<CulpritReport> culprit_flows, culprit_agents, culprit_requests;
  std::uint64_t flows = 0;
  std::vector<FlowReport> all_flows;                  // when wanted
  double full_seconds = 0, longest_full_seconds = 0;  // all of the server's seats were in use: in all, at a stretch
  // Why requests were refused or waited for a second and more: of each such level, the worst first.
  std::vector<Remark> causes;
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
  MetricsOverTime metrics_over_time;
  ReplaySeries series;
};

// A remark that the log contradicts the replay of the server that is said to have written it.
APF_API bool is_contradiction(const Remark& remark);

// Throws Error: a log that cannot be opened or is of no known format, an output that cannot be written; with a fill or
// a spread a log that can be read only once.
APF_API ReplayReport replay(const ReplayOptions& options);

// Replaying the logs of several kube-apiservers: each by itself, as API Priority and Fairness knows nothing of the
// others.

struct ServersReport {
  std::vector<ReplayReport> servers;  // as given; ReplayReport::server is the name
  ReplayReport total;                 // what adds up: requests, refusals, seat-seconds, waits; no limits
};

// options[i].server are the names, different from each other. `threads` (0 = as many as there are processors) are
// shared among the servers; their own numbers of threads are ignored, and so is `progress` of all but the first.
// Decisions and timelines of servers with the same paths are written one server after the other, in the order given.
APF_API ServersReport replay_servers(const std::vector<ReplayOptions>& options, int threads);

// Systems that limit requests, each alone before the same log, which is read once: it may be standard input or a pipe.
// systems[i] differ in `server`, the system's name, and in client_limits, in_flight, event_rate_limit, event_sending
// and what is of quotas. The reports, in this order, are those that replay() makes of each; `incomplete` and `join` are
// of the one reading. `threads` are shared as above; `progress` of all but the first is ignored. Throws Error as
// replay(), and for what is more than a report: decisions, timeline, dumps, metrics, series, a fill or a spread.
APF_API std::vector<ReplayReport> replay_systems(const std::vector<ReplayOptions>& systems, int threads);

}  // namespace apf
