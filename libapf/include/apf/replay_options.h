// What a replay is asked: the logs, the server, how its clients behave, the stages of its admission pipeline. Of
// quotas: <apf/quota.h>. replay() of <apf/replay.h> takes it, and says what it does with it.
//
//   apf::ReplayOptions options;
//   options.logs = {"audit.log"};
//   options.config = apf::bootstrap_config(apf::kNewestKubeVersion);
#pragma once

#include <cstdint>
#include <functional>
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
  // This is another server than that of the log, of which a log that was read once knows nothing: further attempts in
  // it at what is not refused here do not come, of clients that come back always after about the same time. `recorded`
  // says so by itself, and so do `scales`.
  bool leaves_out_retries = false;
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
};

}  // namespace apf
