// A question to a log: what a replay of it says, and whether the log decides that. A log decides nothing that a replay
// of its own server contradicts, and little where it is not whole.
//
//   apf::ReplayOptions options;
//   options.logs = {"audit.log"};
//   options.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   options.server_concurrency_limit = 600;
//   apf::LogQuestion question;
//   question.evidence.seats = true;  // the server's 600 are known, no default
//   const apf::LogAnswer answer = question.ask(options);
//   if (!answer.why_undecided.empty()) std::printf("not decided: %s\n", answer.why_undecided.c_str());
//   else std::printf("%zu priority levels\n", answer.report.levels.size());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/advise.h>
#include <apf/expectation.h>
#include <apf/replay.h>
#include <apf/setup.h>

namespace apf {

// What somebody said of the server that wrote a log; what nobody said is assumed.
struct LogEvidence {
  bool seats = false;           // how many it shares
  bool objects = false;         // how many objects it holds, which the widths of its lists depend on
  bool config = false;          // its FlowSchemas and priority levels
  bool same = false;            // they are the replayed ones: a claim that the log may deny
  bool other = false;           // they are not the replayed ones: ReplayOptions::recorded has them
  bool execution = false;       // how long refused requests would have run
  bool replayed_seats = false;  // how many seats the replayed server shares
};

struct LogAnswer {
  ReplayReport report;
  std::string why_undecided;  // without a full stop; empty: the log decides what the report says
};

// In this order: what the log's server is known to be is taken into the options, the log is replayed, and the report is
// told what it assumes. Sentences name the flags of apfctl that would decide.
class APF_API LogQuestion {
 public:
  LogEvidence evidence;
  bool allow_empty = false;         // an empty or incomplete log, or a selection, decides
  bool allow_disagreement = false;  // a log that contradicts its replay decides
  std::string config_flag = "-f";   // what gives the objects of the server that wrote the log

  // Where nothing counts objects and the server's scrape has histograms of seats: lists are as wide as these say. Reads
  // the logs of `options` once, where they can be read again. Its configuration has been loaded. Throws Error.
  void take_widths(const KnownServer& known, ReplayOptions& options);
  // What is known of how much of the traffic the log holds; `signs`: that it is not the whole traffic. `seats`: of the
  // server that wrote it, which `options` take where nothing else says them.
  void take_coverage(LogCoverage coverage, std::vector<Remark> signs, const std::optional<ScrapedSeats>& seats,
                     ReplayOptions& options);
  bool has_measured_widths() const { return measured_.has_value(); }

  // Throws Error as replay() does, and as complete(). `experiments`: the report says why requests were refused.
  LogAnswer ask(const ReplayOptions& options, bool experiments = false) const;
  // The remarks and their hints of a report that another function made of the log: suggest(), compare(), one of several
  // servers. Throws Error: no request has an end, so there is nothing to replay.
  void complete(ReplayReport& report) const;

  // Why the log does not decide what somebody asks of the report; empty: it does.
  std::string why_undecided(const ReplayReport& report) const;
  // Where nobody asks anything of it: what is said to be certain is not so, or the log is damaged.
  std::string why_wrong(const ReplayReport& report) const;
  // Marks results of expectations where the log does not decide them.
  void mark_undecided(const ReplayReport& report, std::vector<ExpectationResult>& results) const;

 private:
  bool is_contradicted(const ReplayReport& report) const;
  bool is_vouched_for(const ReplayReport& report) const;
  void add_hint(ReplayReport& report) const;

  std::optional<Remark> measured_;
  std::optional<LogCoverage> coverage_;
  std::vector<Remark> signs_;
};

// Ends a sentence that says why a log decides nothing.
inline constexpr const char* kAllowEmpty = ", or use --allow-empty to accept that";
// "no requests found in the log", and why.
APF_API std::string no_requests(const std::vector<Remark>& warnings);
// "200 of 400 lines are unusable, more than 10 %"; empty: they are fewer.
APF_API std::string why_unusable(const LogReport& report);
// "audit.log.gz is cut off …; give the whole log"; empty: no log is damaged.
APF_API std::string why_damaged(const std::vector<Remark>& warnings);
// "600 seats are assumed: …", where nothing says how many the server has; else empty.
APF_API std::string assumed_seats(const ReplayReport& report);
APF_API void add_hints(LogReport& report);
APF_API void add_hints(ReplayReport& report);

}  // namespace apf
