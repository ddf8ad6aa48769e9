// Sweeps: many replays as independent tasks, which other programs run on many machines, and their results merged.
//
//   const std::string text = "logs: [{name: east, files: east.log}]\nconfigurations: [{name: built-in}]\n";
//   const apf::SweepPlan plan = apf::read_sweep_plan({"plan.yaml", text});
//   std::vector<apf::Config> configs;  // one for each configuration and each set of flags, as sweep_options() says
//   const apf::SweepOptions options = apf::sweep_options(plan, std::move(configs));
//   apf::sweep_task(options, {1, 2}, "out/task-1-of-2.json");  // on one of two machines
//   const apf::SweepReport report = apf::merge_sweep({"out/task-1-of-2.json", "out/task-2-of-2.json"}, {});
//
// A plan names logs (each of one server), configurations, sets of flags and seeds; each four of them is one replay. A
// task does a part of the replays, which follows from its number alone, and writes a partial result: the same bytes
// whenever and wherever it runs. Merging the partial results of all tasks answers exactly what sweep() does. Errors and
// threads: as replay(). apfctl-sweep(1) has the format of plans and of partial results.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>
#include <apf/limits.h>
#include <apf/remarks.h>
#include <apf/replay.h>
#include <apf/settings.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

// --- plans ---

// The logs of one server.
struct SweepLog {
  std::string name;
  std::vector<std::string> files;              // as seen from the current folder
  std::string objects;                         // a file of object counts; empty: none
  std::shared_ptr<const ObjectCounts> counts;  // which the caller reads from it
  Span span;
};
struct SweepConfiguration {
  std::string name;
  std::vector<std::string> files;  // empty: the built-in objects alone
};
// What the server's flags, and those of `apfctl replay`, set.
struct SweepFlags : ServerSetup {
  std::string name;
  std::string sizes_of;  // one of several that differ by server_concurrency alone: what the plan calls them; else empty
  // The settings of apf/flag_values.h. The limits of in_flight are those above.
  ReplayOptions replay;
  // EventRateLimit and ResourceQuota, which the caller reads into `replay`. Quotas are those of one server alone:
  // conflicts between servers are nothing that tasks could find out by themselves.
  std::string event_rate_limit_file;
  std::vector<std::string> quota_files;
  Span span;

  KubeVersion version() const { return kubernetes_version.value_or(kNewestKubeVersion); }
};

struct SweepPlan {
  std::string name;  // of the text
  std::vector<SweepLog> logs;
  std::vector<SweepConfiguration> configurations;
  std::vector<SweepFlags> flags;  // one of default values where the plan has none
  // 0: the log as it is; others: arrivals and ends are moved by up to `jitter`, as the seed will have it.
  std::vector<std::uint64_t> seeds = {0};
  Nanos jitter = kMillisecond;
  std::string log_format = "auto";
  // What the servers ran when the logs were written: places in `configurations` and `flags`.
  struct Recorded {
    std::size_t configuration = 0, flags = 0;
  };
  std::optional<Recorded> recorded;
  std::vector<Diagnostic> faults;  // with any, the plan is not complete
};
APF_API SweepPlan read_sweep_plan(const ConfigText& text);

// --- running ---

struct SweepOptions {
  struct Combination {
    std::string configuration, flags;  // names
    ReplayOptions replay;              // without logs and seeds
    std::string sizes_of = {};         // as SweepFlags::sizes_of
  };
  std::vector<SweepLog> logs;
  std::vector<Combination> combinations;  // every configuration with every set of flags
  std::vector<std::uint64_t> seeds;
  Nanos jitter = kMillisecond;
  std::string digest;        // of what decides the results; partial results of another one are not merged
  std::uint64_t memory = 0;  // bytes for a log, 0 = half of what is free; the rest goes to a temporary file
  int threads = 0;           // 0: as many as there are processors
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::uint64_t replays, std::uint64_t all)> progress;  // between logs

  std::uint64_t replays_of_log() const { return combinations.size() * seeds.size(); }
  std::uint64_t replays() const { return logs.size() * replays_of_log(); }
};

// `configs`: complete, of the first configuration with each set of flags (whose version and built-in objects they
// have), then of the second … Throws Error: not as many, or a file of the plan has not been read.
APF_API SweepOptions sweep_options(const SweepPlan& plan, std::vector<Config> configs);
// SHA-256, in hexadecimal, of the texts and their lengths: of the plan, its configurations and all other files that it
// names but the logs.
APF_API std::string sweep_digest(const std::vector<std::string>& texts);

// Task `number` (from 1) of `of`. Its replays follow each other; up to as many tasks as there are logs, each has whole
// logs.
struct SweepTask {
  int number = 1, of = 1;
};
inline constexpr int kMostSweepTasks = 1'000'000;
struct SweepShare {
  std::uint64_t first = 0, end = 0;  // numbers of replays: by log, combination, seed
};
APF_API SweepShare share_of(const SweepTask& task, std::uint64_t logs, std::uint64_t replays_of_log);

// --- results ---

// What the stages of a replay did other than API Priority and Fairness and max-in-flight, and clients that came back.
struct SweepStages {
  std::vector<StageReport> stages;  // all of them, in order, without requesters; empty where there are no others
  // Requests that were not asked about, because the log does not show what decides: as in EventLimitReport and
  // ResourceQuotaReport.
  std::uint64_t undecidable_events = 0, undecidable_quotas = 0;
  // With ListWidths::bytes: lists, and those of which nothing says what they return.
  std::uint64_t lists = 0, lists_of_unknown_bytes = 0;
  std::uint64_t retries = 0, gave_up = 0, retries_beyond_log = 0, retries_dropped = 0;  // as in ReplayReport
};

// One combination on one log, or on all that are complete.
struct SweepResult {
  std::size_t combination = 0;
  // By seed, and for each seed first with the waits that the log leaves open undecided, then with recorded ends (see
  // UnknownWaits) where any log leaves them open; or first with clients that wait as the log shows, then with open
  // ones. The first is the figure, the others make its range.
  std::vector<RequestTally> totals;
  std::vector<SweepStages> stages;  // as `totals`
  struct Level {
    std::string name;
    bool exempt = false;
    std::vector<RequestTally> tallies;  // as `totals`
  };
  std::vector<Level> levels;  // by name
};

// What became of one log. Its results are complete: those of which a replay is missing are left out.
struct SweepLogReport {
  std::string name;
  std::uint64_t bytes = 0, requests = 0;
  std::uint64_t unusable = 0;  // lines
  bool undecided = false;      // in any replay
  bool clients_open = false;   // whether clients wait for answers, in any replay
  bool complete = false;
  std::vector<Remark> warnings;  // RemarkKind::log_damaged, log_empty, duplicate_events
  std::vector<SweepResult> results;
};

// A task of which there is no result.
struct SweepMissing {
  SweepTask task;
  SweepShare share;
  std::string file;     // what should have been it; empty: there is none
  std::string because;  // a sentence without its end
};

struct SweepWorst {
  std::string log;
  std::size_t combination = 0;
  std::vector<RequestTally> totals;
};

struct SweepReport {
  struct Combination {
    std::string configuration, flags;
    std::string load;  // how its flags scale the load, in words; empty: they do not
    // One of several servers that differ by their seats alone: see SweepFlags::sizes_of. 0: it is none.
    std::string sizes_of;
    int seats = 0;
  };
  // Damaged, cut off, empty, of no requests for another reason, a selection, with events that are there twice, or one
  // that contradicts all of its replays.
  struct DoubtfulLog {
    std::string name;
    std::uint64_t requests = 0;
    std::vector<Remark> warnings;
  };
  // Entries of a set of flags that match no client of any log: RemarkKind::client_model_unused,
  // client_timeout_unused, client_limit_unused, scale_unused.
  struct UnusedEntry {
    std::string flags;
    Remark remark;
    bool operator==(const UnusedEntry&) const = default;
  };
  std::vector<Combination> combinations;
  std::vector<std::uint64_t> seeds;
  std::uint64_t logs = 0, complete_logs = 0;
  std::uint64_t replays = 0, replayed = 0;
  // Of the complete logs.
  std::uint64_t bytes = 0, requests = 0, unusable = 0, unusable_in = 0;  // in this number of logs
  std::uint64_t undecided = 0, clients_open = 0;                         // logs
  std::vector<SweepResult> results;                                      // by combination
  std::vector<DoubtfulLog> doubtful;                                     // in the order of the plan
  std::vector<UnusedEntry> unused;
  std::vector<SweepWorst> worst;  // logs with the most refusals, then the longest waits; ten at most
  std::vector<SweepMissing> missing;
  bool interrupted = false;
};

// Called for each log in the order of the plan, complete or not, if any of its replays is there.
using SweepRows = std::function<void(const SweepLogReport&, const SweepReport& so_far)>;

// Does all replays. Interrupted: the report is of the logs that were complete by then.
APF_API SweepReport sweep(const SweepOptions& options, const SweepRows& rows = {});

// Does those of one task, and writes them. False: interrupted, and nothing was written.
APF_API bool sweep_task(const SweepOptions& options, const SweepTask& task, const std::string& path);
// "task-03-of-16.json"
APF_API std::string sweep_file_name(const SweepTask& task);

// The files are checked first, then read once more, one after the other, so that memory does not grow with them. Throws
// Error: a file of another plan, or of another version of apfctl or of the format; two of the same task that differ;
// two of tasks that have replayed different contents of a log; and, unless some may be missing, a file that cannot be
// read or is broken, and a task without a file.
struct MergeOptions {
  bool allow_missing = false;
  const std::atomic<bool>* interrupted = nullptr;
};
APF_API SweepReport merge_sweep(const std::vector<std::string>& files, const MergeOptions& options,
                                const SweepRows& rows = {});

}  // namespace apf
