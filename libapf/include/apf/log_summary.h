// What a log itself says of what happened: who was refused, why answers were errors, who loads the server, where the
// time of slow requests went, and which clients use the API as nobody should. Nothing is replayed.
//
//   apf::LogSummaryOptions options;
//   options.log.logs = {"audit.log"};
//   const apf::Config objects = apf::bootstrap_config(apf::kNewestKubeVersion);
//   options.config = &objects;
//   const apf::LogSummary summary = apf::summarize_logs(options);
//   std::printf("%llu refused\n", static_cast<unsigned long long>(summary.total.refused));
//
// Times are nanoseconds since 1970 UTC, durations nanoseconds. Absent is not zero: what a log does not record is not
// counted, and the summary says of how many requests it is known.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/config.h>
#include <apf/limits.h>
#include <apf/logs.h>
#include <apf/time.h>
#include <apf/version.h>
#include <apf/why.h>

namespace apf {

// What requests can be counted by.
enum class LogDimension : std::uint8_t {
  user,
  impersonator,  // who acts for the user; empty: nobody does
  agent,
  address,
  verb,
  resource,  // RESOURCE[.GROUP][/SUBRESOURCE], or a path; requests for discovery are one
  ns,        // "namespace"
  schema,
  level,
  code,
  minute,
  kCount
};
inline constexpr std::size_t kLogDimensions = static_cast<std::size_t>(LogDimension::kCount);
APF_API const char* to_string(LogDimension dimension);  // "user", as --by takes it
APF_API std::vector<std::string> log_dimension_names();
APF_API std::optional<LogDimension> find_log_dimension(std::string_view name);

struct LogTally {
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;  // whose answers the log has: of others, refusals and errors are not known
  std::uint64_t refused = 0;   // by API Priority and Fairness, by max-in-flight, or by what the log does not say
  std::uint64_t errors = 0;    // answers of 400 and more that are no such refusals
  std::uint64_t waited = 0;    // whose queue wait the log records, of more than nothing
  Nanos wait = 0;              // of these, in sum
  Nanos wait_and_run = 0;      // of these, from arrival to the end
  double seat_seconds = 0;     // seats held, in sum
  // Requests whose seats and execution time the log records; of the others they are estimated.
  std::uint64_t with_seats = 0;
};

// Requests that have these names, one for each dimension that was asked for.
struct LogRow {
  std::vector<std::string> names;
  LogTally tally;
  std::uint64_t stands_for = 0;  // nodes of "system:node:*", users for whom a client acts, or users of a user agent
};

// Answers that are errors, of one code and cause.
struct LogAnswers {
  int code = 0;
  AnswerCause cause = AnswerCause::none;
  std::string
      about;  // what failed or denied most of them: a webhook by its name, an API by its group; empty: not known
  std::uint64_t requests = 0;
  Nanos first = 0, last = 0;
  std::optional<WhyChange> rise;  // of all answers of that code: when there were most, where that is not the whole log
  std::vector<LogRow> clients;    // by user, or by user agent where no user is known; most first
};

// What the log says of refusals whose answers do not tell what refused.
struct RefusalEvidence {
  enum class Filter : std::uint8_t { unknown, on, off };
  Filter filter = Filter::unknown;  // API Priority and Fairness
  bool by_levels = false;           // on: some levels refuse, while others are served
  std::uint64_t at_exempt = 0;      // refused at levels that are exempt in the configuration: they refuse nobody
  std::string exempt_level;         // one of them
  // With requests in seconds in which requests were refused at once; of them, those that refused.
  std::uint64_t levels = 0, refusing_levels = 0;
  std::optional<Nanos> shortest, longest;  // how long refusals of AnswerCause::unknown took
  // Of these, how many the server's own log has, which names the level of what API Priority and Fairness refuses.
  std::uint64_t without_level = 0;
  bool by_authorization = false;  // requests have its annotation: what has none was refused before, by a filter
};

// Requests that took half a second or longer, of one client on one resource.
struct SlowRequests {
  std::string user, verb, resource;
  std::uint64_t requests = 0;
  Nanos first = 0, last = 0;     // arrivals
  std::uint64_t with_parts = 0;  // whose parts the log has
  std::uint64_t traced = 0;      // of these, by the server's traces: they begin in the handler, behind the queue
  Nanos total = 0;               // from arrival to the end
  std::uint64_t with_wait = 0;   // whose queue wait the log has, with or without the other parts
  Nanos wait = 0;                // of these, in sum
  std::array<Nanos, kLatencyParts> parts{};
};

// What a client does that it should not.
enum class ClientFault : std::uint8_t {
  list_loop,
  short_watches,
  retries_forbidden,
  retries_not_found,
  retries_conflict,
  retries_apply,
  retries_invalid,
  retries_denied,
  creates_existing,
  rewrites,
  polls_object,
  early_retry,
  unpaged_lists,
  reviews,
  herd,
  expired_versions,
  shared_identity,
  throttled,
  kCount
};
struct ClientFaultRow {
  ClientFault fault;
  const char* code;    // "CLIENT-LIST-LOOP"
  const char* title;   // "lists again and again what a watch would tell"
  const char* advice;  // the cure, in one sentence
  const char* page;    // what it means, how it is found, what to do
};
APF_API const ClientFaultRow& row_of(ClientFault fault);
APF_API std::optional<ClientFault> find_client_fault(std::string_view code);

struct ClientFinding {
  ClientFault fault = ClientFault::list_loop;
  std::string user, agent;
  std::uint64_t users = 1;       // that do so with this agent: `user` is the one of most requests, or "system:node:*"
  std::string what;              // the request it is about: "list pods"
  std::string path;              // of its URL, without the query
  std::uint64_t paths = 1;       // on how many paths; `path` is that of most requests
  std::uint64_t requests = 0;    // of this client, with this verb on these paths
  std::uint64_t hits = 0;        // of them, those at fault: answered with the error, without a limit, …
  std::uint64_t no_retries = 0;  // of a list loop: those that cannot be retries of refused ones
  Nanos first = 0, last = 0;     // arrivals
  std::optional<Nanos> median;   // how long watches lived, others took, or early retries waited
  std::uint64_t addresses = 0, all_addresses = 0;  // of a herd: in its second, and ever
  double share = 0;                                // of all requests
  double seat_share = 0;                           // of all seat-seconds
  std::vector<std::string> examples;               // the first two: time, verb, URI and code
};

// What clients say: of client-go's own rate limiter, which no server knows of, and of servers that refused them.
struct ClientThrottling {
  std::uint64_t lines = 0;  // of requests that waited for the limiter
  Nanos shortest = 0, longest = 0, sum = 0;
  std::vector<LogRow> targets;                   // host, verb and resource; most first
  std::uint64_t gave_up = 0;                     // lines of requests whose time was over before the limiter let them go
  std::uint64_t refused = 0;                     // lines of answers 429
  std::vector<LogRow> refused_targets, schemas;  // schemas: UIDs of FlowSchemas, as answers 429 name them
  std::uint64_t evictions = 0, events = 0;  // lines of evictions and events that a budget and EventRateLimit refused
  bool any() const { return lines + gave_up + refused + evictions + events > 0; }
};

// A minute of the log at one level.
struct LogMinute {
  Nanos begin = 0;
  std::string level;
  LogTally tally;
};

// Refusals by the clock: nine of ten of them come from second `from` to second `to` of a minute.
struct MinuteBursts {
  int from = 0, to = 0;
  std::uint64_t refused = 0, minutes = 0;  // then, and in how many minutes
};

// Requests of the clients that stand out by refusals, errors or requests, over time.
struct LogCourse {
  struct Bin {
    std::uint32_t requests = 0, refused = 0, errors = 0;
  };
  struct Client {
    std::string name;  // as WhyChange::name; empty: all others, the last one
    std::vector<Bin> bins;
  };
  Nanos begin = 0, width = 0;  // of the bins: whole minutes
  std::vector<Client> clients;
};

struct LogSummaryOptions {
  LogOptions log;
  const Config* config = nullptr;  // with defaults; says where requests go that the log does not name the level of
  KubeVersion version = kNewestKubeVersion;
  bool version_known = false;     // it is that of the server that wrote the logs
  std::optional<Nanos> from, to;  // requests that arrive then: from <= arrival < to
  std::vector<LogDimension> by;
  std::size_t top = 10;
  std::vector<ClientFault> ignored;
  std::optional<int> seats;               // that all levels of the server share
  const ObjectCounts* objects = nullptr;  // that the seats of lists follow from, where the log does not have them
  // Whether API Priority and Fairness was on, by `apf_by` ("metrics.txt"); nothing: no evidence but the log's requests.
  std::optional<bool> apf_on;
  std::string apf_by;
};

struct LogSummary {
  LogStat stat;  // what the logs hold, and what a replay of them misses
  LogTally total;
  std::optional<Nanos> first, last;                  // arrivals
  std::optional<Nanos> first_refused, last_refused;  // arrivals of what was refused
  std::optional<LogMinute> worst_minute;             // with most refusals, of all levels
  std::optional<MinuteBursts> bursts;
  std::uint64_t with_user = 0, with_level = 0;  // requests whose user, whose level the log names
  std::uint64_t classified = 0;                 // others, whose level follows from the configuration
  std::uint64_t limited = 0;                    // of requests that API Priority and Fairness sees
  std::uint64_t runs_unknown = 0;  // answered 504, and the log does not say whether they ran: they hold no seats here
  // By refusals, then by requests; at most `top` of each. Nodes are one user, but for one that has more than half of
  // what all of them have.
  std::vector<LogRow> users, agents, addresses, schemas, resources;
  std::vector<LogDimension> dimensions;  // of `by`
  std::vector<LogRow> by;                // of LogSummaryOptions::by
  std::vector<LogRow> load;              // verb and resource, by seat-seconds
  // Clients: who acts, for itself or for others; nodes are one. By the share of all requests or of all seat-seconds,
  // whichever is larger. User agents where no user is known.
  std::vector<LogRow> load_of;
  std::vector<LogRow> agents_load;   // user agents in the same order, each for its users; of a log with users
  std::vector<LogRow> impersonated;  // who acts for whom, in the same order
  std::uint64_t acted = 0;           // requests of somebody who acts for others
  struct Busiest {
    LogRow row;             // the first client, or a user agent that sends far more under several users
    bool is_agent = false;  // of several users
    double cost = 0;        // its share of all requests or of all seat-seconds
    std::string most;       // what half of its requests are, "list pods"; empty: nothing is
  };
  std::optional<Busiest> busiest;
  std::vector<LogAnswers> answers;  // most first; those of API Priority and Fairness as well
  RefusalEvidence evidence;         // why answers 429 have their causes
  std::vector<LogMinute> minutes;
  LogCourse course;                // empty: there are too many clients to know all of them
  WhyReport why;                   // by the log alone: nothing but what it says itself is a cause
  std::vector<SlowRequests> slow;  // longest first
  SlowRequests slow_total;
  std::optional<WhyChange> slow_rise;  // when most of their time was, where that is not the whole log
  // The server's traces of slow requests without audit ID (before 1.22) that fit none, or several, of the log's
  // requests: they are left out.
  std::uint64_t traces_apart = 0;
  std::vector<ClientFinding> clients;  // by the share of requests or of seat-seconds, whichever is larger
  ClientThrottling throttling;
  // Of LogSummaryOptions.
  bool objects_known = false;
  std::optional<bool> apf_on;
  std::string apf_by;
};

// APIRequestCount objects of OpenShift: how many requests its API servers had of whom, hour by hour. They are no log:
// there are neither arrivals nor answers in them.
struct ApiRequestCounts {
  static constexpr std::size_t kHours = 24;
  struct Row {
    std::string user, agent, verb, resource;  // resource: RESOURCE[.GROUP]
    std::uint64_t requests = 0;
    std::array<std::uint64_t, kHours> by_hour{};  // of the day, UTC
  };
  std::size_t objects = 0;  // that had requests or not
  std::vector<Row> rows;    // most requests first
  std::uint64_t requests = 0;
  std::uint64_t unnamed = 0;  // of them, those of users that the objects do not list: each lists the busiest ones only
  std::array<std::uint64_t, kHours> by_hour{};
  std::vector<std::string> nodes;
  std::vector<std::pair<std::string, std::string>>
      removed;  // RESOURCE.VERSION.GROUP, removed in release; with requests
};
// An object, a list of them, or several, in JSON. Nothing: the text is something else.
APF_API std::optional<ApiRequestCounts> read_api_request_counts(std::string_view text);

// Throws Error as trace_logs() does. Logs are read twice: what can be read but once, as "-" and pipes, is kept in a
// file without a name meanwhile.
APF_API LogSummary summarize_logs(const LogSummaryOptions& options);

}  // namespace apf
