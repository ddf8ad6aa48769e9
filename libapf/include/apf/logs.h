// Logs: audit logs, the HTTP log of kube-apiserver, request traces and the rest of apfctl-trace(5), as requests.
//
//   apf::LogOptions options;
//   options.logs = {"audit.log.gz"};
//   const apf::LogReport read = apf::trace_logs(
//       options, [](const apf::TraceRequest& request) { std::puts(apf::render_trace_line(request).c_str()); });
//   std::printf("%llu requests\n", static_cast<unsigned long long>(read.requests));
//
// trace_logs() joins the stages of each request, sorts by arrival and gives every request in the normal form, the trace
// line. read_requests() gives requests to classify, in the order of the text; stat_logs() says what logs hold and what
// of it a replay will miss; a Redactor replaces names by hashes.
//
// Times are nanoseconds since 1970 UTC, durations nanoseconds. Sinks are called from the thread that called, and what
// they are given is valid during the call. Different logs may be read from several threads at once. Lines that cannot
// be used are counted by reason; a log that cannot be opened, or is of no known format, throws apf::Error.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/remarks.h>
#include <apf/time.h>
#include <apf/traffic.h>
#include <apf/version.h>

namespace apf {

// Why a request was not served, as far as the log says: by its answer's code, reason and message, by how long it took,
// and by what is named beside it.
enum class AnswerCause : std::uint8_t {
  none,  // it was served, or the log doesn't say how it was answered
  apf,   // API Priority and Fairness: the request waited in a queue, or the server's own log names its level
  max_in_flight,
  apf_or_max_in_flight,  // one of the two: both answer at once, and with one text
  event_rate_limit,
  resource_quota,
  quota_conflict,  // no update of a ResourceQuota's status succeeded
  disruption_budget,
  aggregated_server,  // which has limits of its own
  storage_initializing,
  resource_version_too_large,  // from the future
  consistent_list_fallback,    // the watch cache was too late for a consistent list, and etcd is not asked in its place
  shutting_down,
  webhook_denied,
  webhook_failed,
  admission_denied,  // by a plugin or a policy of admission
  conflict,          // with another write of the object
  apply_conflict,    // with another manager of its fields
  already_exists,
  expired,  // the resource version is too old
  forbidden,
  unauthenticated,
  not_found,
  invalid,  // 400, 422
  hung_up,  // the client left while its request waited
  time_out,
  unavailable,
  internal_error,
  etcd_failed,
  unknown,  // 429: what refused it is not in the log
  other,
  kCount
};
APF_API const char* to_string(AnswerCause cause);  // "eviction"; never changes
// "40 evictions refused by a disruption budget".
APF_API std::string counted_answers(AnswerCause cause, std::uint64_t count);

// Where the time of a request went, by the annotations apiserver.latency.k8s.io/… of its audit event, or by the trace
// that the server wrote of it into its own log (Trace[…]).
enum class LatencyPart : std::uint8_t {
  total,
  queue,
  etcd,
  mutating_webhook,
  validating_webhook,
  transform,
  serialize,
  response_write,
  authentication,
  authorization,
  decode,
  storage,  // traces alone: admission, the watch cache or etcd, where they do not tell these apart
  kCount
};
inline constexpr std::size_t kLatencyParts = static_cast<std::size_t>(LatencyPart::kCount);
// As the server calls it: "etcd", "apf-queue-wait".
APF_API const char* to_string(LatencyPart part);
using Latencies = std::array<std::optional<Nanos>, kLatencyParts>;

struct TraceRequest {
  Nanos time = 0;                // arrival at the server
  bool time_is_integer = false;  // written as an integer number of ns, not as RFC 3339
  std::string id;
  User user;                 // after impersonation
  std::string impersonator;  // who acts for the user; empty: nobody
  std::string verb, method;  // verb + uri, or method + uri, or request_info
  std::string uri;
  std::optional<RequestInfo> request_info;
  std::optional<Nanos> execution;  // how long it runs once dispatched
  std::optional<Nanos>
      recorded_end;           // audit logs: when the response was complete (the end a replay anchors); "recordedEnd"
  std::optional<Nanos> init;  // watch: duration of its initialization
  std::optional<Nanos> end;   // watch: instant it ends
  std::optional<Nanos> wait_limit;  // how long it may queue
  std::optional<WorkEstimate> seats;
  std::string user_agent, source_ip;
  int code = 0;
  struct Recorded {
    std::string flow_schema, priority_level;
    std::optional<Nanos> queue_wait;
    AnswerCause cause = AnswerCause::none;
    std::string webhook;  // that failed, or denied it, by its name
    Latencies latencies;
  } recorded;
  std::string object;  // JSON, as recorded
  std::string server;
};

APF_API std::string render_trace_line(const TraceRequest& request);  // one line, without the newline

// Nothing if the line is no trace line; `error` then says in one sentence what is wrong.
APF_API std::optional<TraceRequest> parse_trace_line(std::string_view line, std::string& error);

// Logs in memory: texts by name, as they would be in files (also compressed ones). The caller keeps the bytes.
struct LogText {
  LogText() = default;
  LogText(std::string_view bytes) : text(bytes) {}
  LogText(const std::string& bytes) : text(bytes) {}
  std::string_view text;
  std::string damage;   // why it is not whole, in words that go after its name; empty: it is
  int goes_on_in = -1;  // the pipe that these bytes were read from: its others come after them
};
using LogTexts = std::map<std::string, LogText>;

// Can the log be read twice, with the same outcome? Texts and regular files can.
APF_API bool can_be_read_again(const std::string& path, const LogTexts& texts);

// Throws Error if the file ("-" = standard input) is a device other than a terminal or /dev/null, as /dev/zero is. All
// that reads logs and requests calls it.
APF_API void refuse_device(const std::string& path);

// What is known of the order of the lines of some logs, for all that read them.
class LogOrder;
APF_API std::shared_ptr<LogOrder> make_log_order();

struct LogProgress {
  std::uint64_t bytes_read = 0, bytes_total = 0;  // of the files; total 0 if unknown
  std::uint64_t requests = 0;
  Nanos clock = 0;  // of the log, or of its replay
};

// Which logs are read, and how. Their lines may come in any order: where they are not in order of time, the logs are
// read once more, and sorted in a temporary file (set_temporary_directory()); what comes through a pipe is kept in
// memory for that, up to 64 MiB. A longer one is an Error that says how to sort it.
struct LogOptions {
  std::vector<std::string> logs;    // of one server, in order; "-" = standard input
  LogTexts texts;                   // what is named here is read from memory, not from a file
  std::string log_format = "auto";  // or a name of log_format_names()
  int log_year = 0;  // of the first line that does not write its year (klog text); 0 = found in the logs, else 1970
  Nanos reorder_window = 75 * kSecond;               // how much later than its arrival a request may come in the log
  std::size_t reorder_limit = 1u << 18;              // … and how many requests are held for it
  int threads = 0;                                   // 0 = as many as there are processors
  bool digest = false;                               // LogReport::digest is wanted
  bool needs_events = false;                         // a log without a single event is an Error, which says what it is
  const std::atomic<bool>* interrupted = nullptr;    // set: what is done so far is reported
  std::function<void(const LogProgress&)> progress;  // called now and then from the thread that reads
  std::shared_ptr<LogOrder> order = make_log_order();  // copies share it, so that a log is sorted once
};

// The logs behind paths: a folder and an archive (tar, zip, 7z, cpio) stand for the logs in them, and in the archives
// in them, rotated parts in their order. What is of another server than kube-apiserver, or no log, is left out and
// named. What cannot be opened, unpacked or decoded may be a log: it is one whose text is damaged.
struct FoundLogs {
  std::vector<std::string> logs;                  // as in LogOptions
  LogTexts texts;                                 // the same: those of archives
  std::vector<std::shared_ptr<const void>> held;  // what the texts point to
  std::vector<Remark> warnings;
};
// Throws Error for a folder or an archive without logs.
APF_API FoundLogs find_logs(const std::vector<std::string>& paths);

// What kube-apiserver wrote of itself into its log when it started.
struct ServerFlags {
  std::map<std::string, std::string> flags;  // name → value, as "max-requests-inflight" → "400"
  std::optional<KubeVersion> version;
  std::string version_text;  // as it is written: "v1.34.2"
  std::optional<int> seats;  // the sum that its flow controller was made with
  std::string log;           // where they are; empty: there are none
  // By the two flags, else `seats`.
  APF_API std::optional<int> shared_seats() const;
};
// Looks into the beginnings of logs that can be read twice.
APF_API ServerFlags read_server_flags(const LogOptions& options);

// The formats that --log-format takes, "auto" first.
APF_API std::vector<std::string> log_format_names();

// How an audit log and the HTTP log of one server were joined.
struct JoinReport {
  bool joined = false;  // both logs were there
  std::uint64_t requests = 0, audit_only = 0, http_only = 0;
  std::uint64_t users_found = 0;  // of http_only: by address and user agent
};

// Lines of a log that look like events and cannot be used: how many, and the first of them.
struct BadLines {
  static constexpr std::size_t kMostFirst = 3;
  struct Line {
    std::uint64_t number = 0;  // from 1
    std::string why, text;     // text: its beginning, as it stands in the log
  };
  std::string log;
  std::uint64_t lines = 0;
  std::vector<Line> first;
};

// What was read.
struct LogReport {
  std::vector<std::string> logs;
  std::uint64_t bytes = 0, lines = 0, events = 0, requests = 0;
  std::uint64_t other_lines = 0;                  // of the server's own log, about no request: no fault
  std::map<std::string, std::uint64_t> unusable;  // reason → lines
  std::vector<BadLines> bad_lines;                // the same by log
  std::uint64_t out_of_order = 0;                 // lines that are older than one before them by more than a second
  std::uint64_t out_of_window = 0;                // requests that arrived earlier than what was already handed on
  std::uint64_t digest = 0;  // of the lines, if that is wanted; other ones have it by accident only
  JoinReport join;
  std::vector<Remark> warnings, assumptions;
  std::vector<Remark> incomplete;  // what says that the log is not the whole traffic
  bool interrupted = false;
  LogProgress reached;  // where it was interrupted
};

// Calls `sink` for each request of the logs, its stages joined, in order of arrival. Where lines are found to be out of
// order, it calls `begin_again`, and then `sink` for each request from the first one on. Throws Error: a log that
// cannot be opened or is of no known format, or, without `begin_again`, whose lines are out of order.
APF_API LogReport trace_logs(const LogOptions& options, const std::function<void(const TraceRequest&)>& sink,
                             const std::function<void()>& begin_again = nullptr);

// Requests to classify, taken from a file: trace lines, audit events, or RequestInfo dumps as KEP-1040 prints them.

struct LoggedRequest {
  std::uint64_t line = 0;  // where it begins, from 1
  std::string id;          // audit ID, or the trace line's id
  ParsedRequest request;
  User user;                          // as recorded: no groups are added, but to that of a line of words
  std::optional<std::string> as;      // of a line of words: the value of --as; empty: no user is named
  std::vector<Remark> notes;          // of its words
  std::optional<User> authenticated;  // set: the user that impersonates `user`
  std::optional<WorkEstimate> seats;  // where a trace line overrides the estimate
  std::string error;                  // not empty: why this request cannot be classified
};

// Calls `sink` for each request of the file ("-" = standard input), in the order of the text; the events of
// one audit ID are one request. Throws Error for a file that cannot be opened or holds none of the forms. Returns
// RemarkKind::log_damaged where a compressed file could not be read to its end.
APF_API std::vector<Remark> read_requests(const std::string& path,
                                          const std::function<void(const LoggedRequest&)>& sink);

// The fields to write about a request, and others that `sink` wants to know of it.
struct RequestText {
  std::string text, remark;
};
// The same, where most work is on the text: `render` makes it of each request without an error, in several threads at
// once. What it makes must depend on neither line nor ID: requests that differ in nothing else may get one text. Of the
// requests of logs, `sink` is handed line, ID and error alone.
// `admin`: whom that short name means in lines of words; without it, the one of the newest release.
APF_API std::vector<Remark> read_requests(const std::string& path,
                                          const std::function<RequestText(const LoggedRequest&)>& render,
                                          const std::function<void(const LoggedRequest&, const RequestText&)>& sink,
                                          const User* admin = nullptr);

// The requests of logs for what reads no logs itself (<apf/traffic.h>).
APF_API std::unique_ptr<TrafficReader> log_traffic();

// The text, inflated where it is gzip, zstd, xz, bzip2 or lz4: `kept` then holds it. Throws Error for data that is
// damaged or cut off, or becomes more than 256 MiB; `name` is for its message.
APF_API std::string_view inflated(std::string_view text, const std::string& name, std::string& kept);

// What logs hold, and what of it a faithful replay will miss.

struct LogFileStat {
  std::string name, format;  // format: as --log-format takes it
  std::string label;         // what wraps the lines, "Filebeat"; empty: nothing does
  std::uint64_t lines = 0, events = 0;
};

struct LogStat {
  std::vector<LogFileStat> files;
  std::uint64_t bytes = 0, lines = 0, events = 0, other_lines = 0;
  std::map<std::string, std::uint64_t> unusable;  // reason → lines
  std::vector<BadLines> bad_lines;                // the same by log
  std::optional<Nanos> first_arrival, last_arrival, last_end;

  // Requests: all, and those without an end in the log.
  std::uint64_t requests = 0, unfinished = 0;
  std::uint64_t in_both = 0;       // of them, those in an audit log and in the server's own log: each counts once
  std::uint64_t out_of_order = 0;  // lines that are older than one before them by more than a second
  std::uint64_t duplicates = 0;    // a second end, with the same audit ID and arrival (of those near each other)
  std::uint64_t finish_without_start = 0;  // of watches: complete, but no ResponseStarted before
  std::uint64_t negative_latencies = 0;

  std::uint64_t users = 0, user_agents = 0, source_ips = 0;  // distinct
  // Name → requests. Distinct names beyond a thousand are counted together under "…".
  std::map<std::string, std::uint64_t> verbs, flow_schemas, priority_levels, stages, top_users;
  bool more_users = false;             // than those of top_users
  std::map<int, std::uint64_t> codes;  // 0 = none

  // Of the complete requests, those that record …
  std::uint64_t with_user = 0, with_implied_groups = 0, with_flow_schema = 0, with_queue_wait = 0, with_execution = 0,
                with_seats = 0, with_end = 0, with_id = 0;
  std::uint64_t watches = 0, watches_started = 0, watches_with_init = 0, refused = 0, http = 0, traces = 0;
  std::uint64_t whole_seconds = 0;  // events whose arrival has no fraction of a second
  // What the server says of itself.
  std::map<std::string, std::string> server_flags;  // as in ServerFlags, those that matter to a replay
  std::optional<KubeVersion> server_version;
  std::uint64_t starts = 0, rebalancings = 0, limit_changes = 0, configurations = 0;

  std::vector<Remark> missing;     // what a replay must assume or leave out
  std::vector<Remark> incomplete;  // what says that the log is not the whole traffic
  std::uint64_t lists = 0;         // of the complete requests
  std::vector<Remark> warnings;
  bool interrupted = false;
  LogProgress reached;  // the same
};

// Throws Error as trace_logs() does.
// `release`: of the server that wrote the logs, if it is known; then what is missing is said to be missing because of
// it.
APF_API LogStat stat_logs(const LogOptions& options, std::optional<KubeVersion> release = {});

// Trace lines without names: names of users and objects are replaced by hashes, the fields that decide about a request
// stay.

// The same text becomes the same word everywhere (r- and twelve hex digits of a keyed SHA-256), so that requests of one
// user, in one namespace, of one object stay together. Kept are times, verbs, API groups, resources, subresources,
// paths that are not resources, user and group names of the system itself (system:…), the namespaces that every cluster
// has, and FlowSchemas and levels that the server itself maintains.
class APF_API Redactor {
 public:
  // Without a key, a reader who guesses a name can check the guess.
  explicit Redactor(std::string_view key);
  ~Redactor();
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;

  void apply(TraceRequest& request) const;

  std::string word(std::string_view text) const;
  std::string user(std::string_view name) const;
  std::string group(std::string_view name) const;
  std::string name_space(std::string_view name) const;
  std::string uri(std::string_view target) const;

 private:
  struct APF_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether it says that a log is a selection: of one user or verb, of refusals or beginnings alone, without reads.
APF_API bool is_of_selection(const Remark& remark);

}  // namespace apf
