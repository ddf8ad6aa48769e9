// Comparing configurations on the traffic of a log: requests that wait longer, are refused, or go to another level.
//
//   apf::CompareOptions options;
//   options.old_side.logs = {"audit.log"};
//   options.old_side.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   options.new_sides.push_back(options.old_side);
//   options.new_sides[0].server_concurrency_limit = 300;
//   const apf::CompareReport comparison = apf::compare(options);
//   for (const apf::ComparedChange& change : comparison.changes) std::puts(change.name.c_str());
//
// The log is read once and scheduled for each configuration, on all processors; the answer is the same for any number
// of them. A log shows one configuration: ReplayOptions::recorded of OLD says which; without it OLD is what the server
// ran when the log was written. Errors and threads: as replay().
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <apf/replay_options.h>
#include <apf/replay_report.h>

namespace apf {

struct CompareOptions {
  // What belongs to the log, its clients and the reports is taken from OLD; so are `recorded` and `decision_fields`.
  // Decisions, timelines, dumps and metrics are those of each side.
  ReplayOptions old_side;
  std::vector<ReplayOptions> new_sides;  // at least one
  // Further replays of each side with jitter, and with the 10 s clock in other phases: replay i of one side is held
  // against replay i of the other, and a difference counts where it is in all pairs, or beyond what they differ by. 0:
  // every difference counts.
  int spread = 3;
};

// A figure of one side.
struct ComparedFigure {
  double value = 0;            // requests; nanoseconds
  double low = 0, high = 0;    // what the log leaves open: see ReplayReport::others
  double least = 0, most = 0;  // of all replays of the side
  std::uint64_t requests = 0;  // of what is named
};

// A number of a level, a FlowSchema, a flow or a user agent that has requests on both sides and is not the same there.
struct ComparedChange {
  enum class What : std::uint8_t { level, flow_schema, flow, user_agent } what = What::level;
  // rejected: without those whose client hung up.
  enum class Metric : std::uint8_t { rejected, hung_up, mean_wait, p99_wait } metric = Metric::rejected;
  enum class Verdict : std::uint8_t { better, worse, same } verdict = Verdict::same;
  std::size_t new_side = 0;
  std::string name;  // of a flow: its distinguisher, in whichever FlowSchema; empty: all requests
  ComparedFigure old_figure, new_figure;
  bool beyond_chance = false;  // see CompareOptions::spread; refusals are compared as a part of the requests
  // Pairs of replays, and those in which it is worse, or better, as in the first.
  int pairs = 0, pairs_alike = 0;
  bool is_protected = false;  // of the control plane, nodes or leader election
};

// Requests that get another FlowSchema or level.
struct ComparedMove {
  std::size_t new_side = 0;
  std::string from_schema, from_level, to_schema, to_level;
  std::uint64_t requests = 0;
  std::string flow;         // the distinguisher of the flow with the most of them; may be empty
  std::uint64_t flows = 0;  // how many they are of
};

struct CompareReport {
  ReplayReport old_report;                // of several servers: their sum
  std::vector<ReplayReport> new_reports;  // the same
  std::vector<std::string> servers;       // names, where there are several
  // Of several servers with metrics, curves or dumps: each server's own report, for OLD and then for each NEW.
  std::vector<std::vector<ReplayReport>> by_server;
  int spread = 0;
  int top = 10;                         // rows of lists for people, as ReplayOptions::top of OLD
  std::vector<std::uint64_t> flows;     // by NEW: with a distinguisher, and with requests on both sides
  std::vector<ComparedMove> moved;      // the most first
  std::vector<ComparedChange> changes;  // what got worse first, the largest part of the traffic first
  // How many requests of a side's log go elsewhere; of these, those that get another level.
  APF_API std::uint64_t moved_requests(std::size_t new_side) const;
  APF_API std::uint64_t moved_between_levels(std::size_t new_side) const;
  // Is there a difference beyond chance?
  APF_API bool differs(std::size_t new_side) const;
};

APF_API const char* to_string(ComparedChange::What what);        // "flowSchema"
APF_API const char* to_string(ComparedChange::Metric metric);    // "rejected", "hungUp", "meanWaitNs", "p99WaitNs"
APF_API const char* to_string(ComparedChange::Verdict verdict);  // "better"

// Throws Error: as replay().
APF_API CompareReport compare(const CompareOptions& options);

// Several servers, each by itself, and added up. All have the same sides; ReplayOptions::server of OLD is the name.
// `threads`: 0 = as many as there are processors.
APF_API CompareReport compare_servers(const std::vector<CompareOptions>& servers, int threads);

}  // namespace apf
